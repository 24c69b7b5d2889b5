package voice

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// shelf takes what a session hands on, as JSON like a host that writes it down.
type shelf struct {
	mu  sync.Mutex
	raw []byte
}

func (s *shelf) keep(standing SessionSnapshot) {
	raw, err := json.Marshal(standing)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw = raw
}

func (s *shelf) take(t *testing.T) SessionSnapshot {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var standing SessionSnapshot
	if err := json.Unmarshal(s.raw, &standing); err != nil {
		t.Fatal(err)
	}
	return standing
}

func TestAnotherHostGoesOn(t *testing.T) {
	// Ensure that a session whose host ended in the middle of a tool call goes on from what was kept: the conversation, the cost and the silence as they were, the model told what came of the call that had ended and of the one that nobody knows the outcome of, and asked for the answer that it owes.
	synctest.Test(t, func(t *testing.T) {
		var kept shelf
		former := begin(t, func(o *Options) { o.SaveSnapshot, o.Memory = kept.keep, "You sold tea yesterday." })
		answer := former.sendMessage(t, "sell some", Queue)
		l := former.script.conn()
		l.begin(t, "r1")
		l.events <- ResponseEnded{ID: "r1", Status: "completed", Calls: []ToolCall{{"c0", "order", `{"at":"Order"}`}, {"c1", "shop", "{}"}}, Usage: Usage{TextOut: 1_000_000}}
		former.hands.release <- struct{}{}
		standing := kept.take(t)
		former.Stop()
		<-answer

		k := begin(t, func(o *Options) { o.ResumeFrom, o.Greet, o.Memory = &standing, true, "unheard" })
		sent := strings.Join(k.script.conn().takeSent(), "\n")
		for _, want := range []string{"system: You sold tea yesterday.", "user: sell some", `system: Result of the tool order: {"ok":true,"of":"c0"}` + CalledWith + `{"at":"Order"}`, "while these tools ran: shop.", "respond "} {
			if !strings.Contains(sent, want) {
				t.Errorf("%q was not sent: %s", want, sent)
			}
		}
		if strings.Contains(sent, "unheard") || strings.Count(sent, "respond") != 1 {
			t.Errorf("it began anew: %s", sent)
		}
		if k.state.Cost.SessionUSD <= 0 || k.state.Cost.Responses != 1 {
			t.Errorf("the cost is %+v", k.state.Cost)
		}
	})
}

func TestKeptAfterEachTurn(t *testing.T) {
	// Ensure that what is kept follows the conversation: nothing is owed after an answer, and a session at rest hands nothing on again.
	synctest.Test(t, func(t *testing.T) {
		var kept shelf
		k := begin(t, func(o *Options) { o.SaveSnapshot = kept.keep })
		answer := k.sendMessage(t, "hello", Queue)
		if s := kept.take(t); !s.Unanswered || len(s.Conversation) != 1 {
			t.Errorf("after the question: %+v", s)
		}
		l := k.script.conn()
		l.begin(t, "r1")
		l.events <- Transcript{"assistant", "i1", "hi", true}
		l.done("r1")
		<-answer
		if s := kept.take(t); s.Unanswered || len(s.Conversation) != 2 || len(s.Running) != 0 {
			t.Errorf("after the answer: %+v", s)
		}
		kept.keep(SessionSnapshot{ID: "untouched"})
		k.Refresh()
		if s := kept.take(t); s.ID != "untouched" {
			t.Errorf("handed on again: %+v", s)
		}
	})
}

func TestSpeechBeforeItsAnswer(t *testing.T) {
	// Ensure that what the user has spoken stands before its answer in what is kept, also where it is transcribed after the answer.
	synctest.Test(t, func(t *testing.T) {
		var kept shelf
		k := begin(t, func(o *Options) { o.SaveSnapshot = kept.keep })
		l := k.script.conn()
		for _, e := range []Event{
			SpeechStarted{}, SpeechStopped{}, Transcript{"user", "u", "", false}, ResponseStarted{ID: "own"},
			Transcript{"assistant", "a", "It is", false}, Transcript{"user", "u", "What", false}, Transcript{"assistant", "a", "It is noon.", true},
			ResponseEnded{ID: "own", Status: "completed"}, Transcript{"user", "u", "What time is it?", true},
		} {
			l.events <- e
		}
		want := []Message{{"user", "What time is it?"}, {"assistant", "It is noon."}}
		if got := kept.take(t).Conversation; !slices.Equal(got, want) {
			t.Errorf("kept is %q", got)
		}
	})
}
