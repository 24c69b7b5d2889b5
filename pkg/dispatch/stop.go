package dispatch

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// where names the faces for a person.
var where = map[policy.Face]string{
	policy.FacePopup: "in the popup", policy.FacePage: "in the page", policy.FaceKeyboard: "with the keyboard",
	policy.FaceTerminal: "in a terminal", policy.FaceBrowser: "by the browser's own Cancel",
}

// Stop is a stop by the user. It holds until the user lets agents go on.
type Stop struct {
	TabID int         `json:"tab_id,omitzero"` // the only tab in which nothing runs; 0: all
	Face  policy.Face `json:"face"`
	At    time.Time   `json:"at"`
	// Sessions are those whose calls it ended in its tab. They may not go on in another.
	Sessions []string `json:"sessions,omitzero"`
	// Kinds are theirs: a session of one of them that begins later may be the same agent,
	// connected anew, and may not go on either.
	Kinds []policy.SessionKind `json:"kinds,omitzero"`
	// Gone is set when the tab was closed or released. Only the sessions are held then.
	Gone bool `json:"gone,omitzero"`
	// Code is a hash of the code by which the terminal that stopped takes it back.
	Code string `json:"code,omitzero"`
}

// Stopped is what a stop did.
type Stopped struct {
	Ended int    // how many calls
	Code  string // lets agents go on from a terminal; only for its stop
}

// maxCoded bounds the stops with a code of their own.
const maxCoded = 16

const stopNextStep = "Do not repeat it and try no other way: tell the user that you have stopped. They let agents go on in the extension's popup."

// cutOffNextStep is for calls that the browser's Cancel ended: without a debugger nothing
// ends what runs in the page by then.
const cutOffNextStep = stopNextStep + " Code of the call's, or a tool of the page that it began, may go on in the page until its time is over or the user reloads the tab: tell them."

// stoppedByUser returns the cause of the calls that a stop ends.
func stoppedByUser(face policy.Face) *fault.Error {
	next := stopNextStep
	if face == policy.FaceBrowser {
		next = cutOffNextStep
	}
	return fault.New(fault.Cancelled, "the user stopped the call %s", cmp.Or(where[face], "elsewhere")).
		WithNextStep(next).With("stopped_by", "user").With("face", string(face))
}

// isByUser reports whether the error says that the user stopped the call.
func isByUser(f *fault.Error) bool {
	return f != nil && f.Code == fault.Cancelled && f.Evidence["stopped_by"] == "user"
}

// Stop ends the calls under way in the tab for the user, those that wait for its lane
// included; tab 0 means all calls of all tabs. Nothing runs there until [Dispatcher.GoOn],
// and sessions that were ended in a tab run nowhere. The calls are ended whatever error
// the log or the disk gives.
func (d *Dispatcher) Stop(ctx context.Context, tabID int, face policy.Face) (Stopped, error) {
	done, finish := d.BeginStop(tabID, face)
	return done, finish(ctx)
}

// BeginStop is Stop for those who must not wait for the disk; finish stores and logs it.
func (d *Dispatcher) BeginStop(tabID int, face policy.Face) (done Stopped, finish func(context.Context) error) {
	stop, code := Stop{TabID: tabID, Face: face, At: time.Now().UTC()}, ""
	r := &d.running
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stops++
	for _, call := range r.calls {
		if tabID != 0 && call.shown.TabID != tabID {
			continue
		}
		if !call.stopped { // two stops in the same moment end it once
			call.stop(stoppedByUser(face))
			call.stopped = true
			done.Ended++
		}
		if tabID != 0 {
			stop.Sessions = union(stop.Sessions, []string{call.shown.SessionID})
			stop.Kinds = union(stop.Kinds, []policy.SessionKind{call.shown.Session})
		}
	}
	if face == policy.FaceTerminal && r.coded() < maxCoded {
		code = rand.Text()[:12]
		stop.Code, done.Code = hashCode(code), code
	}
	isNew := r.hold(stop)
	return done, func(ctx context.Context) error {
		d.stopsChanged()
		err := d.saveHeld()
		if isNew || done.Ended > 0 {
			err = errors.Join(err, d.logStop(ctx, journal.EventStopped, tabID, face, done.Ended))
		}
		return err
	}
}

// atWorkTTL is how long an agent counts as at work in a tab after its last call: it may
// only be about to make the next.
const atWorkTTL = 10 * time.Second

// IsAtWork reports whether a call runs in the tab, or has run there a moment ago.
func (d *Dispatcher) IsAtWork(tabID int) bool {
	r := &d.running
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.endedAt[tabID]; ok && time.Since(at) < atWorkTTL {
		return true
	}
	for _, call := range r.calls {
		if call.shown.TabID == tabID {
			return true
		}
	}
	return false
}

func union[T cmp.Ordered](a, b []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

func (d *Dispatcher) logStop(ctx context.Context, event string, tabID int, face policy.Face, ended int) error {
	return d.logPolicyEvent(context.WithoutCancel(ctx), "", "", journal.PolicyEvent{Event: event, Face: face, TabID: tabID, Ended: ended})
}
