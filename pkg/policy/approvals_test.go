package policy

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// ask sets up an engine with a clock and opens a question.
func ask(t *testing.T, now *time.Time) (*Engine, *Approvals, Approval) {
	t.Helper()
	e, err := New(nil, func() time.Time { return *now })
	if err != nil {
		t.Fatal(err)
	}
	a := NewApprovals(e)
	r := asking()
	return e, a, a.Open(r, e.Decide(r), "click Save")
}

// Ensure an answer turns into a grant of its scope, or a deny, that the next
// call meets.
func TestAnswer(t *testing.T) {
	tests := []struct {
		name          string
		allow         bool
		scope         Scope
		first, second Verdict // of the same session
		other         Verdict // of another one
	}{
		{"allow once", true, ScopeOnce, Allow, Ask, Ask},
		{"allow session", true, ScopeSession, Allow, Allow, Ask},
		{"allow always", true, ScopeAlways, Allow, Allow, Allow},
		{"deny once", false, ScopeOnce, Deny, Deny, Ask},
		{"deny session", false, ScopeSession, Deny, Deny, Ask},
		{"deny always", false, ScopeAlways, Deny, Deny, Deny},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := time.Unix(1000, 0)
			e, a, approval := ask(t, &now)
			if _, err := a.Answer(Answer{ID: approval.ID, Allow: tt.allow, Scope: tt.scope, Face: FacePopup}); err != nil {
				t.Fatal(err)
			}
			other := asking()
			other.SessionID = "s2"
			got := []Verdict{e.Decide(other).Verdict, e.Decide(asking()).Verdict, e.Decide(asking()).Verdict}
			if got[0] != tt.other || got[1] != tt.first || got[2] != tt.second {
				t.Errorf("other session, first and second call: %v", got)
			}
			if _, err := a.Answer(Answer{ID: approval.ID, Allow: true, Scope: ScopeAlways, Face: FacePopup}); !fault.Is(err, fault.InvalidArguments) {
				t.Errorf("a second answer: %v", err)
			}
		})
	}
}

// Ensure a question carries what its fault and a person need, is not asked twice
// and stays open after an answer without a meaning.
func TestQuestion(t *testing.T) {
	now := time.Unix(1000, 0)
	e, a, approval := ask(t, &now)
	f := approval.Fault()
	if f.Code != fault.NeedsApproval || f.Evidence["id"] != approval.ID || f.Evidence["expires_at"] != now.Add(ApprovalTTL) || !strings.Contains(f.NextStep, "popup") || strings.Contains(f.NextStep, "actions-host") {
		t.Errorf("fault %+v", f)
	}
	r := asking()
	if again := a.Open(r, e.Decide(r), "click Save"); again.ID != approval.ID {
		t.Error("the same question was asked twice")
	}
	r.Origin = "https://other.test"
	long := a.Open(r, e.Decide(r), strings.Repeat("ä", 2*maxSummary))
	if long.ID == approval.ID || len([]rune(long.Summary)) != maxSummary {
		t.Errorf("summary of %d characters", len([]rune(long.Summary)))
	}
	if _, err := a.Answer(Answer{ID: approval.ID, Allow: true, Scope: "ever", Face: FacePopup}); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("a scope without a meaning: %v", err)
	}
	if list := a.List(); len(list) != 2 {
		t.Errorf("open: %+v", list)
	}
	a.EndSessions("s1")
	if list := a.List(); len(list) != 0 {
		t.Errorf("open after the session's end: %+v", list)
	}
}

// Ensure a question that nobody answers in time is a refusal, and that an allow
// for one call does not outlive its time.
func TestExpiry(t *testing.T) {
	now := time.Unix(1000, 0)
	e, a, approval := ask(t, &now)
	now = now.Add(ApprovalTTL - 1)
	if len(a.List()) != 1 {
		t.Fatal("the question ended early")
	}
	now = now.Add(1)
	if _, err := a.Answer(Answer{ID: approval.ID, Allow: true, Scope: ScopeAlways, Face: FacePopup}); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("a late answer: %v", err)
	}
	if d := e.Decide(asking()); d.Verdict != Ask || len(a.List()) != 0 {
		t.Errorf("after the time: %s, %v", d.Verdict, a.List())
	}

	r := asking()
	approval = a.Open(r, e.Decide(r), "")
	if _, err := a.Answer(Answer{ID: approval.ID, Allow: true, Scope: ScopeOnce, Face: FacePopup}); err != nil {
		t.Fatal(err)
	}
	now = now.Add(ApprovalTTL)
	if d := e.Decide(r); d.Verdict != Ask {
		t.Errorf("an old permission for one call: %s", d.Verdict)
	}
}

// Ensure only one of many concurrent answers counts.
func TestConcurrentAnswers(t *testing.T) {
	now := time.Unix(1000, 0)
	e, a, approval := ask(t, &now)
	var wg sync.WaitGroup
	answered := make(chan error, 40)
	for i := range cap(answered) {
		wg.Go(func() {
			r := asking()
			r.Origin = "https://other.test"
			a.Open(r, e.Decide(r), "")
			_, err := a.Answer(Answer{ID: approval.ID, Allow: i%2 == 0, Scope: ScopeSession, Face: FacePopup})
			answered <- err
			a.List()
		})
	}
	wg.Wait()
	close(answered)
	accepted := 0
	for err := range answered {
		if err == nil {
			accepted++
		}
	}
	if accepted != 1 || len(e.Grants()) != 1 || len(a.List()) != 1 {
		t.Errorf("%d answers accepted, grants %v, open %v", accepted, e.Grants(), a.List())
	}
}
