package dispatch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

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

// RetainStops drops the stops of all tabs but these, as [Dispatcher.ForgetStops] does: tabs
// that were closed while no host ran.
func (d *Dispatcher) RetainStops(tabIDs []int) error {
	var failed []error
	for _, s := range d.Held() {
		if s.TabID != 0 && !slices.Contains(tabIDs, s.TabID) {
			failed = append(failed, d.ForgetStops(s.TabID))
		}
	}
	return errors.Join(failed...)
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
