package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// guarded returns a rig whose session is one of a model.
func guarded(t testing.TB, kind policy.SessionKind) *rig {
	r := newRig(t)
	r.session.SessionKind, r.session.ID = kind, string(kind)+":a"
	return r
}

func failing(code fault.Code) func(context.Context, primitive.Call) (json.RawMessage, error) {
	return func(context.Context, primitive.Call) (json.RawMessage, error) {
		return nil, fault.New(code, "it fails").WithDispatched(fault.NotDispatched)
	}
}

const textOf = `{"locator":{"selector":"#none"}}`

func TestLoopsAreStopped(t *testing.T) {
	// Ensure that a model's call that fails at the same element twice is told so with its answer, that the third is refused unsent with its rule, count and last code, is in the log, and goes through once another call succeeded; and that nobody at a terminal is told.
	for _, kind := range []policy.SessionKind{policy.SessionMCP, policy.SessionVoice, policy.SessionAgent, policy.SessionCLI} {
		r := guarded(t, kind)
		sent, info := 0, r.page
		r.page = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
			if c.Record.Name == "page.info" {
				return info(ctx, c)
			}
			sent++
			return failing(fault.TargetNotFound)(ctx, c)
		}
		var codes, nudges []string
		for range 4 {
			e := r.call(t, "locator.text_content", textOf)
			codes = append(codes, string(e.Error.Code))
			if e.Meta.Nudge != nil {
				nudges = append(nudges, e.Meta.Nudge.Code)
			}
		}
		if kind == policy.SessionCLI {
			if sent != 4 || nudges != nil {
				t.Errorf("%s: %d sent, told %v", kind, sent, nudges)
			}
			continue
		}
		if got := fmt.Sprint(codes, nudges); got != "[target_not_found target_not_found loop_stopped loop_stopped] [failing_target]" || sent != 2 {
			t.Fatalf("%s: %s, %d sent", kind, got, sent)
		}
		f := wantCode(t, r.call(t, "locator.text_content", textOf), fault.LoopStopped)
		if got := fmt.Sprintf("%v %v %v %v", f.Evidence["rule"], f.Evidence["times"], f.Evidence["last"], f.Dispatched); got != "failing_target 3 target_not_found no" {
			t.Errorf("%s: evidence %s", kind, got)
		}
		logged := 0
		for _, record := range r.records(t) {
			if strings.Contains(string(record.Data), "loop_stopped") {
				logged++
			}
		}
		if logged != 3 {
			t.Errorf("%s: %d refusals in the log", kind, logged)
		}
		if e := r.call(t, "page.info", `{}`); !e.OK {
			t.Fatal(e.Error)
		}
		wantCode(t, r.call(t, "locator.text_content", textOf), fault.TargetNotFound)
	}
}

func TestLoopsOfSuccesses(t *testing.T) {
	// Ensure that the same result three times is told beside the result, that one which differs is not, and that the guard can be switched off for a session, once said in the log.
	for _, off := range []bool{false, true} {
		r := guarded(t, policy.SessionMCP)
		r.session.NoLoopGuard = off
		for i := range 20 {
			e := r.call(t, "page.info", `{}`)
			told := e.Meta.Nudge != nil && e.Meta.Brief()["nudge"] != nil
			if refused := i >= 10; !off && (refused == e.OK || !refused && told != (i >= 2)) || off && (told || !e.OK) {
				t.Fatalf("off %t, call %d: ok %t, %+v", off, i+1, e.OK, e.Meta.Nudge)
			}
		}
		said := 0
		for _, record := range r.records(t) {
			if strings.Contains(string(record.Data), "loop_guard_off") {
				said++
			}
		}
		if want := map[bool]int{true: 1}[off]; said != want {
			t.Errorf("off %t is said %d times", off, said)
		}
	}
	r, n := guarded(t, policy.SessionMCP), 0
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		n++
		return fmt.Appendf(nil, `{"url":"https://example.com/","title":"%d"}`, n), nil
	}
	for range 20 {
		if e := r.call(t, "page.info", `{}`); !e.OK || e.Meta.Nudge != nil {
			t.Fatalf("a page that changes: %+v", e)
		}
	}
}

func TestActionsBetweenLooks(t *testing.T) {
	// Ensure that the same action between looks that show another page each time is no loop, and that it is told to look where nothing was looked at.
	r, n := guarded(t, policy.SessionMCP), 0
	r.Handlers.Named["locator.click"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
		return json.RawMessage(`{"label":"+","tag_name":"button","verified":true,"clicked":true,"fidelity":"trusted"}`), nil
	}
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		n++
		return fmt.Appendf(nil, `{"url":"https://example.com/","title":"%d"}`, n), nil
	}
	for i := range 12 {
		for _, name := range []string{"locator.click", "page.info"} {
			args := map[string]string{"locator.click": `{"locator":{"selector":"#next"}}`, "page.info": `{}`}[name]
			if e := r.call(t, name, args); !e.OK || e.Meta.Nudge != nil {
				t.Fatalf("round %d, %s: %v %+v", i+1, name, e.Error, e.Meta.Nudge)
			}
		}
	}
	for i := range 3 {
		e := r.call(t, "locator.click", `{"locator":{"selector":"#next"}}`)
		if told := e.Meta.Nudge != nil; told != (i == 2) || told && !strings.Contains(e.Meta.Nudge.Text, "look") {
			t.Fatalf("press %d without a look: %+v", i+1, e.Meta.Nudge)
		}
	}
}

func TestAQuestionIsNoLoop(t *testing.T) {
	// Ensure that a call which waits for a person, or which one stopped, may be made again as often as it takes.
	for _, code := range []fault.Code{fault.NeedsApproval, fault.Cancelled} {
		r := guarded(t, policy.SessionVoice)
		r.page = failing(code)
		for range 6 {
			if f := wantCode(t, r.call(t, "locator.text_content", textOf), code); f.Evidence["rule"] != nil {
				t.Error(f)
			}
		}
	}
}

func TestNavigationsNobodyAskedFor(t *testing.T) {
	// Ensure that a tab which went elsewhere between two calls says so with the next answer, once, that a call which navigates is not told of its own, and that a session does not learn of addresses that it may not see.
	r := guarded(t, policy.SessionMCP)
	goTo := func(url string) {
		tab, _ := r.Tabs.Get(1)
		tab.URL = url
		r.Tabs.Update(tab)
	}
	read := func() *primitive.Navigation {
		t.Helper()
		e := r.call(t, "page.info", `{}`)
		if !e.OK {
			t.Fatal(e.Error)
		}
		return e.Meta.Navigated
	}
	if told := read(); told != nil {
		t.Errorf("the first call is told %+v", told)
	}
	goTo("https://example.com/login")
	if told := read(); told == nil || told.From != "https://example.com/" || told.To != "https://example.com/login" {
		t.Errorf("told %+v", told)
	}
	if told := read(); told != nil {
		t.Errorf("told again %+v", told)
	}
	r.call(t, "pointer.click", `{"x":1,"y":1}`)
	goTo("https://example.com/next") // where the click led, after its end
	if told := read(); told != nil {
		t.Errorf("a click is told of its own navigation %+v", told)
	}
	r.session.Origins = []string{"https://other.example"}
	goTo("https://other.example/")
	if told := read(); told == nil || told.From != "" || told.To != "https://other.example/" {
		t.Errorf("a restricted session is told %+v", told)
	}
}

func BenchmarkGuard(b *testing.B) {
	// What the guard and the limiter of outputs add to a call.
	r := guarded(b, policy.SessionMCP)
	record, _ := r.Catalogue.Public("locator.click")
	output := json.RawMessage(`{"clicked":true,"label":"` + strings.Repeat("a", 300) + `"}`)
	var all []time.Duration
	for i := 0; b.Loop(); i++ {
		in := invocation{record: record, session: r.session, args: fmt.Appendf(nil, `{"locator":{"role":"button","name":"Send %d"},"timeout_ms":100}`, i), meta: &primitive.Meta{}}
		began := time.Now()
		c, err := r.beginGuarded(b.Context(), in)
		if err != nil {
			b.Fatal(err)
		}
		r.endGuarded(in, c, output, nil)
		r.overflow.fit("mcp:a", "call", record.Name, output, defaultBudget)
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds())/1000, "p99-us")
}
