package hostproc

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestAnswersThatComeTooLate(t *testing.T) {
	// Ensure that a question whose tab was closed, or went to another origin, takes no answer, that of two answers at once one counts and the other is told, that ten questions at once are answered each by its own code, and that the log tells all of it.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop, shop, shop)
	c := dial(t, home)
	ask := func(tab, i int) string {
		t.Helper()
		return fmt.Sprint(wantCode(t, call(t, c, at(direct("pointer.click", fmt.Sprintf(`{"x":1,"y":%d}`, i)), tab)), fault.NeedsApproval).Evidence["id"])
	}
	gone, away, same := ask(1, 1), ask(2, 2), ask(3, 3)
	answers := map[string]control.Answer{}
	for _, id := range []string{gone, away, same} {
		answers[id] = home.Answer(t, id, true, policy.ScopeAlways)
	}
	if err := b.Release(patient(t), 1); err != nil {
		t.Fatal(err)
	}
	if err := b.Goto(patient(t), 2, "https://bank.example.com/"); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the questions are withdrawn", func() bool { return len(waiting(t, c)) == 1 })
	for _, id := range []string{gone, away} {
		if err := answer(t, c, answers[id]); !fault.Is(err, fault.InvalidArguments) || !strings.Contains(err.Error(), "withdrawn") {
			t.Errorf("answered: %v", err)
		}
	}

	var wg sync.WaitGroup
	answered := make(chan error, 2)
	for _, a := range []control.Answer{answers[same], {ID: same}} {
		wg.Go(func() { answered <- answer(t, c, a) })
	}
	wg.Wait()
	if first, second := <-answered, <-answered; (first == nil) == (second == nil) {
		t.Errorf("two answers at once: %v, %v", first, second)
	}

	b.Open(protocol.Tab{TabID: 4})
	if err := b.Claim(patient(t), 4, "https://ten.example.com/"); err != nil {
		t.Fatal(err)
	}
	ids := make([]string, 10)
	for i := range ids {
		ids[i] = ask(4, i)
	}
	wrong := home.Answer(t, ids[0], true, policy.ScopeOnce)
	wrong.Code = home.Code(t, ids[1])
	if err := answer(t, c, wrong); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("the code of another question: %v", err)
	}
	for i, id := range ids {
		if err := answer(t, c, home.Answer(t, id, true, policy.ScopeOnce)); err != nil {
			t.Error(err)
		}
		harness.Must(t, call(t, c, at(direct("pointer.click", fmt.Sprintf(`{"x":1,"y":%d}`, i)), 4)), nil)
	}
	if len(b.Calls()) != len(ids) {
		t.Errorf("the page saw %d calls", len(b.Calls()))
	}
	log := home.Run(t, "log", "dump", "--json").Stdout
	for what, want := range map[string]int{"question_withdrawn": 2, "wrong_code": 1, `"face":"terminal"`: 12} {
		if n := strings.Count(log, what); n != want {
			t.Errorf("the log has %d of %s, want %d", n, what, want)
		}
	}
	for id := range answers {
		if code := answers[id].Code; strings.Contains(log, `"`+code+`"`) {
			t.Errorf("the log has the code %s", code)
		}
	}
}

func TestNothingShowsAQuestion(t *testing.T) {
	// Ensure that in a browser without windows a call that must be asked about is refused at once, without a question, unless a page of the extension, the launcher or the client's form shows it.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	var mu sync.Mutex
	pages := protocol.QuestionPages{}
	show := func(p protocol.QuestionPages) {
		mu.Lock()
		defer mu.Unlock()
		pages = p
	}
	b := &fakes.Browser{Page: page, Questions: func() protocol.QuestionPages {
		mu.Lock()
		defer mu.Unlock()
		return pages
	}}
	home.Unwatched = true
	home.Ready(t, b, shop)
	c := dial(t, home)
	f := wantCode(t, call(t, c, at(clickCall(), 1)), fault.NeedsApproval)
	if f.Evidence["id"] != nil || len(waiting(t, c)) != 0 || f.Dispatched != fault.NotDispatched || !strings.Contains(f.NextStep, "popup") {
		t.Errorf("%+v, waiting %v", f, waiting(t, c))
	}
	for i, able := range []protocol.QuestionPages{{Open: 1}, {Approvals: 1}} {
		show(able)
		if f := wantCode(t, call(t, c, at(direct("pointer.click", fmt.Sprintf(`{"x":1,"y":%d}`, i)), 1)), fault.NeedsApproval); f.Evidence["id"] == nil {
			t.Errorf("with %+v: %+v", able, f)
		}
	}
	show(protocol.QuestionPages{})
	form := at(clickCall(), 1)
	form.Session = control.SessionParams{Kind: policy.SessionMCP, ID: "form", Form: true}
	f = wantCode(t, call(t, c, form), fault.NeedsApproval)
	id, _ := f.Evidence["id"].(string)
	if id == "" {
		t.Errorf("with a form: %+v", f)
	}
	// This process is not the program: it cannot speak for the form.
	var done json.RawMessage
	if err := c.Call(patient(t), control.MethodFormAnswer, control.FormAnswer{Session: form.Session, ID: id, Answer: "once"}, &done); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("a raw client answered for a form: %s, %v", done, err)
	}
}
