package dispatch

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// hanging makes a rig whose page answers nothing, and tells when it is asked.
func hanging(t *testing.T) (r *rig, asked chan struct{}) {
	t.Helper()
	r = newRig(t)
	asked = make(chan struct{}, 8)
	r.page = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return r, asked
}

func TestStop(t *testing.T) {
	// Ensure that Stop ends what runs in a tab and what waits for it, with the reason, and nothing elsewhere; and that nothing is left in the list.
	r, asked := hanging(t)
	if err := r.Tabs.Claim(tabs.Tab{TabID: 2, URL: "https://example.com/", RuntimeID: "r2"}); err != nil {
		t.Fatal(err)
	}
	answers := map[int]chan Envelope{1: make(chan Envelope, 2), 2: make(chan Envelope, 1)}
	for _, tab := range []int{1, 1, 2} {
		go func() {
			answers[tab] <- r.Call(t.Context(), r.session, Call{Name: "pointer.click", Arguments: report("pointer.click", `{"x":1,"y":2}`), Target: tabs.Target{TabID: tab}})
		}()
	}
	<-asked
	<-asked // the third waits for its lane
	for deadline := time.Now().Add(5 * time.Second); ; runtime.Gosched() {
		placed := 0
		for _, c := range r.Running() {
			if c.TabID != 0 && c.Name == "pointer.click" && c.SessionID == "cli" {
				placed++
			}
		}
		if placed == 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("running: %+v", r.Running())
		}
	}
	if n := r.Stop(1); n != 2 {
		t.Errorf("stopped %d calls", n)
	}
	dispatched := map[fault.Dispatched]int{}
	for range 2 {
		f := wantCode(t, <-answers[1], fault.Cancelled)
		if f.Message != "the user stopped the call" || f.NextStep == "" {
			t.Errorf("the caller is told %q %q", f.Message, f.NextStep)
		}
		dispatched[f.Dispatched]++
	}
	if dispatched[fault.NotDispatched] != 1 || dispatched[fault.DispatchedUnknown] != 1 {
		t.Errorf("dispatched: %v", dispatched)
	}
	if left := r.Running(); len(left) != 1 || left[0].TabID != 2 {
		t.Errorf("still running: %+v", left)
	}
	if n := r.Stop(0); n != 1 {
		t.Errorf("stopped %d calls", n)
	}
	wantCode(t, <-answers[2], fault.Cancelled)
	if left := r.Running(); len(left) != 0 {
		t.Errorf("still running: %+v", left)
	}
}

func TestChoices(t *testing.T) {
	// Ensure that the user's mode and pace hold for a session that may more, say whose word it is, and tell the page what to show only where something acts.
	r := newRig(t)
	choices := Choices{Mode: policy.ModeAsk}
	r.Choices = func() Choices { return choices }
	f := wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":2}`), fault.PermissionDenied)
	if f.Dispatched != fault.NotDispatched || f.NextStep == fault.New(fault.PermissionDenied, "").NextStep {
		t.Errorf("%+v", f)
	}
	if e := r.call(t, "page.info", `{}`); !e.OK {
		t.Error(e.Error)
	}
	choices = Choices{Mode: policy.ModeAct, Pace: 30 * time.Millisecond, Show: true}
	shown := map[string]string{}
	inner := r.page
	r.page = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		shown[c.Record.Name] = c.Shown
		return inner(ctx, c)
	}
	r.call(t, "pointer.click", `{"x":1,"y":2}`)
	second := r.call(t, "pointer.click", `{"x":1,"y":2}`)
	if second.Meta.DurationMS < 20 {
		t.Errorf("the second click came after %v ms", second.Meta.DurationMS)
	}
	r.call(t, "page.info", `{}`)
	if shown["pointer.click"] != "pointer.click" || shown["page.info"] != "" {
		t.Errorf("shown: %v", shown)
	}
}
