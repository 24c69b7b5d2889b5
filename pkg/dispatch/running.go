package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// Running is an outermost call that has not ended yet.
type Running struct {
	CallID      string             `json:"call_id"`
	Session     policy.SessionKind `json:"session"`
	SessionID   string             `json:"session_id"`
	SessionName string             `json:"session_name,omitzero"`
	Name        string             `json:"name"`
	Action      string             `json:"action,omitzero"` // of a stored action
	Step        string             `json:"step,omitzero"`   // the primitive that it is at
	TabID       int                `json:"tab_id,omitzero"`
	StartedAt   time.Time          `json:"started_at"`
}

// errStopped is why a call ended that the user stopped.
var errStopped = errors.New("the user stopped the call")

// running holds the calls under way.
type running struct {
	mu    sync.Mutex
	calls map[string]*runningCall
}

type runningCall struct {
	of     *running
	stop   context.CancelCauseFunc
	action string // never changes

	shown Running // guarded by of.mu
}

type runningKey struct{}

// begin notes a call; its context ends when the user stops it. The returned
// function must be called when the call has ended.
func (r *running) begin(ctx context.Context, s *Session, id, name string, args json.RawMessage) (context.Context, func()) {
	ctx, stop := context.WithCancelCause(ctx)
	call := &runningCall{of: r, stop: stop, action: actionOf(name, args), shown: Running{
		CallID: id, Session: s.SessionKind, SessionID: s.ID, SessionName: s.Name(), Name: name, StartedAt: time.Now().UTC(),
	}}
	call.shown.Action = call.action
	r.mu.Lock()
	if r.calls == nil {
		r.calls = map[string]*runningCall{}
	}
	r.calls[id] = call
	r.mu.Unlock()
	return context.WithValue(ctx, runningKey{}, call), func() {
		r.mu.Lock()
		delete(r.calls, id)
		r.mu.Unlock()
		stop(nil)
	}
}

// actionOf is the stored action that a call runs, empty for any other call.
func actionOf(name string, args json.RawMessage) string {
	var said struct {
		Mode   string `json:"mode"`
		Action string `json:"action"`
	}
	if name != SiteTool || json.Unmarshal(args, &said) != nil || said.Mode != "call" {
		return ""
	}
	return said.Action
}

// noteWhere notes where the call of the context has come to.
func noteWhere(ctx context.Context, in invocation, tabID int) {
	call, ok := ctx.Value(runningKey{}).(*runningCall)
	if !ok {
		return // the host's own look at a page
	}
	call.of.mu.Lock()
	defer call.of.mu.Unlock()
	if tabID != 0 {
		call.shown.TabID = tabID
	}
	if in.stored() {
		call.shown.Step = in.record.Name
	}
}

// shown is what a person reads in the page while the invocation acts on it: the
// stored action that runs, or the primitive; empty where nothing is shown.
func (d *Dispatcher) shown(ctx context.Context, in invocation) string {
	call, ok := ctx.Value(runningKey{}).(*runningCall)
	switch {
	case !ok || in.record.Effect != string(policy.EffectInput) || !d.choices().Show:
		return ""
	case call.action != "":
		return call.action
	}
	return in.record.Name
}

// Running lists the calls under way, the oldest first.
func (d *Dispatcher) Running() []Running {
	d.running.mu.Lock()
	defer d.running.mu.Unlock()
	list := make([]Running, 0, len(d.running.calls))
	for _, call := range d.running.calls {
		list = append(list, call.shown)
	}
	slices.SortFunc(list, func(a, b Running) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.CallID, b.CallID))
	})
	return list
}

// Stop ends the calls under way in the tab for the user, those that wait for its
// lane included; tab 0 means all calls of all tabs. It tells how many.
func (d *Dispatcher) Stop(tabID int) int {
	d.running.mu.Lock()
	defer d.running.mu.Unlock()
	stopped := 0
	for _, call := range d.running.calls {
		if tabID == 0 || call.shown.TabID == tabID {
			call.stop(errStopped)
			stopped++
		}
	}
	return stopped
}

// stoppedFault gives a stopped call its reason, whatever its handler made of
// the end of its context.
func stoppedFault(ctx context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), errStopped) {
		return err
	}
	f := fault.From(err)
	stopped := fault.Wrap(f, fault.Cancelled, "the user stopped the call").
		WithNextStep("Do not repeat it by yourself: ask the user how to go on.").WithDispatched(f.Dispatched)
	for name, value := range f.Evidence {
		stopped = stopped.With(name, value)
	}
	return stopped
}
