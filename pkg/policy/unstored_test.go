package policy

import (
	"errors"
	"testing"
	"time"
)

type failingStore struct{}

func (failingStore) Load() ([]Grant, error) { return nil, nil }
func (failingStore) Save([]Grant) error     { return errors.New("disk full") }

func TestAnswerThatCannotBeStored(t *testing.T) {
	// Ensure that a refusal for always whose grants cannot be stored holds for all effects while the host runs, and ends its question.
	e, err := New(failingStore{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := NewApprovals(e)
	ends := make(chan Outcome, 1)
	a.Decided = func(_ Approval, o Outcome) { ends <- o }
	r := Request{Session: SessionMCP, SessionID: "mcp:1", Mode: ModeAct, Name: "x", Call: "x", Effects: []Effect{EffectInput, EffectTab}, Stored: true, Origin: "https://a.example", Ask: []Effect{EffectInput, EffectTab}}
	q := a.Open(r, e.Decide(r), "")
	if _, err = a.Answer(Answer{ID: q.ID, Allow: false, Scope: ScopeAlways, Face: FacePopup}); err == nil {
		t.Error("the user is told that it was stored")
	}
	tab := r
	tab.Effects = []Effect{EffectTab}
	if d := e.Decide(tab); d.Verdict != Deny {
		t.Errorf("the user refused input and tab for always; tab is %s", d.Verdict)
	}
	select {
	case o := <-ends:
		if o != Refused {
			t.Errorf("it ended as %s", o)
		}
	case <-time.After(10 * time.Second):
		t.Error("the question has no end")
	}
}
