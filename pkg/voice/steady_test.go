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

// mute is a provider that takes connections and never says that they stand.
type mute struct{}

func (p *mute) Connect(context.Context, Setup) (Connection, error) {
	return &scriptLine{events: make(chan Event), failed: make(chan error, 1)}, nil
}

// stuck is a provider that never gives a connection.
type stuck struct{}

func (p *stuck) Connect(ctx context.Context, _ Setup) (Connection, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// last is the state that was told last.
func (d *diary) last() Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.states[len(d.states)-1]
}

func TestNeverAnswered(t *testing.T) {
	// Ensure that a provider which never answers, at whatever stage, ends in a state with a reason and what to do, and that whoever waits is told.
	ends := func(t *testing.T, k *talk) {
		t.Helper()
		<-k.Done()
		if f := fault.From(k.Err()); f.Code != fault.VoiceUnresponsive || f.NextStep == "" || k.diary.last() != Failed {
			t.Errorf("ended with %v in %s", f, k.diary.last())
		}
	}
	for name, provider := range map[string]Provider{"connecting": &stuck{}, "being made": &mute{}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &diary{rows: map[string]Row{}}
				_, err := Start(t.Context(), Options{Provider: provider, Tools: &hands{}, Observer: d})
				if f := fault.From(err); f.Code != fault.VoiceUnresponsive || f.NextStep == "" || d.last() != Failed {
					t.Errorf("started with %v in %s", err, d.last())
				}
			})
		})
	}
	for name, reach := range map[string]func(t *testing.T, k *talk){
		"asked for a response": func(*testing.T, *talk) {},
		"in a response":        func(t *testing.T, k *talk) { k.script.line().begin(t, "r1") },
		"given a tool's result": func(t *testing.T, k *talk) {
			k.script.line().begin(t, "r1")
			k.script.line().done("r1", ToolCall{"c1", "a", "{}"})
			close(k.hands.release)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, nil)
				answer := k.say(t, "hello", Queue)
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
			k.script.line().failed <- errGone
			ends(t, k)
		})
	})
	t.Run("spoken to", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			k := begin(t, nil)
			l := k.script.line()
			l.events <- SpeechStarted{}
			l.events <- SpeechStopped{}
			synctest.Wait()
			if s := k.diary.last(); s != Thinking {
				t.Fatalf("the state is %s", s)
			}
			time.Sleep(answerTime + 2*time.Second)
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
				case k.script.line().failed <- errGone:
				default: // told already; another one is being made
				}
				time.Sleep(100 * time.Millisecond)
			}
		}
		if f := fault.From(k.Err()); f.Code != fault.VoiceUnresponsive || k.script.count() != len(reconnects)+1 || time.Since(began) < 15*time.Second {
			t.Errorf("after %v and %d connections: %v", time.Since(began), k.script.count(), f)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		for range 3 * len(reconnects) {
			time.Sleep(2 * steadyTime)
			k.script.line().failed <- errGone
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
		k.say(t, "one", Queue)
		l := k.script.line()
		l.begin(t, "r1")
		k.Inform("The user has allowed it.")
		if sent := l.take(); !slices.Equal(sent, []string{"system: The user has allowed it."}) {
			t.Fatalf("sent %q", sent)
		}
		l.done("r1")
		if sent := l.take(); len(sent) != 1 || !strings.HasPrefix(sent[0], "respond ") {
			t.Errorf("sent %q", sent)
		}
	})
}
