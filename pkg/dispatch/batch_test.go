package dispatch

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/test/callpath"
)

// batchRig is an observeRig that makes batches.
func batchRig(t *testing.T) *observeRig {
	r := newObserveRig(t)
	r.Handlers.Named[BatchTool] = r.Batch
	inner := r.page
	r.page = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		output, err := inner(ctx, c)
		if c.Record.Name == "page.info" {
			output = json.RawMessage(`{"url":"` + c.URL + `","title":"t"}`)
		}
		return output, err
	}
	return r
}

func member(name, args string) string {
	return `{"name":"` + name + `","arguments":` + string(report(name, args).Raw()) + `}`
}

func (r *observeRig) batch(t *testing.T, calls ...string) Envelope {
	t.Helper()
	return r.Call(t.Context(), r.session, Call{Name: BatchTool, Arguments: value(`{"calls":[` + strings.Join(calls, ",") + `]}`)})
}

const clickArgs = `{"x":1,"y":1}`

func TestBatch(t *testing.T) {
	// Ensure that the calls of a batch are made in their order, each with its own record in the log, and that their outputs come back.
	r := batchRig(t)
	e := r.batch(t, member("page.info", `{}`), member("pointer.click", clickArgs), member("page.info", `{}`))
	if !e.OK {
		t.Fatal(e.Error)
	}
	var out struct{ Results []batchResult }
	if err := json.Unmarshal(e.Output, &out); err != nil || len(out.Results) != 3 || !strings.Contains(string(out.Results[1].Output), "clicked") {
		t.Errorf("%s, %v", e.Output, err)
	}
	if want := []string{"page.info", "pointer.click", "page.info"}; !slices.Equal(r.names(), want) {
		t.Errorf("called %v, want %v", r.calls, want)
	}
	var logged []string
	for _, record := range r.records(t) {
		if record.Type == journal.TypeOutcome {
			logged = append(logged, record.Name)
		}
	}
	if !slices.Equal(logged, r.names()) {
		t.Errorf("logged %v", logged)
	}
}

func TestBatchStops(t *testing.T) {
	// Ensure that the first failure ends a batch, and that the answer says what ran, what failed and how, and what did not run.
	noReport := `{"name":"page.info"}`
	for name, c := range map[string]struct {
		calls      []string
		ask        []policy.Effect
		blocked    []string
		code       fault.Code
		at, ran    int
		dispatched fault.Dispatched
	}{
		"no report":         {calls: []string{noReport, member("pointer.click", clickArgs)}, code: fault.PolicyExceptionReportRequired, dispatched: fault.NotDispatched},
		"after a read":      {calls: []string{member("page.info", `{}`), noReport}, code: fault.PolicyExceptionReportRequired, at: 1, ran: 1, dispatched: fault.NotDispatched},
		"after an act":      {calls: []string{member("pointer.click", clickArgs), noReport}, code: fault.PolicyExceptionReportRequired, at: 1, ran: 1, dispatched: fault.WasDispatched},
		"needs an approval": {calls: []string{member("page.info", `{}`), member("pointer.click", clickArgs)}, ask: []policy.Effect{policy.EffectInput}, code: fault.NeedsApproval, at: 1, ran: 1, dispatched: fault.NotDispatched},
		"blocked by a map":  {calls: []string{member("page.info", `{}`), member("pointer.click", clickArgs)}, blocked: []string{"pointer.click"}, code: fault.PrimitiveBlocked, at: 1, ran: 1, dispatched: fault.NotDispatched},
	} {
		t.Run(name, func(t *testing.T) {
			r := batchRig(t)
			r.Policy.File, r.blocked = callpath.Asking(c.ask...), c.blocked
			f := wantCode(t, r.batch(t, append(c.calls, member("page.info", `{}`))...), fault.BatchStopped)
			cause, _ := f.Evidence["error"].(*fault.Error)
			results, _ := f.Evidence["results"].([]batchResult)
			if cause == nil || cause.Code != c.code || f.Evidence["failed_at"] != c.at || len(results) != c.ran || f.Evidence["not_run"] != len(c.calls)-c.at {
				t.Errorf("%+v", f.Evidence)
			}
			if f.Dispatched != c.dispatched || f.Retryable || len(r.calls) != c.ran {
				t.Errorf("dispatched %s, called %v", f.Dispatched, r.calls)
			}
		})
	}
}

func TestBatchThatIsRefused(t *testing.T) {
	// Ensure that nothing of a batch is made where one of its calls could never be.
	good := member("pointer.click", clickArgs)
	many := slices.Repeat([]string{good}, 11)
	for name, c := range map[string]struct {
		calls []string
		code  fault.Code
	}{
		"none":            {nil, fault.InvalidInput},
		"eleven":          {many, fault.InvalidInput},
		"a wrong name":    {[]string{good, member("pointer.clik", clickArgs)}, fault.UnknownPrimitive},
		"an internal one": {[]string{good, member("target.act", `{}`)}, fault.UnknownPrimitive},
		"a batch":         {[]string{good, `{"name":"primitives.batch","arguments":{"calls":[` + good + `]}}`}, fault.InvalidInput},
		"bad arguments":   {[]string{good, member("pointer.click", `{"x":"left","y":1}`)}, fault.InvalidInput},
		"a bad report":    {[]string{good, `{"name":"page.info","arguments":{"policy_exception_report":7}}`}, fault.PolicyExceptionReportRequired},
		"a picture":       {[]string{good, member("browser.screenshot", `{}`)}, fault.InvalidInput},
		"another member":  {[]string{good, `{"name":"page.info","args":{}}`}, fault.InvalidInput},
		"no list":         {[]string{`[]`}, fault.InvalidInput},
	} {
		t.Run(name, func(t *testing.T) {
			r := batchRig(t)
			f := wantCode(t, r.batch(t, c.calls...), c.code)
			if f.Dispatched != fault.NotDispatched || len(r.calls) > 0 {
				t.Errorf("dispatched %s, called %v", f.Dispatched, r.calls)
			}
		})
	}
	r := batchRig(t)
	if e := r.batch(t, many[:10]...); !e.OK || len(r.calls) != 10 {
		t.Errorf("ten: %+v, %d calls", e.Error, len(r.calls))
	}
}

func TestTargetOfABatch(t *testing.T) {
	// Ensure that the batch's target is that of its calls, that a call may name its own, and that it ends where a call makes another tab the current one.
	r := batchRig(t)
	if err := r.Tabs.Claim(tabs.Tab{TabID: 2, URL: "https://two.example/", RuntimeID: "r2"}); err != nil {
		t.Fatal(err)
	}
	r.Handlers.Named["browser.claimed_tabs.activate"] = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		c.Session.SetCurrent(2)
		return json.RawMessage(`{"tab":{"tab_id":2,"url":"u","title":"t"}}`), nil
	}
	e := r.Call(t.Context(), r.session, Call{Name: BatchTool, Target: tabs.Target{TabID: 1}, Arguments: value(`{"calls":[` + strings.Join([]string{
		member("page.info", `{}`), member("page.info", `{"target_url_contains":"two"}`), member("page.info", `{}`),
		member("browser.claimed_tabs.activate", `{"tab_id":2}`), member("page.info", `{}`),
	}, ",") + `]}`)})
	if !e.OK {
		t.Fatalf("%+v", e.Error)
	}
	var out struct {
		Results []struct{ Output struct{ URL string } }
	}
	if err := json.Unmarshal(e.Output, &out); err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, result := range out.Results {
		urls = append(urls, result.Output.URL)
	}
	one, two := "https://example.com/", "https://two.example/"
	if want := []string{one, two, one, "", two}; !slices.Equal(urls, want) {
		t.Errorf("ran on %v, want %v", urls, want)
	}
}

func TestReportHoldsInABatch(t *testing.T) {
	// Ensure that over MCP one report serves the calls of a batch with its effect, and no other.
	r := batchRig(t)
	r.session = &Session{ID: "mcp:1", SessionKind: policy.SessionMCP, Mode: policy.ModeAct}
	bare := `{"name":"pointer.click","arguments":` + clickArgs + `}`
	if e := r.batch(t, member("pointer.click", clickArgs), bare, bare); !e.OK {
		t.Fatal(e.Error)
	}
	wantCode(t, r.batch(t, bare, `{"name":"page.info"}`), fault.BatchStopped)
}
