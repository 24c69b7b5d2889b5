// Package runhistory knows how each stored action fared in its last runs.
//
// Rules of this package:
//   - It is kept in memory, fed by each run as it ends and once, in the background, by the log:
//     to ask it costs no look at the disk.
//   - A run counts where it says something of the map: what policy or the user stopped, and
//     input that the action refuses, does not.
//   - It holds times, codes and the addresses of pages without their parameters, never what was
//     given or answered.
package runhistory

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// Depth is how many runs of an action count.
const Depth = 20

// Bounds of the look at the log.
const (
	maxRecords  = 20_000
	loadTimeout = 10 * time.Second
)

// Action names an action by the path of its map and its own name.
type Action struct {
	Map  string `json:"map"`
	Name string `json:"action"`
}

// Summary is how an action fared in its last runs.
type Summary struct {
	Runs       int        `json:"runs"` // at most Depth
	Passed     int        `json:"passed"`
	LastPassed *time.Time `json:"last_passed,omitzero"`
	MedianMS   int        `json:"median_ms,omitzero"` // of those that passed
	// Drift is the code of the last run, where it and the one before failed because the page is
	// not as the map says: one alone may be of what was asked for. Failures on pages on which the
	// action has never gone well do not count, unless it has gone well nowhere: it was called in
	// the wrong place.
	Drift fault.Code `json:"drift,omitzero"`
}

// Failing reports whether a run failed.
func (s Summary) Failing() bool { return s.Passed < s.Runs }

type run struct {
	callID string
	at     time.Time
	ms     float64
	passed bool
	drift  fault.Code
	page   string // on which it began
}

// History is the history of a profile's actions. It is safe for concurrent use. The zero value
// is empty.
type History struct {
	mu   sync.Mutex
	runs map[Action][]run // the newest first
}

// Add adds a run that has ended.
func (h *History) Add(callID string, a Action, at time.Time, o journal.Outcome) {
	one, ok := read(callID, at, o)
	if !ok || a.Map == "" || a.Name == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runs == nil {
		h.runs = map[Action][]run{}
	}
	known := h.runs[a]
	if slices.ContainsFunc(known, func(r run) bool { return r.callID == callID }) {
		return // the log had it already
	}
	at0, _ := slices.BinarySearchFunc(known, one, func(r, other run) int { return other.at.Compare(r.at) })
	known = slices.Insert(known, at0, one)
	if len(known) > Depth {
		known = dropOne(known)
	}
	h.runs[a] = known
}

// dropOne drops the oldest run, or before it the oldest failure in a wrong place: many of those must not
// make the history forget where the action goes well.
func dropOne(runs []run) []run {
	home := homeOf(runs)
	last := len(runs) - 1
	for i, r := range slices.Backward(runs) {
		if len(home) > 0 && !home[r.page] {
			last = i
			break
		}
	}
	return slices.Delete(runs, last, last+1)
}

// homeOf returns the pages on which an action has gone well.
func homeOf(runs []run) map[string]bool {
	home := map[string]bool{}
	for _, r := range runs {
		if r.passed {
			home[r.page] = true
		}
	}
	return home
}

// pageOf returns what is compared of the address of a page: without its parameters, and with one sign for each
// segment with a number, which names one of many alike.
func pageOf(address string) string {
	segments := strings.Split(origin.Page(address), "/")
	for i := 3; i < len(segments); i++ {
		if strings.ContainsAny(segments[i], "0123456789") {
			segments[i] = "#"
		}
	}
	return strings.Join(segments, "/")
}

// Load adds what the log has, the newest first, within bounds.
func (h *History) Load(ctx context.Context, log *journal.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	seen := 0
	return log.Backwards(ctx, journal.Filter{Types: []string{journal.TypeOutcome}, Name: "actions.site"}, func(r journal.Record) bool {
		seen++
		var o journal.Outcome
		// Of a record that was cut the members that fit are set.
		if json.Unmarshal(r.Data, &o) == nil && r.ParentID == "" {
			h.Add(r.CallID, Action{o.Map, o.Action}, r.At, o)
		}
		return seen < maxRecords
	})
}

// Of returns how an action fared; false if it never ran. A nil history has none.
func (h *History) Of(a Action) (Summary, bool) {
	if h == nil {
		return Summary{}, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	runs, ok := h.runs[a]
	return summarize(runs), ok
}

// PassedOn reports whether one of the last runs of an action began on the page of the address and went well.
func (h *History) PassedOn(a Action, address string) bool {
	if h == nil {
		return false
	}
	page := pageOf(address)
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.runs[a], func(r run) bool { return r.passed && r.page == page })
}

// Misplaced reports whether a failure may be that of a call in the wrong place: the page of the address is
// not as the map says, and the action has gone well, but never there.
func (h *History) Misplaced(a Action, address string, failure *fault.Error) bool {
	s, _ := h.Of(a)
	return s.Passed > 0 && slices.Contains(drifts, codeOf(failure)) && !h.PassedOn(a, address)
}

// Fared is an action with how it fared.
type Fared struct {
	Action
	Summary
}

// All returns every action that ran, those that failed most first.
func (h *History) All() []Fared {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := []Fared{}
	for a, runs := range h.runs {
		all = append(all, Fared{a, summarize(runs)})
	}
	slices.SortFunc(all, func(a, b Fared) int {
		return cmp.Or(cmp.Compare(a.Passed*b.Runs, b.Passed*a.Runs), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Map, b.Map))
	})
	return all
}

func summarize(runs []run) (s Summary) {
	var times []float64
	for _, r := range runs {
		if r.passed {
			if s.LastPassed == nil {
				at := r.at.UTC().Truncate(time.Second)
				s.LastPassed = &at
			}
			times = append(times, r.ms)
		}
	}
	s.Runs, s.Passed = len(runs), len(times)
	if len(times) > 0 {
		slices.Sort(times)
		s.MedianMS = int(times[len(times)/2])
	}
	home := homeOf(runs)
	counted := slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return len(home) > 0 && !home[r.page] })
	if len(counted) > 1 && counted[1].drift != "" {
		s.Drift = counted[0].drift
	}
	return s
}

// read returns the run of an outcome; false if it says nothing of the map.
func read(callID string, at time.Time, o journal.Outcome) (run, bool) {
	r := run{callID: callID, at: at, ms: o.DurationMS, passed: o.Succeeded(), page: pageOf(cmp.Or(o.StartURL, o.URL))}
	switch {
	case o.OK == nil || o.Error == nil && !r.passed:
		return r, false
	case r.passed:
		return r, true
	}
	code := codeOf(o.Error)
	if slices.Contains(uncounted, code) {
		return r, false
	}
	if slices.Contains(drifts, code) {
		r.drift = code
	}
	return r, true
}

// drifts are the failures of a page that is not as the map says.
var drifts = []fault.Code{
	fault.DriftDetected, fault.TargetNotFound, fault.MultipleTargets, fault.StateSchemaValidationFailed,
	fault.TransitionNotConverged, fault.StatePostconditionFailed,
}

// uncounted are the failures that a map has no part in.
var uncounted = []fault.Code{
	fault.InvalidInput, fault.InvalidArguments, fault.PermissionDenied, fault.NeedsApproval, fault.PolicyExceptionReportRequired,
	fault.PrimitiveBlocked, fault.CodeDisabled, fault.Cancelled, fault.StoppedByUser, fault.RateLimited, fault.TransportFailed,
	fault.BrowserNotConnected, fault.TabNotClaimed, fault.UnknownAction, fault.StateMismatch, fault.OutcomeUnknown,
}

// codeOf returns the code of a failure, of a workflow that of the step that failed.
func codeOf(f *fault.Error) fault.Code {
	if f.Code != fault.WorkflowStepFailed {
		return f.Code
	}
	raw, err := json.Marshal(f.Evidence["cause"])
	var cause struct {
		Code fault.Code `json:"code"`
	}
	if err != nil || json.Unmarshal(raw, &cause) != nil {
		return ""
	}
	return cause.Code
}
