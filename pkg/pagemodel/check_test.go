package pagemodel_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// check runs one check, given by its assertions, on the page.
func check(t *testing.T, p *page, assertions string) pagemodel.CheckResult {
	t.Helper()
	s := parse(t, `{"states":[{"name":"ready","diagnostics":[{"target":"#name"}]},{"name":"words"}],
		"checks":[{"id":"c","assertions":[`+assertions+`],"on_fail":{"store_evidence":["url","dom_snapshot","screenshot"],"alternate_selectors":["output","!"],"contingency":"ask"}}]}`)
	return runChecks(t.Context(), s, p.read, nil, options(p)).Checks[0]
}

func options(p *page) pagemodel.Options {
	return pagemodel.Options{URL: func() string { return p.url }}
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
	c := runChecks(t.Context(), s, read, nil, options(p)).Checks[0]
	if e := c.Assertions[1].Evidence; c.Status != pagemodel.Passed || e == nil || e.Count != 3 || e.Text != "a row" {
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
		want            pagemodel.Status
	}{
		{"target", `{"target":"#name"}`, pagemodel.Passed},
		{"target absent", `{"target":"#gone"}`, pagemodel.Failed},
		{"visible", `{"target":{"selector":"#name"},"visible":true}`, pagemodel.Passed},
		{"visible, hidden", `{"target":{"selector":"#hidden"},"visible":true}`, pagemodel.Failed},
		{"hidden without visible", `{"target":"#hidden"}`, pagemodel.Passed},
		{"not visible", `{"target":{"selector":"#hidden"},"visible":false}`, pagemodel.Passed},
		{"not visible, absent", `{"target":{"selector":"#gone"},"visible":false}`, pagemodel.Passed},
		{"not visible, shown", `{"target":{"selector":"#name","visible":false}}`, pagemodel.Failed},
		{"enabled", `{"target":"#submit","enabled":true}`, pagemodel.Passed},
		{"enabled, disabled", `{"target":"#disabled","enabled":true}`, pagemodel.Failed},
		{"disabled", `{"target":"#disabled","enabled":false}`, pagemodel.Passed},
		{"text", `{"target":"#result","text":"Nothing"}`, pagemodel.Passed},
		{"other text", `{"target":"#result","text_contains":"Submitted"}`, pagemodel.Failed},
		{"text equals", `{"target":"#result","text_equals":"Nothing yet"}`, pagemodel.Passed},
		{"selector beside", `{"selector":"#result","text_equals":"Nothing"}`, pagemodel.Failed},
		{"count", `{"target":".many","count":3}`, pagemodel.Passed},
		{"other count", `{"target":".many","count":2}`, pagemodel.Failed},
		{"count between", `{"target":".many","count":{"min":2,"max":9}}`, pagemodel.Passed},
		{"count above", `{"target":".many","count":{"min":4}}`, pagemodel.Failed},
		{"count of none", `{"target":"#gone","count":0}`, pagemodel.Passed},
		{"url", `{"url":"https://example.com/*"}`, pagemodel.Passed},
		{"other url", `{"url_contains":"/cart"}`, pagemodel.Failed},
		{"state", `{"state":"ready"}`, pagemodel.Passed},
		{"state in words", `{"state":"words"}`, pagemodel.Undecided},
		{"state of the target", `{"target":{"selector":"#gone","state":"ready"}}`, pagemodel.Failed},
		{"words", `"the form is there"`, pagemodel.Undecided},
		{"nothing", `{}`, pagemodel.Undecided},
		{"cannot look", `{"target":"!"}`, pagemodel.Undecided},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := form()
			p.elements = append(p.elements, element{selectors: []string{"#hidden"}, hidden: true}, element{selectors: []string{"#disabled"}, disabled: true})
			for range 3 {
				p.elements = append(p.elements, element{selectors: []string{".many"}})
			}
			got := check(t, p, test.assertion)
			if got.Status != test.want || (got.Reason == "") != (test.want == pagemodel.Passed) {
				t.Fatalf("got %s (%s) %s", got.Status, got.Reason, asJSON(t, got))
			}
			if got.Status != pagemodel.Failed {
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
		send := func(output string, err error) pagemodel.Call {
			return func(_ context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
				called = tool + string(args)
				p.change("#result", func(e *element) { e.text = "Submitted Ada" })
				return json.RawMessage(output), err
			}
		}
		r := runChecks(t.Context(), s, p.read, send(`{}`, nil), options(p))
		if !r.OK || r.Skipped != 1 || called != "" {
			t.Errorf("unasked: %s, called %s", asJSON(t, r), called)
		}
		asked := options(p)
		asked.Run = true
		tests := []struct {
			name, output string
			err          error
			want         pagemodel.Status
			reason       string
		}{
			{"good", `{"result":"Submitted Ada."}`, nil, pagemodel.Passed, ""},
			{"ok false", `{"ok":false,"result":"Submitted Ada"}`, nil, pagemodel.Failed, "ok"},
			{"other result", `{"result":"Sent"}`, nil, pagemodel.Failed, "does not contain"},
			{"no result", `null`, nil, pagemodel.Failed, "does not contain"},
			{"action fails", ``, fault.New(fault.TargetNotFound, "no button"), pagemodel.Failed, "no button"},
		}
		for _, test := range tests {
			p = form()
			r := runChecks(t.Context(), s, p.read, send(test.output, test.err), asked)
			if got := r.Checks[0]; got.Status != test.want || !strings.Contains(got.Reason, test.reason) || r.OK != (test.want == pagemodel.Passed) {
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
		if r := runChecks(t.Context(), s, p.read, quiet, asked); r.OK || r.Checks[0].Steps[0].OK != true || len(r.Checks[0].Assertions) != 1 {
			t.Errorf("without an effect on the page: %s", asJSON(t, r))
		}
		if r := runChecks(t.Context(), s, p.read, nil, asked); !r.OK || r.Unknown != 1 {
			t.Errorf("with nothing to call by: %s", asJSON(t, r))
		}
	})
}

func TestSetup(t *testing.T) {
	// Ensure that the primitives of a setup run before the check looks, after all of them were allowed, that those which act wait to be asked for, that other entries are left to a person, and that a setup which fails or may not run fails the check.
	synctest.Test(t, func(t *testing.T) {
		const click = `{"primitive":"locator.click","args":{"locator":{"selector":"#submit"}}}`
		for _, test := range []struct {
			name, setup, steps string
			run                bool
			refused, broken    error
			want               pagemodel.Status
			reason, ran        string
			setups             int // of which the report tells
		}{
			{"acts", click, "", true, nil, nil, pagemodel.Passed, "", `allow c locator.click; locator.click {"locator":{"selector":"#submit"}}`, 1},
			{"acts unasked", click, "", false, nil, nil, pagemodel.Skipped, "asked", "", 0},
			{"looks unasked", `{"primitive":"viewport.scroll"}`, "", false, nil, nil, pagemodel.Failed, "another text", `allow c viewport.scroll; viewport.scroll `, 1},
			{"unknown to the host", `{"primitive":"page.teleport"}`, "", false, nil, nil, pagemodel.Skipped, "asked", "", 0},
			{"for a person", `{"type":"navigate","url":"index.html"}`, "", true, nil, nil, pagemodel.Failed, "another text", "", 0},
			{"before the steps", click, `{"tool":"send"}`, true, nil, nil, pagemodel.Passed, "", `allow c locator.click; locator.click {"locator":{"selector":"#submit"}}; send `, 1},
			{"not allowed", click, "", true, fault.New(fault.PermissionDenied, "only looks"), nil, pagemodel.Failed, "its setup failed: only looks", `allow c locator.click`, 0},
			{"fails", click + `,` + click, `{"tool":"send"}`, true, nil, fault.New(fault.TargetNotFound, "no button"), pagemodel.Failed, "its setup failed: no button", `allow c locator.click locator.click; locator.click {"locator":{"selector":"#submit"}}`, 1},
		} {
			p := form()
			var ran []string
			acted := func(name string, args json.RawMessage) {
				ran = append(ran, name+" "+string(args))
				if name != "viewport.scroll" {
					p.change("#result", func(e *element) { e.text = "Submitted" })
				}
			}
			m := pagemodel.Mapped{
				Model: parse(t, `{"checks":[{"id":"c","setup":[`+test.setup+`],"steps":[`+test.steps+`],"assertions":[{"target":{"selector":"#result","text_contains":"Submitted"}}]}]}`),
				Call: func(_ context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
					acted(tool, args)
					return json.RawMessage(`{}`), nil
				},
				Setup: func(_ context.Context, check string, primitives []string) (pagemodel.Read, error) {
					ran = append(ran, "allow "+check+" "+strings.Join(primitives, " "))
					return func(_ context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
						acted(name, args)
						return json.RawMessage(`{}`), test.broken
					}, test.refused
				},
			}
			opts := options(p)
			opts.Run = test.run
			got := m.RunChecks(t.Context(), p.read, primitive.Load(), opts).Checks[0]
			if got.Status != test.want || !strings.Contains(got.Reason, test.reason) || strings.Join(ran, "; ") != test.ran || len(got.Setup) != test.setups {
				t.Errorf("%s: %s, ran %q", test.name, asJSON(t, got), ran)
			}
		}
		alone := parse(t, `{"checks":[{"id":"c","setup":[`+click+`]}]}`)
		opts := options(form())
		opts.Run = true
		if r := runChecks(t.Context(), alone, form().read, nil, opts); r.Checks[0].Status != pagemodel.Undecided {
			t.Errorf("with nothing to run a setup: %s", asJSON(t, r))
		}
	})
}

func TestSeverity(t *testing.T) {
	// Ensure that a failing major or critical check, and one without a severity, makes the page's report fail, and a lesser one does not; nor a map without a required primitive pass.
	catalogue := primitive.Load()
	p := form()
	for severity, ok := range map[string]bool{`"info"`: true, `"minor"`: true, `"major"`: false, `"critical"`: false, `null`: false} {
		s := parse(t, `{"checks":[{"id":"c","severity":`+severity+`,"assertions":[{"target":"#gone"}]}]}`)
		r := pagemodel.CheckPage(t.Context(), p.read, []pagemodel.Mapped{{Path: "m", Model: s}}, catalogue, options(p))
		if r.OK != ok || r.URL != p.url || r.Maps[0].Failed != 1 || r.Maps[0].Map != "m" {
			t.Errorf("%s: %s", severity, asJSON(t, r))
		}
	}
	s := parse(t, `{"requires":{"primitive_dictionary":{"required_primitives":["page.teleport"]}}}`)
	if r := pagemodel.CheckPage(t.Context(), p.read, []pagemodel.Mapped{{Path: "m", Model: s}}, catalogue, options(p)); r.OK {
		t.Errorf("a missing primitive: %s", asJSON(t, r))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	s = parse(t, `{"checks":[{"id":"c","assertions":[{"target":"#name"}]}]}`)
	if r := runChecks(cancelled, s, p.read, nil, options(p)); r.Skipped != 1 {
		t.Errorf("after a cancel: %s", asJSON(t, r))
	}
}

func TestGuard(t *testing.T) {
	// Ensure that an action is guarded by the critical checks about it and by those about no action, never by one that calls it itself, and that a failing one is unsafe_state while an unknown one stops nothing.
	s := parse(t, `{"states":[{"name":"ready","diagnostics":[{"target":"#name"}]}],
		"tools":[{"name":"send","target":{"selector":"#submit","state":"ready"}},{"name":"other"}],
		"transitions":[{"name":"t","tool":"other","from":"ready"}],
		"checks":[
		{"id":"general","severity":"critical","assertions":[{"target":"#contact-form"}]},
		{"id":"named","severity":"critical","tool":"send","assertions":["words"]},
		{"id":"by-step","severity":"critical","tools":["third","fifth"],"steps":[{"tool":"third"}],"assertions":[{"url_contains":"example"}]},
		{"id":"nameless","severity":"critical","steps":[{"tool":"third"}],"assertions":[{"url_contains":"elsewhere"}]},
		{"id":"by-target","severity":"critical","tool":"third","assertions":[{"target":{"selector":"#submit"}}]},
		{"id":"by-state","severity":"critical","tool":"third","assertions":[{"state":"ready"}]},
		{"id":"major","severity":"major","assertions":[{"target":"#gone"}]},
		{"id":"steps-only","severity":"critical","steps":[{"tool":"send"}]}]}`)
	for tool, want := range map[string][]string{
		"send":   {"general", "named", "by-target", "by-state"},
		"other":  {"general", "by-state"},
		"third":  {"general", "by-target", "by-state"},
		"fourth": {"general"},
		"fifth":  {"general", "by-step"},
	} {
		var ids []string
		for _, c := range s.Guards(tool) {
			ids = append(ids, c.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s is guarded by %v, want %v", tool, ids, want)
		}
	}
	if err := s.CheckGuards(t.Context(), form().read, "https://example.com/", "send"); err != nil {
		t.Errorf("on the good page: %v", err)
	}
	f := fault.From(s.CheckGuards(t.Context(), form().remove("#name").read, "https://example.com/", "other"))
	if f == nil || f.Code != fault.UnsafeState || f.Dispatched != fault.NotDispatched || f.Evidence["check"] == nil || !strings.Contains(f.Message, "by-state") {
		t.Errorf("in another state: %v", f)
	}
	p := form()
	if err := parse(t, `{}`).CheckGuards(t.Context(), p.read, "", "send"); err != nil || len(p.calls) > 0 {
		t.Errorf("without checks: %v, calls %v", err, p.calls)
	}
}
