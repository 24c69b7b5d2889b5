package voice

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestRowsEnd(t *testing.T) {
	// Ensure that a turn is one row that grows, and that it ends as far as it came when its response or its connection ends without a last word, also in what the next connection is told.
	for name, c := range map[string]struct {
		end  func(l *scriptedConn)
		next string
	}{
		"cancelled response": {func(l *scriptedConn) { l.events <- ResponseEnded{ID: "r1", Status: "cancelled"} }, ""},
		"failed response":    {func(l *scriptedConn) { l.events <- ResponseEnded{ID: "r1", Status: "failed", Reason: "no"} }, ""},
		"lost connection":    {func(l *scriptedConn) { l.failed <- errGone }, "assistant: Half of"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, nil)
				k.sendMessage(t, "talk", Queue)
				l := k.script.conn()
				l.begin(t, "r1")
				l.events <- Transcript{"assistant", "i1", "Half", false}
				l.events <- Transcript{"assistant", "i1", "Half of", false}
				synctest.Wait()
				if row := k.diary.rows["i1"]; row.Done || row.Text != "Half of" {
					t.Errorf("growing: %+v", row)
				}
				c.end(l)
				time.Sleep(time.Second)
				synctest.Wait()
				if row := k.diary.rows["i1"]; !row.Done || row.Text != "Half of" {
					t.Errorf("in the end: %+v", row)
				}
				if told := k.script.conn().takeSent(); c.next != "" && !strings.Contains(strings.Join(told, "\n"), c.next) {
					t.Errorf("the next connection was told %q", told)
				}
			})
		})
	}
}

func TestOutputSurvivesTheLine(t *testing.T) {
	// Ensure that results whose sending finds a dead line reach the model in words on the next one, all of them and once, with one follow-up that answers the asker.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		answer := k.sendMessage(t, "do both", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.done("r1", ToolCall{"c1", "a", "{}"}, ToolCall{"c2", "b", "{}"})
		l.mu.Lock()
		l.writeError = errGone
		l.mu.Unlock()
		close(k.hands.release)
		time.Sleep(time.Second)
		fresh := k.script.conn()
		sent := strings.Join(fresh.takeSent(), "\n")
		for _, want := range []string{"Result of the tool a", "Result of the tool b", "respond "} {
			if strings.Count(sent, want) != 1 {
				t.Errorf("%q is not there once: %s", want, sent)
			}
		}
		fresh.events <- ResponseStarted{"r2", sent[strings.LastIndex(sent, " ")+1:]}
		fresh.events <- Transcript{"assistant", "i", "done", true}
		fresh.done("r2")
		if got := <-answer; got != "done" {
			t.Errorf("answer %q", got)
		}
	})
}

func TestNeverAnswers(t *testing.T) {
	// Ensure that a service which takes every request and answers none ends the session with its reason after a few connections, instead of being asked for ever.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		answer := k.sendMessage(t, "hello", Queue)
		began := time.Now()
		<-k.Done()
		if f := fault.From(k.Err()); f.Code != fault.VoiceUnresponsive || k.script.count() != maxFailedConnections || time.Since(began) > 2*maxFailedConnections*responseTimeout {
			t.Errorf("after %s and %d connections: %v", time.Since(began), k.script.count(), f)
		}
		if got := <-answer; got != string(fault.HandlerTimeout) && got != "voice_unresponsive" {
			t.Errorf("the asker got %q", got)
		}
	})
}

func TestInterruptedThenLost(t *testing.T) {
	// Ensure that who waits for a response that was interrupted hears so when the connection dies before the service has confirmed it, and that it is not asked for again.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		answer := k.sendMessage(t, "hello", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		k.Interrupt()
		l.failed <- errGone
		if got := <-answer; got != "cancelled" {
			t.Errorf("the asker got %q", got)
		}
		time.Sleep(time.Second)
		if sent := strings.Join(k.script.conn().takeSent(), "\n"); strings.Contains(sent, "respond") {
			t.Errorf("asked again: %s", sent)
		}
	})
}

func TestStoppedInFlight(t *testing.T) {
	// Ensure that a request which the user stops while it is in flight is not sent again, whether the connection is lost, or the provider begins a response of its own.
	for name, c := range map[string]struct {
		lost      bool
		after     func(l *scriptedConn, request string)
		cancelled bool
	}{
		"lost":         {lost: true},
		"own response": {after: func(l *scriptedConn, _ string) { l.events <- ResponseStarted{ID: "own"} }},
		"refused as busy": {after: func(l *scriptedConn, request string) {
			l.events <- ProviderError{Code: activeResponse, RequestID: request}
			l.events <- ResponseStarted{ID: "own"}
		}, cancelled: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, nil)
				answer := k.sendMessage(t, "delete it", Queue)
				l := k.script.conn()
				request := strings.TrimPrefix(l.takeSent()[1], "respond ")
				if c.lost {
					k.script.refuse(errGone)
					l.failed <- errGone
					synctest.Wait()
				}
				k.Interrupt()
				synctest.Wait()
				k.script.refuse(nil)
				if c.after != nil {
					c.after(l, request)
					synctest.Wait()
					sent := strings.Join(l.takeSent(), "\n")
					if got := strings.Contains(sent, "cancel own"); got != c.cancelled {
						t.Errorf("sent %q", sent)
					}
					l.events <- ResponseEnded{ID: "own", Status: map[bool]string{true: "cancelled", false: "completed"}[c.cancelled]}
				}
				if got := <-answer; got != string(fault.Cancelled) {
					t.Errorf("the asker got %q", got)
				}
				time.Sleep(time.Minute)
				if sent := strings.Join(k.script.conn().takeSent(), "\n"); strings.Contains(sent, "respond") {
					t.Errorf("sent again: %s", sent)
				}
			})
		})
	}
}

func TestInterruptedInFlight(t *testing.T) {
	// Ensure that a request which a message interrupts while it is in flight is not sent again when the provider refuses it for a response of its own, which ends then, or begins one: the message alone is answered.
	for name, busy := range map[string]bool{"own response": false, "refused as busy": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, nil)
				first := k.sendMessage(t, "one", Queue)
				l := k.script.conn()
				request := strings.TrimPrefix(l.takeSent()[1], "respond ")
				second := k.sendMessage(t, "two", Interrupt)
				l.takeSent()
				if busy {
					l.events <- ProviderError{Code: activeResponse, RequestID: request}
				}
				l.events <- ResponseStarted{ID: "own"}
				if sent := l.takeSent(); slices.Contains(sent, "cancel own") != busy {
					t.Errorf("sent %q", sent)
				}
				l.done("own")
				l.begin(t, "r2")
				l.events <- Transcript{"assistant", "i2", "zwei", true}
				l.done("r2")
				if a, b := <-first, <-second; a != string(fault.Cancelled) || b != "zwei" {
					t.Errorf("the askers got %q and %q", a, b)
				}
				if sent := l.takeSent(); len(sent) != 0 {
					t.Errorf("sent %q", sent)
				}
			})
		})
	}
}

func TestAnswerBeginsAnew(t *testing.T) {
	// Ensure that an answer which a lost connection cut off is not given twice to who waits for it.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		answer := k.sendMessage(t, "hello", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.events <- Transcript{"assistant", "i1", "Good", true}
		l.failed <- errGone
		time.Sleep(time.Second)
		fresh := k.script.conn()
		fresh.begin(t, "r2")
		fresh.events <- Transcript{"assistant", "i2", "Good day.", true}
		fresh.done("r2")
		if got := <-answer; got != "Good day." {
			t.Errorf("answer %q", got)
		}
	})
}

func TestUnfinishedCallsDoNotRun(t *testing.T) {
	// Ensure that calls of a response that did not complete do not run and that the model is told so, and that none runs once the spending limit is reached.
	for name, c := range map[string]struct {
		status string
		usage  Usage
		told   string
	}{
		"failed":     {"failed", Usage{}, "broke off"},
		"incomplete": {"incomplete", Usage{}, "broke off"},
		"cancelled":  {"cancelled", Usage{}, "interrupted"},
		"too dear":   {"completed", Usage{AudioOut: 1_000_000}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, func(o *Options) { o.SpendingLimit = 1 })
				k.sendMessage(t, "work", Queue)
				l := k.script.conn()
				l.begin(t, "r1")
				l.takeSent()
				l.events <- ResponseEnded{ID: "r1", Status: c.status, Calls: []ToolCall{{"c1", "a", `{"x":`}}, Usage: c.usage}
				sent := strings.Join(l.takeSent(), "\n")
				if len(k.hands.started) != 0 || !strings.Contains(sent, c.told) {
					t.Errorf("started %q, sent %q", k.hands.started, sent)
				}
			})
		})
	}
}

func TestWrongClock(t *testing.T) {
	// Ensure that a session whose end seems to be in the past, as on a computer with a wrong clock, is not renewed without end.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		k.script.conn().events <- Ready{ExpiresAt: time.Now().Add(-time.Hour)}
		time.Sleep(minRenewalDelay - time.Second)
		if n := k.script.count(); n != 1 {
			t.Errorf("%d connections", n)
		}
	})
}

// slow is a provider that connects when it is let to.
type slow struct{}

func (p *slow) Connect(ctx context.Context, _ Setup) (Connection, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestStopWhileConnecting(t *testing.T) {
	// Ensure that nothing is connected before it is ready, and that a stop during the connecting, for a new session and for one that is gone on with, ends it at once as what was asked for.
	for name, from := range map[string]*SessionSnapshot{"new": nil, "gone on with": {}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &recordingObserver{rows: map[string]Row{}}
				ended := 0
				m := &Manager{Observer: d, NewOptions: func(context.Context, bool) (Options, error) {
					return Options{Provider: &slow{}, Tools: &fakeTools{}, ResumeFrom: from, Ended: func() { ended++ }}, nil
				}}
				failed := make(chan error, 1)
				go func() {
					_, err := m.Start(t.Context(), true)
					failed <- err
				}()
				synctest.Wait()
				if s := m.State(); s.Status != Connecting {
					t.Errorf("before the connection stands: %s", s.Status)
				}
				if _, err := m.Session(); !fault.Is(err, fault.VoiceNotRunning) {
					t.Errorf("a session before that: %v", err)
				}
				began := time.Now()
				if s := m.Stop(); s.Status != Disconnected || s.Error != nil || time.Since(began) > time.Second {
					t.Errorf("after %s: %+v", time.Since(began), s)
				}
				if err := <-failed; err == nil || ended != 1 {
					t.Errorf("the start gave %v, ended %d times", err, ended)
				}
			})
		})
	}
}

func TestEarlierHostsCursor(t *testing.T) {
	// Ensure that a reader whose cursor is of an earlier host hears everything that this one has, not nothing.
	var f Feed
	f.Put("lifecycle", 1)
	if events, cursor := f.Await(t.Context(), 700); len(events) != 1 || cursor != 1 {
		t.Errorf("%v, cursor %d", events, cursor)
	}
}

func TestInterruptModes(t *testing.T) {
	// Ensure that a message which interrupts ends what runs, and that one in no mode or in mode queue does not.
	for _, mode := range []Mode{Interrupt, Queue, ""} {
		t.Run(fmt.Sprint("mode ", mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, nil)
				if err := k.Send("first", Queue); err != nil {
					t.Fatal(err)
				}
				l := k.script.conn()
				l.begin(t, "r1")
				if err := k.Send("then", mode); err != nil {
					t.Fatal(err)
				}
				if got := strings.Contains(strings.Join(l.takeSent(), "\n"), "cancel r1"); got != (mode == Interrupt) {
					t.Errorf("cancelled: %t", got)
				}
			})
		})
	}
}

func TestToolRowsEnd(t *testing.T) {
	// Ensure that the row of a tool that runs when the session ends does not go on for ever.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		k.sendMessage(t, "work", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.done("r1", ToolCall{"c1", "slow", "{}"})
		k.Stop()
		if row := k.diary.rows["c1"]; !row.Done || row.OK == nil || *row.OK || row.Text != "slow: cancelled" {
			t.Errorf("the row is %+v", row)
		}
	})
}
