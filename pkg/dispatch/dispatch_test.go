package dispatch

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/printable"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/test/callpath"
)

// rig is a dispatcher on a real journal and a real registry; its page handler
// is a function.
type rig struct {
	*Dispatcher
	session *Session
	page    func(ctx context.Context, c primitive.Call) (json.RawMessage, error)
	blocked []string
}

func newRig(t testing.TB) *rig {
	t.Helper()
	parts := callpath.New(t, "p", callpath.Example)
	r := &rig{session: &Session{ID: "cli", SessionKind: policy.SessionCLI, Mode: policy.ModeAct}}
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		if c.Record.Name == "pointer.click" {
			return json.RawMessage(`{"clicked":true}`), nil
		}
		return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
	}
	r.Dispatcher = &Dispatcher{
		Catalogue: parts.Catalogue, Tabs: parts.Tabs, Policy: parts.Policy, Approvals: parts.Approvals, Journal: parts.Journal,
		Blocked: func(string) []string { return r.blocked },
		Handlers: &primitive.Registry{Named: map[string]primitive.Handler{}, Page: func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
			return r.page(ctx, c)
		}},
	}
	return r
}

func value(text string) strictjson.Value {
	v, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	if err != nil {
		panic(err)
	}
	return v
}

// report adds the exception report to a direct call's arguments.
func report(name, args string) strictjson.Value {
	return value(strings.TrimSuffix(args, "}") + map[bool]string{true: "", false: ","}[args == "{}"] +
		`"policy_exception_report":{"kind":"generic","intended_tool":"` + name + `","actions_json_path":"none","reason":"a test"}}`)
}

func (r *rig) call(t *testing.T, name, args string) Envelope {
	t.Helper()
	return r.Call(t.Context(), r.session, Call{Name: name, Arguments: report(name, args)})
}

func (r *rig) records(t *testing.T) []journal.Record {
	t.Helper()
	if err := r.Journal.Commit(t.Context(), journal.Record{Type: journal.TypeLifecycle}); err != nil {
		t.Fatal(err)
	}
	all, err := r.Journal.Read(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func wantCode(t *testing.T, e Envelope, code fault.Code) *fault.Error {
	t.Helper()
	if e.OK || e.Error == nil || e.Error.Code != code {
		t.Fatalf("want %s, got ok=%t %v", code, e.OK, e.Error)
	}
	return e.Error
}

func TestEnvelope(t *testing.T) {
	// Ensure that a call gives its output, its tab and its duration, and that exactly one of output and error is set.
	r := newRig(t)
	e := r.call(t, "page.info", `{}`)
	if !e.OK || e.Error != nil || !strings.Contains(string(e.Output), "example.com") || e.Meta.Tab.RuntimeID != "r1" || e.CallID == "" {
		t.Fatalf("%+v", e)
	}
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		return nil, fault.New(fault.TargetNotFound, "nothing matches")
	}
	if f := wantCode(t, r.call(t, "page.info", `{}`), fault.TargetNotFound); f.NextStep == "" {
		t.Fatal("no next step")
	}
}

func TestRefusalsReachNothing(t *testing.T) {
	// Ensure that a call which is refused never reaches the page, and says that it was not sent.
	for name, c := range map[string]struct {
		call    Call
		mode    policy.Mode
		blocked []string
		code    fault.Code
	}{
		"unknown name":     {call: Call{Name: "page.teleport"}, code: fault.UnknownPrimitive},
		"no report":        {call: Call{Name: "page.info"}, code: fault.PolicyExceptionReportRequired},
		"report for other": {call: Call{Name: "page.info", Arguments: report("pointer.click", `{}`)}, code: fault.PolicyExceptionReportRequired},
		"bad arguments":    {call: Call{Name: "pointer.click", Arguments: report("pointer.click", `{"x":"left"}`)}, code: fault.InvalidInput},
		"not an object":    {call: Call{Name: "page.info", Arguments: value(`[1]`)}, code: fault.InvalidInput},
		"unclaimed tab":    {call: Call{Name: "page.info", Arguments: report("page.info", `{}`), Target: tabs.Target{TabID: 9}}, code: fault.TabNotClaimed},
		"no such document": {call: Call{Name: "page.info", Arguments: report("page.info", `{"target_runtime_id":"other"}`)}, code: fault.RuntimeNotFound},
		"ask mode":         {call: Call{Name: "pointer.click", Arguments: report("pointer.click", `{"x":1,"y":1}`)}, mode: policy.ModeAsk, code: fault.PermissionDenied},
		"blocked":          {call: Call{Name: "page.info", Arguments: report("page.info", `{}`)}, blocked: []string{"page.info"}, code: fault.PrimitiveBlocked},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			if c.mode != "" {
				r.session.Mode = c.mode
			}
			r.blocked = c.blocked
			r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
				t.Error("the call reached the page")
				return nil, nil
			}
			f := wantCode(t, r.Call(t.Context(), r.session, c.call), c.code)
			if f.Dispatched != fault.NotDispatched {
				t.Errorf("dispatched %q", f.Dispatched)
			}
		})
	}
}

func TestIntentBeforeAct(t *testing.T) {
	// Ensure that an acting call's intent is on disk when the page sees it, and its outcome when the answer is out.
	r := newRig(t)
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		if c.Record.Name == "page.info" {
			return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
		}
		open, err := r.Journal.OpenIntents()
		if err != nil || len(open) != 1 || open[0].CallID != c.ID {
			t.Errorf("open intents while acting: %v %v", open, err)
		}
		return json.RawMessage(`{"inserted":true,"inserted_length":6,"input_method":"value","verified":true}`), nil
	}
	r.call(t, "page.info", `{}`)
	r.call(t, "text.insert", `{"text":"secret","target":"#q"}`)
	if open, err := r.Journal.OpenIntents(); err != nil || len(open) != 0 {
		t.Fatalf("open intents after the answer: %v %v", open, err)
	}
	for _, rec := range r.records(t) {
		if rec.Type == journal.TypeIntent && strings.Contains(string(rec.Data), "secret") {
			t.Errorf("the intent holds the text: %s", rec.Data)
		}
		if rec.Type == journal.TypeIntent && !strings.Contains(string(rec.Data), "a test") {
			t.Errorf("the report is not in the log: %s", rec.Data)
		}
		var o journal.Outcome
		if err := json.Unmarshal(rec.Data, &o); rec.Type == journal.TypeOutcome && (err != nil || o.HasIntent != (rec.Name == "text.insert")) {
			t.Errorf("the outcome of %s is %s, %v", rec.Name, rec.Data, err)
		}
	}
}

func TestNoLogNoAction(t *testing.T) {
	// Ensure that nothing acts when the log cannot be written.
	r := newRig(t)
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		t.Error("the call reached the page")
		return nil, nil
	}
	if err := r.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":1}`), fault.JournalUnavailable)
}

func TestOutcomeNotLogged(t *testing.T) {
	// Ensure that a call which acted and whose outcome cannot be logged is not called unsent, nor offered for another try; and that one which was not sent is.
	for sent, want := range map[fault.Dispatched]fault.Dispatched{"": fault.WasDispatched, fault.DispatchedUnknown: fault.DispatchedUnknown, fault.NotDispatched: ""} {
		r := newRig(t)
		r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
			if err := r.Journal.Close(); err != nil {
				t.Error(err)
			}
			if sent != "" {
				return nil, fault.New(fault.TargetNotFound, "gone").WithDispatched(sent)
			}
			return json.RawMessage(`{"clicked":true}`), nil
		}
		f := wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":1}`), fault.JournalUnavailable)
		if acted := sent != fault.NotDispatched; f.Dispatched != want || f.Retryable == acted || strings.Contains(f.NextStep, "It was sent") != acted {
			t.Errorf("sent %q: %+v", sent, f)
		}
	}
}

func TestLostAnswer(t *testing.T) {
	// Ensure that an acting call whose answer was lost is outcome_unknown, and a read is not.
	r := newRig(t)
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		return nil, fault.New(fault.TransportFailed, "gone").WithDispatched(fault.DispatchedUnknown)
	}
	if f := wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":1}`), fault.OutcomeUnknown); f.Dispatched != fault.DispatchedUnknown {
		t.Fatalf("dispatched %q", f.Dispatched)
	}
	wantCode(t, r.call(t, "page.info", `{}`), fault.TransportFailed)
}

func TestLane(t *testing.T) {
	// Ensure that two calls to one tab do not run at once, and that a waiting one can be cancelled.
	r := newRig(t)
	running, most := 0, 0
	var mu sync.Mutex
	entered, release := make(chan struct{}, 8), make(chan struct{})
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		entered <- struct{}{}
		<-release
		mu.Lock()
		running--
		mu.Unlock()
		return json.RawMessage(`{"url":"u","title":"t"}`), nil
	}
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() { r.Call(t.Context(), r.session, Call{Name: "page.info", Arguments: report("page.info", `{}`)}) })
	}
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantCode(t, r.Call(ctx, r.session, Call{Name: "page.info", Arguments: report("page.info", `{}`)}), fault.Cancelled)
	close(release)
	done.Wait()
	if most != 1 {
		t.Fatalf("%d calls ran at once", most)
	}
}

func TestTimeout(t *testing.T) {
	// Ensure that a call ends at its time limit.
	r := newRig(t)
	r.page = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	e := r.Call(t.Context(), r.session, Call{Name: "page.info", Arguments: report("page.info", `{}`), Timeout: 20 * time.Millisecond})
	wantCode(t, e, fault.HandlerTimeout)
}

func TestOutputIsChecked(t *testing.T) {
	// Ensure that an output against its schema is an error, not an answer.
	r := newRig(t)
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		return json.RawMessage(`{"url":7}`), nil
	}
	wantCode(t, r.call(t, "page.info", `{}`), fault.InvalidResult)
}

func TestOversizedOutput(t *testing.T) {
	// Ensure that an output over its budget is given in pages within it whose literal next calls lead to the whole, without running again, and in no other session and under no other name; that nobody is told to repeat what acted.
	r := newRig(t)
	title := strings.Repeat("ü\"\"<", 20_000)
	ran := 0
	whole, err := primitive.Output(map[string]string{"url": "https://example.com/", "title": title})
	if err != nil {
		t.Fatal(err)
	}
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		ran++
		return whole, nil
	}
	e := r.call(t, "page.info", `{}`)
	first := value(`{"output_of":"` + e.CallID + `","output_offset":0}`)
	var text strings.Builder
	for {
		if !e.OK {
			t.Fatal(e.Error)
		}
		var p outputPage
		if err := json.Unmarshal(e.Output, &p); err != nil || !p.Truncated {
			t.Fatalf("page %s: %v", e.Output, err)
		}
		if n := printable.Length(e.Output); n > defaultBudget {
			t.Errorf("a page of %d characters", n)
		}
		text.WriteString(p.Text)
		if p.Next == nil {
			break
		}
		args, err := json.Marshal(p.Next.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		e = r.Call(t.Context(), r.session, Call{Name: p.Next.Name, Arguments: value(string(args))})
	}
	if text.String() != string(whole) || ran != 1 {
		t.Fatalf("%d of %d characters, the call ran %d times", text.Len(), len(whole), ran)
	}
	other := &Session{ID: "mcp", SessionKind: policy.SessionMCP, Mode: policy.ModeAct}
	wantCode(t, r.Call(t.Context(), other, Call{Name: "page.info", Arguments: first}), fault.InvalidInput)
	f := wantCode(t, r.Call(t.Context(), r.session, Call{Name: "runtime.session.name", Arguments: first}), fault.InvalidInput)
	if !strings.Contains(f.NextStep, "instead of repeating it") {
		t.Errorf("the next step is %q", f.NextStep)
	}
}

func TestApproval(t *testing.T) {
	// Ensure that an effect which asks waits for the user, runs once when allowed, and stays refused when denied.
	r := newRig(t)
	r.Policy.File = callpath.Asking(policy.EffectInput)
	f := wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":1}`), fault.NeedsApproval)
	id, _ := f.Evidence["id"].(string)
	waiting := r.Approvals.List()
	if len(waiting) != 1 || waiting[0].ID != id || f.Evidence["expires_at"] == nil {
		t.Fatalf("waiting %v, evidence %v", waiting, f.Evidence)
	}
	if err := r.Answer(t.Context(), policy.Answer{ID: id, Allow: true, Scope: "", Face: policy.FacePopup}); err != nil {
		t.Fatal(err)
	}
	if e := r.call(t, "pointer.click", `{"x":1,"y":1}`); e.Error != nil && e.Error.Code != fault.InvalidResult {
		t.Fatal(e.Error)
	}
	f = wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":1}`), fault.NeedsApproval)
	id, _ = f.Evidence["id"].(string)
	if err := r.Answer(t.Context(), policy.Answer{ID: id, Allow: false, Scope: policy.ScopeSession, Face: policy.FacePopup}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":1}`), fault.PermissionDenied)
}

func TestPacing(t *testing.T) {
	// Ensure that paced primitives of a paced session are kept apart, and others are not.
	r := newRig(t)
	r.session.Pace(30 * time.Millisecond)
	first := r.call(t, "pointer.click", `{"x":1,"y":1}`)
	second := r.call(t, "pointer.click", `{"x":1,"y":1}`)
	read := r.call(t, "page.info", `{}`)
	if first.Meta.RateLimitWaitMS != 0 || read.Meta.RateLimitWaitMS != 0 {
		t.Fatalf("waits %v %v", first.Meta.RateLimitWaitMS, read.Meta.RateLimitWaitMS)
	}
	if second.Meta.RateLimitWaitMS == 0 && second.Meta.DurationMS < 1 {
		t.Fatalf("the second click did not wait: %+v", second.Meta)
	}
}

func TestPacingHoldsInThePage(t *testing.T) {
	// Ensure that the page sees paced primitives as far apart as the session wants, though the first reaches it long after its start and the second at once.
	r := newRig(t)
	const pace = 100 * time.Millisecond
	r.session.Pace(pace)
	delays, seen := []time.Duration{3 * pace, 0}, []time.Time{}
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		time.Sleep(delays[len(seen)])
		seen = append(seen, time.Now())
		return json.RawMessage(`{"clicked":true}`), nil
	}
	for range delays {
		r.call(t, "pointer.click", `{"x":1,"y":1}`)
	}
	if apart := seen[1].Sub(seen[0]); apart < pace {
		t.Errorf("the page saw the clicks %v apart", apart)
	}
}
