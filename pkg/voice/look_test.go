package voice

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// lookingTools is a toolbox that looks at the page after each batch.
type lookingTools struct {
	*fakeTools
	mu    sync.Mutex
	seen  [][]Outcome
	hold  chan struct{} // nil: a look takes no time
	fails bool
	ended bool // a look was cancelled
}

func (h *lookingTools) Look(ctx context.Context, outcomes []Outcome) (*Image, error) {
	h.mu.Lock()
	h.seen = append(h.seen, outcomes)
	number := len(h.seen)
	h.mu.Unlock()
	if h.hold != nil {
		select {
		case <-h.hold:
		case <-ctx.Done():
			h.ended = true
			return nil, ctx.Err()
		}
	}
	if h.fails {
		return nil, fault.New(fault.ScreenshotCoverFailed, "no")
	}
	return &Image{DataURL: fmt.Sprint("picture", number)}, nil
}

// looking begins a session whose tools look, and whose calls end at once.
func looking(t *testing.T) (*testSession, *lookingTools) {
	t.Helper()
	var tools *lookingTools
	k := begin(t, func(o *Options) {
		tools = &lookingTools{fakeTools: o.Tools.(*fakeTools)}
		o.Tools = tools
	})
	close(k.hands.release)
	return k, tools
}

// answer lets the model make two calls in one answer, and returns what is sent after it.
func answer(t *testing.T, k *testSession, id string) []string {
	t.Helper()
	k.sendMessage(t, "do it", Queue)
	l := k.script.conn()
	l.begin(t, id)
	l.takeSent()
	l.done(id, ToolCall{id + "a", "type", "{}"}, ToolCall{id + "b", "click", "{}"})
	sent := l.takeSent()
	for _, line := range sent {
		if request, ok := strings.CutPrefix(line, "respond "); ok {
			l.events <- ResponseStarted{id + "end", request}
			l.done(id + "end")
		}
	}
	return sent
}

func TestLookAfterABatch(t *testing.T) {
	// Ensure that the page is looked at once after the calls of an answer, with the outcomes of all, that the picture follows the results and comes before the next response, and that the former picture is deleted, on the same connection only.
	synctest.Test(t, func(t *testing.T) {
		k, tools := looking(t)
		kinds := func(sent []string) string {
			var kinds []string
			for _, line := range sent {
				kind, _, _ := strings.Cut(line, " ")
				kinds = append(kinds, kind)
			}
			return strings.Join(kinds, " ")
		}
		first := answer(t, k, "r1")
		if kinds(first) != "result result look respond" || len(tools.seen) != 1 || len(tools.seen[0]) != 2 {
			t.Fatalf("sent %q, looked after %v", first, tools.seen)
		}
		second := answer(t, k, "r2")
		if kinds(second) != "result result look delete respond" || strings.Fields(second[3])[1] != strings.Fields(first[2])[1] {
			t.Errorf("after %q sent %q", first, second)
		}
		k.script.conn().failed <- errGone
		synctest.Wait()
		if third := answer(t, k, "r3"); kinds(third) != "result result look respond" {
			t.Errorf("on the next connection sent %q", third)
		}
	})
}

func TestLookThatFails(t *testing.T) {
	// Ensure that a look that fails is told to the log alone: the calls are answered as ever.
	synctest.Test(t, func(t *testing.T) {
		k, tools := looking(t)
		tools.fails = true
		if sent := answer(t, k, "r1"); len(sent) != 3 || !strings.HasPrefix(sent[2], "respond ") || !k.diary.logged("picture_failed") {
			t.Errorf("sent %q, logged %q", sent, k.diary.notes)
		}
	})
}

func TestNoLook(t *testing.T) {
	// Ensure that nobody looks after calls that the user stopped or that ended the task, and that an interruption ends a look: no picture is sent, and the calls, which have ended, keep their results.
	for name, set := range map[string]func(*lookingTools){
		"stopped":     func(h *lookingTools) { h.stopped = "type" },
		"done":        func(h *lookingTools) { h.ends = "click" },
		"interrupted": func(h *lookingTools) { h.hold = make(chan struct{}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k, tools := looking(t)
				set(tools)
				sent := answer(t, k, "r1")
				if name == "interrupted" {
					k.Interrupt()
					sent = append(sent, k.script.conn().takeSent()...)
				} else if len(tools.seen) != 0 {
					t.Errorf("looked after %v", tools.seen)
				}
				if all := strings.Join(sent, "\n"); strings.Contains(all, "picture") || len(results(sent)) != 2 || strings.Contains(all, "dropped") || name == "interrupted" && !tools.ended {
					t.Errorf("sent %q, the look ended: %t", sent, tools.ended)
				}
			})
		})
	}
}
