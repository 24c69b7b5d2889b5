package site_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestUnknownAction(t *testing.T) {
	// Ensure that a name which no map of this page has, in exactly this spelling, is unknown_action and runs nothing.
	r := newRig(t, map[string]string{
		"public/sites/shop.example.com/cart": mapOf("", tool("cart.add", open+`"x_actions":{"handler":"dom.snapshot_text"}`)+","+
			tool("bound", open+`"x_actions":{"handler":"dom.snapshot_text","binding":{"target_url_contains":"/help"}}`)),
		"public/sites/other.example.com/all": mapOf("", tool("other", open+`"x_actions":{"handler":"dom.snapshot_text"}`)),
	})
	for _, name := range []string{"no.such", "Cart.Add", "cart.add ", "cart", "other", "bound", "dom.snapshot_text"} {
		_, err := r.call(t, name, `{}`)
		if f := wantCode(t, err, fault.UnknownAction); f.Dispatched != fault.NotDispatched || f.Evidence["action"] != name || f.Evidence["url"] != page {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if len(r.ran)+len(r.authorized) > 0 {
		t.Errorf("ran %v", r.ran)
	}
}

func TestStatic(t *testing.T) {
	// Ensure that a static action gives its stored value as it is, needs no permission and goes before the other ways to run.
	r := shop(t, tool("help", open+`"x_actions":{"static_output":{"n":1.10,"t":"<b>"},"handler":"pointer.click"}`)+","+tool("no", open+`"x_actions":{"static_output":false}`))
	if got, err := r.call(t, "help", `{}`); err != nil || got != `{"n":1.10,"t":"<b>"}` {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := r.call(t, "no", `{}`); err != nil || got != `false` {
		t.Errorf("got %s, %v", got, err)
	}
	if len(r.ran)+len(r.authorized) > 0 {
		t.Errorf("ran %v", r.ran)
	}
	if r.meta.Map != "scopes/public/sites/shop.example.com/cart/actions.json" {
		t.Errorf("map %q", r.meta.Map)
	}
}

func TestHandlerMergesArguments(t *testing.T) {
	// Ensure that the caller's arguments are laid over the bound ones, objects member by member and the caller winning, and that the output is the handler's.
	r := shop(t, tool("go", open+`"x_actions":{"handler":"locator.text_content","binding":{"arguments":{"locator":{"selector":"h1","nth":0},"list":[1,2],"keep":true}}}`))
	r.step = func(string, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{"text":"T"}`), nil }
	got, err := r.call(t, "go", `{"locator":{"nth":2,"strict":true},"list":[3],"more":null}`)
	if err != nil || got != `{"text":"T"}` {
		t.Fatalf("got %s, %v", got, err)
	}
	wantJSON(t, r.ran[0].Args, `{"locator":{"selector":"h1","nth":2,"strict":true},"list":[3],"keep":true,"more":null}`)
	// The map is not changed by what one caller said.
	if _, err := r.call(t, "go", `{}`); err != nil {
		t.Fatal(err)
	}
	wantJSON(t, r.ran[1].Args, `{"locator":{"selector":"h1","nth":0},"list":[1,2],"keep":true}`)
	if diff := cmp.Diff([]string{"go: locator.text_content", "go: locator.text_content"}, r.authorized); diff != "" {
		t.Error(diff)
	}
}

func TestWorkflow(t *testing.T) {
	// Ensure that a workflow is decided by all its primitives before its first step, runs in order, and gives its value and its steps.
	r := shop(t, tool("go", open+`"workflow":{"version":1,"expression_language":"jsonata","output":"{% steps.read.output.text & '!' %}","steps":[
		{"id":"type","primitive":"text.insert","args":{"target":"#q","text":"{% input.q %}"}},
		{"id":"read","primitive":"locator.text_content","args":{"locator":{"selector":"h1"}}}]}`))
	r.step = func(name string, _ json.RawMessage) (json.RawMessage, error) {
		if len(r.authorized) != 1 {
			t.Error("a step ran before the action was decided")
		}
		return json.RawMessage(`{"text":"tea"}`), nil
	}
	got, err := r.call(t, "go", `{"q":"green"}`)
	if err != nil || got != `"tea!"` {
		t.Fatalf("got %s, %v", got, err)
	}
	if len(r.ran) != 2 || r.ran[0].Name != "text.insert" || r.ran[1].Name != "locator.text_content" {
		t.Errorf("ran %v", r.ran)
	}
	wantJSON(t, r.ran[0].Args, `{"target":"#q","text":"green"}`)
	if want := []string{"go: locator.text_content text.insert"}; !slices.Equal(r.authorized, want) {
		t.Errorf("authorized %v", r.authorized)
	}
	steps, err := json.Marshal(r.meta.Steps)
	if err != nil || !strings.Contains(string(steps), `"id":"read"`) {
		t.Errorf("steps %s, %v", steps, err)
	}
}

func TestFailedStep(t *testing.T) {
	// Ensure that a step's failure is the action's, that later steps do not run, and that the steps so far are told.
	r := shop(t, tool("go", workflow(`{"id":"a","primitive":"page.info"},{"id":"b","primitive":"pointer.click","args":{"x":1,"y":2}}`)))
	r.step = func(string, json.RawMessage) (json.RawMessage, error) {
		return nil, fault.New(fault.TargetNotFound, "nothing matches")
	}
	_, err := r.call(t, "go", `{}`)
	wantCode(t, err, fault.WorkflowStepFailed)
	if steps, _ := json.Marshal(r.meta.Steps); len(r.ran) != 1 || !strings.Contains(string(steps), `"code":"target_not_found"`) {
		t.Errorf("ran %v, steps %s", r.ran, steps)
	}
}

func TestWhatCannotRun(t *testing.T) {
	// Ensure that an action which is broken, or which policy refuses, runs no step and says which of the two it is.
	denied := fault.New(fault.PermissionDenied, "no")
	for name, row := range map[string]struct {
		tool   string
		refuse error
		code   fault.Code
	}{
		"nothing runs it":       {open + `"x_actions":{"direction":"bidirectional"}`, nil, fault.MissingHandler},
		"handler, no primitive": {open + `"x_actions":{"handler":"page.teleport"}`, nil, fault.UnknownPrimitive},
		"unknown step field":    {workflow(`{"id":"a","primitive":"page.info","finally":1}`), nil, fault.InvalidWorkflow},
		"unknown primitive":     {workflow(`{"id":"a","primitive":"page.info"},{"id":"b","primitive":"page.teleport"}`), nil, fault.InvalidWorkflow},
		"partial expression":    {workflow(`{"id":"a","primitive":"page.info","args":{"x":"a {% 1 %}"}}`), nil, fault.InvalidWorkflow},
		"itself as a step":      {workflow(`{"id":"a","primitive":"actions.site"}`), nil, fault.InvalidWorkflow},
		"broken schema":         {`"input_schema":{"type":"text"},` + greeting, nil, fault.InvalidMap},
		"refused handler":       {open + `"x_actions":{"handler":"pointer.click"}`, denied, fault.PermissionDenied},
		"refused workflow":      {workflow(`{"id":"a","primitive":"page.info"}`), denied, fault.PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			r := shop(t, tool("go", row.tool))
			r.refuse = row.refuse
			_, err := r.call(t, "go", `{}`)
			f := wantCode(t, err, row.code)
			if row.refuse == nil && f.Dispatched != fault.NotDispatched {
				t.Errorf("dispatched %q", f.Dispatched)
			}
			if len(r.ran) > 0 {
				t.Errorf("ran %v", r.ran)
			}
		})
	}
}
