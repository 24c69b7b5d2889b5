package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// invocation is a call on its way through the path.
type invocation struct {
	id        string
	record    *primitive.Record
	session   *Session
	parent    *scope // nil for an outermost call
	target    tabs.Target
	args      json.RawMessage
	report    givenReport
	wants     observation     // of an input
	handed    json.RawMessage // the arguments that the handler gets: without those of wants
	meta      *primitive.Meta
	delegated bool               // of a primitive that was paced and decided already
	private   bool               // its text stays out of the log
	unasked   bool               // the host makes it for a model
	onlyLook  bool               // it may only read
	covered   bool               // what the user was asked about its parent holds for it on that origin
	plan      func() policy.Plan // of a stored action, for a question about it
	texts     *typedTexts
	leaveLane func() // nil for a step whose action keeps the lane
}

func (in invocation) stored() bool { return in.parent != nil }

// ofAction reports whether the author of a stored action wrote the call. One that a direct call
// hands its work to is as direct.
func (in invocation) ofAction() bool {
	return in.parent != nil && (!in.delegated || in.parent.ofAction)
}

// mayOnlyLook reports whether the call, or one that runs it, may only read.
func (in invocation) mayOnlyLook() bool {
	return in.onlyLook || in.parent != nil && in.parent.onlyLook
}

// needsTab reports whether the primitive works on a tab.
func needsTab(r *primitive.Record) bool {
	return r.Route != primitive.RouteHost || r.Name == SiteTool || slices.Contains(r.Capabilities, "tab")
}

// process takes a call from validated arguments to its output.
func (d *Dispatcher) process(ctx context.Context, in invocation) (json.RawMessage, error) {
	handler, err := d.Handlers.Handler(in.record)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(in.record.CheckBrowser(d.Browser), in.record.CheckInput(in.args)); err != nil {
		d.logRefusal(ctx, in, tabs.Tab{}, err)
		return nil, err
	}
	if in.wants, in.handed, err = splitObservation(in.record, in.args); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	release, tab, err := d.admit(ctx, &in)
	if err != nil {
		err = withCause(ctx, err)
		d.logRefusal(ctx, in, tab, err)
		return nil, err
	}
	defer release()
	if !in.stored() {
		in.leaveLane = release
		ctx = storage.WithView(ctx) // not before the wait for the lane, in which maps may change
	}
	output, err := d.executeLogged(ctx, handler, in, tab)
	if !in.stored() && !in.record.Acts() && !namesAction(in) && d.Moved(ctx, tab.TabID, tab.URL, err) {
		// The tab had gone to another origin before the host knew. Nothing was sent,
		// and a read may as well be of the new page; an acting call was meant for the
		// page that is gone, and a stored action of the same name is another one here.
		if tab, err = d.resolve(in); err != nil {
			return nil, err
		}
		if err = d.decideDirect(ctx, &in, tab); err != nil {
			d.logRefusal(ctx, in, tab, err)
			return nil, err
		}
		in.meta.Tab = nil // of the page that is gone
		output, err = d.executeLogged(ctx, handler, in, tab)
	}
	return output, err
}

// executeLogged journals the intent, runs the handler and journals the outcome.
func (d *Dispatcher) executeLogged(ctx context.Context, handler primitive.Handler, in invocation, tab tabs.Tab) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	if err := d.logIntent(ctx, in, tab); err != nil {
		if ctx.Err() != nil { // the journal writes the intent all the same
			_ = d.logOutcome(ctx, in, tab, false, nil, withCause(ctx, err), 0)
		}
		return nil, err
	}
	started := time.Now()
	trackOpened := d.trackOpened(ctx, in, tab)
	output, acted, err := d.runHandler(ctx, handler, in, tab)
	trackOpened()
	if tab.TabID != 0 && in.meta.Tab == nil {
		in.meta.Tab = d.tabRef(tab)
	}
	if !in.stored() {
		err = withCause(ctx, err)
		in.session.noteLook(in, acted, err)
	}
	if jerr := d.logOutcome(ctx, in, tab, acted, output, err, time.Since(started)); jerr != nil {
		if acted {
			jerr = outcomeNotLogged(jerr, err)
		}
		return nil, jerr
	}
	return output, err
}

// outcomeNotLogged returns the log's error for a call that acted and ended with err: unlike the
// code's own advice, it must not be repeated.
func outcomeNotLogged(logging, err error) error {
	sent := fault.WasDispatched
	if err != nil && fault.From(err).Dispatched != "" {
		sent = fault.From(err).Dispatched
	}
	if sent == fault.NotDispatched {
		return logging
	}
	f := *fault.From(logging).WithDispatched(sent).WithNextStep("It was sent, but the log could not keep how it ended: read the page before you go on.")
	f.Retryable = false
	return &f
}

// decisionTTL is the age from which a decision is checked again when the call gets its turn.
const decisionTTL = 5 * time.Millisecond

// admit resolves the tab, decides, and takes the lane. While the call waited for the lane the
// tab may have gone to another document, for which it is decided again, and the user may have
// taken back what allowed it.
func (d *Dispatcher) admit(ctx context.Context, in *invocation) (release func(), tab tabs.Tab, err error) {
	release = func() {}
	if needsTab(in.record) {
		if tab, err = d.resolve(*in); err != nil {
			return nil, tab, err
		}
	}
	if err := updateRunning(ctx, *in, tab.TabID); err != nil {
		return nil, tab, err
	}
	began := time.Now()
	if err := d.decideDirect(ctx, in, tab); err != nil {
		return nil, tab, err
	}
	if in.stored() || tab.TabID == 0 || in.record.BypassesLane {
		return release, tab, nil
	}
	if release, err = d.lanes.acquire(ctx, tab.TabID, in.session.ID); err != nil {
		return nil, tab, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	release = sync.OnceFunc(release)
	decided := tab
	same := *in
	same.target = tabs.Target{TabID: tab.TabID, RuntimeID: in.target.RuntimeID}
	tab, err = d.resolve(same)
	switch {
	case err != nil:
	case originOf(tab.URL) != originOf(decided.URL) || tab.RuntimeID != decided.RuntimeID:
		err = d.decideDirect(ctx, in, tab)
	case time.Since(began) > decisionTTL:
		err = d.refusedMeanwhile(*in, tab)
	}
	if err != nil {
		release()
		return nil, tab, err
	}
	return release, tab, nil
}

func (d *Dispatcher) resolve(in invocation) (tabs.Tab, error) {
	// Terminal calls share one session; with a single claimed tab it is clear
	// which one is meant.
	tab, err := d.Tabs.ResolveSeen(in.session.Sees, in.session.Current(), in.target, in.session.SessionKind == policy.SessionCLI)
	if err != nil {
		return tab, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	// The user may have taken a claimed tab to a page that could not be claimed.
	meetsPage := in.record.Route == primitive.RoutePage || in.record.Route == primitive.RouteDebugger
	if meetsPage && !origin.Operable(tab.URL) {
		shown := tab.URL
		if !in.session.Sees(shown) {
			shown = "another kind of page"
		}
		return tab, fault.New(fault.RestrictedPage, "the tab shows %s, which cannot be operated: only http and https pages can", shown).
			WithDispatched(fault.NotDispatched)
	}
	return tab, nil
}

// runHandler paces the call, runs its handler and checks the output. It reports whether
// the call, or a step of it, acted.
func (d *Dispatcher) runHandler(ctx context.Context, handler primitive.Handler, in invocation, tab tabs.Tab) (output json.RawMessage, acted bool, err error) {
	var waited time.Duration
	if in.record.Paced && !in.delegated {
		if waited, err = in.session.pace(ctx, d.choices().Pace); err != nil {
			return nil, false, fault.From(err).WithDispatched(fault.NotDispatched)
		}
		if waited > decisionTTL {
			if err = d.refusedMeanwhile(in, tab); err != nil {
				return nil, false, err
			}
		}
	}
	own := &scope{onlyLook: in.mayOnlyLook(), session: in.session, tabID: tab.TabID, callID: in.id, args: in.args,
		record: in.record, ofAction: in.ofAction(), origin: originOf(tab.URL), waited: waited, texts: in.texts, leaveLane: in.leaveLane}
	observing := observe(ctx, own)
	if err = d.before(observing, in.wants); err != nil {
		return nil, false, err
	}
	shown, shownArgument := d.shownName(ctx, in)
	output, err = d.withFramePermission(context.WithValue(ctx, scopeKey{}, own), recovering(handler), in, primitive.Call{
		ID: in.id, Record: in.record, Arguments: in.handed, TabID: tab.TabID, RuntimeID: in.target.RuntimeID,
		Origin: originOf(tab.URL), URL: tab.URL, Stored: in.ofAction(), Session: in.session, Meta: in.meta,
		Authorized: in.stored() && in.parent.authorizedOn(originOf(tab.URL)),
		AllowsAPI:  in.session.AllowsAPI(),
		OnlyLooks:  d.mode(in.session) == policy.ModeAsk,
		Shown:      shown, ShownArgument: shownArgument,
		LeaveLane: in.leaveTabLane,
		Detach:    func() (context.Context, func()) { return d.running.detach(ctx) },
	}, tab)
	if in.record.Paced && !in.delegated {
		in.session.paced()
	}
	in.meta.Attachments = append(in.meta.Attachments, own.pictures...)
	in.meta.RateLimitWaitMS = float64(own.waited.Milliseconds())
	own.classes = append(own.classes, actingClasses(in.record)...)
	acted = own.acted || in.record.Acts()
	in.meta.Acted, in.meta.Classes = acted, own.classes
	if err == nil {
		err = checkSpecial(in.record, in.meta)
	}
	if err != nil {
		err = convertSent(in.record, own.acted, fault.From(err))
	}
	if in.parent != nil {
		in.parent.acted = in.parent.acted || acted && (err == nil || fault.From(err).Dispatched != fault.NotDispatched)
		in.parent.classes = append(in.parent.classes, own.classes...)
		in.parent.waited += own.waited
		in.parent.keepPicture(in.meta)
	}
	if err != nil {
		return nil, acted, err
	}
	if output, err = d.after(observing, in.record.Name, in.wants, output); err != nil {
		return nil, acted, err
	}
	if err = in.record.CheckOutput(output); err != nil && !json.Valid(output) {
		output = nil // the log could not hold it
	}
	return output, acted, err
}

// actingClasses returns the classes of a primitive that acts.
func actingClasses(r *primitive.Record) []string {
	if !r.Acts() {
		return nil
	}
	return r.Classes
}

// recovering returns the handler as one whose defect fails its own call only.
func recovering(handler primitive.Handler) primitive.Handler {
	return func(ctx context.Context, c primitive.Call) (output json.RawMessage, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				output, err = nil, fault.New(fault.HandlerFailed, "the handler of %s failed: %v", c.Record.Name, cause).With("stack", truncate.Bytes(string(debug.Stack()), maxStack))
			}
		}()
		return handler(ctx, c)
	}
}

// maxStack is how much of the stack of a defect the evidence has, in bytes.
const maxStack = 2000

// convertSent converts an error after dispatch to outcome_unknown where the call acts. A call of which
// a step has acted was sent, whatever failed after that.
func convertSent(r *primitive.Record, stepActed bool, f *fault.Error) *fault.Error {
	if stepActed && (!r.Acts() || f.Dispatched == fault.NotDispatched) {
		sent := *f
		sent.Retryable = false
		if f.Dispatched != fault.DispatchedUnknown {
			sent.Dispatched = fault.WasDispatched
		}
		return &sent
	}
	if f.Dispatched == fault.NotDispatched {
		return f
	}
	if !r.Acts() {
		// Whoever only reads may simply read again.
		again := *f
		again.Retryable = f.Retryable || f.Code == fault.TransportFailed
		return &again
	}
	switch f.Code {
	case fault.TransportFailed, fault.RuntimeReplaced:
		return fault.Wrap(f, fault.OutcomeUnknown, "%s was sent and its answer was lost: %s", r.Name, f.Message).
			With("cause", f).WithDispatched(fault.DispatchedUnknown)
	}
	return f.WithDispatched(fault.DispatchedUnknown)
}

// tabRef returns the tab as it is now, which an acting call may have changed.
func (d *Dispatcher) tabRef(tab tabs.Tab) *primitive.TabRef {
	if now, ok := d.Tabs.Get(tab.TabID); ok {
		tab = now
	}
	return &primitive.TabRef{TabID: tab.TabID, RuntimeID: tab.RuntimeID, URL: tab.URL}
}

// movedTimeout is how long the host waits to hear where a tab has gone.
const movedTimeout = 500 * time.Millisecond

// Moved reports whether a call failed, unsent, because its tab had left the page
// it was decided for; it waits until the host knows the new one.
func (d *Dispatcher) Moved(ctx context.Context, tabID int, from string, err error) bool {
	if f := fault.From(err); f == nil || f.Code != fault.StateMismatch || f.Dispatched != fault.NotDispatched {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, movedTimeout)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		tab, ok := d.Tabs.Get(tabID)
		if !ok || originOf(tab.URL) != originOf(from) {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}
