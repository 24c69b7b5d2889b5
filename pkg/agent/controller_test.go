package agent

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/clarify"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/voice"
)

func TestQuestionsOfThePages(t *testing.T) {
	// Ensure that the pages learn of an open question by the view and by a change of it, that the user's answer reaches the call, and that one which comes too late is refused.
	t.Setenv(paths.EnvHome, t.TempDir())
	engine, err := policy.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	changes := make(chan string, 4)
	c := &Controller{
		Conversation: Conversation{
			Voice: &voice.Manager{}, OnError: func(err error) { t.Error(err) },
			SendChange: func(change json.RawMessage) { changes <- string(change) },
		},
		Approvals: policy.NewApprovals(engine),
		Questions: &clarify.Questions{CanShow: func(context.Context) bool { return true }},
	}
	c.Questions.Changed = c.QuestionsChanged
	m := rpc.NewMux(nil)
	c.Register(m)
	answers := make(chan clarify.Answer, 1)
	go func() {
		answer, err := c.Questions.Ask(t.Context(), clarify.Question{Session: "mcp", SessionID: "mcp:k3fj", Text: "Which tea?", Options: []string{"Sencha", "Gyokuro"}})
		if err != nil {
			t.Error(err)
		}
		answers <- answer
	}()
	opened := <-changes
	shown, err := m.Serve(t.Context(), protocol.MethodAgentView, json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	questions := shown.(view).Questions
	if want, err := json.Marshal(map[string]any{"questions": questions}); err != nil || len(questions) != 1 || opened != string(want) {
		t.Fatalf("the change is %s, the view has %+v", opened, questions)
	}
	answer := json.RawMessage(`{"id":"` + questions[0].ID + `","option":2}`)
	if _, err := m.Serve(t.Context(), protocol.MethodAgentAnswer, answer); err != nil {
		t.Fatal(err)
	}
	if got := <-answers; got.Answer != "Gyokuro" {
		t.Errorf("the call has %+v", got)
	}
	if closed := <-changes; closed != `{"questions":[]}` {
		t.Errorf("the change is %s", closed)
	}
	if _, err := m.Serve(t.Context(), protocol.MethodAgentAnswer, answer); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("a second answer: %v", err)
	}
}

func TestChangesTogether(t *testing.T) {
	// Ensure that of two settings that are changed at once neither takes the other back: the mode must not return to act because the voice was chosen.
	t.Setenv(paths.EnvHome, t.TempDir())
	c := &Controller{Conversation: Conversation{Voice: &voice.Manager{}, SendChange: func(json.RawMessage) {}, OnError: func(err error) { t.Error(err) }}}
	m := rpc.NewMux(nil)
	c.Register(m)
	for range 20 {
		if err := DefaultSettings().Save(); err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		for _, members := range []string{`{"mode":"ask"}`, `{"voice":"marin"}`} {
			both.Go(func() {
				if _, err := m.Serve(t.Context(), protocol.MethodAgentSettings, json.RawMessage(`{"changes":`+members+`}`)); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		if s, err := ReadSettings(); err != nil || s.Mode != policy.ModeAsk || s.Voice != "marin" {
			t.Fatalf("mode %s, voice %s, %v", s.Mode, s.Voice, err)
		}
	}
}
