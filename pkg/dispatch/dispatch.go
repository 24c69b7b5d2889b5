// Package dispatch is the one call path: every direct call, workflow step,
// handler-bound action and client call goes through it.
//
// Rules of this package:
//   - look up → parse and validate → decide (policy) → journal intent → lane and
//     pacing → execute by route → check output → journal outcome → envelope.
//     Nothing reaches a page by another way.
//   - The outermost call takes its tab's lane, in which those who wait go round the
//     sessions (pkg/fairqueue); its steps inherit it through the context.
//   - An acting call is not sent before its intent is on disk, and its answer is
//     not given before its outcome is. Reads never wait for the disk.
//   - An answer with words of a page says that it is untrusted, failed or not. They are in it as
//     the page has them: who shows them to a model marks and escapes them.
//   - A call that was sent and whose answer was lost is outcome_unknown, never
//     repeated silently.
package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/runhistory"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// Time limits of a call that names none.
const (
	DefaultTimeout     = 30 * time.Second
	DefaultSiteTimeout = 120 * time.Second
	maxTimeout         = 10 * time.Minute
)

// SiteTool is the name of the one tool that runs stored actions; it is exempt
// from the policy_exception_report.
const SiteTool = "actions.site"

// ReplTool is the name of the primitive that runs code with steps of its own. The code says
// what it does: its title is shown while it runs.
const ReplTool = "automation.repl"

// replTimeout is longer than any code may run, whose own time limit says more.
const replTimeout = 130 * time.Second

// clarifyTool is the name of the primitive that waits for an answer of the user, for longer
// than a call usually may.
const clarifyTool = "user.clarify"

// pickTool is the name of the primitive that waits for the user to point at an element.
const pickTool = "automation.ask_user_which_element"

// Dispatcher runs calls. Its fields are set once, before the first call.
type Dispatcher struct {
	Catalogue *primitive.Catalogue
	Handlers  *primitive.Registry
	Tabs      *tabs.Registry
	Policy    *policy.Engine
	Approvals *policy.Approvals
	Journal   *journal.Journal
	// Browser is the name of the browser, as its extension gives it.
	Browser string
	// Blocked returns the primitives that the maps of a page forbid at this moment, also
	// while a stored action of theirs runs.
	Blocked func(pageURL string) []string
	// Announcements returns the announcements for a session's next answer, nil for
	// none.
	Announcements func(primitive.Session) any
	// Opened watches for tabs that pages open; nil where the host cannot know of them.
	Opened Opened
	// Action returns a stored action of a page, without primitives where it runs nothing;
	// false where the page has none of the name.
	Action func(url, name string) (policy.Action, bool)
	// AgentCode reports that the hosted agent may run JavaScript, by the user's setting.
	AgentCode bool
	// AutomationEnabled reports whether the user has switched the text agent's tools on; nil:
	// they are off.
	AutomationEnabled func() bool
	// CanAsk reports whether something can show the user a question of the session; nil: always.
	CanAsk func(context.Context, *Session) bool
	// History has each stored action's last runs; nil: none are kept.
	History *runhistory.History
	// Choices returns the user's choices of this moment; nil: none were made.
	Choices func() Choices

	// SaveStops stores the user's stops that hold; nil where they end with the process.
	SaveStops func([]Stop) error
	// StopsChanged is called when the user has stopped or let agents go on. It must not block.
	StopsChanged func()

	running  running
	lanes    lanes
	overflow overflow

	answeredDamage atomic.Pointer[journal.Damage] // the last one that an answer has had
}

// Call is a call as a client requests it.
type Call struct {
	Name      string
	Arguments strictjson.Value // an object; absent is {}
	Target    tabs.Target
	Timeout   time.Duration // 0: the default of the kind of call
	// MaxOutputChars is the caller's own budget of the output; 0: the primitive's.
	MaxOutputChars int
	// Unasked is a call that the host makes for a model, which did not ask for it: nobody is
	// asked about it, and it is no loop.
	Unasked bool
	// OnlyLook has the call, and all that it runs, decided as in the mode ask: it may only read.
	// Nobody is asked about it either.
	OnlyLook bool
}

// scope is what a call's steps inherit through the context.
type scope struct {
	session  *Session
	tabID    int
	callID   string
	args     json.RawMessage
	onlyLook bool
	acted    bool // a step with an effect ran, whatever the call itself is; only the call's own goroutine writes
	// pictures is the newest that a step took; only the call's own goroutine writes
	pictures []primitive.Attachment

	classes []string // of what acted, steps included; only the call's own goroutine writes

	record   *primitive.Record
	ofAction bool          // the author of a stored action wrote the call
	origin   string        // the one that the call was decided for
	waited   time.Duration // for the pace of the session, steps included

	authorized string // the origin on which the stored action was allowed

	texts     *typedTexts // of the stored action that runs; nil outside of one
	leaveLane func()
}

// authorizedOn reports whether the stored action was allowed as a whole on the origin.
func (s *scope) authorizedOn(origin string) bool { return s.authorized != "" && s.authorized == origin }

type scopeKey struct{}

func scopeOf(ctx context.Context) *scope {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	return s
}

// Call runs one call and returns its envelope, which also carries any error.
func (d *Dispatcher) Call(ctx context.Context, s *Session, c Call) Envelope {
	id := "call_" + rand.Text()
	started := time.Now()
	var meta primitive.Meta
	output, err := d.prepare(ctx, s, id, c, &meta)
	meta.DurationMS = float64(time.Since(started).Microseconds()) / 1000
	if meta.Acted {
		meta.LogDamage = d.newDamage()
	}
	if d.Announcements != nil {
		meta.Announcements = d.Announcements(s)
	}
	record, _ := d.Catalogue.Public(c.Name)
	return finish(id, c.Name, record, output, err, s.withoutHiddenURLs(meta))
}

func (d *Dispatcher) prepare(ctx context.Context, s *Session, id string, c Call, meta *primitive.Meta) (json.RawMessage, error) {
	in, err := d.parseCall(c)
	in.id, in.session, in.meta, in.unasked, in.onlyLook = id, s, meta, c.Unasked, c.OnlyLook
	if at, ok := continuation(c.Arguments); ok && err == nil {
		return d.overflow.page(s.ID, c.Name, at)
	}
	if err != nil {
		if fault.Is(err, fault.PolicyExceptionReportRequired) {
			d.logRefusal(ctx, in, tabs.Tab{}, err)
		}
		return nil, err
	}
	if c.Name == BatchTool {
		return d.runBatch(ctx, in, c)
	}
	if namesAction(in) {
		in.texts = &typedTexts{}
	}
	guarded, err := d.beginGuarded(ctx, in)
	if err != nil {
		d.logRefusal(ctx, in, guarded.tab, err)
		return nil, err
	}
	ctx, ended := d.running.begin(ctx, s, id, c.Name, in.args)
	defer ended()
	limited, cancel := context.WithTimeout(ctx, timeout(c))
	defer cancel()
	output, err := d.process(limited, in)
	meta.Stopped = isStopped(ctx)
	if err != nil {
		err = withCause(ctx, err)
	}
	d.endGuarded(in, guarded, output, err)
	if err != nil {
		return nil, err
	}
	return d.overflow.fit(s.ID, id, c.Name, output, budget(in.record, c)), nil
}

// Step runs one step of the stored action whose call the context carries.
func (d *Dispatcher) Step(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	return d.runStep(ctx, name, args, false)
}

func (d *Dispatcher) runStep(ctx context.Context, name string, args json.RawMessage, only bool) (json.RawMessage, error) {
	parent := scopeOf(ctx)
	if parent == nil {
		return nil, fault.New(fault.InternalError, "%s: no parent call in context", name)
	}
	in, err := d.newStep(parent, name, args)
	if err != nil {
		return nil, err
	}
	if only {
		in.leaveLane = parent.leaveLane
	}
	reportStep(ctx, name)
	return d.process(ctx, in)
}

// Delegate runs a primitive that the primitive of the context hands its work to. Pacing
// and policy were applied to that one, whose effect it must have. With private its text
// stays out of the log.
func (d *Dispatcher) Delegate(ctx context.Context, name string, args json.RawMessage, private bool) (json.RawMessage, error) {
	parent := scopeOf(ctx)
	if parent == nil {
		return nil, fault.New(fault.InternalError, "%s: no parent call in context", name)
	}
	in, err := d.newStep(parent, name, args)
	if err != nil {
		return nil, err
	}
	if in.record.Effect != parent.record.Effect {
		return nil, fault.New(fault.InternalError, "%s has another effect than %s", name, parent.record.Name).WithDispatched(fault.NotDispatched)
	}
	in.delegated, in.private = true, private
	parent.authorized = parent.origin
	return d.process(ctx, in)
}

func (d *Dispatcher) newStep(parent *scope, name string, args json.RawMessage) (invocation, error) {
	record, ok := d.Catalogue.Public(name)
	if !ok {
		return invocation{}, d.Catalogue.NoSuch(name)
	}
	checked, err := parse(args)
	return invocation{
		id: "call_" + rand.Text(), record: record, session: parent.session, parent: parent,
		target: tabs.Target{TabID: parent.tabID}, args: checked.Raw(), meta: &primitive.Meta{}, texts: parent.texts,
	}, err
}

// Authorize asks the policy about a stored action before its first step. Where the user is going to be asked, plan returns
// what the question shows of the action; nil: nothing.
func (d *Dispatcher) Authorize(ctx context.Context, action policy.Action, plan func() policy.Plan) error {
	return d.authorize(ctx, d.actionRequest(action), nil, plan)
}

// Confirm is Authorize for what a person has to see each time, whatever was allowed before: the
// answer holds for this action with these arguments alone.
func (d *Dispatcher) Confirm(ctx context.Context, action policy.Action, args json.RawMessage, plan func() policy.Plan) error {
	r := d.actionRequest(action)
	r.Ask, r.RequireNewApproval = r.Effects, true
	return d.authorize(ctx, r, args, plan)
}

// authorize decides about the action; args, if any, are those that the question is about.
func (d *Dispatcher) authorize(ctx context.Context, r policy.Request, args json.RawMessage, plan func() policy.Plan) error {
	parent := scopeOf(ctx)
	if parent == nil {
		return fault.New(fault.InternalError, "action %s: no parent call in context", r.Name)
	}
	tab, err := d.Tabs.Resolve(0, tabs.Target{TabID: parent.tabID}, false)
	if err != nil {
		return err
	}
	if args == nil {
		args = parent.args
	}
	err = d.decide(ctx, invocation{id: parent.callID, session: parent.session, parent: parent, args: args, plan: plan}, tab, r)
	if err == nil {
		parent.authorized = originOf(tab.URL)
	}
	return err
}
