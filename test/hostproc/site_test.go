package hostproc

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestLongWorkflowWithRetries(t *testing.T) {
	// Ensure that a workflow of 25 steps runs them in their order, each repeated until its condition holds, that its outcome and its steps are in the answer and in the log.
	t.Parallel()
	home := harness.NewHome(t)
	steps, ids := make([]string, 25), make([]string, 25)
	for i := range steps {
		ids[i] = fmt.Sprintf("s%02d", i)
		steps[i] = step(ids[i], "locator.text_content", fmt.Sprintf(`,"args":{"locator":{"selector":%q}},"retry_until":%q,"max_attempts":3`,
			"#"+ids[i], "{% steps."+ids[i]+".output.text = 'ready' %}"))
	}
	home.Map(t, "public", "shop.example.com", "s", mapOf("flow.long", workflow(`{% {"done": $count($keys(steps)), "last": steps.s24.output.text} %}`, steps...)))
	var mu sync.Mutex
	tries, order := map[string]int{}, []string{}
	b := &fakes.Browser{Page: func(_ context.Context, c protocol.ActionCall) (any, error) {
		var args struct{ Locator struct{ Selector string } }
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		tries[args.Locator.Selector]++
		order = append(order, args.Locator.Selector)
		switch tries[args.Locator.Selector] {
		case 1:
			return nil, fault.New(fault.TargetNotFound, "not there yet")
		case 2:
			return map[string]any{"locator": args.Locator, "text": "loading", "visible": true}, nil
		default:
			return map[string]any{"locator": args.Locator, "text": "ready", "visible": true}, nil
		}
	}}
	p := home.Ready(t, b, shop)
	e := call(t, dial(t, home), siteCall("flow.long", `{}`))
	harness.Must(t, e, nil)
	if string(e.Output) != `{"done":25,"last":"ready"}` {
		t.Errorf("output %s", e.Output)
	}
	var want []string
	for _, id := range ids {
		want = append(want, "#"+id, "#"+id, "#"+id)
	}
	if strings.Join(order, " ") != strings.Join(want, " ") {
		t.Errorf("the page saw %v", order)
	}
	raw, err := json.Marshal(e.Meta.Steps)
	if err != nil || strings.Count(string(raw), `"attempts":3`) != 25 {
		t.Errorf("steps %s %v", raw, err)
	}
	hangUp(t, p)
	count := 0
	for _, r := range records(t, home) {
		if r.Type == journal.TypeOutcome && r.ParentID == e.CallID {
			count++
		}
	}
	if count != 75 {
		t.Errorf("the log has %d outcomes of steps", count)
	}
}

func TestFailingStep(t *testing.T) {
	// Ensure that a page's error fails its step and the workflow: later steps do not run, the caller gets the cause with its evidence, and what has acted is named; on_error continue tolerates it.
	t.Parallel()
	home := harness.NewHome(t)
	click := step("first", "pointer.click", `,"args":{"x":1,"y":1}`)
	fails := `,"args":{"locator":{"selector":"#gone"}}`
	home.Map(t, "public", "shop.example.com", "s", `{"protocol":"actions.json","version":1,"tools":[`+
		tool("flow.stop", workflow("", click, step("bad", "locator.text_content", fails), step("never", "page.info", "")))+`,`+
		tool("flow.go", workflow(`{% steps.bad.ok = false and steps.last.ok %}`, step("bad", "locator.text_content", fails+`,"on_error":"continue"`), step("last", "page.info", "")))+`,`+
		tool("flow.never", workflow("", step("bad", "locator.text_content", fails+`,"retry_until":"{% steps.bad.ok %}","max_attempts":4,"on_error":"continue"`)))+`,`+
		tool("flow.shape", workflow("", step("odd", "dom.snapshot_text", ""), step("never", "page.info", "")))+`]}`)
	b := &fakes.Browser{Page: func(_ context.Context, c protocol.ActionCall) (any, error) {
		switch c.Name {
		case "locator.text_content":
			return nil, fault.New(fault.TargetNotFound, "nothing matches #gone").With("selector", "#gone").WithDispatched(fault.NotDispatched)
		case "dom.snapshot_text":
			return map[string]any{"text": 5}, nil
		}
		return fakes.Answer(c)
	}}
	home.Ready(t, b, shop)
	c := dial(t, home)

	f := wantCode(t, call(t, c, siteCall("flow.stop", `{}`)), fault.WorkflowStepFailed)
	cause, err := json.Marshal(f.Evidence["cause"])
	if err != nil || !strings.Contains(string(cause), "target_not_found") || !strings.Contains(string(cause), "#gone") || f.Evidence["step_id"] != "bad" || f.Retryable {
		t.Errorf("%+v %v", f, err)
	}
	if acted := fmt.Sprint(f.Evidence["acted_steps"]); acted != "[first]" {
		t.Errorf("acted %s", acted)
	}
	if len(b.Calls()) != 2 {
		t.Errorf("the page saw %+v", b.Calls())
	}
	e := call(t, c, siteCall("flow.go", `{}`))
	harness.Must(t, e, nil)
	if string(e.Output) != "true" {
		t.Errorf("output %s", e.Output)
	}
	before := len(b.Calls())
	wantCode(t, call(t, c, siteCall("flow.never", `{}`)), fault.WorkflowRetryExhausted)
	if tries := len(b.Calls()) - before; tries != 4 {
		t.Errorf("%d attempts", tries)
	}
	f = wantCode(t, call(t, c, siteCall("flow.shape", `{}`)), fault.WorkflowStepFailed)
	if cause, err := json.Marshal(f.Evidence["cause"]); err != nil || !strings.Contains(string(cause), "invalid_result") {
		t.Errorf("an output of another shape: %s", cause)
	}
}

func TestArgumentsOfActions(t *testing.T) {
	// Ensure that arguments are taken as an object and as its JSON text, are checked against the action's schema before anything runs, and that unknown actions run nothing.
	t.Parallel()
	home := harness.NewHome(t)
	home.Map(t, "public", "shop.example.com", "s", mapOf("flow.say", workflow(`{% input %}`, clickFlow)))
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop)
	c := dial(t, home)
	for _, args := range []string{`{"n":1,"text":"a"}`, `"{\"n\":1,\"text\":\"a\"}"`, `" {\"text\":\"a\",\"n\":1} "`} {
		e := call(t, c, siteCall("flow.say", args))
		harness.Must(t, e, nil)
		var got map[string]any
		if err := json.Unmarshal(e.Output, &got); err != nil || got["n"] != 1.0 || got["text"] != "a" {
			t.Errorf("%s gave %s", args, e.Output)
		}
	}
	for _, args := range []string{`{}`, `""`, `"{}"`} {
		if e := call(t, c, siteCall("flow.say", args)); !e.OK && e.Error.Code != fault.InvalidInput {
			t.Errorf("%s: %+v", args, e.Error)
		}
	}
	done := len(b.Calls())
	for _, args := range []string{`{"n":"one"}`, `{"x":1}`, `"{\"n\":"`, `"[1]"`, `"null and void"`, `"{\"n\":1,\"n\":2}"`, `[]`, `5`} {
		if f := wantCode(t, call(t, c, siteCall("flow.say", args)), fault.InvalidInput); f.Dispatched != fault.NotDispatched {
			t.Errorf("%s: %+v", args, f)
		}
	}
	wantCode(t, call(t, c, siteCall("flow.shout", `{}`)), fault.UnknownAction)
	wantCode(t, call(t, c, siteCall("Flow.Say", `{}`)), fault.UnknownAction)
	if len(b.Calls()) != done {
		t.Errorf("%d calls reached the page", len(b.Calls())-done)
	}
}

func TestLongOutputs(t *testing.T) {
	// Ensure that an output above its budget comes in pages whose literal arguments give the next one, in a terminal too, that the pages together are the whole, that the action runs once, and that another session cannot read them.
	t.Parallel()
	home := harness.NewHome(t)
	site, _ := primitive.Load().Record("actions.site")
	long := strings.Repeat("tea ✓ \\\"quoted\\\" ", site.MaxOutputChars/8)
	home.Map(t, "public", "shop.example.com", "s", mapOf("static.long", `"x_actions":{"static_output":{"text":"`+long+`"}}`))
	title := strings.Repeat("Ein sehr langer Titel – ", 1000)
	b := &fakes.Browser{Page: func(context.Context, protocol.ActionCall) (any, error) {
		return map[string]string{"url": shop, "title": title}, nil
	}}
	home.Ready(t, b, shop)
	for name, args := range map[string]string{"page.info": `{}`, "actions.site": `{"mode":"call","action":"static.long"}`} {
		var whole strings.Builder
		var literal json.RawMessage
		for pages := 0; ; pages++ {
			var part struct {
				Truncated  bool `json:"truncated"`
				TotalChars int  `json:"total_chars"`
				Offset     int
				Text       string
				Next       *struct {
					Name      string
					Arguments json.RawMessage
				}
			}
			e := home.Call(t, name, args)
			harness.Must(t, e, &part)
			if !part.Truncated || part.TotalChars == 0 || pages > 50 {
				t.Fatalf("%s: page %d is %.200s", name, pages, e.Output)
			}
			whole.WriteString(part.Text)
			if part.Next == nil {
				break
			}
			args, literal = string(part.Next.Arguments), part.Next.Arguments
			if part.Next.Name != name {
				t.Fatalf("the next page is of %s", part.Next.Name)
			}
		}
		var value map[string]string
		if err := json.Unmarshal([]byte(whole.String()), &value); err != nil {
			t.Fatalf("%s: the pages together are no JSON: %v", name, err)
		}
		if name == "page.info" && value["title"] != title || name != "page.info" && value["text"] != strings.ReplaceAll(long, `\"`, `"`) {
			t.Errorf("%s: the pages together are not the whole", name)
		}
		p := control.CallParams{Session: control.SessionParams{Kind: "mcp", ID: "other"}, Name: name, Arguments: literal}
		wantCode(t, call(t, dial(t, home), p), fault.InvalidInput)
	}
	if len(b.Calls()) != 1 {
		t.Errorf("page.info ran %d times", len(b.Calls()))
	}
}
