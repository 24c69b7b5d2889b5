package voice

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// results returns the ids of the calls that were answered, in order.
func results(sent []string) (ids []string) {
	for _, line := range sent {
		var id string
		if n, _ := fmt.Sscanf(line, "result %s", &id); n == 1 {
			ids = append(ids, id)
		}
	}
	return ids
}

// three asks for three calls in one answer.
func three(t *testing.T, k *testSession) *scriptedConn {
	t.Helper()
	k.sendMessage(t, "do it", Queue)
	l := k.script.conn()
	l.begin(t, "r1")
	l.takeSent()
	l.done("r1", ToolCall{"c1", "type", "{}"}, ToolCall{"c2", "click", "{}"}, ToolCall{"c3", "read", "{}"})
	return l
}

func TestCallsInOrder(t *testing.T) {
	// Ensure that a call of an answer begins when the one before it has ended and not sooner, also after one that failed, and that the state and the rows name the one that runs and what it is about.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		k.hands.fail = "type"
		l := three(t, k)
		for i, want := range [][]string{{"type"}, {"type", "click"}, {"type", "click", "read"}} {
			synctest.Wait()
			if !slices.Equal(k.hands.started, want) || k.state.Tool != want[i] || k.state.ToolArgument != "at "+want[i] || k.state.Status != UsingTool {
				t.Fatalf("after %d results %q have begun, the state is %+v", i, k.hands.started, k.state)
			}
			k.hands.release <- struct{}{}
		}
		synctest.Wait()
		if row := k.diary.rows["c2"]; row.Argument != "at click" || !row.Done {
			t.Errorf("the row is %+v", row)
		}
		if sent := l.takeSent(); !slices.Equal(results(sent), []string{"c1", "c2", "c3"}) || !strings.Contains(sent[0], `"ok":false`) || !strings.Contains(sent[1], `"ok":true`) {
			t.Errorf("sent %q", sent)
		}
	})
}

func TestInterruptedInTheMiddle(t *testing.T) {
	// Ensure that an interruption, and the end of the session, in the middle of an answer's calls ends the one that runs, begins none of the others, and answers or closes each of them once.
	for name, end := range map[string]func(*testSession){"interrupted": func(k *testSession) { k.Interrupt() }, "ended": func(k *testSession) { k.Stop() }} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, nil)
				l := three(t, k)
				k.hands.release <- struct{}{}
				synctest.Wait()
				end(k)
				sent := l.takeSent()
				if !slices.Equal(k.hands.started, []string{"type", "click"}) || !slices.Equal(k.hands.ended, []string{"click"}) {
					t.Errorf("started %q, ended %q", k.hands.started, k.hands.ended)
				}
				if ids := results(sent); name == "interrupted" && !slices.Equal(ids, []string{"c1", "c2", "c3"}) {
					t.Errorf("answered %q", ids)
				}
				for _, id := range []string{"c1", "c2", "c3"} {
					if row := k.diary.rows[id]; !row.Done {
						t.Errorf("the row of %s is %+v", id, row)
					}
				}
				if len(k.batches) != 0 && name == "interrupted" {
					t.Error("the batch is still there")
				}
			})
		})
	}
}

func TestStoppedByTheUser(t *testing.T) {
	// Ensure that a call which the user stopped, also one that ended well nevertheless, is the last of its answer: the others do not begin, and the model is told so of each, once.
	for _, ok := range []bool{false, true} {
		t.Run(fmt.Sprint(ok), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, nil)
				k.hands.stopped = "type"
				if !ok {
					k.hands.fail = "type"
				}
				l := three(t, k)
				k.hands.release <- struct{}{}
				sent := l.takeSent()
				if !slices.Equal(k.hands.started, []string{"type"}) || !slices.Equal(results(sent), []string{"c1", "c2", "c3"}) {
					t.Fatalf("started %q, sent %q", k.hands.started, sent)
				}
				for _, line := range sent[1:3] {
					if !strings.Contains(line, `"cancelled"`) || !strings.Contains(line, `"dispatched":"no"`) || !strings.Contains(line, "ask the user") {
						t.Errorf("the model is told %s", line)
					}
				}
			})
		})
	}
}

func TestCallWithoutAnID(t *testing.T) {
	// Ensure that a call which cannot be answered, as it has no id, does not run, that the model is told so, and that the others of its answer run and are answered; also where the answer is interrupted.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		close(k.hands.release)
		k.sendMessage(t, "do it", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.takeSent()
		l.done("r1", ToolCall{"c1", "type", "{}"}, ToolCall{"", "click", "{}"}, ToolCall{"c3", "read", "{}"}, ToolCall{"", "click", "{}"})
		sent := l.takeSent()
		if !slices.Equal(k.hands.started, []string{"type", "read"}) || !slices.Equal(results(sent), []string{"c1", "c3"}) {
			t.Errorf("started %q, sent %q", k.hands.started, sent)
		}
		if n := strings.Count(strings.Join(sent, "\n"), `the tool "click" had no call_id`); n != 2 || !k.diary.logged("tool_discarded") {
			t.Errorf("the model was told %d times: %q", n, sent)
		}
		l.events <- ResponseStarted{"r2", strings.TrimPrefix(sent[len(sent)-1], "respond ")}
		l.events <- ResponseEnded{ID: "r2", Status: "failed", Calls: []ToolCall{{"", "click", "{}"}, {"c4", "read", "{}"}}}
		if sent := l.takeSent(); !slices.Equal(results(sent), []string{"c4"}) {
			t.Errorf("of a response that broke off %q", sent)
		}
	})
}

func TestRequestsWaitForCalls(t *testing.T) {
	// Ensure that while a tool runs neither a queued message nor a note of the host asks for a response: first come the result and the response that follows it. A message that interrupts does not wait.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		k.sendMessage(t, "one", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.done("r1", ToolCall{"c1", "click", "{}"})
		k.sendMessage(t, "two", Queue)
		k.AddSystemMessage("The user has allowed it.")
		if sent := l.takeSent(); !slices.Equal(sent, []string{"user: two", "system: The user has allowed it."}) {
			t.Fatalf("sent while the tool runs: %q", sent)
		}
		k.hands.release <- struct{}{}
		sent := l.takeSent()
		if len(sent) != 2 || !strings.HasPrefix(sent[0], "result c1 ") || !strings.HasPrefix(sent[1], "respond ") {
			t.Fatalf("after the tool %q", sent)
		}
		// The one that follows calls again, and is again answered before what waits.
		l.events <- ResponseStarted{"r2", strings.TrimPrefix(sent[1], "respond ")}
		l.done("r2", ToolCall{"c2", "click", "{}"})
		if sent := l.takeSent(); len(sent) != 0 {
			t.Fatalf("sent while the second tool runs: %q", sent)
		}
		k.hands.release <- struct{}{}
		l.begin(t, "r3")
		l.done("r3")
		l.begin(t, "r4") // of the message
		l.done("r4")
		l.begin(t, "r5") // of the note
		l.done("r5", ToolCall{"c3", "click", "{}"})
		k.sendMessage(t, "now", Interrupt)
		if sent := l.takeSent(); len(sent) != 3 || !strings.HasPrefix(sent[0], "result c3 ") || sent[1] != "user: now" || !strings.HasPrefix(sent[2], "respond ") {
			t.Errorf("an interruption sent %q", sent)
		}
	})
}

func TestNothingByItselfAfterAnInterruption(t *testing.T) {
	// Ensure that after the user has interrupted the model no request of the host's goes out, neither one that waited nor one for what happens later, that a message which the user had queued does, and that the next request of the user's brings back both.
	for name, c := range map[string]struct {
		before, after func(k *testSession)
		requested     bool
	}{
		"a decision waited":        {before: func(k *testSession) { k.AddSystemMessage("The user has allowed it.") }},
		"a message waited":         {before: func(k *testSession) { _ = k.Send("two", Queue) }, requested: true},
		"something happened later": {after: func(k *testSession) { k.AddEvent("Nobody answered.") }},
		"the user decided later":   {after: func(k *testSession) { k.AddSystemMessage("The user has allowed it.") }, requested: true},
		"the user spoke later": {after: func(k *testSession) {
			k.script.conn().events <- SpeechStarted{}
			synctest.Wait()
			k.AddEvent("Nobody answered.")
		}, requested: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, nil)
				k.sendMessage(t, "one", Queue)
				l := k.script.conn()
				l.begin(t, "r1")
				if c.before != nil {
					c.before(k)
				}
				k.Interrupt()
				l.takeSent()
				l.events <- ResponseEnded{ID: "r1", Status: "cancelled"}
				if c.after != nil {
					synctest.Wait()
					c.after(k)
				}
				sent := l.takeSent()
				if got := strings.Contains(strings.Join(sent, "\n"), "respond "); got != c.requested {
					t.Fatalf("sent %q", sent)
				}
				if k.diary.last() != map[bool]Status{true: Thinking, false: Listening}[c.requested] {
					t.Errorf("the state is %s", k.diary.last())
				}
				if c.requested {
					l.events <- ResponseStarted{"r2", strings.TrimPrefix(sent[len(sent)-1], "respond ")}
					l.done("r2")
				} else {
					k.sendMessage(t, "on", Queue)
					l.begin(t, "r2")
					l.done("r2")
				}
				k.AddEvent("Something else happened.")
				if sent := l.takeSent(); len(sent) != 2 || !strings.HasPrefix(sent[1], "respond ") {
					t.Errorf("after the user wants something again %q", sent)
				}
			})
		})
	}
}

func TestInterruptedFollowUp(t *testing.T) {
	// Ensure that the response which follows earlier calls and waits for the provider's own is not asked for after an interruption, and that its asker hears so.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		asked := k.sendMessage(t, "one", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.done("r1", ToolCall{"c1", "click", "{}"})
		l.events <- ResponseStarted{ID: "own"}
		synctest.Wait()
		k.hands.release <- struct{}{}
		synctest.Wait()
		k.Interrupt()
		l.takeSent()
		l.events <- ResponseEnded{ID: "own", Status: "cancelled"}
		if sent := l.takeSent(); len(sent) != 0 {
			t.Errorf("sent %q", sent)
		}
		if got := <-asked; got != string(fault.Cancelled) {
			t.Errorf("the asker got %q", got)
		}
	})
}
