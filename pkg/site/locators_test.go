package site_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/site"
)

func TestCheckLocators(t *testing.T) {
	// Ensure that a check tests each literal locator of the actions once, those in groups too, tells by what it found before what is gone,
	// and that a run in which something is gone, or a declared check fails, is not remembered as a good one.
	text := mapOf(`"checks":[{"id":"c","severity":"major","assertions":[{"target":{"selector":"#checked"}}]}],`,
		tool("a", `"target":{"selector":"#box"},`+workflow(`{"id":"press","primitive":"locator.click","args":{"locator":{"selector":"#go"}},"settle_after":{"locator":{"selector":"#late"}}},
			{"id":"row","primitive":"locator.click","args":{"locator":{"selector":"{% '#r' & input.n %}"}}},
			{"id":"each","for_each":"{% input.l %}","max_items":2,"steps":[{"id":"in","primitive":"locator.fill","args":{"locator":{"selector":"#in"},"text":"x"}}]}`))+","+
			tool("b", open+`"x_actions":{"handler":"locator.click","binding":{"arguments":{"locator":{"selector":"#go"}}}}`))
	r := newRig(t, map[string]string{"public/sites/shop.example.com/cart": text})
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	r.site.GoodRuns = site.OpenGoodRuns(db)
	counts := map[string]int{}
	asked := map[string]int{}
	r.step = func(name string, args json.RawMessage) (json.RawMessage, error) {
		var in struct {
			Locator struct {
				Selector string
				Retarget json.RawMessage
			}
			AutoScroll *bool `json:"auto_scroll"`
		}
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, err
		}
		if in.Locator.Retarget != nil {
			return nil, fault.New(fault.TargetNotFound, "nothing here opens")
		}
		selector := in.Locator.Selector
		if name == "locator.element_info" && in.AutoScroll != nil && !*in.AutoScroll {
			asked[selector]++
		}
		switch n := counts[selector]; {
		case n < 0:
			return nil, fault.New(fault.InvalidSelector, "no selector")
		case n == 0:
			return nil, fault.New(fault.TargetNotFound, "nothing")
		default:
			return json.RawMessage(fmt.Sprintf(`{"match_count":%d,"text":"","visible":true,"visibility":{}}`, n)), nil
		}
	}
	check := func() *pagemodel.LocatorReport {
		t.Helper()
		clear(asked)
		out, err := r.handle(t, `{"mode":"check"}`)
		if err != nil {
			t.Fatal(err)
		}
		var report pagemodel.PageReport
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatal(err)
		}
		l := report.Maps[0].Locators
		if !l.OK && report.OK {
			t.Errorf("the page fits although a locator does not: %s", out)
		}
		return l
	}
	shown := func(l *pagemodel.LocatorReport) string {
		text := []string{fmt.Sprintf("%v %d %d %d %d %d", l.OK, l.Found, l.Several, l.Missing, l.Slots, l.Untested)}
		for _, f := range l.Findings {
			text = append(text, fmt.Sprintf("%s %s%s %s %d", f.Status, f.Tool, f.Pointer, f.Locator, f.Count))
		}
		return strings.Join(text, "; ")
	}
	for i, c := range []struct {
		counts map[string]int
		want   string
		since  bool
	}{
		// The first run: the element that the press brings is not there yet.
		{map[string]int{"#checked": 1, "#box": 1, "#go": 1, "#in": 2}, `true 3 1 1 1 0; unknown a/workflow/steps/0/settle_after {"selector":"#late"} 0; ` +
			`unknown a/workflow/steps/2/steps/0/primitive {"selector":"#in"} 2`, false},
		// A declared check fails: what is found meanwhile is not remembered.
		{map[string]int{"#box": 1, "#go": 1, "#in": 1, "#late": 1}, `true 5 0 0 1 0; unknown a/workflow/steps/0/settle_after {"selector":"#late"} 1; ` +
			`unknown a/workflow/steps/2/steps/0/primitive {"selector":"#in"} 1`, true},
		// What was there is gone.
		{map[string]int{"#checked": 1, "#box": 1, "#in": 2}, `false 1 1 3 1 0; failed a/workflow/steps/0/primitive {"selector":"#go"} 0; ` +
			`unknown a/workflow/steps/0/settle_after {"selector":"#late"} 0; unknown a/workflow/steps/2/steps/0/primitive {"selector":"#in"} 2; failed b/x_actions/handler {"selector":"#go"} 0`, true},
		// It stays gone, as that run was no good one; a selector that cannot be used is a fault too.
		{map[string]int{"#checked": 1, "#box": 1, "#in": -1}, `false 1 0 3 1 1; failed a/workflow/steps/0/primitive {"selector":"#go"} 0; ` +
			`unknown a/workflow/steps/0/settle_after {"selector":"#late"} 0; failed a/workflow/steps/2/steps/0/primitive {"selector":"#in"} 0; failed b/x_actions/handler {"selector":"#go"} 0`, true},
	} {
		counts = c.counts
		l := check()
		if got := shown(l); got != c.want || (l.Since != "") != c.since {
			t.Errorf("%d, since %q:\n%s\nwanted\n%s", i, l.Since, got, c.want)
		}
		for selector, n := range asked {
			if n != 1 && selector != "#box" {
				t.Errorf("%d: %s was asked for %d times", i, selector, n)
			}
		}
	}
}
