package primitive_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// each runs a check on every record of the dictionary.
func each(t *testing.T, check func(t *testing.T, r *primitive.Record)) {
	t.Helper()
	catalogue := load(t)
	if len(catalogue.Names()) == 0 {
		t.Fatal("the dictionary is empty")
	}
	for _, name := range catalogue.Names() {
		r, ok := catalogue.Record(name)
		if !ok {
			t.Fatalf("%s is listed and not there", name)
		}
		t.Run(name, func(t *testing.T) { check(t, r) })
	}
}

func load(t *testing.T) *primitive.Catalogue {
	t.Helper()
	catalogue, err := primitive.Load()
	if err != nil {
		t.Fatal(err)
	}
	return catalogue
}

func TestRecordsFollowTheirSchema(t *testing.T) {
	// Ensure that each file holds one record of the declared form, under its own name.
	text, err := os.ReadFile("../../manifest/primitives.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	form, err := schema.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range manifest.Primitives() {
		for _, v := range form.Validate(text) {
			t.Errorf("%s: %v", name, v)
		}
		var r struct{ Name string }
		if err := json.Unmarshal(text, &r); err != nil || r.Name != name {
			t.Errorf("%s.json holds the record of %q: %v", name, r.Name, err)
		}
	}
}

// shape is the part of a schema that the rules below look at.
type shape struct {
	Type                 any                        `json:"type"`
	Properties           map[string]json.RawMessage `json:"properties"`
	Required             []string                   `json:"required"`
	AdditionalProperties *bool                      `json:"additionalProperties"`
}

func TestSchemas(t *testing.T) {
	// Ensure that both schemas of each record compile, that inputs are closed objects, and that what is required is declared.
	each(t, func(t *testing.T, r *primitive.Record) {
		for what, text := range map[string]json.RawMessage{"input": r.InputSchema, "output": r.OutputSchema} {
			if _, err := schema.Compile(text); err != nil {
				t.Errorf("%s_schema: %v", what, err)
			}
			var s shape
			if err := json.Unmarshal(text, &s); err != nil {
				t.Fatal(err)
			}
			for _, name := range s.Required {
				if s.Properties[name] == nil {
					t.Errorf("%s_schema requires %q and does not declare it", what, name)
				}
			}
			if what == "input" && (s.Type != "object" || s.AdditionalProperties == nil || *s.AdditionalProperties) {
				t.Error("input_schema is no closed object: a misspelt argument would pass")
			}
		}
	})
}

func TestRecordsAreConsistent(t *testing.T) {
	// Ensure that the members of a record do not contradict each other: pacing, permission and the catalogue are derived from them.
	each(t, func(t *testing.T, r *primitive.Record) {
		no := func(wrong bool, why string) {
			if wrong {
				t.Error(why)
			}
		}
		no(r.Effect == "read" && r.Paced, "a read is paced, although a person has nothing to follow")
		no(r.Effect == "read" && slices.ContainsFunc(r.Classes, func(class string) bool { return class == "navigation" || class == "state_change" }), "a read navigates or changes state")
		no(r.Effect == "read" && r.Security.Destructive, "a read is destructive")
		no(r.Effect == "code" && r.CapabilityClass != "debug", "it runs code and is not of the class debug")
		no(r.Effect == "code" && r.Workflow, "code may be a workflow step")
		no(r.Portable && r.CapabilityClass != "portable", "it is portable and of a class that is not")
		no(r.Portable && r.Route != primitive.RoutePage, "it is portable and does not run in the page")
		no(r.Route == primitive.RouteDebugger && !slices.Contains(r.Capabilities, "debugger"), "it needs the debugger and does not say so")
		no(r.Acts() != slices.Contains([]string{"input", "tab", "code"}, r.Effect), "Acts disagrees with the effect")
		for kind, a := range r.Adapters {
			no(a.Support == "partial" && a.Reason == "", "the adapter "+kind+" is partial without a reason")
		}
		no(r.Portable != (r.Adapters["embed"].Support == "supported"), "portable and its adapter embed contradict each other")
	})
}

func TestReferences(t *testing.T) {
	// Ensure that the codes, arguments and conformance cases that a record names are there, each once.
	each(t, func(t *testing.T, r *primitive.Record) {
		for i, code := range r.Errors {
			if !fault.Known(fault.Code(code)) {
				t.Errorf("errors.json does not declare %s", code)
			}
			if slices.Contains(r.Errors[:i], code) {
				t.Errorf("%s stands twice", code)
			}
		}
		var input shape
		if err := json.Unmarshal(r.InputSchema, &input); err != nil {
			t.Fatal(err)
		}
		for _, name := range r.Security.InjectableArguments {
			if input.Properties[name] == nil {
				t.Errorf("there is no argument %q that could be injectable", name)
			}
		}
		for i, name := range r.Conformance {
			// A part of other primitives is proven by their cases.
			if !r.Internal && !strings.HasPrefix(name, r.Name+"/") || slices.Contains(r.Conformance[:i], name) {
				t.Errorf("%q is no conformance case of its own", name)
			}
		}
	})
}
