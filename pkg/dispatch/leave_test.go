package dispatch

import (
	"context"
	"encoding/json"
	"github.com/actionsjson/actions-host/pkg/policy"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestLeaveLane(t *testing.T) {
	// Ensure that a call which left the lane of its tab, by itself or as the one step of another, lets others in while it goes on, and that a step among others does not.
	for name, row := range map[string]struct {
		step func(r *rig) func(context.Context, string, json.RawMessage) (json.RawMessage, error) // nil for a direct call
		free bool
	}{
		"direct": {nil, true},
		"only step": {func(r *rig) func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return r.OnlyStep
		}, true},
		"one of several": {func(r *rig) func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return r.Step }, false},
	} {
		r := newRig(t)
		left, goOn := make(chan struct{}), make(chan struct{})
		r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
			c.LeaveLane()
			c.LeaveLane()
			left <- struct{}{}
			<-goOn
			return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
		}
		call := Call{Name: "page.info", Arguments: report("page.info", `{}`)}
		if row.step != nil {
			call = siteCall
			r.Handlers.Named[SiteTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
				return row.step(r)(ctx, "page.info", json.RawMessage(`{}`))
			}
		}
		ended := make(chan Envelope)
		go func() { ended <- r.Call(t.Context(), r.session, call) }()
		<-left
		if _, busy := r.lanes.tabs[1]; !busy {
			t.Fatalf("%s: it took no lane", name)
		}
		if free := r.laneIsFree(t); free != row.free {
			t.Errorf("%s: the lane is free: %v, want %v", name, free, row.free)
		}
		close(goOn)
		if e := <-ended; !e.OK {
			t.Errorf("%s: %+v", name, e.Error)
		}
		if !r.laneIsFree(t) {
			t.Errorf("%s: the lane stays taken", name)
		}
	}
}

// laneIsFree reports whether the lane of the first tab can be taken.
func (r *rig) laneIsFree(t *testing.T) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	release, err := r.lanes.acquire(ctx, 1, "other")
	if err == nil {
		release()
	}
	return err == nil
}

func TestDetach(t *testing.T) {
	// Ensure that what goes on after its call is listed until it has ended, and ends with the user's Stop and with its session, whichever comes first: the end or the answer.
	for name, end := range map[string]func(r *rig){
		"stopped": func(r *rig) { _, _ = r.Stop(context.Background(), 1, policy.FacePopup) },
		"session": func(r *rig) { r.StopSession("cli") },
	} {
		for _, before := range []bool{false, true} {
			r := newRig(t)
			over := make(chan struct{})
			r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
				if before {
					end(r)
				}
				ctx, ended := c.Detach()
				go func() {
					<-ctx.Done()
					ended()
					close(over)
				}()
				return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
			}
			r.call(t, "page.info", `{}`)
			if !before {
				if all := r.Running(); len(all) != 1 || all[0].Name != "page.info" || all[0].TabID != 1 || all[0].SessionID != "cli" {
					t.Errorf("%s: running %+v", name, all)
				}
				end(r)
			}
			<-over
			if all := r.Running(); len(all) != 0 {
				t.Errorf("%s, before %v: still running %+v", name, before, all)
			}
		}
	}
}
