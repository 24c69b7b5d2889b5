package runhistory_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/runhistory"
)

var (
	search = runhistory.Action{Map: "scopes/private/sites/a.example/shop/actions.json", Name: "shop.search"}
	noon   = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
)

func passed(ms float64) journal.Outcome {
	return journal.Outcome{OK: new(true), DurationMS: ms, Action: search.Name, Map: search.Map}
}

func failed(f *fault.Error) journal.Outcome {
	return journal.Outcome{OK: new(false), Error: f, Action: search.Name, Map: search.Map}
}

func TestSummary(t *testing.T) {
	// Ensure that the last twenty runs count, the newest by their time and each once; that what the map has no part in does not; and that drift is what the last two runs failed with.
	drift := fault.New(fault.TargetNotFound, "x")
	stepFailed := fault.New(fault.WorkflowStepFailed, "x").With("cause", drift)
	at := noon.Add(2 * time.Minute)
	for name, row := range map[string]struct {
		outcomes []journal.Outcome // a minute apart
		want     runhistory.Summary
	}{
		"never ran":      {nil, runhistory.Summary{}},
		"passed":         {[]journal.Outcome{passed(30), passed(10), passed(20)}, runhistory.Summary{Runs: 3, Passed: 3, LastPassed: &at, MedianMS: 20}},
		"then failed":    {[]journal.Outcome{passed(5), passed(5), passed(5), failed(drift)}, runhistory.Summary{Runs: 4, Passed: 3, LastPassed: &at, MedianMS: 5}},
		"drifted":        {[]journal.Outcome{failed(stepFailed), failed(drift)}, runhistory.Summary{Runs: 2, Drift: fault.TargetNotFound}},
		"drifted before": {[]journal.Outcome{failed(drift), failed(stepFailed), passed(7)}, runhistory.Summary{Runs: 3, Passed: 1, LastPassed: &at, MedianMS: 7}},
		"refused":        {[]journal.Outcome{failed(fault.New(fault.InvalidInput, "x")), failed(fault.New(fault.NeedsApproval, "x")), failed(fault.New(fault.StoppedByUser, "x")), failed(fault.New(fault.WorkflowStepFailed, "x").With("cause", fault.New(fault.Cancelled, "x")))}, runhistory.Summary{}},
		"other failures": {[]journal.Outcome{failed(fault.New(fault.Timeout, "x")), failed(fault.New(fault.Timeout, "x"))}, runhistory.Summary{Runs: 2}},
		"cut in the log": {[]journal.Outcome{{Action: search.Name, Map: search.Map}}, runhistory.Summary{}},
	} {
		var h runhistory.History
		for i, o := range row.outcomes {
			for range 2 { // what is added twice counts once
				h.Add(fmt.Sprint("call", i), search, noon.Add(time.Duration(i)*time.Minute), o)
			}
		}
		if got, _ := h.Of(search); !cmp.Equal(got, row.want) {
			t.Errorf("%s: %s", name, cmp.Diff(row.want, got))
		}
	}
	var h runhistory.History
	for i := range 50 {
		o := passed(1)
		n := i * 37 % 50 // in any order
		if n < 30 {
			o = failed(drift)
		}
		h.Add(fmt.Sprint(n), search, noon.Add(time.Duration(n)*time.Second), o)
	}
	if got, _ := h.Of(search); got.Runs != runhistory.Depth || got.Passed != 20 || got.Drift != "" {
		t.Errorf("%+v", got)
	}
}

func TestLoad(t *testing.T) {
	// Ensure that what the log has is known after a restart, without the steps and other calls, and those that failed most come first.
	path := filepath.Join(t.TempDir(), "log.db")
	j, err := journal.Open(path, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	add := func(name, id, parent, action string, o journal.Outcome) {
		o.Action = action
		raw, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Commit(t.Context(), journal.Record{Type: journal.TypeOutcome, Name: name, CallID: id, ParentID: parent, Data: raw}); err != nil {
			t.Fatal(err)
		}
	}
	add("actions.site", "1", "", "shop.search", passed(3))
	add("actions.site", "2", "", "shop.order", failed(fault.New(fault.DriftDetected, "x")))
	add("locator.click", "3", "2", "", passed(3))
	add("actions.site", "4", "", "", passed(3)) // a list
	add("actions.site", "5", "", "shop.search", passed(5))
	var h runhistory.History
	h.Add("5", search, time.Now(), passed(5)) // it ended while the log was read
	if err := h.Load(t.Context(), &j.Reader); err != nil {
		t.Fatal(err)
	}
	all := h.All()
	if len(all) != 2 || all[0].Name != "shop.order" || all[0].Runs != 1 || all[1].Runs != 2 || all[1].Passed != 2 || all[1].MedianMS != 5 {
		t.Errorf("%+v", all)
	}
}

func TestDriftOfWrongPages(t *testing.T) {
	// Ensure that failures on pages on which an action never went well are no drift, that those on its own page are, also with others between them, and that one which went well nowhere drifts anywhere.
	on := func(o journal.Outcome, page string) journal.Outcome {
		o.URL = "https://a.example" + page
		return o
	}
	good, bad := passed(5), failed(fault.New(fault.TargetNotFound, "x"))
	for name, c := range map[string]struct {
		runs []journal.Outcome
		want fault.Code
	}{
		"in the wrong place":      {[]journal.Outcome{on(good, "/order"), on(bad, "/help"), on(bad, "/help")}, ""},
		"on its page":             {[]journal.Outcome{on(good, "/order"), on(bad, "/order"), on(bad, "/order?tea=2")}, fault.TargetNotFound},
		"with others between":     {[]journal.Outcome{on(good, "/order"), on(bad, "/order"), on(bad, "/help"), on(bad, "/order")}, fault.TargetNotFound},
		"once on its page":        {[]journal.Outcome{on(good, "/order"), on(bad, "/order"), on(bad, "/help")}, ""},
		"went well nowhere":       {[]journal.Outcome{on(bad, "/help"), on(bad, "/order")}, fault.TargetNotFound},
		"on another of its pages": {[]journal.Outcome{on(good, "/orders/1"), on(bad, "/orders/17"), on(bad, "/orders/18")}, fault.TargetNotFound},
		"long in the wrong place": {append([]journal.Outcome{on(good, "/order")}, slices.Repeat([]journal.Outcome{on(bad, "/help")}, 30)...), ""},
		"went well since then":    {[]journal.Outcome{on(bad, "/order"), on(bad, "/order"), on(good, "/order"), on(bad, "/help")}, ""},
	} {
		var h runhistory.History
		for i, o := range c.runs {
			h.Add(fmt.Sprint("call", i), search, noon.Add(time.Duration(i)*time.Minute), o)
		}
		if s, _ := h.Of(search); s.Drift != c.want {
			t.Errorf("%s: drift %q, want %q", name, s.Drift, c.want)
		}
		step := fault.New(fault.WorkflowStepFailed, "x").With("cause", fault.New(fault.TargetNotFound, "x"))
		elsewhere := slices.ContainsFunc(c.runs, func(o journal.Outcome) bool { return o.Succeeded() })
		if h.Misplaced(search, "https://a.example/help", step) != elsewhere || h.PassedOn(search, "https://a.example/order") && h.Misplaced(search, "https://a.example/order", step) || h.Misplaced(search, "https://a.example/help", fault.New(fault.Timeout, "x")) {
			t.Errorf("%s: misplaced", name)
		}
	}
}

func TestPassedOn(t *testing.T) {
	// Ensure that an action counts as having gone well on the page on which it began, whatever its parameters were, and nowhere else.
	var h runhistory.History
	led := passed(5)
	led.URL, led.StartURL = "https://a.example/thanks?order=17", "https://a.example/order"
	stayed := passed(5)
	stayed.URL = "https://a.example/?q=tea#top"
	bad := failed(fault.New(fault.TargetNotFound, "x"))
	bad.URL = "https://a.example/help"
	for i, o := range []journal.Outcome{led, stayed, bad} {
		h.Add(fmt.Sprint("call", i), search, noon.Add(time.Duration(i)*time.Minute), o)
	}
	for address, want := range map[string]bool{
		"https://a.example/order": true, "https://a.example/order?tea=2": true, "https://a.example/": true, "https://a.example/?q=x": true,
		"https://a.example/thanks": false, "https://a.example/help": false, "https://b.example/order": false, "": false, "://": false,
	} {
		if got := h.PassedOn(search, address); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
}
