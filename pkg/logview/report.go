package logview

import (
	"cmp"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/printable"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// Status of an item of a report.
type Status string

// The statuses.
const (
	StatusDone        Status = "done"
	StatusFailed      Status = "failed"
	StatusRefused     Status = "refused"
	StatusInterrupted Status = "interrupted"
	StatusRunning     Status = "not ended"
	StatusSkipped     Status = "skipped"
	StatusAsked       Status = "asked"
	StatusAllowed     Status = "allowed"
	StatusDenied      Status = "denied"
	StatusNoted       Status = "noted"
	StatusSpoken      Status = "said"
	StatusUnknown     Status = "unknown" // how it ended: the record had no room for it
)

// Report is the calls of one session, as a tree.
type Report struct {
	Session Session   `json:"session"`
	Made    time.Time `json:"made"`
	Earlier bool      `json:"earlier"` // there are records before the first one shown
	Items   []*Item   `json:"items"`
}

// Item is one thing that happened: a call with its steps, a question, an
// answer, a turn of a conversation, or a note.
type Item struct {
	Status    Status         `json:"status"`
	Title     string         `json:"title"`
	Step      string         `json:"step,omitzero"` // its name in the stored action
	CallID    string         `json:"call_id,omitzero"`
	Seq       uint64         `json:"seq"`
	At        time.Time      `json:"at"`
	TookMS    float64        `json:"took_ms,omitzero"`
	Place     string         `json:"place,omitzero"`
	TabID     int            `json:"tab_id,omitzero"`
	Map       string         `json:"map,omitzero"`
	Text      string         `json:"text,omitzero"` // of a turn or a note
	Arguments *Value         `json:"arguments,omitzero"`
	Output    *Value         `json:"output,omitzero"`
	Fault     *fault.Error   `json:"error,omitzero"`
	Exception *policy.Report `json:"policy_exception_report,omitzero"`
	Picture   *Picture       `json:"picture,omitzero"`
	Steps     []*Item        `json:"steps,omitzero"`

	listed []journal.Step
}

// NewReport builds the report of a session from its records in order.
func NewReport(records []journal.Record, now time.Time) *Report {
	b := reportBuilder{calls: map[string]*Item{}, report: &Report{Made: now, Items: []*Item{}}}
	var sessions Sessions
	for _, r := range records {
		sessions.Record(r)
		b.record(read(r))
	}
	if len(sessions.List) > 0 {
		b.report.Session = *sessions.List[0]
		b.report.Session.Name, b.report.Session.Client = oneLine(b.report.Session.Name), oneLine(b.report.Session.Client)
	}
	for _, item := range b.calls {
		item.nameSteps()
	}
	return b.report
}

type reportBuilder struct {
	report *Report
	calls  map[string]*Item
}

func (b *reportBuilder) record(e entry) {
	switch e.kind {
	case started, ended, refused:
		b.call(e)
	case asked:
		item := b.call(e)
		item.Status, item.Text = StatusAsked, printable.EscapeLines(e.detail(maxReportText))
	case noted:
		if e.Type == journal.TypePolicy && e.payload.Error != nil {
			b.call(e) // the question's call; its code and next step are worth showing
			return
		}
		b.add(e, StatusNoted)
	case answered:
		status := StatusDenied
		if *e.decided.Allow {
			status = StatusAllowed
		}
		b.add(e, status)
	case spoken:
		b.add(e, StatusSpoken)
	}
}

// add puts in what is not a call.
func (b *reportBuilder) add(e entry, status Status) {
	b.report.Items = append(b.report.Items, &Item{
		Status: status, Title: e.title(), Seq: e.Seq, At: e.At, Place: e.place(), Text: printable.EscapeLines(truncate.Characters(e.detail(maxReportText), maxReportText)),
	})
}

// call adds what a record holds of a call, into the item that the records
// before it made.
func (b *reportBuilder) call(e entry) *Item {
	item, known := b.calls[e.CallID]
	if !known {
		item = b.place(e.CallID, e.ParentID, e)
	}
	d := &e.payload
	if title := e.subject(); item.Title == "" || title != siteTool {
		item.Title = oneLine(title)
	}
	item.TabID, item.Map = or(d.TabID, item.TabID), or(oneLine(d.Map), item.Map)
	item.Place = or(item.Place, e.place())
	if d.Report != nil {
		item.Exception = &policy.Report{
			Kind: oneLine(d.Report.Kind), IntendedTool: oneLine(d.Report.IntendedTool), ActionsJSONPath: oneLine(d.Report.ActionsJSONPath), Reason: oneLine(d.Report.Reason),
		}
	}
	if given, ok := b.calls[d.ReportCall]; ok {
		item.Exception = given.Exception
	}
	if v := value(e.arguments()); v != nil {
		item.Arguments = v // an outcome's hold what was typed
	}
	switch {
	case e.kind == started, e.kind == asked:
		return item
	case e.kind == refused:
		item.Status = StatusRefused
	case e.kind == noted: // waits for an answer
	case e.Type == journal.TypeInterrupted:
		item.Status = StatusInterrupted
	case e.failed():
		item.Status = StatusFailed
	case e.unknown():
		item.Status = StatusUnknown
	default:
		item.Status = StatusDone
	}
	if f := e.fault(); f != nil {
		quoted := *f
		quoted.Message = oneLine(f.Message)
		item.Fault = &quoted
	}
	item.TookMS, item.listed = d.DurationMS, d.StepList()
	if e.Type == journal.TypeOutcome {
		if !known { // a read, of which only the end is logged
			item.At = e.At.Add(-e.took())
		}
		item.Output, item.Picture = value(d.Output), picture(e.Name, d.Output)
	}
	return item
}

// place makes the item of a call where it belongs. Of a parent whose own records
// come later, or are gone, there is none yet.
func (b *reportBuilder) place(id, parent string, e entry) *Item {
	item := &Item{Status: StatusRunning, CallID: id, Seq: e.Seq, At: e.At}
	b.calls[id] = item
	if parent == "" {
		b.report.Items = append(b.report.Items, item)
		return item
	}
	above, ok := b.calls[parent]
	if !ok {
		above = b.place(parent, "", e)
	}
	above.Steps = append(above.Steps, item)
	return item
}

// nameSteps sets the names that the steps of an action have in its map, and puts those
// in that were skipped. What ran between two steps, as when one settles, has no
// name of its own.
func (i *Item) nameSteps() {
	at := 0
	for _, s := range i.listed {
		if s.Skipped {
			title := oneLine(cmp.Or(s.Primitive, s.ID))
			i.Steps = slices.Insert(i.Steps, at, &Item{Status: StatusSkipped, Title: title, Step: oneLine(s.ID), Seq: i.Seq, At: i.At})
			at++
			continue
		}
		if len(s.Steps) > 0 {
			at += nameGroup(i.Steps[at:], s.Steps)
			continue
		}
		ran := slices.IndexFunc(i.Steps[at:], func(step *Item) bool { return step.Title == s.Primitive })
		if ran >= 0 {
			at += ran
			i.Steps[at].Step = oneLine(s.ID)
			at++
		}
	}
}

// nameGroup names the calls of a group's steps and returns how many calls there are up to the
// last of them. Which items left a step out is not known, so that a call of which two steps may
// be the cause stays without a name.
func nameGroup(calls []*Item, steps []journal.Step) (count int) {
	left, causes := map[string]int{}, map[string][]string{}
	for _, s := range steps {
		left[s.Primitive] += s.Items
		causes[s.Primitive] = append(causes[s.Primitive], s.ID)
	}
	for i, call := range calls {
		if left[call.Title] == 0 {
			continue
		}
		left[call.Title]--
		count = i + 1
		if ids := causes[call.Title]; len(ids) == 1 {
			call.Step = oneLine(ids[0])
		}
	}
	return count
}

// Failed lists what a reader looks for first. A step that failed is the reason
// of its action, and one that its action put up with, as a look for what may be
// missing, is not a failure.
func (r *Report) Failed() (items []*Item) {
	var walk func([]*Item)
	walk = func(list []*Item) {
		for _, i := range list {
			switch i.Status {
			case StatusFailed, StatusRefused, StatusInterrupted:
				items = append(items, i)
			case StatusDone:
			default:
				walk(i.Steps)
			}
		}
	}
	walk(r.Items)
	return items
}

// Took is the item's duration for a person; empty where none was measured.
func (i *Item) Took() string {
	if i.TookMS == 0 {
		return ""
	}
	return Took(i.duration())
}

func (i *Item) duration() time.Duration { return time.Duration(i.TookMS * float64(time.Millisecond)) }

// Mark is the sign of the status; a word of it always stands beside.
func (i *Item) Mark() string {
	switch i.Status {
	case StatusDone, StatusAllowed:
		return "✓"
	case StatusFailed, StatusRefused, StatusInterrupted, StatusDenied:
		return "✗"
	case StatusAsked:
		return "?"
	case StatusSkipped:
		return "–"
	case StatusRunning:
		return "…"
	default:
		return "·"
	}
}

// Class groups the statuses by how they look.
func (i *Item) Class() string {
	switch i.Mark() {
	case "✓":
		return "good"
	case "✗":
		return "bad"
	case "?", "…":
		return "open"
	default:
		return "quiet"
	}
}

func or[T comparable](a, b T) T {
	var zero T
	if a != zero {
		return a
	}
	return b
}
