package site

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/kv"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/storage"
)

const (
	maxLocators = 200 // tested of one map
	maxGoodRuns = 200 // remembered; the oldest goes first
	maxFindings = 40  // listed of one map
)

// goodRun is what the locators of a map found on a page when all was well.
type goodRun struct {
	At     time.Time      `json:"at"`
	Counts map[string]int `json:"counts"` // by tool, pointer and locator
	// Opened are those that stood in a dialog, a menu or a panel: the page takes that away when
	// it closes it.
	Opened map[string]bool `json:"opened,omitzero"`
}

// GoodRuns remember the last good run of a map's locators on each page, so that a later one knows
// what is gone. They hold no words of the page.
type GoodRuns struct {
	runs kv.Bucket[string, goodRun]
}

// OpenGoodRuns returns those of a database, whose owner closes it.
func OpenGoodRuns(db *bbolt.DB) *GoodRuns {
	return &GoodRuns{kv.Bucket[string, goodRun]{DB: db, Name: "locator_runs", What: "what the maps' locators found", Open: true}}
}

// last returns the last good run of a map on a page.
func (g *GoodRuns) last(key string) (goodRun, error) {
	if g == nil {
		return goodRun{}, nil
	}
	run, _, err := g.runs.Get(key)
	return run, err
}

// keep stores a good run and drops the oldest above the limit.
func (g *GoodRuns) keep(key string, run goodRun) error {
	if g == nil {
		return nil
	}
	if err := g.runs.Put(key, run); err != nil {
		return err
	}
	var times []time.Time
	if err := g.runs.Each(func(_ string, r goodRun) { times = append(times, r.At) }); err != nil || len(times) <= maxGoodRuns {
		return err
	}
	slices.SortFunc(times, func(a, b time.Time) int { return b.Compare(a) })
	return g.runs.Retain(func(_ string, r goodRun) bool { return r.At.After(times[maxGoodRuns]) })
}

// pageKey names a map on a page by its address without query and fragment, which may be personal.
func pageKey(entry *storage.Entry, address string) string {
	return entry.Path + " " + origin.Page(address)
}

// usedLocator is a locator of an action, with the place at which it stands.
type usedLocator struct {
	tool, step, pointer string
	raw                 json.RawMessage
	primitive           string
	first               bool // no step comes before it
}

func (u usedLocator) key() string {
	return u.tool + u.pointer + " " + string(u.raw)
}

// locatorsOf returns the locators of the actions of a map that apply to the page, in their order.
func locatorsOf(entry *storage.Entry, address string) (list []usedLocator) {
	for _, tool := range entry.Map.Tools {
		if !tool.Applies(address) {
			continue
		}
		if tool.Target != nil {
			list = append(list, usedLocator{tool: tool.Name, pointer: "/target", raw: tool.Target})
		}
		for i, use := range tool.Uses() {
			for _, member := range locatorMembers(use) {
				list = append(list, usedLocator{tool.Name, use.Step, use.Pointer, member.Raw, use.Primitive, i == 0})
			}
		}
	}
	return list
}

// locatorMembers returns the locators in the arguments of a use.
func locatorMembers(use actionmap.Use) (list []jsonnode.Node) {
	args := jsonnode.Node{Raw: use.Arguments}
	names := []string{"locator"}
	if use.Primitive == "text.insert" {
		names = append(names, "target")
	}
	for _, name := range names {
		if n := args.Get(name); n.IsObject() || name == "target" && n.IsString() || n.IsString() && strings.Contains(n.Text(), "{%") {
			list = append(list, n)
		}
	}
	return list
}

// checkLocators tests the locators of a map's actions on the page as it is. keep remembers the
// run, for when the map's checks turn out well too.
func (s *Site) checkLocators(ctx context.Context, entry *storage.Entry, address string) (_ *pagemodel.LocatorReport, keep func() error, _ error) {
	keep = func() error { return nil }
	used := locatorsOf(entry, address)
	if len(used) == 0 {
		return nil, keep, nil
	}
	key := pageKey(entry, address)
	before, err := s.GoodRuns.last(key)
	if err != nil {
		return nil, keep, err
	}
	report := &pagemodel.LocatorReport{OK: true}
	if !before.At.IsZero() {
		report.Since = before.At.Format(time.RFC3339)
	}
	now := goodRun{At: time.Now().UTC().Truncate(time.Second), Counts: map[string]int{}, Opened: map[string]bool{}}
	counted := map[string]found{}
	for _, u := range used {
		if bytes.Contains(u.raw, []byte("{%")) {
			report.Slots++
			continue
		}
		f, known := counted[string(u.raw)]
		if !known {
			if len(counted) == maxLocators || ctx.Err() != nil {
				report.Untested++
				continue
			}
			f = s.find(ctx, u.raw)
			f.opened = f.count > 0 && s.isOpened(ctx, u.raw)
			counted[string(u.raw)] = f
		}
		r := pagemodel.LocatorResult{Tool: u.tool, Step: u.step, Pointer: u.pointer, Locator: u.raw, Count: f.count}
		if was, ok := before.Counts[u.key()]; ok {
			r.Was = &was
		}
		judge(report, r, f, before.Opened[u.key()], u.first)
		if f.err == nil {
			now.Counts[u.key()] = f.count
		}
		if f.opened {
			now.Opened[u.key()] = true
		}
	}
	if len(report.Findings) > maxFindings {
		report.Findings = report.Findings[:maxFindings]
	}
	if report.Untested == 0 {
		keep = func() error { return s.GoodRuns.keep(key, now) }
	}
	return report, keep, nil
}

// found is what a locator finds.
type found struct {
	count  int
	opened bool         // it stands in what the page opens and closes
	err    *fault.Error // it could not be tested, or cannot be used
}

// find counts the elements of a locator, hidden ones too.
func (s *Site) find(ctx context.Context, locator json.RawMessage) found {
	return findBy(ctx, s.Path.Step, locator)
}

// findBy is find by another way to read the page.
func findBy(ctx context.Context, read pagemodel.Read, locator json.RawMessage) found {
	if locator[0] == '"' { // a target of text.insert may be a selector
		locator = slices.Concat([]byte(`{"selector":`), locator, []byte("}"))
	}
	output, err := read(ctx, "locator.element_info", slices.Concat([]byte(`{"auto_scroll":false,"locator":`), locator, []byte("}")))
	var info struct {
		Matches int `json:"match_count"`
	}
	switch f := fault.From(err); {
	case err == nil && json.Unmarshal(output, &info) == nil:
		return found{count: max(info.Matches, 1)}
	case err == nil:
		return found{err: fault.New(fault.InvalidResult, "the page's answer cannot be read")}
	case f.Code == fault.TargetNotFound:
		return found{}
	case f.Code == fault.TargetNotVisible || f.Code == fault.TargetNotActionable:
		return found{count: 1}
	default:
		return found{err: f}
	}
}

// openedPlaces selects what a page opens and closes.
const openedPlaces = "dialog, details, [popover], [aria-modal=true i], [role=dialog i], [role=alertdialog i], [role=menu i], [role=listbox i], [role=tabpanel i], [role=tooltip i]"

// isOpened reports whether what a locator finds stands in what the page opens and closes.
func (s *Site) isOpened(ctx context.Context, locator json.RawMessage) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(locator, &members) != nil || members["retarget"] != nil {
		return false
	}
	members["retarget"] = json.RawMessage(`{"closest":"` + openedPlaces + `","selector":"*"}`)
	members["strict"] = json.RawMessage("false")
	around, err := json.Marshal(members)
	return err == nil && s.find(ctx, around).count > 0
}

// judge adds a locator to the report: which are faults depends on what was found before, and
// whether in something that was open then. Before the first step nothing can bring what is missing.
func judge(report *pagemodel.LocatorReport, r pagemodel.LocatorResult, f found, opened, first bool) {
	gone := r.Was != nil && *r.Was > 0 && f.count == 0 && f.err == nil
	switch {
	case f.err != nil && f.err.Code == fault.MultipleTargets:
		report.Several++
		r.Status, r.Reason = pagemodel.Failed, "it finds several elements where the step takes one"
	case f.err != nil && (f.err.Code == fault.InvalidSelector || f.err.Code == fault.InvalidArguments):
		report.Untested++
		r.Status, r.Reason = pagemodel.Failed, f.err.Message
	case f.err != nil:
		report.Untested++
		r.Status, r.Reason = pagemodel.Undecided, f.err.Message
	case gone && opened:
		report.Missing++
		r.Status, r.Reason = pagemodel.Undecided, "it finds nothing now; in the last good run it stood in a dialog, a menu or a panel, which may be closed"
	case gone:
		report.Missing++
		r.Status, r.Reason = pagemodel.Failed, fmt.Sprintf("it found %d in the last good run", *r.Was)
	case f.count == 0 && first:
		report.Missing++
		r.Status, r.Reason = pagemodel.Undecided, "it finds nothing, and the action begins with it: either this is not its page, or it no longer fits (actions-host repair)"
	case f.count == 0:
		report.Missing++
		r.Status, r.Reason = pagemodel.Undecided, "it finds nothing now; a step before may bring it"
	case f.count > 1:
		report.Several++
		r.Status, r.Reason = pagemodel.Undecided, fmt.Sprintf("it finds %d elements, of which the step takes the first that is shown", f.count)
	case r.Was != nil && *r.Was != f.count:
		report.Found++
		r.Status, r.Reason = pagemodel.Undecided, fmt.Sprintf("it found %d in the last good run", *r.Was)
	default:
		report.Found++
		return
	}
	report.OK = report.OK && r.Status != pagemodel.Failed
	report.Findings = append(report.Findings, r)
}
