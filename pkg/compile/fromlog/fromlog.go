// Package fromlog reads from the log what a session did, in the form that package compile takes.
//
// Rules of this package:
//   - Calls that failed, were refused or are not whole fall away, and each is told.
//   - It reads what the log keeps and decides nothing: texts that the log withholds stay lengths.
package fromlog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
)

const siteTool = "actions.site"

// Range is a range of a session's calls, numbered from 1; the zero value is all.
type Range struct{ First, Last int }

var rangeForm = regexp.MustCompile(`^([0-9]{1,6})?(?:(-)([0-9]{1,6})?)?$`)

// ParseRange reads "3-8", "3-", "-8" or "3".
func ParseRange(text string) (Range, error) {
	m := rangeForm.FindStringSubmatch(text)
	if text == "" {
		return Range{}, nil
	}
	bad := fault.New(fault.InvalidInput, "%q is no range of calls", text).WithNextStep("Write it as 3-8, 3- or -8; the first call is 1.")
	if m == nil || m[1] == "" && m[3] == "" {
		return Range{}, bad
	}
	first, last := 1, 0
	if m[1] != "" {
		first, _ = strconv.Atoi(m[1]) // digits
		last = first
	}
	if m[2] != "" {
		if last = 0; m[3] != "" {
			last, _ = strconv.Atoi(m[3])
		}
	}
	if first < 1 || last != 0 && last < first {
		return Range{}, bad
	}
	return Range{first, last}, nil
}

func (r Range) has(n int) bool { return n >= max(1, r.First) && (r.Last == 0 || n <= r.Last) }

// Filters select the records that [Read] takes: those of the session, and where the log has gaps.
func Filters(session string) []journal.Filter {
	return []journal.Filter{{Session: session}, {Types: []string{journal.TypeRecovered, journal.TypeDamaged}}}
}

// Read returns what the session did. The records may come in any order. The error is
// invalid_input where the calls were on several tabs.
func Read(c *primitive.Catalogue, session string, calls Range, records []journal.Record) (compile.Run, error) {
	records = slices.Clone(records)
	slices.SortStableFunc(records, func(a, b journal.Record) int { return cmp.Compare(a.Seq, b.Seq) })
	r := &reader{
		catalogue: c, calls: calls, intents: map[string]journal.Intent{}, inner: map[string][]compile.Step{},
		run: compile.Run{Source: compile.SourceRun, Session: session},
	}
	ends := func(rec journal.Record) bool { return rec.SessionID == session }
	first, last := slices.IndexFunc(records, ends), len(records)
	for last > 0 && !ends(records[last-1]) && records[last-1].Type != journal.TypeDamaged {
		last--
	}
	for i, rec := range records[:last] {
		if i >= first {
			r.add(rec)
		}
	}
	return r.result()
}

// reader collects the records.
type reader struct {
	catalogue *primitive.Catalogue
	calls     Range
	run       compile.Run
	intents   map[string]journal.Intent
	inner     map[string][]compile.Step // the steps of stored actions that still run
	tabs      []int
	number    int
}

func (r *reader) note(format string, args ...any) {
	if r.calls.has(r.number) {
		r.run.Notes = append(r.run.Notes, fmt.Sprintf(format, args...))
	}
}

// add takes the next record.
func (r *reader) add(rec journal.Record) {
	outermost := rec.ParentID == ""
	switch rec.Type {
	case journal.TypeIntent:
		var intent journal.Intent
		if json.Unmarshal(rec.Data, &intent) == nil {
			r.intents[rec.CallID] = intent
		}
	case journal.TypeOutcome:
		if outermost {
			r.number++
		}
		r.outcome(rec, outermost)
	case journal.TypePolicy:
		var o journal.Outcome
		if rec.CallID == "" || !outermost || json.Unmarshal(rec.Data, &o) != nil || !o.Failed() {
			return
		}
		r.number++
		r.note("Call %d (%s) was refused and is left out.", r.number, rec.Name)
	case journal.TypeInterrupted:
		if outermost && rec.CallID != "" {
			r.number++
			r.note("Call %d (%s) was cut off by the end of the host: nobody knows what it did. It is left out.", r.number, rec.Name)
		}
	case journal.TypeRecovered, journal.TypeDamaged:
		r.number++
		r.note("The log has a gap before call %d: what was done there is not in the action.", r.number)
		r.number--
	}
}

func (r *reader) outcome(rec journal.Record, outermost bool) {
	intent, intended := r.intents[rec.CallID]
	delete(r.intents, rec.CallID)
	var o journal.Outcome
	record, known := r.catalogue.Public(rec.Name)
	inner := r.inner[rec.CallID]
	delete(r.inner, rec.CallID)
	switch {
	case json.Unmarshal(rec.Data, &o) != nil || o.OK == nil:
		if outermost {
			r.note("Call %d (%s) is not whole in the log and is left out.", r.number, rec.Name)
		}
		return
	case o.Failed():
		if outermost {
			more := ""
			if o.Error != nil && o.Error.Dispatched != fault.NotDispatched && known && record.Acts() {
				more = "; it may have done something all the same"
			}
			r.note("Call %d (%s) failed%s and is left out%s.", r.number, rec.Name, codeOf(o.Error), more)
		}
		return
	case !known:
		return
	case record.Acts() && !intended && outermost:
		r.note("The log begins in the middle of call %d: what was done before is gone.", r.number)
	}
	if rec.Name == siteTool {
		if outermost && r.calls.has(r.number) {
			for _, s := range inner {
				s.Number = r.number
				r.run.Steps = append(r.run.Steps, s)
			}
		}
		return
	}
	s := stepOf(rec, intent, o, r.number)
	switch {
	case cut(s.Args):
		r.note("Call %d (%s) is not whole in the log and is left out.", r.number, rec.Name)
	case !outermost:
		r.inner[rec.ParentID] = append(r.inner[rec.ParentID], s)
	case r.calls.has(r.number):
		if record.Acts() && o.TabID != 0 && record.Route != primitive.RouteHost && !slices.Contains(r.tabs, o.TabID) {
			r.tabs = append(r.tabs, o.TabID)
		}
		r.run.Steps = append(r.run.Steps, s)
	}
}

// cut reports whether the log has only the head of the arguments.
func cut(args json.RawMessage) bool {
	var head redact.Truncation
	return json.Unmarshal(args, &head) == nil && head.Truncated
}

func codeOf(err *fault.Error) string {
	if err == nil {
		return ""
	}
	return " with " + string(err.Code)
}

func stepOf(rec journal.Record, intent journal.Intent, o journal.Outcome, number int) compile.Step {
	s := compile.Step{
		Number: number, Primitive: rec.Name, Args: o.Arguments, Target: o.Target, Destination: o.Destination,
		URL: intent.URL, At: rec.At, Output: o.Output,
	}
	if len(s.Args) == 0 {
		s.Args = intent.Arguments
	}
	if s.URL == "" {
		s.URL = o.URL
	} else if o.URL != "" && o.URL != s.URL {
		s.Navigated = o.URL
	}
	s.After = seen(s)
	return s
}

func (r *reader) result() (compile.Run, error) {
	for id := range r.intents {
		r.note("A call (%.12s…) has no end in the log: nobody knows what it did. It is left out.", id)
		break
	}
	if len(r.tabs) > 1 {
		return compile.Run{}, fault.New(fault.InvalidInput, "the calls act on %d tabs, and an action stays in one", len(r.tabs)).
			WithNextStep("Name the calls on one of them with --calls A-B.")
	}
	// A page that left after the answer of the call that led it away shows at the next call.
	for i := 1; i < len(r.run.Steps); i++ {
		before, s := &r.run.Steps[i-1], r.run.Steps[i]
		if before.Navigated == "" && s.URL != "" && s.URL != before.URL {
			before.Navigated = s.URL
		}
	}
	return r.run, nil
}

// seen returns the texts of the page that a read gave.
func seen(s compile.Step) []compile.Seen {
	switch s.Primitive {
	case "locator.text_content":
		var out struct{ Text string }
		if s.Target == nil || s.Target.Selector == "" || s.Target.Secret || len(s.Target.Frame) > 0 || json.Unmarshal(s.Output, &out) != nil {
			return nil
		}
		return []compile.Seen{{Selector: s.Target.Selector, Text: out.Text}}
	case "page.snapshot":
		var out struct{ Snapshot string }
		if json.Unmarshal(s.Output, &out) != nil {
			return nil
		}
		return announced(out.Snapshot)
	}
	return nil
}

var announcedLine = regexp.MustCompile(`^\s*- (status|alert|log)\b[^:"]*(?:"([^"]*)")?[^:]*(?::\s*(.+))?$`)

// announced returns the texts of a snapshot's regions that pages speak by: of each kind the one
// that there is, as several have no selector of their own.
func announced(tree string) (all []compile.Seen) {
	texts := map[string][]string{}
	for line := range strings.Lines(tree) {
		if m := announcedLine.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			text := strings.Trim(strings.TrimSpace(m[3]), `"`)
			texts[m[1]] = append(texts[m[1]], text)
		}
	}
	for role, selector := range map[string]string{"status": `[role="status"], output`, "alert": `[role="alert"]`, "log": `[role="log"]`} {
		if found := texts[role]; len(found) == 1 && found[0] != "" {
			all = append(all, compile.Seen{Selector: selector, Text: found[0]})
		}
	}
	slices.SortFunc(all, func(a, b compile.Seen) int { return strings.Compare(a.Selector, b.Selector) })
	return all
}
