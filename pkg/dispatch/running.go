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
	"github.com/actionsjson/actions-host/pkg/workflow"
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
	// Argument is what the primitive is about, that of the step where there is one.
	Argument string `json:"argument,omitzero"`
	TabID    int    `json:"tab_id,omitzero"`
	// Title is what code that runs says it does.
	Title string `json:"title,omitzero"`
	// Position is where the stored action is, of its own steps.
	Position  workflow.Position `json:"-"`
	StartedAt time.Time         `json:"started_at"`
}

// errSessionEnded is why a call was ended from outside, as [stoppedByUser] is. Whoever cancels
// a call may give the context such a cause; it is reported to the caller and to the log.
var errSessionEnded = fault.New(fault.Cancelled, "the session ended while the call ran")

// running holds the calls under way.
type running struct {
	mu    sync.Mutex
	calls map[string]*runningCall
	stops uint64 // how often the user stopped calls
	held  []Stop // by the user, who has not let agents go on; never changed in place

	saving sync.Mutex // one storing of held at a time

	endedAt map[int]time.Time // when the last call of a tab ended
	wake    chan struct{}     // full while there are changes that nobody has looked at
}

type runningCall struct {
	of     *running
	stop   context.CancelCauseFunc
	ended  chan struct{} // closed when the call has ended
	action string        // never changes

	// Guarded by of.mu.
	shown   Running
	stopped bool // by the user
}

type runningKey struct{}

// begin registers a call; its context ends when the user stops it. The returned
// function must be called when the call has ended.
func (r *running) begin(ctx context.Context, s *Session, id, name string, args json.RawMessage) (context.Context, func()) {
	ctx, stop := context.WithCancelCause(ctx)
	call := &runningCall{of: r, stop: stop, ended: make(chan struct{}), action: actionOf(name, args), shown: Running{
		CallID: id, Session: s.SessionKind, SessionID: s.ID, SessionName: s.Name(), Name: name, StartedAt: time.Now().UTC(),
	}}
	call.shown.Action = call.action
	r.mu.Lock()
	if r.calls == nil {
		r.calls = map[string]*runningCall{}
	}
	r.calls[id] = call
	r.mu.Unlock()
	return context.WithValue(ctx, runningKey{}, call), func() { r.end(call) }
}

// changed wakes who shows the calls, if anybody does.
func (r *running) changed() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// WatchRunning returns a channel that has a value after changes of what runs. It is called
// once, before the first call.
func (d *Dispatcher) WatchRunning() <-chan struct{} {
	d.running.wake = make(chan struct{}, 1)
	return d.running.wake
}

// end removes a call.
func (r *running) end(call *runningCall) {
	r.mu.Lock()
	delete(r.calls, call.shown.CallID)
	if call.shown.TabID != 0 {
		if r.endedAt == nil {
			r.endedAt = map[int]time.Time{}
		}
		r.endedAt[call.shown.TabID] = time.Now()
	}
	r.mu.Unlock()
	r.changed()
	call.stop(nil)
	close(call.ended)
}

// updateRunning records the tab and the step that the call of the context has reached. It
// refuses what the user has stopped.
func updateRunning(ctx context.Context, in invocation, tabID int) error {
	call, ok := ctx.Value(runningKey{}).(*runningCall)
	if !ok {
		return nil // the host's own look at a page
	}
	call.of.mu.Lock()
	defer call.of.mu.Unlock()
	if isStopped(ctx) {
		return fault.From(context.Cause(ctx)).WithDispatched(fault.NotDispatched)
	}
	if err := call.of.heldBack(in, tabID); err != nil {
		return err
	}
	if tabID != 0 {
		call.shown.TabID = tabID
	}
	if in.record.Name == ReplTool {
		call.shown.Title = cmp.Or(in.record.LabelArgument(in.args), "code")
	}
	if in.stored() && !in.record.Internal {
		call.shown.Step, call.shown.Position = in.record.Name, workflow.PositionOf(ctx)
	}
	call.shown.Argument = in.record.LabelArgument(in.args)
	call.of.changed()
	return nil
}

// shownName returns the name that the page shows while the invocation acts on it: that of
// the stored action that runs, or of the primitive with what it is about; empty where
// nothing is shown.
func (d *Dispatcher) shownName(ctx context.Context, in invocation) (name, argument string) {
	call, ok := ctx.Value(runningKey{}).(*runningCall)
	switch {
	case !ok || in.record.Effect != string(policy.EffectInput) || !d.choices().Show:
		return "", ""
	case call.action != "":
		return call.action, ""
	}
	return in.record.Name, in.record.LabelArgument(in.args)
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

// Stops returns how often the user has stopped calls, for [Dispatcher.StoppedSince].
func (d *Dispatcher) Stops() uint64 {
	d.running.mu.Lock()
	defer d.running.mu.Unlock()
	return d.running.stops
}

// StoppedSince returns the error of a call that waited outside, not known here, when the user
// stopped calls; nil where there was no stop since.
func (d *Dispatcher) StoppedSince(stops uint64) error {
	if d.Stops() == stops {
		return nil
	}
	face := policy.FacePopup
	if held := d.Held(); len(held) > 0 {
		face = held[len(held)-1].Face
	}
	return stoppedByUser(face).WithDispatched(fault.NotDispatched)
}

// isStopped reports whether the user stopped the call of the context.
func isStopped(ctx context.Context) bool {
	var why *fault.Error
	return errors.As(context.Cause(ctx), &why) && isByUser(why)
}

// StopSession cancels the calls of a session that ends. It returns a channel that is
// closed when they have ended: their outcomes are logged and their lanes free.
func (d *Dispatcher) StopSession(id string) (ended <-chan struct{}) {
	var calls []*runningCall
	d.running.mu.Lock()
	for _, call := range d.running.calls {
		if call.shown.SessionID == id {
			call.stop(errSessionEnded)
			calls = append(calls, call)
		}
	}
	d.running.mu.Unlock()
	all := make(chan struct{})
	if len(calls) == 0 {
		close(all)
		return all
	}
	go func() {
		for _, call := range calls {
			<-call.ended
		}
		close(all)
	}()
	return all
}

// withCause replaces the error of a call that was ended from outside by the reason.
// A call that the user stopped is cancelled, whatever error its handler returned.
func withCause(ctx context.Context, err error) error {
	var why *fault.Error
	if err == nil || !errors.As(context.Cause(ctx), &why) {
		return err
	}
	f := fault.From(err)
	if f.Code != why.Code && !isByUser(why) || f.Message == why.Message {
		return err
	}
	ended := fault.Wrap(f, why.Code, "%s", why.Message).WithNextStep(why.NextStep).WithDispatched(f.Dispatched)
	for _, evidence := range []map[string]any{f.Evidence, why.Evidence} {
		for name, value := range evidence {
			ended = ended.With(name, value)
		}
	}
	return ended
}
