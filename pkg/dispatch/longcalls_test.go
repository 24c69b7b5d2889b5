package dispatch

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/test/callpath"
)

func TestLongCallsAreLogged(t *testing.T) {
	// Ensure that arguments, a report and an address of any length leave the rest of the call's records as it is, so that the log's filters find them.
	const size = 140_000
	r := newRig(t)
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		return nil, fault.New(fault.TargetNotFound, "nothing matches")
	}
	r.Handlers.Named[SiteTool] = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		c.Meta.Target = &protocol.MetTarget{TestID: strings.Repeat("x", size)}
		return nil, fault.New(fault.UnknownAction, "there is no action %s", c.Arguments)
	}
	r.Handlers.Named["locator.click"], r.Handlers.Named["locator.text_content"] = r.page, r.page
	locator := `{"locator":{"selector":"#start-` + strings.Repeat("x", size) + `"}}`
	long := func(member string) Envelope {
		args := `{"x":1,"y":2,"policy_exception_report":{"kind":"generic","intended_tool":"pointer.click","actions_json_path":"none","reason":"a test"}}`
		return r.Call(t.Context(), r.session, Call{Name: "pointer.click", Arguments: value(strings.Replace(args, `"`+member+`":"`, `"`+member+`":"`+strings.Repeat("long ", size/5), 1))})
	}
	for name, call := range map[string]func() *fault.Error{
		"acts": func() *fault.Error { return wantCode(t, r.call(t, "locator.click", locator), fault.TargetNotFound) },
		"reads": func() *fault.Error {
			return wantCode(t, r.call(t, "locator.text_content", locator), fault.TargetNotFound)
		},
		"long action": func() *fault.Error {
			return r.call(t, SiteTool, `{"mode":"call","action":"x`+strings.Repeat("-x", size/2)+`"}`).Error
		},
		"long target": func() *fault.Error { return r.call(t, SiteTool, `{"mode":"call","action":"x"}`).Error },
		"long reason": func() *fault.Error { return wantCode(t, long("reason"), fault.PolicyExceptionReportRequired) },
		"long path": func() *fault.Error {
			return wantCode(t, long("actions_json_path"), fault.PolicyExceptionReportRequired)
		},
		"long kind":    func() *fault.Error { return wantCode(t, long("kind"), fault.PolicyExceptionReportRequired) },
		"unknown tool": func() *fault.Error { return wantCode(t, long("intended_tool"), fault.PolicyExceptionReportRequired) },
	} {
		t.Run(name, func(t *testing.T) {
			last, err := r.Journal.Last()
			if err != nil {
				t.Fatal(err)
			}
			want := call()
			for _, record := range r.records(t) {
				var o journal.Outcome
				if record.Seq <= last || record.CallID == "" {
					continue
				}
				if err := json.Unmarshal(record.Data, &o); err != nil || o.TabID != 1 || o.URL != "https://example.com/" {
					t.Errorf("the %s is %.200s", record.Type, record.Data)
				}
				if record.Type != journal.TypeIntent && (!o.Failed() || o.Error == nil || o.Error.Code != want.Code) {
					t.Errorf("the %s has %v of %v", record.Type, o.Error, want)
				}
				if strings.HasPrefix(record.Name, "locator") && !strings.Contains(string(record.Data), "#start-") && (record.Name == "locator.text_content" || record.Type == journal.TypeIntent) {
					t.Errorf("the %s has no start of the arguments: %.200s", record.Type, record.Data)
				}
			}
			for _, f := range []journal.Filter{{Failed: true}, {Origin: "example.com"}, {TabID: 1}} {
				page, err := r.Journal.Scan(t.Context(), f, last+1, 0)
				if err != nil || len(page.Records) == 0 {
					t.Errorf("%+v finds %d records, %v", f, len(page.Records), err)
				}
			}
		})
	}
}

func TestLongAddressIsLogged(t *testing.T) {
	// Ensure that a page cannot hide a call from the log by an address of its own that fills the record.
	r := newRig(t)
	tab, _ := r.Tabs.Get(1)
	tab.URL += "?" + strings.Repeat("x-", 70_000)
	r.Tabs.Update(tab)
	r.call(t, "pointer.click", `{"x":1,"y":2}`)
	r.call(t, "page.info", `{}`)
	r.records(t) // what waits is on disk
	page, err := r.Journal.Scan(t.Context(), journal.Filter{Origin: "example.com", TabID: 1}, 0, 0)
	if err != nil || len(page.Records) != 3 {
		t.Errorf("%d records of the page, want an intent and two outcomes; %v", len(page.Records), err)
	}
}

func TestLongErrorIsLogged(t *testing.T) {
	// Ensure that an error which holds what a page gave, in the message and as evidence, leaves its call's record whole and failed.
	for name, long := range map[string]string{
		"long": strings.Repeat("x-", 100_000), "with a secret": "token=abc " + strings.Repeat("x-", 35_000), "quotes": strings.Repeat(`"\`, 50_000),
	} {
		f := fault.New(fault.StateMismatch, "the page is at %s", long).With("url", long).With("expected", "a list")
		many := fault.New(fault.WorkflowStepFailed, "the step failed").With("cause", fault.New(fault.TargetNotFound, "nothing matches").With("seen", strings.SplitAfter(long, "-"))).With("text", long)
		for _, f := range []*fault.Error{f, many} {
			r := newRig(t)
			r.page = func(context.Context, primitive.Call) (json.RawMessage, error) { return nil, f }
			r.call(t, "page.info", `{}`)
			r.logRefusal(t.Context(), invocation{id: "refused", session: r.session}, tabs.Tab{TabID: 1, URL: "https://example.com/"}, f)
			r.records(t)
			page, err := r.Journal.Scan(t.Context(), journal.Filter{Failed: true, Origin: "example.com", TabID: 1}, 0, 0)
			if err != nil || len(page.Records) != 2 {
				t.Fatalf("%s, %s: %d failed calls, %v", name, f.Code, len(page.Records), err)
			}
			for _, record := range page.Records {
				var o journal.Outcome
				if err := json.Unmarshal(record.Data, &o); err != nil || !o.Failed() || o.Error.Code != f.Code || len(o.Error.Evidence) == 0 {
					t.Errorf("%s, %s: the %s is %.300s", name, f.Code, record.Type, record.Data)
				}
			}
		}
	}
}

func TestQuestionAboutLongCall(t *testing.T) {
	// Ensure that the question shows the start of arguments which are too long to be examined as a whole.
	r := newRig(t)
	r.Policy.File = callpath.Asking(policy.EffectInput)
	r.Handlers.Named["locator.click"] = r.page
	wantCode(t, r.call(t, "locator.click", `{"locator":{"selector":"#start-`+strings.Repeat("x", 140_000)+`"}}`), fault.NeedsApproval)
	if open := r.Approvals.List(); len(open) != 1 || !strings.Contains(open[0].Summary, "#start-") {
		t.Errorf("%+v", open)
	}
}
