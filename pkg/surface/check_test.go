package surface_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/surface"
)

// check runs one check, given by its assertions, on the page.
func check(t *testing.T, p *page, assertions string) surface.CheckResult {
	t.Helper()
	s := parse(t, `{"states":[{"name":"ready","diagnostics":[{"target":"#name"}]},{"name":"words"}],
		"checks":[{"id":"c","assertions":[`+assertions+`],"on_fail":{"store_evidence":["url","dom_snapshot","screenshot"],"alternate_selectors":["output","!"],"contingency":"ask"}}]}`)
	return s.RunChecks(t.Context(), p.read, nil, options(p)).Checks[0]
}

func options(p *page) surface.Options {
	return surface.Options{URL: func() string { return p.url }}
}

func TestSeveralMatchesAreNoFailedCall(t *testing.T) {
	// Ensure that a selector of several elements, which the first call has counted, is not asked in a way that must fail: the log would tell of a failure that was none.
	p := form()
	for range 3 {
		p.elements = append(p.elements, element{selectors: []string{".row"}, text: "a row"})
	}
	var failed []string
	read := func(ctx context.Context, primitive string, args json.RawMessage) (json.RawMessage, error) {
		output, err := p.read(ctx, primitive, args)
		if err != nil {
			failed = append(failed, primitive)
		}
		return output, err
	}
	s := parse(t, `{"checks":[{"id":"c","assertions":[{"target":"#name"},{"target":".row"},{"target":"#submit"}]}]}`)
	c := s.RunChecks(t.Context(), read, nil, options(p)).Checks[0]
	if e := c.Assertions[1].Evidence; c.Status != surface.Passed || e == nil || e.Count != 3 || e.Text != "a row" {
		t.Errorf("%+v, %+v", c, e)
	}
	if len(failed) > 0 {
		t.Errorf("failed: %v", failed)
	}
}

func TestAssertions(t *testing.T) {
	// Ensure that every kind of assertion passes, fails with a reason, or is unknown where it is words.
	tests := []struct {
		name, assertion string
		want            surface.Status
	}{
		{"target", `{"target":"#name"}`, surface.Passed},
		{"target absent", `{"target":"#gone"}`, surface.Failed},
		{"visible", `{"target":{"selector":"#name"},"visible":true}`, surface.Passed},
		{"visible, hidden", `{"target":{"selector":"#hidden"},"visible":true}`, surface.Failed},
		{"hidden without visible", `{"target":"#hidden"}`, surface.Passed},
		{"not visible", `{"target":{"selector":"#hidden"},"visible":false}`, surface.Passed},
		{"not visible, absent", `{"target":{"selector":"#gone"},"visible":false}`, surface.Passed},
		{"not visible, shown", `{"target":{"selector":"#name","visible":false}}`, surface.Failed},
		{"enabled", `{"target":"#submit","enabled":true}`, surface.Passed},
		{"enabled, disabled", `{"target":"#disabled","enabled":true}`, surface.Failed},
		{"disabled", `{"target":"#disabled","enabled":false}`, surface.Passed},
		{"text", `{"target":"#result","text":"Nothing"}`, surface.Passed},
		{"other text", `{"target":"#result","text_contains":"Submitted"}`, surface.Failed},
		{"text equals", `{"target":"#result","text_equals":"Nothing yet"}`, surface.Passed},
		{"selector beside", `{"selector":"#result","text_equals":"Nothing"}`, surface.Failed},
		{"count", `{"target":".many","count":3}`, surface.Passed},
		{"other count", `{"target":".many","count":2}`, surface.Failed},
		{"count between", `{"target":".many","count":{"min":2,"max":9}}`, surface.Passed},
		{"count above", `{"target":".many","count":{"min":4}}`, surface.Failed},
		{"count of none", `{"target":"#gone","count":0}`, surface.Passed},
		{"url", `{"url":"https://example.com/*"}`, surface.Passed},
		{"other url", `{"url_contains":"/cart"}`, surface.Failed},
		{"state", `{"state":"ready"}`, surface.Passed},
		{"state in words", `{"state":"words"}`, surface.Undecided},
		{"state of the target", `{"target":{"selector":"#gone","state":"ready"}}`, surface.Failed},
		{"words", `"the form is there"`, surface.Undecided},
		{"nothing", `{}`, surface.Undecided},
		{"cannot look", `{"target":"!"}`, surface.Undecided},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := form()
			p.elements = append(p.elements, element{selectors: []string{"#hidden"}, hidden: true}, element{selectors: []string{"#disabled"}, disabled: true})
			for range 3 {
				p.elements = append(p.elements, element{selectors: []string{".many"}})
			}
			got := check(t, p, test.assertion)
			if got.Status != test.want || (got.Reason == "") != (test.want == surface.Passed) {
				t.Fatalf("got %s (%s) %s", got.Status, got.Reason, asJSON(t, got))
			}
			if got.Status != surface.Failed {
				return
			}
			if got.Evidence["url"] != p.url || got.Evidence["dom_snapshot"] != "all the text" || got.Contingency != "ask" ||
				asJSON(t, got.Evidence["not_kept"]) != `["screenshot"]` || asJSON(t, got.Evidence["alternate_selectors"]) != `{"output":true}` {
				t.Errorf("evidence %s", asJSON(t, got.Evidence))
			}
		})
	}
}

const flow = `{"checks":[{"id":"flow","severity":"major","steps":[{"type":"call","tool":"send","arguments":{"name":"Ada"}}],
	"expected_result":{"ok":true,"result_contains":"Submitted Ada"},"assertions":[{"target":{"selector":"#result","text_contains":"Submitted"}}]}]}`

func TestRunChecks(t *testing.T) {
	// Ensure that a check with steps runs only when asked, waits for its effect, and fails by the action, its output or the page.
	synctest.Test(t, func(t *testing.T) {
		s := parse(t, flow)
		p := form()
		called := ""
		send := func(output string, err error) surface.Call {
			return func(_ context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
				called = tool + string(args)
				p.change("#result", func(e *element) { e.text = "Submitted Ada" })
				return json.RawMessage(output), err
			}
		}
		r := s.RunChecks(t.Context(), p.read, send(`{}`, nil), options(p))
		if !r.OK || r.Skipped != 1 || called != "" {
			t.Errorf("unasked: %s, called %s", asJSON(t, r), called)
		}
		asked := options(p)
		asked.Run = true
		tests := []struct {
			name, output string
			err          error
			want         surface.Status
			reason       string
		}{
			{"good", `{"result":"Submitted Ada."}`, nil, surface.Passed, ""},
			{"ok false", `{"ok":false,"result":"Submitted Ada"}`, nil, surface.Failed, "ok"},
			{"other result", `{"result":"Sent"}`, nil, surface.Failed, "does not contain"},
			{"no result", `null`, nil, surface.Failed, "does not contain"},
			{"action fails", ``, fault.New(fault.TargetNotFound, "no button"), surface.Failed, "no button"},
		}
		for _, test := range tests {
			p = form()
			r := s.RunChecks(t.Context(), p.read, send(test.output, test.err), asked)
			if got := r.Checks[0]; got.Status != test.want || !strings.Contains(got.Reason, test.reason) || r.OK != (test.want == surface.Passed) {
				t.Errorf("%s: %s", test.name, asJSON(t, r))
			}
			if called != `send{"name":"Ada"}` {
				t.Errorf("called %s", called)
			}
		}
		p = form()
		quiet := func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"result":"Submitted Ada"}`), nil
		}
		if r := s.RunChecks(t.Context(), p.read, quiet, asked); r.OK || r.Checks[0].Steps[0].OK != true || len(r.Checks[0].Assertions) != 1 {
			t.Errorf("without an effect on the page: %s", asJSON(t, r))
		}
		if r := s.RunChecks(t.Context(), p.read, nil, asked); !r.OK || r.Unknown != 1 {
			t.Errorf("with nothing to call by: %s", asJSON(t, r))
		}
	})
}

func TestSeverity(t *testing.T) {
	// Ensure that a failing major or critical check, and one without a severity, makes the page's report fail, and a lesser one does not; nor a map without a required primitive pass.
	catalogue, err := primitive.Load()
	if err != nil {
		t.Fatal(err)
	}
	p := form()
	for severity, ok := range map[string]bool{`"info"`: true, `"minor"`: true, `"major"`: false, `"critical"`: false, `null`: false} {
		s := parse(t, `{"checks":[{"id":"c","severity":`+severity+`,"assertions":[{"target":"#gone"}]}]}`)
		r := surface.CheckPage(t.Context(), p.read, []surface.Mapped{{Path: "m", Surface: s}}, catalogue, options(p))
		if r.OK != ok || r.URL != p.url || r.Maps[0].Failed != 1 || r.Maps[0].Map != "m" {
			t.Errorf("%s: %s", severity, asJSON(t, r))
		}
	}
	s := parse(t, `{"requires":{"primitive_dictionary":{"required_primitives":["page.teleport"]}}}`)
	if r := surface.CheckPage(t.Context(), p.read, []surface.Mapped{{Path: "m", Surface: s}}, catalogue, options(p)); r.OK {
		t.Errorf("a missing primitive: %s", asJSON(t, r))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	s = parse(t, `{"checks":[{"id":"c","assertions":[{"target":"#name"}]}]}`)
	if r := s.RunChecks(cancelled, p.read, nil, options(p)); r.Skipped != 1 {
		t.Errorf("after a cancel: %s", asJSON(t, r))
	}
}

func TestGuard(t *testing.T) {
	// Ensure that an action is guarded by the critical checks about it and by those about no action, and that a failing one is unsafe_state while an unknown one stops nothing.
	s := parse(t, `{"states":[{"name":"ready","diagnostics":[{"target":"#name"}]}],
		"tools":[{"name":"send","target":{"selector":"#submit","state":"ready"}},{"name":"other"}],
		"transitions":[{"name":"t","tool":"other","from":"ready"}],
		"checks":[
		{"id":"general","severity":"critical","assertions":[{"target":"#contact-form"}]},
		{"id":"named","severity":"critical","tool":"send","assertions":["words"]},
		{"id":"by-step","severity":"critical","steps":[{"tool":"third"}],"assertions":[{"url_contains":"example"}]},
		{"id":"by-target","severity":"critical","tool":"third","assertions":[{"target":{"selector":"#submit"}}]},
		{"id":"by-state","severity":"critical","tool":"third","assertions":[{"state":"ready"}]},
		{"id":"major","severity":"major","assertions":[{"target":"#gone"}]},
		{"id":"steps-only","severity":"critical","steps":[{"tool":"send"}]}]}`)
	for tool, want := range map[string][]string{
		"send":   {"general", "named", "by-target", "by-state"},
		"other":  {"general", "by-state"},
		"third":  {"general", "by-step", "by-target", "by-state"},
		"fourth": {"general"},
	} {
		var ids []string
		for _, c := range s.Guard(tool) {
			ids = append(ids, c.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s is guarded by %v, want %v", tool, ids, want)
		}
	}
	if err := s.Safe(t.Context(), form().read, "https://example.com/", "send"); err != nil {
		t.Errorf("on the good page: %v", err)
	}
	f := fault.From(s.Safe(t.Context(), form().remove("#name").read, "https://example.com/", "other"))
	if f == nil || f.Code != fault.UnsafeState || f.Dispatched != fault.NotDispatched || f.Evidence["check"] == nil || !strings.Contains(f.Message, "by-state") {
		t.Errorf("in another state: %v", f)
	}
	p := form()
	if err := parse(t, `{}`).Safe(t.Context(), p.read, "", "send"); err != nil || len(p.calls) > 0 {
		t.Errorf("without checks: %v, calls %v", err, p.calls)
	}
}
