package dispatch

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/callpath"
)

const clickedTarget = `{"tag_name":"button","id":"","class_name":"","role":null,"data_testid":null,"type":null,"text":"","disabled":false,"aria_disabled":false,` +
	`"bounding_box":{"x":0,"y":0,"width":9,"height":9,"left":0,"top":0,"right":9,"bottom":9},"viewport":{"width":9,"height":9}}`

// observeRig is a rig whose page is clicked, waited for and read; it records what was called.
type observeRig struct {
	*rig
	calls []string // name and arguments
	wait  error    // of page.wait_for
	reads int
}

func newObserveRig(t *testing.T) *observeRig {
	r := &observeRig{rig: newRig(t)}
	record := func(c primitive.Call) { r.calls = append(r.calls, c.Record.Name+" "+string(c.Arguments)) }
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		record(c)
		return json.RawMessage(`{"clicked":true,"x":1,"y":1,"button":"left","modifiers":[],"focused":true,"target":` + clickedTarget + `}`), nil
	}
	r.Handlers.Named[waitTool] = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		record(c)
		return json.RawMessage(`{"matched":true,"url":"u","elapsed_ms":1}`), r.wait
	}
	r.Handlers.Named[snapshotTool] = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		record(c)
		r.reads++
		text := `"snapshot":"- button"`
		if r.reads > 1 {
			text = `"diff":"+ alert: Saved"`
		}
		return json.RawMessage(`{"url":"u","title":"","ref_count":0,"node_count":1,"truncated":false,"total_chars":1,"secrets_redacted":0,` + text + `}`), nil
	}
	return r
}

func (r *observeRig) names() (names []string) {
	for _, call := range r.calls {
		name, _, _ := strings.Cut(call, " ")
		names = append(names, name)
	}
	return names
}

func TestObserve(t *testing.T) {
	// Ensure that an input is made without the arguments that are about what comes after it, that what is expected is waited for, and that the output has what changed.
	r := newObserveRig(t)
	e := r.call(t, "pointer.click", `{"x":1,"y":1,"diff":true,"expect":{"text":"Saved","url":"/done","locator":{"role":"alert"},"timeout_ms":700}}`)
	if !e.OK || !strings.Contains(string(e.Output), `"diff":"+ alert: Saved"`) || !strings.Contains(string(e.Output), `"clicked":true`) {
		t.Fatalf("%s %+v", e.Output, e.Error)
	}
	if want := []string{snapshotTool, "pointer.click", waitTool, waitTool, snapshotTool}; !slices.Equal(r.names(), want) {
		t.Errorf("called %v, want %v", r.calls, want)
	}
	if want := `pointer.click {"x":1,"y":1}`; r.calls[1] != want {
		t.Errorf("the page got %s, want %s", r.calls[1], want)
	}
	if want := waitTool + ` {"locator":{"role":"alert"},"text":"Saved","timeout_ms":700,"url_contains":"/done"}`; r.calls[2] != want {
		t.Errorf("waited for %s, want %s", r.calls[2], want)
	}
}

func TestExpectationFails(t *testing.T) {
	// Ensure that an input whose expectation does not come is a failure that says that the input was done, with what was seen, and that the call is not made again.
	r := newObserveRig(t)
	r.wait = fault.New(fault.Timeout, "the text was not shown").With("url", "https://example.com/").WithDispatched(fault.NotDispatched)
	f := wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":1,"diff":true,"expect":{"text":"Saved"}}`), fault.ExpectationFailed)
	if f.Dispatched != fault.WasDispatched || f.Retryable || f.Evidence["cause"] == nil || f.Evidence["expect"] == nil {
		t.Errorf("%+v", f)
	}
	if want := []string{snapshotTool, "pointer.click", waitTool}; !slices.Equal(r.names(), want) {
		t.Errorf("called %v, want %v", r.calls, want)
	}
	// A page that never rests is compared all the same.
	r.calls, r.reads = nil, 0
	if e := r.call(t, "pointer.click", `{"x":1,"y":1,"diff":true}`); !e.OK {
		t.Errorf("%+v", e.Error)
	}
}

func TestObserveIsDecidedFirst(t *testing.T) {
	// Ensure that an input is not made where its observation is malformed or may not be: reading is blocked, denied, or must be asked for.
	for name, c := range map[string]struct {
		args    string
		prepare func(r *observeRig)
		code    fault.Code
	}{
		"empty":           {args: `"expect":{}`, code: fault.InvalidInput},
		"no such member":  {args: `"expect":{"title":"x"}`, code: fault.InvalidInput},
		"not a boolean":   {args: `"diff":"yes"`, code: fault.InvalidInput},
		"too long a wait": {args: `"expect":{"text":"x","timeout_ms":30001}`, code: fault.InvalidInput},
		"blocked reading": {args: `"diff":true`, prepare: func(r *observeRig) { r.blocked = []string{snapshotTool} }, code: fault.PrimitiveBlocked},
		"blocked waiting": {args: `"expect":{"url":"x"}`, prepare: func(r *observeRig) { r.blocked = []string{waitTool} }, code: fault.PrimitiveBlocked},
		"asked about":     {args: `"diff":true`, prepare: func(r *observeRig) { r.Policy.File = callpath.Asking(policy.EffectRead) }, code: fault.NeedsApproval},
	} {
		t.Run(name, func(t *testing.T) {
			r := newObserveRig(t)
			if c.prepare != nil {
				c.prepare(r)
			}
			if f := wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":1,`+c.args+`}`), c.code); f.Dispatched != fault.NotDispatched {
				t.Errorf("dispatched %s", f.Dispatched)
			}
			if len(r.calls) > 0 {
				t.Errorf("called %v", r.calls)
			}
		})
	}
}

func TestObserveAfterAnApproval(t *testing.T) {
	// Ensure that reading around an input is asked for with the input, and not once more.
	r := newObserveRig(t)
	r.Policy.File = callpath.Asking(policy.EffectInput, policy.EffectRead)
	f := wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":1,"diff":true}`), fault.NeedsApproval)
	id, _ := f.Evidence["id"].(string)
	if err := r.Answer(t.Context(), policy.Answer{ID: id, Allow: true, Scope: policy.ScopeOnce, Face: policy.FacePopup}); err != nil {
		t.Fatal(err)
	}
	if e := r.call(t, "pointer.click", `{"x":1,"y":1,"diff":true}`); !e.OK {
		t.Errorf("%+v", e.Error)
	}
}

func TestObservesByEffect(t *testing.T) {
	// Ensure that every public input takes both arguments, that nothing else does, and that an argument of a record's own stays its own.
	c := primitive.Load()
	for _, name := range c.Names() {
		r, _ := c.Record(name)
		want := []string{"expect", "diff"}
		switch {
		case r.Internal || r.Effect != "input":
			want = nil
		case name == "keyboard.press_gated":
			want = []string{"diff"}
		}
		if !slices.Equal(r.Observes, want) {
			t.Errorf("%s observes %v, want %v", name, r.Observes, want)
		}
	}
	r, _ := c.Record("keyboard.press_gated")
	wants, rest, err := splitObservation(r, json.RawMessage(`{"key":"a","stop":"until","expect":"x","diff":true}`))
	if err != nil || wants.Expect != nil || !wants.Diff || string(rest) != `{"expect":"x","key":"a","stop":"until"}` {
		t.Errorf("%+v, %s, %v", wants, rest, err)
	}
}
