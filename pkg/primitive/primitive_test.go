package primitive_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestCatalogue(t *testing.T) {
	// Ensure that names are exact and sorted, that steps and effects come from the records, and that nobody can change the list.
	c := primitive.Load()
	names := c.Names()
	if !slices.IsSorted(names) {
		t.Errorf("not sorted: %v", names)
	}
	names[0] = "changed"
	if c.Names()[0] == "changed" {
		t.Error("the caller changed the catalogue")
	}
	if _, ok := c.Record("Page.info"); ok {
		t.Error("a name in another case was found")
	}
	if !c.Step("pointer.click") || c.Step("actions.site") || c.Step("no.such") {
		t.Error("Step does not follow the records")
	}
	if c.Effect("pointer.click") != "input" || c.Effect("page.info") != "read" || c.Effect("no.such") != "" {
		t.Error("Effect does not follow the records")
	}
}

func TestCheckInput(t *testing.T) {
	// Ensure that arguments outside of the schema are invalid_input, unsent, with every violation as evidence.
	c := primitive.Load()
	for _, row := range []struct {
		name, args string
		violations int
	}{
		{"pointer.click", `{"x":1,"y":2}`, 0},
		{"pointer.click", `{"x":1.5,"y":null,"modifiers":["shift"]}`, 0},
		{"pointer.click", `{"x":"1","y":2}`, 1},
		{"pointer.click", `{"x":"1","y":true,"button":"fourth"}`, 3},
		{"pointer.click", `{"x":1,"y":2,"z":3}`, 1},
		{"page.info", `{}`, 0},
		{"page.info", `{"verbose":true}`, 1},
		{"page.info", `[]`, 1},
		{"page.info", `null`, 1},
		{"actions.site", `{"action":"a"}`, 1},
		{"actions.site", `{"mode":"dance"}`, 1},
	} {
		r, _ := c.Record(row.name)
		err := r.CheckInput(json.RawMessage(row.args))
		if row.violations == 0 {
			if err != nil {
				t.Errorf("%s %s: %v", row.name, row.args, err)
			}
			continue
		}
		f := fault.From(err)
		if f == nil || f.Code != fault.InvalidInput || f.Dispatched != fault.NotDispatched {
			t.Errorf("%s %s: %+v", row.name, row.args, f)
			continue
		}
		raw, err := json.Marshal(f.Evidence["violations"])
		if err != nil {
			t.Fatal(err)
		}
		var found []json.RawMessage
		if err := json.Unmarshal(raw, &found); err != nil || len(found) != row.violations {
			t.Errorf("%s %s: %d violations, want %d: %s", row.name, row.args, len(found), row.violations, raw)
		}
	}
}

func TestCheckInputOfLocators(t *testing.T) {
	// Ensure that a fault says where in the arguments it is, and that whoever writes a locator in another form is shown one.
	c := primitive.Load()
	for _, row := range []struct {
		args, message string
		shown         bool
	}{
		{`{"locator":"h1"}`, "/locator must be object, not string", true},
		{`{"locator":{"css":"h1"}}`, `/locator the member "css" is not allowed`, true},
		{`{"locator":{"selector":"h1","nth":"0"}}`, "/locator/nth must be integer, not string", true},
		{`{"selector":"h1"}`, `the member "selector" is not allowed`, true},
		{`{"locator":{"selector":"h1"},"timeout_ms":"1"}`, "/timeout_ms must be integer, not string", false},
	} {
		r, _ := c.Record("locator.click")
		f := fault.From(r.CheckInput(json.RawMessage(row.args)))
		if want := "the arguments of locator.click are not valid: " + row.message; f == nil || f.Message != want {
			t.Errorf("%s: %v, want %s", row.args, f, want)
			continue
		}
		if shown := strings.Contains(f.NextStep, `{"selector":"h1"}`); shown != row.shown {
			t.Errorf("%s: next step %s", row.args, f.NextStep)
		}
	}
}

func TestCheckOutput(t *testing.T) {
	// Ensure that what a handler gives outside of the schema is invalid_result, and that nothing is said about whether it was sent.
	r, _ := primitive.Load().Record("page.info")
	if err := r.CheckOutput(json.RawMessage(`{"url":"https://example.com/","title":""}`)); err != nil {
		t.Errorf("a good output: %v", err)
	}
	for _, output := range []string{`{"url":"x"}`, `{"url":1,"title":""}`, `{"url":"","title":"","more":1}`, `"text"`, `null`} {
		f := fault.From(r.CheckOutput(json.RawMessage(output)))
		if f == nil || f.Code != fault.InvalidResult || f.Dispatched != "" || f.Evidence["violations"] == nil {
			t.Errorf("%s: %+v", output, f)
		}
	}
}

func TestRegistry(t *testing.T) {
	// Ensure that a named handler goes before the page, that the page runs page primitives only, and that both kinds of gap are found.
	c := primitive.Load()
	answer := func(text string) primitive.Handler {
		return func(context.Context, primitive.Call) (json.RawMessage, error) { return json.RawMessage(text), nil }
	}
	registry := &primitive.Registry{Page: answer(`"page"`), Named: map[string]primitive.Handler{
		"page.info": answer(`"named"`), "no.such": answer(`1`), "also.none": answer(`1`),
	}}
	for name, want := range map[string]string{"page.info": `"named"`, "dom.snapshot_text": `"page"`, "browser.navigate": ""} {
		r, _ := c.Record(name)
		h, err := registry.Handler(r)
		if want == "" {
			if f := fault.From(err); f == nil || f.Code != fault.MissingHandler || f.Dispatched != fault.NotDispatched {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := h(t.Context(), primitive.Call{}); err != nil || string(got) != want {
			t.Errorf("%s is run by %s, %v", name, got, err)
		}
	}
	unhandled, unnamed := registry.Missing(c)
	if diff := cmp.Diff([]string{"also.none", "no.such"}, unnamed); diff != "" {
		t.Error(diff)
	}
	for _, name := range c.Names() {
		r, _ := c.Record(name)
		if missing := r.Route != primitive.RoutePage; missing != slices.Contains(unhandled, name) {
			t.Errorf("%s (route %s): reported missing %t", name, r.Route, !missing)
		}
	}
	if unhandled, _ := (&primitive.Registry{}).Missing(c); len(unhandled) != len(c.Names()) {
		t.Errorf("an empty registry lacks only %v", unhandled)
	}
}

func TestNoSuch(t *testing.T) {
	// Ensure that a misspelt name is told what it may have meant, among the names that a caller may use.
	c := primitive.Load()
	if f := c.NoSuch("locator.clik"); f.Code != fault.UnknownPrimitive || !strings.Contains(f.Message, "did you mean locator.click?") || f.Dispatched != fault.NotDispatched {
		t.Errorf("%+v", f)
	}
	if f := c.NoSuch("target.prepare"); strings.Contains(f.Message, "target.") && f.Evidence != nil {
		t.Errorf("an internal part is offered: %+v", f)
	}
}
