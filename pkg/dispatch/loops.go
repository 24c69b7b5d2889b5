package dispatch

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/dispatch/loopguard"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// maxGuardedTabs bounds how many tabs of a session are remembered.
const maxGuardedTabs = 64

// loops is what the guard of a session remembers of each tab.
type loops struct {
	mu     sync.Mutex
	tabs   map[int]*guardedTab
	logged bool // that the guard is off
}

type guardedTab struct {
	guard loopguard.Guard
	// url is where the tab was when the session's last call there had ended.
	url string
	// seen is what the last look there gave: an action between two looks that differ is no loop.
	seen string
	// expected reports that the last call may have led to another page after its end.
	expected bool
}

func (l *loops) tab(id int) *guardedTab {
	g := l.tabs[id]
	if g == nil {
		if l.tabs == nil || len(l.tabs) >= maxGuardedTabs {
			l.tabs = map[int]*guardedTab{}
		}
		g = &guardedTab{}
		l.tabs[id] = g
	}
	return g
}

// guardedCall is a call that the guard knows.
type guardedCall struct {
	loopguard.Call
	tab tabs.Tab
}

// guarded reports whether a model makes the call: a person at a terminal may repeat what
// they like.
func (in invocation) guarded() bool {
	return in.session.SessionKind != policy.SessionCLI && !in.unasked
}

// beginGuarded adds a navigation that nobody asked for to the call's meta, and refuses a
// call that led nowhere before.
func (d *Dispatcher) beginGuarded(ctx context.Context, in invocation) (guardedCall, error) {
	if !in.guarded() {
		return guardedCall{}, nil
	}
	if err := d.logGuardOff(ctx, in.session); err != nil {
		return guardedCall{}, err
	}
	c := guardedCall{Call: describe(in)}
	if needsTab(in.record) {
		c.tab, _ = d.resolve(in) // without a tab the call fails by itself, and is counted all the same
	}
	c.Page = origin.Page(c.tab.URL)
	l := &in.session.loops
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.tab(c.tab.TabID)
	if at.url != "" && c.tab.URL != at.url {
		if !at.expected {
			in.meta.Navigated = &primitive.Navigation{From: at.url, To: c.tab.URL}
		}
		at.guard.Arrive(c.tab.URL)
	}
	at.url = c.tab.URL
	if in.session.NoLoopGuard {
		return c, nil
	}
	stop := at.guard.Check(c.Call)
	if stop == nil {
		return c, nil
	}
	return c, fault.New(fault.LoopStopped, "%s is refused: %s", in.record.Name, stop.Reason()).
		With("rule", stop.Rule).With("times", stop.Times).With("last", stop.Last).WithDispatched(fault.NotDispatched)
}

// uncounted are failures after which the same call is right: a person stops or allows it,
// and a report is no part of what is compared.
var uncounted = []fault.Code{fault.Cancelled, fault.NeedsApproval, fault.PolicyExceptionReportRequired}

// endGuarded counts what came of a call and adds what the model should know to its meta.
func (d *Dispatcher) endGuarded(in invocation, c guardedCall, output json.RawMessage, err error) {
	if !in.guarded() {
		return
	}
	f := fault.From(err)
	if f != nil && slices.Contains(uncounted, f.Code) {
		return
	}
	o := outcomeOf(c.Call, output, f)
	l := &in.session.loops
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.tab(c.tab.TabID)
	switch {
	case c.Acts:
		o.OutputHash += at.seen
	case f == nil && in.record.Security.PageText:
		at.seen = o.OutputHash
	}
	sent := f == nil || f.Dispatched != fault.NotDispatched
	at.expected = sent && (runsAction(in) || slices.Contains(in.record.Classes, "navigation"))
	if now, ok := d.Tabs.Get(c.tab.TabID); ok && now.URL != c.tab.URL {
		o.Arrived, at.url = now.URL, now.URL
	}
	if in.session.NoLoopGuard {
		return
	}
	if nudge := at.guard.Note(c.Call, o); nudge != nil {
		in.meta.Nudge = &primitive.Nudge{Code: string(nudge.Code), Text: nudge.Text}
	}
}

// describe returns what the guard knows of a call, from its record and arguments.
func describe(in invocation) loopguard.Call {
	c := loopguard.Call{
		Name: in.record.Name, Arguments: string(in.args), Acts: in.record.Acts(), Exempt: slices.Contains(in.record.Classes, "repeatable"),
		Scrolls: in.record.Effect == "view" && strings.HasSuffix(in.record.Name, ".scroll"),
	}
	if canonical := jsontext.Value(bytes.Clone(in.args)); canonical.Canonicalize() == nil { // in one order of members
		c.Arguments = string(canonical)
	}
	var args struct {
		Locator json.RawMessage `json:"locator"`
		X, Y    *float64
		Method  string
	}
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return c // the schema refuses it
	}
	c.Target = string(args.Locator)
	if in.record.URLArgument != "" {
		c.URL, c.Method = TextMember(in.args, in.record.URLArgument), args.Method
		if c.Method == "" && in.record.Effect != "input" {
			c.Method = "GET"
		}
	}
	if args.X != nil && args.Y != nil && in.record.Effect == "input" && strings.HasSuffix(in.record.Name, "click") {
		c.Point = &loopguard.Point{X: *args.X, Y: *args.Y}
	}
	c.SingleRef = in.record.Name == "page.snapshot" && strings.HasPrefix(c.Target, `{"ref":`)
	return c
}

var outputSeed = maphash.MakeSeed()

func outcomeOf(c loopguard.Call, output json.RawMessage, f *fault.Error) loopguard.Outcome {
	if f != nil {
		return loopguard.Outcome{Code: string(f.Code), NotRecoverable: !f.Recoverable, Malformed: f.Code == fault.InvalidInput}
	}
	o := loopguard.Outcome{OutputHash: strconv.FormatUint(maphash.Bytes(outputSeed, output), 36)}
	var scrolled struct{ Moved bool }
	if c.Scrolls && json.Unmarshal(output, &scrolled) == nil {
		o.Unmoved = !scrolled.Moved
	}
	return o
}

// logGuardOff logs once that the session's calls are not guarded.
func (d *Dispatcher) logGuardOff(ctx context.Context, s *Session) error {
	s.loops.mu.Lock()
	first := s.NoLoopGuard && !s.loops.logged
	s.loops.logged = true
	s.loops.mu.Unlock()
	if !first {
		return nil
	}
	return d.logPolicyEvent(context.WithoutCancel(ctx), s.ID, "", journal.PolicyEvent{Event: "loop_guard_off"})
}
