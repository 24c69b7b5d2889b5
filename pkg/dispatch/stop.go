package dispatch

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
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

// hold adds a stop and reports whether it is new: one that holds already in the same way
// takes up its sessions. The caller holds the lock.
func (r *running) hold(stop Stop) bool {
	r.held = slices.Clone(r.held)
	for i, held := range r.held {
		if held.TabID != stop.TabID || held.Gone || held.Face != stop.Face || held.Code != "" || stop.Code != "" {
			continue
		}
		r.held[i].Sessions, r.held[i].Kinds = union(held.Sessions, stop.Sessions), union(held.Kinds, stop.Kinds)
		return false
	}
	r.held = append(r.held, stop)
	return true
}

func union[T cmp.Ordered](a, b []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

func (r *running) coded() (count int) {
	for _, held := range r.held {
		if held.Code != "" {
			count++
		}
	}
	return count
}

// GoOn takes back the user's stops of a tab, those of all tabs where tab is 0, and lets
// agents go on. It returns how many it took back.
func (d *Dispatcher) GoOn(ctx context.Context, tabID int, face policy.Face) (int, error) {
	return d.goOn(ctx, tabID, face, func(s Stop) bool { return tabID == 0 || s.TabID == tabID })
}

// GoOnByCode takes back the one stop of a terminal that has this code. Stops of other faces,
// and of other terminals, still hold.
func (d *Dispatcher) GoOnByCode(ctx context.Context, code string) (left int, err error) {
	hash := hashCode(code)
	taken, err := d.goOn(ctx, 0, policy.FaceTerminal, func(s Stop) bool {
		return s.Code != "" && subtle.ConstantTimeCompare([]byte(s.Code), []byte(hash)) == 1
	})
	if err == nil && taken == 0 {
		err = fault.New(fault.InvalidArguments, "this is not the code of a stop that holds").
			WithNextStep("Only the terminal that stopped has the code, and only for its own stop. Agents are let go on in the extension's popup.").WithDispatched(fault.NotDispatched)
	}
	return len(d.Held()), err
}

func (d *Dispatcher) goOn(ctx context.Context, tabID int, face policy.Face, match func(Stop) bool) (int, error) {
	r := &d.running
	r.mu.Lock()
	before := len(r.held)
	r.held = slices.DeleteFunc(slices.Clone(r.held), match)
	taken := before - len(r.held)
	if taken == 0 {
		r.mu.Unlock()
		return 0, nil
	}
	r.mu.Unlock()
	d.stopsChanged()
	return taken, errors.Join(d.saveHeld(), d.logStop(ctx, journal.EventLetGoOn, tabID, face, 0))
}

// Held lists the user's stops that hold, the oldest first.
func (d *Dispatcher) Held() []Stop {
	d.running.mu.Lock()
	defer d.running.mu.Unlock()
	return slices.Clone(d.running.held)
}

// Hold restores stops of an earlier run of the host. It is called before the first call.
func (d *Dispatcher) Hold(stops []Stop) { d.running.held = stops }

// ForgetStops drops the stops of a tab that was closed or released. The sessions that they
// ended stay held: a page that closes itself must not free them.
func (d *Dispatcher) ForgetStops(tabID int) error {
	r := &d.running
	r.mu.Lock()
	before := len(r.held)
	r.held = slices.DeleteFunc(slices.Clone(r.held), func(s Stop) bool { return s.TabID == tabID && tabID != 0 && len(s.Sessions) == 0 })
	changed := len(r.held) != before
	for i, s := range r.held {
		if s.TabID == tabID && tabID != 0 && !s.Gone {
			r.held[i].Gone, changed = true, true
		}
	}
	delete(r.endedAt, tabID)
	r.mu.Unlock()
	if !changed {
		return nil
	}
	d.stopsChanged()
	return d.saveHeld()
}

// saveHeld stores the stops of this moment; the last one to store has the newest.
func (d *Dispatcher) saveHeld() error {
	if d.SaveStops == nil {
		return nil
	}
	d.running.saving.Lock()
	defer d.running.saving.Unlock()
	return d.SaveStops(d.Held())
}

func (d *Dispatcher) stopsChanged() {
	if d.StopsChanged != nil {
		d.StopsChanged()
	}
}

func (d *Dispatcher) logStop(ctx context.Context, event string, tabID int, face policy.Face, ended int) error {
	return d.logPolicyEvent(context.WithoutCancel(ctx), "", "", journal.PolicyEvent{Event: event, Face: face, TabID: tabID, Ended: ended})
}

// heldBack returns the refusal of an invocation that a stop of the user holds back, nil
// where it may go on. The caller holds the lock.
func (r *running) heldBack(in invocation, tabID int) error {
	if len(r.held) == 0 || !isHeldBack(in.record) {
		return nil
	}
	for _, s := range r.held {
		if !s.holds(in.session, tabID) {
			continue
		}
		f := fault.New(fault.StoppedByUser, "the user stopped agents %s at %s and has not let them go on", cmp.Or(where[s.Face], "elsewhere"), s.At.Local().Format("15:04:05")).
			With("stopped_by", "user").With("face", string(s.Face)).WithDispatched(fault.NotDispatched)
		if s.TabID != 0 {
			f = f.With("tab_id", s.TabID)
		}
		return f
	}
	return nil
}

// holds reports whether the stop is for calls of the session in the tab.
func (s Stop) holds(of *Session, tabID int) bool {
	return s.TabID == 0 || s.TabID == tabID && !s.Gone || slices.Contains(s.Sessions, of.ID) ||
		of.Began.After(s.At) && slices.Contains(s.Kinds, of.SessionKind)
}

// isHeldBack reports whether a stop holds the primitive back: whatever meets a page, another
// site or the clipboard, acts, or has another session do it. What a session needs to say
// what it waits for, and to end, stays.
func isHeldBack(record *primitive.Record) bool {
	switch policy.Effect(record.Effect) {
	case policy.EffectInput, policy.EffectTab, policy.EffectCode:
		return true
	}
	return needsTab(record) || record.URLArgument != "" || len(record.Capabilities) > 0 ||
		slices.Contains(record.Classes, "asks_itself") || slices.Contains(record.Classes, "instructs_session")
}

func hashCode(code string) string {
	sum := sha256.Sum256([]byte(strings.ToUpper(strings.TrimSpace(code))))
	return hex.EncodeToString(sum[:])
}
