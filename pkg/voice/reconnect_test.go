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

// unreadyProvider is a provider whose connections never become ready.
type unreadyProvider struct{}

func (p *unreadyProvider) Connect(context.Context, Setup) (Connection, error) {
	return &scriptedConn{events: make(chan Event), failed: make(chan error, 1)}, nil
}

// hangingProvider is a provider that never returns a connection.
type hangingProvider struct{}

func (p *hangingProvider) Connect(ctx context.Context, _ Setup) (Connection, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// last is the state that was told last.
func (d *recordingObserver) last() Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.states[len(d.states)-1]
}

func TestNeverAnswered(t *testing.T) {
	// Ensure that a provider which never answers, at whatever stage, ends in a state with a reason and what to do, and that whoever waits is told.
	ends := func(t *testing.T, k *testSession) {
		t.Helper()
		<-k.Done()
		if f := fault.From(k.Err()); f.Code != fault.VoiceUnresponsive || f.NextStep == "" || k.diary.last() != Failed {
			t.Errorf("ended with %v in %s", f, k.diary.last())
		}
	}
	for name, provider := range map[string]Provider{"connecting": &hangingProvider{}, "being made": &unreadyProvider{}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &recordingObserver{rows: map[string]Row{}}
				_, err := Start(t.Context(), Options{Provider: provider, Tools: &fakeTools{}, Observer: d})
				if f := fault.From(err); f.Code != fault.VoiceUnresponsive || f.NextStep == "" || d.last() != Failed {
					t.Errorf("started with %v in %s", err, d.last())
				}
			})
		})
	}
	for name, reach := range map[string]func(t *testing.T, k *testSession){
		"asked for a response": func(*testing.T, *testSession) {},
		"in a response":        func(t *testing.T, k *testSession) { k.script.conn().begin(t, "r1") },
		"given a tool's result": func(t *testing.T, k *testSession) {
			k.script.conn().begin(t, "r1")
			k.script.conn().done("r1", ToolCall{"c1", "a", "{}"})
			close(k.hands.release)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, nil)
				answer := k.sendMessage(t, "hello", Queue)
				reach(t, k)
				if got := <-answer; got != string(fault.VoiceUnresponsive) && got != string(fault.HandlerTimeout) {
					t.Errorf("whoever asked was told %q", got)
				}
				ends(t, k)
			})
		})
	}
	t.Run("reconnecting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			k := begin(t, nil)
			k.script.refusal = fault.New(fault.VoiceUnresponsive, "no")
			k.script.conn().failed <- errGone
			ends(t, k)
		})
	})
	t.Run("spoken to", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			k := begin(t, nil)
			l := k.script.conn()
			l.events <- SpeechStarted{}
			l.events <- SpeechStopped{}
			synctest.Wait()
			if s := k.diary.last(); s != Thinking {
				t.Fatalf("the state is %s", s)
			}
			time.Sleep(speechAnswerTimeout + 2*time.Second)
			if s := k.diary.last(); s != Listening || k.script.count() != 1 {
				t.Errorf("the state is %s", s)
			}
		})
	})
}

func TestDroppedAgainAndAgain(t *testing.T) {
	// Ensure that a service which takes every connection and drops it is asked with growing pauses and then given up, and that one which holds for long and drops now and then is not.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		began := time.Now()
		for over := false; !over; {
			select {
			case <-k.Done():
				over = true
			default:
				select {
				case k.script.conn().failed <- errGone:
				default: // told already; another one is being made
				}
				time.Sleep(100 * time.Millisecond)
			}
		}
		if f := fault.From(k.Err()); f.Code != fault.VoiceUnresponsive || k.script.count() != len(reconnectDelays)+1 || time.Since(began) < 15*time.Second {
			t.Errorf("after %v and %d connections: %v", time.Since(began), k.script.count(), f)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		for range 3 * len(reconnectDelays) {
			time.Sleep(2 * stableDelay)
			k.script.conn().failed <- errGone
			synctest.Wait()
		}
		time.Sleep(time.Second)
		if s := k.diary.last(); s != Listening {
			t.Errorf("the state is %s", s)
		}
	})
}

func TestInform(t *testing.T) {
	// Ensure that what the model is informed of waits for the response that runs, and then has one of its own.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		k.sendMessage(t, "one", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		k.AddSystemMessage("The user has allowed it.")
		if sent := l.takeSent(); !slices.Equal(sent, []string{"system: The user has allowed it."}) {
			t.Fatalf("sent %q", sent)
		}
		l.done("r1")
		if sent := l.takeSent(); len(sent) != 1 || !strings.HasPrefix(sent[0], "respond ") {
			t.Errorf("sent %q", sent)
		}
	})
}
