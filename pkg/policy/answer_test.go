package policy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func answerIn(a *Approvals, answer Answer) error {
	_, err := a.Answer(answer)
	return err
}

// Ensure that an allow in a terminal counts with the code of its own question only, however it is
// typed, that the third wrong one refuses the question, and that no code stands in what programs read.
func TestCode(t *testing.T) {
	now := time.Unix(1000, 0)
	e, a, approval := ask(t, &now)
	other := asking()
	other.Origin = "https://other.test"
	a.Open(other, e.Decide(other), "")
	shown := a.Shown()
	if len(shown) != 2 || shown[0].Code == shown[1].Code || len(shown[0].Code) != codeLength || strings.Trim(shown[0].Code, codeSigns) != "" {
		t.Fatalf("shown %+v", shown)
	}
	code := map[string]string{shown[0].ID: shown[0].Code, shown[1].ID: shown[1].Code}
	text, err := json.Marshal([]any{a.List(), approval.Fault()})
	if err != nil || strings.Contains(string(text), shown[0].Code) || strings.Contains(string(text), shown[1].Code) {
		t.Fatalf("a program reads a code: %s, %v", text, err)
	}
	otherID := shown[0].ID
	if otherID == approval.ID {
		otherID = shown[1].ID
	}
	if err := answerIn(a, Answer{ID: approval.ID, Allow: true, Face: FaceTerminal}); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("without a code: %v", err)
	}
	for i, wrong := range []string{code[otherID], "?", strings.Repeat("2", 1000)} {
		answered, err := a.Answer(Answer{ID: approval.ID, Allow: true, Face: FaceTerminal, Code: wrong})
		if want := i == maxWrongCodes-1; fault.Is(err, fault.PermissionDenied) != want || (answered.Outcome == Refused) != want {
			t.Errorf("wrong code %d: %s, %v", i, answered.Outcome, err)
		}
	}
	if d := e.Decide(asking()); d.Verdict != Deny {
		t.Errorf("after the wrong codes: %s", d.Verdict)
	}
	if err := answerIn(a, Answer{ID: approval.ID, Allow: true, Face: FaceTerminal, Code: code[approval.ID]}); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("the right code came late: %v", err)
	}
	typed := strings.ToUpper(code[otherID][:2]) + "-" + code[otherID][2:]
	if err := answerIn(a, Answer{ID: otherID, Allow: true, Face: FaceTerminal, Code: typed}); err != nil {
		t.Error(err)
	}
}

// Ensure that whoever has question after question asked cannot guess on: after some wrong codes none
// is taken for a while, and the popup still answers.
func TestGuessing(t *testing.T) {
	now := time.Unix(1000, 0)
	e, a, _ := ask(t, &now)
	var last Approval
	guessed := 0
	for i := range 200 {
		r := asking()
		r.SessionID = fmt.Sprint("s", i)
		last = a.Open(r, e.Decide(r), "")
		if err := answerIn(a, Answer{ID: last.ID, Allow: true, Face: FaceTerminal, Code: fmt.Sprint(i)}); !fault.Is(err, fault.RateLimited) {
			guessed++
		}
	}
	if guessed != maxWrongCodesInAll || len(e.Grants()) != 0 {
		t.Errorf("%d guesses were taken, grants %v", guessed, e.Grants())
	}
	if err := answerIn(a, Answer{ID: last.ID, Allow: true, Face: FacePopup}); err != nil {
		t.Error(err)
	}
	now = now.Add(wrongCodesInterval + 1)
	r := asking()
	a.Open(r, e.Decide(r), "")
	shown := a.Shown()[0]
	if err := answerIn(a, Answer{ID: shown.ID, Allow: true, Face: FaceTerminal, Code: shown.Code}); err != nil {
		t.Errorf("after a while: %v", err)
	}
}

// Ensure that a client's form answers its own session's questions only, and never for good.
func TestClientForm(t *testing.T) {
	now := time.Unix(1000, 0)
	_, a, approval := ask(t, &now)
	form := Answer{ID: approval.ID, Allow: true, Face: FaceClient, SessionID: approval.SessionID}
	for _, wrong := range []func(*Answer){
		func(w *Answer) { w.SessionID = "s2" }, func(w *Answer) { w.Scope = ScopeAlways }, func(w *Answer) { w.Face = "" }, func(w *Answer) { w.Face = "window" },
	} {
		answer := form
		wrong(&answer)
		if err := answerIn(a, answer); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%+v: %v", answer, err)
		}
	}
	if err := answerIn(a, form); err != nil {
		t.Error(err)
	}
}

// Ensure that a question whose page is gone takes no answer, and that whoever comes late is told
// what became of it.
func TestWithdraw(t *testing.T) {
	now := time.Unix(1000, 0)
	e, a, kept := ask(t, &now)
	r := asking()
	r.SessionID = "s2"
	gone := a.OpenAt(Place{TabID: 7, Origin: r.Origin}, r, e.Decide(r), "")
	if left := a.Withdraw(func(p Place) bool { return p.TabID == 7 }); len(left) != 1 || left[0].ID != gone.ID {
		t.Fatalf("withdrawn %+v", left)
	}
	err := answerIn(a, Answer{ID: gone.ID, Allow: true, Face: FacePopup})
	if f := fault.From(err); f == nil || f.Code != fault.InvalidArguments || f.Evidence["outcome"] != Withdrawn {
		t.Errorf("answered after its page: %v", err)
	}
	if len(e.Grants()) != 0 || len(a.List()) != 1 || a.List()[0].ID != kept.ID {
		t.Errorf("grants %v, open %v", e.Grants(), a.List())
	}
}
