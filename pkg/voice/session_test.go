package voice

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// sendMessage sends a message and returns a channel for the answer.
func (k *testSession) sendMessage(t *testing.T, text string, mode Mode) <-chan string {
	t.Helper()
	answers := make(chan string, 1)
	go func() {
		r, err := k.SendAndWait(context.Background(), text, mode)
		if err != nil {
			answers <- string(fault.From(err).Code)
			return
		}
		answers <- r.Text
	}()
	synctest.Wait()
	return answers
}

func TestOneResponseAtATime(t *testing.T) {
	// Ensure that a second request is held back from the moment the first one is sent, before the provider has said a word, and that each answer goes to its own asker.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		first, second := k.sendMessage(t, "one", Queue), k.sendMessage(t, "two", Queue)
		l := k.script.conn()
		sent := l.takeSent()
		if n := len(slices.DeleteFunc(slices.Clone(sent), func(s string) bool { return !strings.HasPrefix(s, "respond") })); n != 1 {
			t.Fatalf("%d requests at once: %q", n, sent)
		}
		l.events <- ResponseStarted{"r1", strings.TrimPrefix(sent[1], "respond ")}
		l.events <- Transcript{"assistant", "i1", "eins", true}
		l.done("r1")
		l.begin(t, "r2")
		l.events <- Transcript{"assistant", "i2", "zwei", true}
		l.done("r2")
		if a, b := <-first, <-second; a != "eins" || b != "zwei" {
			t.Errorf("answers %q and %q", a, b)
		}
	})
}

func TestCallsOneFollowUp(t *testing.T) {
	// Ensure that two tool calls of one response are answered together, in order and once, with a single follow-up, whose text answers the asker.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		answer := k.sendMessage(t, "do both", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.done("r1", ToolCall{"c1", "a", "{}"}, ToolCall{"c2", "b", "{}"}, ToolCall{"c1", "a", "{}"})
		k.hands.release <- struct{}{}
		if sent := l.takeSent(); len(sent) != 0 {
			t.Fatalf("answered before both were done: %q", sent)
		}
		close(k.hands.release)
		sent := l.takeSent()
		if len(sent) != 3 || !strings.HasPrefix(sent[0], "result c1 ") || !strings.HasPrefix(sent[1], "result c2 ") || !strings.HasPrefix(sent[2], "respond ") {
			t.Fatalf("sent %q", sent)
		}
		l.events <- ResponseStarted{"r2", strings.TrimPrefix(sent[2], "respond ")}
		l.events <- Transcript{"assistant", "i", "done", true}
		l.done("r2")
		if got := <-answer; got != "done" {
			t.Errorf("answer %q", got)
		}
	})
}

func TestInterruptDropsResults(t *testing.T) {
	// Ensure that an interrupting message cancels the running response and the tool jobs, that their results are dropped and the model is told so, and that no follow-up is asked for them.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		dropped := k.sendMessage(t, "slow", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.done("r1", ToolCall{"c1", "slow", "{}"})
		k.sendMessage(t, "stop that", Interrupt)
		if !slices.Equal(k.hands.ended, []string{"slow"}) || !k.diary.logged("tool_discarded") {
			t.Errorf("ended %q, notes %q", k.hands.ended, k.diary.notes)
		}
		if got := <-dropped; got != "cancelled" {
			t.Errorf("the first asker got %q", got)
		}
		sent := l.takeSent()
		if !slices.ContainsFunc(sent, func(s string) bool { return strings.HasPrefix(s, "result c1") && strings.Contains(s, "interrupted") }) {
			t.Errorf("the model was not told: %q", sent)
		}
		if n := strings.Count(strings.Join(sent, "\n"), "respond "); n != 1 {
			t.Errorf("%d requests: %q", n, sent)
		}
	})
}

func TestInterruptBeforeTheResponseHasAnID(t *testing.T) {
	// Ensure that what is interrupted between the request and the provider's first word is cancelled as soon as it has a name, and that the calls it still makes do not run.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		k.sendMessage(t, "one", Queue)
		k.sendMessage(t, "two", Interrupt)
		l := k.script.conn()
		l.begin(t, "r1")
		if sent := l.takeSent(); !slices.Contains(sent, "cancel r1") {
			t.Fatalf("sent %q", sent)
		}
		l.events <- ResponseEnded{ID: "r1", Status: "cancelled", Calls: []ToolCall{{"c1", "a", "{}"}}}
		if sent := l.takeSent(); len(k.hands.started) != 0 || !strings.HasPrefix(sent[0], "result c1") || !strings.HasPrefix(sent[1], "respond ") {
			t.Errorf("started %q, sent %q", k.hands.started, sent)
		}
	})
}

func TestProvidersOwnResponse(t *testing.T) {
	// Ensure that a response which the provider begins by itself, on the user's speech, counts for the gate, and that a request it refuses for that reason is sent again afterwards.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		k.sendMessage(t, "one", Queue)
		l := k.script.conn()
		request := strings.TrimPrefix(l.takeSent()[1], "respond ")
		l.events <- ProviderError{Code: activeResponse, RequestID: request}
		l.events <- ResponseStarted{ID: "own"}
		if sent := l.takeSent(); len(sent) != 0 {
			t.Fatalf("sent beside the provider's own response: %q", sent)
		}
		l.done("own")
		if sent := l.takeSent(); !slices.Equal(sent, []string{"respond " + request}) {
			t.Errorf("sent %q", sent)
		}
	})
}

func TestConversationIsCarriedOver(t *testing.T) {
	// Ensure that after a lost connection the conversation, results included, is told again, that what was asked is asked again, and that a tool which ran meanwhile is answered in words.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		answer := k.sendMessage(t, "remember me", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.done("r1", ToolCall{"c1", "a", `{"x":1}`})
		l.failed <- errGone
		synctest.Wait()
		close(k.hands.release)
		time.Sleep(time.Second)
		fresh := k.script.conn()
		if fresh == l {
			t.Fatal("no second connection")
		}
		sent := fresh.takeSent()
		if len(sent) != 3 || sent[0] != "user: remember me" || !strings.HasPrefix(sent[1], "system: Result of the tool a") || !strings.HasPrefix(sent[2], "respond ") {
			t.Fatalf("sent %q", sent)
		}
		fresh.events <- ResponseStarted{"r2", strings.TrimPrefix(sent[2], "respond ")}
		fresh.events <- Transcript{"assistant", "i", "I do", true}
		fresh.done("r2")
		if got := <-answer; got != "I do" || !l.closed {
			t.Errorf("answer %q, the old connection closed: %t", got, l.closed)
		}
	})
}

func TestSilentProvider(t *testing.T) {
	// Ensure that a response which never ends is given up, asked for again on a new connection, and that the session ends with a reason when no connection can be had.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		answer := k.sendMessage(t, "hello", Queue)
		k.script.conn().begin(t, "r1")
		time.Sleep(responseTimeout + 2*time.Second)
		if sent := k.script.conn().takeSent(); k.script.count() != 2 || !strings.HasPrefix(sent[len(sent)-1], "respond ") {
			t.Fatalf("%d connections, sent %q", k.script.count(), sent)
		}
		k.script.refusal = fault.New(fault.VoiceUnresponsive, "no")
		k.script.conn().failed <- errGone
		<-k.Done()
		if f := fault.From(k.Err()); f.Code != fault.VoiceUnresponsive || <-answer != "voice_unresponsive" {
			t.Errorf("ended with %v", f)
		}
	})
}

func TestRenewal(t *testing.T) {
	// Ensure that the connection is renewed before the provider ends it, and not in the middle of a tool.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		k.sendMessage(t, "work", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.done("r1", ToolCall{"c1", "a", "{}"})
		time.Sleep(time.Minute)
		if k.script.count() != 1 {
			t.Fatal("renewed at once")
		}
		close(k.hands.release)
		l.begin(t, "r2")
		l.done("r2")
		time.Sleep(time.Hour - renewalDelay)
		if k.script.count() != 2 || !k.diary.logged("renewed") {
			t.Errorf("%d connections", k.script.count())
		}
	})
}

func TestRenewalWaitsForSpeech(t *testing.T) {
	// Ensure that a connection is not renewed while the model's voice plays, the user speaks, or what they spoke is not answered, but in any case before the provider ends it.
	for name, of := range map[string]struct{ begin, end []Event }{
		"the voice":  {[]Event{PlaybackChanged{On: true}}, []Event{PlaybackChanged{}}},
		"the user":   {[]Event{SpeechStarted{}}, []Event{SpeechStopped{}, ResponseStarted{ID: "r1"}, ResponseEnded{ID: "r1", Status: "completed"}}},
		"both of it": {[]Event{PlaybackChanged{On: true}, SpeechStarted{}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, nil)
				l := k.script.conn()
				time.Sleep(time.Hour - renewalDelay - time.Second)
				for _, e := range of.begin {
					l.events <- e
				}
				time.Sleep(renewalDelay / 2)
				if n := k.script.count(); n != 1 {
					t.Fatalf("%d connections while somebody speaks", n)
				}
				for _, e := range of.end {
					l.events <- e
				}
				// The service forgets a speech that it never answers; this one goes on.
				time.Sleep(renewalDelay/2 - lastRenewalDelay + 3*time.Second)
				if n := k.script.count(); n != 2 {
					t.Errorf("%d connections after it", n)
				}
			})
		})
	}
}

func TestLineLostUnderItsTools(t *testing.T) {
	// Ensure that a request for which the tools are made anew goes out on the next line when this one is found to be dead by them.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		l := k.script.conn()
		k.hands.toolSet.Functions = nil
		l.mu.Lock()
		l.setupError = errGone
		l.mu.Unlock()
		k.post(func() {
			k.dirty = true
			k.addItem(Item{Message: &Message{"user", "Hello"}})
			k.gate.add(responseRequest{id: newID()}, Queue)
		})
		time.Sleep(5 * time.Second)
		if sent := strings.Join(k.script.conn().takeSent(), "\n"); strings.Count(sent, "respond ") != 1 {
			t.Errorf("on connection %d was sent %q", k.script.count(), sent)
		}
	})
}

func TestSurfaceChanges(t *testing.T) {
	// Ensure that another page's tools are sent once, between responses, and not at all when they are the same.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		k.sendMessage(t, "one", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		k.hands.toolSet.Functions = nil
		k.Refresh()
		k.Refresh()
		if sent := l.takeSent(); len(sent) != 0 {
			t.Fatalf("sent in the middle of a response: %q", sent)
		}
		l.done("r1")
		k.Refresh()
		if sent := l.takeSent(); !slices.Equal(sent, []string{"configure 0"}) {
			t.Errorf("sent %q", sent)
		}
	})
}

func TestSpendingLimit(t *testing.T) {
	// Ensure that the session ends with its reason when it has cost what the user allows.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, func(o *Options) { o.SpendingLimit = 0.01 })
		k.sendMessage(t, "talk", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.events <- ResponseEnded{ID: "r1", Status: "completed", Usage: Usage{AudioOut: 1000}}
		<-k.Done()
		if f := fault.From(k.Err()); f.Code != fault.SpendingLimitReached {
			t.Errorf("ended with %v", f)
		}
	})
}

func TestQueuedMessageAtTheLimit(t *testing.T) {
	// Ensure that at the time limit of a task also the asker of a message that waits behind it hears so at once.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, func(o *Options) { o.Limits.Duration = time.Minute })
		first, second := k.sendMessage(t, "one", Queue), k.sendMessage(t, "two", Queue)
		k.script.conn().begin(t, "r1")
		time.Sleep(time.Minute + time.Second)
		if a, b := <-first, <-second; a != string(fault.StepLimitReached) || b != a {
			t.Errorf("the askers got %q and %q", a, b)
		}
	})
}

func TestSpendingLimitOfNow(t *testing.T) {
	// Ensure that a limit which the user lowers below what the session has cost ends it at once.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		k.sendMessage(t, "talk", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.events <- ResponseEnded{ID: "r1", Status: "completed", Usage: Usage{AudioOut: 1000}}
		k.LimitSpending(1000)
		synctest.Wait()
		k.LimitSpending(0.01)
		<-k.Done()
		if f := fault.From(k.Err()); f.Code != fault.SpendingLimitReached {
			t.Errorf("ended with %v", f)
		}
	})
}

func TestBadProvider(t *testing.T) {
	// Ensure that a refused session says so at once, that an unknown event is noted and changes nothing, and that a fatal complaint ends the session.
	synctest.Test(t, func(t *testing.T) {
		if _, err := Start(t.Context(), Options{Provider: &scriptedProvider{refusal: fault.New(fault.VoiceRefused, "no")}, Tools: &fakeTools{}, Observer: &recordingObserver{rows: map[string]Row{}}}); fault.From(err).Code != fault.VoiceRefused {
			t.Errorf("started: %v", err)
		}
		k := begin(t, nil)
		l := k.script.conn()
		l.events <- Unknown{"new.thing"}
		synctest.Wait()
		if !k.diary.logged("unknown_event") {
			t.Error("an unknown event was not noted")
		}
		l.events <- ProviderError{Code: "invalid_api_key", Message: "no", Fatal: true}
		<-k.Done()
		if f := fault.From(k.Err()); f.Code != fault.VoiceRefused {
			t.Errorf("ended with %v", f)
		}
	})
}
