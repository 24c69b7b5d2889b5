package dispatch

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// reportRig is a rig of a coding agent's session, whose tab shows https://example.com/.
func reportRig(t *testing.T) *rig {
	r := newRig(t)
	r.session = &Session{ID: "mcp:1", SessionKind: policy.SessionMCP, Mode: policy.ModeAct, AllowCode: true}
	unreachable := func(context.Context, primitive.Call) (json.RawMessage, error) {
		t.Error("a call without a report ran")
		return nil, nil
	}
	r.Handlers.Named["debug.run_javascript"], r.Handlers.Named["keyboard.press_gated"] = unreachable, unreachable
	return r
}

func (r *rig) without(t *testing.T, name, args string) Envelope {
	t.Helper()
	return r.Call(t.Context(), r.session, Call{Name: name, Arguments: value(args)})
}

func TestReportHolds(t *testing.T) {
	// Ensure that over MCP a report holds for later calls of its effect on its origin with the port, and for no other
	// effect, kind, origin or session.
	r := reportRig(t)
	needed := func(what string, e Envelope) {
		t.Helper()
		if f := wantCode(t, e, fault.PolicyExceptionReportRequired); f.Dispatched != fault.NotDispatched {
			t.Errorf("%s: dispatched %s", what, f.Dispatched)
		}
	}
	needed("the first call", r.without(t, "page.info", `{}`))
	if e := r.call(t, "page.info", `{}`); !e.OK {
		t.Fatalf("with a report: %+v", e.Error)
	}
	if e := r.without(t, "page.info", `{}`); !e.OK {
		t.Fatalf("the next call: %+v", e.Error)
	}
	needed("another effect", r.without(t, "pointer.click", `{"x":1,"y":1}`))
	needed("JavaScript", r.without(t, "debug.run_javascript", `{"source":"1"}`))
	r.call(t, "pointer.click", `{"x":1,"y":1}`) // allowed, whatever the page answers
	needed("another kind", r.without(t, "keyboard.press_gated", `{"key":"a","stop":"count"}`))
	for _, url := range []string{"https://example.com:8443/", "http://example.com/", "https://other.example/"} {
		r.Tabs.Update(tabs.Tab{TabID: 1, URL: url})
		needed(url, r.without(t, "page.info", `{}`))
	}
	r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://example.com/next?page=2"})
	if e := r.without(t, "page.info", `{}`); !e.OK {
		t.Errorf("another page of the origin: %+v", e.Error)
	}
	r.session = &Session{ID: "mcp:2", SessionKind: policy.SessionMCP, Mode: policy.ModeAct}
	needed("another session", r.without(t, "page.info", `{}`))
	for _, kind := range []policy.SessionKind{policy.SessionCLI, policy.SessionVoice, policy.SessionAgent} {
		r.session = &Session{ID: string(kind), SessionKind: kind, Mode: policy.ModeAct}
		if e := r.call(t, "page.info", `{}`); !e.OK {
			t.Fatal(e.Error)
		}
		needed(string(kind), r.without(t, "page.info", `{}`))
	}
}

func TestReportThatDoesNotHold(t *testing.T) {
	// Ensure that a report that a call was refused with holds for nothing, nor does one that stood beside actions.site,
	// and that a wrong report is not replaced by an earlier good one.
	r := reportRig(t)
	r.Handlers.Named[SiteTool] = func(context.Context, primitive.Call) (json.RawMessage, error) { return json.RawMessage(`{}`), nil }
	r.blocked = []string{"page.info"}
	wantCode(t, r.call(t, "page.info", `{}`), fault.PrimitiveBlocked)
	r.blocked = nil
	wantCode(t, r.without(t, "page.info", `{}`), fault.PolicyExceptionReportRequired)
	if e := r.Call(t.Context(), r.session, Call{Name: SiteTool, Arguments: report("pointer.click", `{"mode":"list"}`)}); !e.OK {
		t.Fatal(e.Error)
	}
	wantCode(t, r.without(t, "page.info", `{}`), fault.PolicyExceptionReportRequired)
	if e := r.call(t, "page.info", `{}`); !e.OK {
		t.Fatal(e.Error)
	}
	wantCode(t, r.Call(t.Context(), r.session, Call{Name: "page.info", Arguments: report("pointer.click", `{}`)}), fault.PolicyExceptionReportRequired)
}

func TestReportOfACallThatMoved(t *testing.T) {
	// Ensure that a read whose tab turns out to be on another origin does not run there with the report of the first.
	r := reportRig(t)
	if e := r.call(t, "page.info", `{}`); !e.OK {
		t.Fatal(e.Error)
	}
	ran := 0
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		ran++
		r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://other.example/"})
		return nil, fault.New(fault.StateMismatch, "the tab has left").WithDispatched(fault.NotDispatched)
	}
	wantCode(t, r.without(t, "page.info", `{}`), fault.PolicyExceptionReportRequired)
	if ran != 1 {
		t.Errorf("it ran %d times", ran)
	}
}

func TestLogNamesTheReport(t *testing.T) {
	// Ensure that the log has a report once, with the call that gave it, and that call's id with each one that it held for.
	r := reportRig(t)
	first := r.call(t, "pointer.click", `{"x":1,"y":1}`)
	second := r.without(t, "pointer.click", `{"x":2,"y":2}`)
	read := r.call(t, "page.info", `{}`)
	again := r.without(t, "page.info", `{}`)
	want := map[string]string{second.CallID: first.CallID, again.CallID: read.CallID}
	given := []string{first.CallID, read.CallID}
	seen := 0
	for _, record := range r.records(t) {
		var data journal.Intent
		if err := json.Unmarshal(record.Data, &data); err != nil || record.Type == journal.TypeOutcome && record.Name == "pointer.click" {
			continue // the report of what acts stands with its intent
		}
		if data.ReportCall != want[record.CallID] || (data.Report != nil) != slices.Contains(given, record.CallID) {
			t.Errorf("%s %s: report %+v, of %q, want %q", record.Type, record.CallID, data.Report, data.ReportCall, want[record.CallID])
		}
		if record.CallID != "" {
			seen++
		}
	}
	if seen != 4 {
		t.Errorf("%d records of four calls", seen)
	}
}
