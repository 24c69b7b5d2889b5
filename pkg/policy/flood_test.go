package policy

import (
	"fmt"
	"testing"
	"time"
)

func TestFloodOfQuestions(t *testing.T) {
	// Ensure that a session which asks without end buries nobody else's question: its oldest ones go, as refused, and its newest stand.
	now := time.Now()
	engine, err := New(nil, func() time.Time { now = now.Add(time.Millisecond); return now })
	if err != nil {
		t.Fatal(err)
	}
	a := NewApprovals(engine)
	decided := make(chan Outcome, 1000)
	a.Decided = func(_ Approval, o Outcome) { decided <- o }
	ask := func(session string, i int) Approval {
		r := Request{SessionID: session, Name: "locator.click", Call: fmt.Sprint("locator.click ", i), Origin: "https://a.example"}
		return a.Open(r, Decision{Needs: []Effect{EffectInput}}, "{}")
	}
	other := ask("mcp:calm", 0)
	var last Approval
	for i := range 500 {
		last = ask("mcp:flood", i)
	}
	list := a.List()
	if len(list) != maxOpen+1 || list[0].ID != other.ID || list[maxOpen].ID != last.ID {
		t.Errorf("%d questions are open: %+v", len(list), list)
	}
	for range 500 - maxOpen {
		if o := <-decided; o != Expired {
			t.Errorf("a question that had to go is %s", o)
		}
	}
	if _, err := a.Answer(Answer{ID: last.ID, Allow: true, Scope: ScopeOnce, Face: FacePopup}); err != nil {
		t.Error(err)
	}
}
