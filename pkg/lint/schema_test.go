package lint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// mapSchema compiles the schema of the map format.
func mapSchema(t *testing.T) *schema.Schema {
	t.Helper()
	text, err := os.ReadFile("../../manifest/actions.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := schema.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestSchemaAgrees(t *testing.T) {
	// Ensure the schema for editors passes sound maps and refuses what strict
	// validation refuses and a schema can see.
	compiled := mapSchema(t)
	vectors(t, func(t *testing.T, v vector, _ bool) {
		if v.Schema == "" {
			return
		}
		violations := compiled.Validate(v.text(t))
		if (len(violations) == 0) != (v.Schema == "passes") {
			t.Errorf("must be %q: %v", v.Schema, violations)
		}
	})
}

func TestSchemaAcceptsMapsInUse(t *testing.T) {
	// Ensure the schema accepts the examples of the format's description, the
	// sample site and a real map with every section.
	compiled := mapSchema(t)
	maps := map[string][]byte{}
	for _, name := range []string{"../../test/sites/storage/scopes/public/sites/localhost/teahouse/actions.json", "../../../shared/maps/simple-form/actions.json"} {
		if text, err := os.ReadFile(name); err == nil {
			maps[name] = text
		} else {
			t.Logf("%s is not there, this part is skipped", name)
		}
	}
	if text, err := os.ReadFile("../../../shared/seeds/actions-json-format.txt"); err == nil {
		for i := bytes.Index(text, []byte("{\n")); i >= 0; i = bytes.Index(text, []byte("{\n")) {
			var example json.RawMessage
			if json.NewDecoder(bytes.NewReader(text[i:])).Decode(&example) == nil {
				maps[fmt.Sprintf("example %d", len(maps))] = example
			}
			text = text[i+max(1, len(example)):]
		}
	} else {
		t.Log("the format's description is not there, this part is skipped")
	}
	for name, text := range maps {
		if violations := compiled.Validate(text); len(violations) > 0 {
			t.Errorf("%s: %v", name, violations)
		}
	}
	if len(maps) == 0 {
		t.Error("no map was checked")
	}
}

func TestSchemaNamesThePrimitives(t *testing.T) {
	// Ensure editors complete exactly the primitives of the dictionary, and as
	// steps only those that may be one.
	text, err := os.ReadFile("../../manifest/actions.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var format struct {
		Definitions struct {
			Step struct{ Enum []string } `json:"step_primitive"`
			Any  struct{ Enum []string } `json:"any_primitive"`
		} `json:"definitions"`
	}
	if err := json.Unmarshal(text, &format); err != nil {
		t.Fatal(err)
	}
	known := primitive.Load()
	var steps []string
	for _, name := range known.Names() {
		if known.Step(name) {
			steps = append(steps, name)
		}
	}
	if diff := cmp.Diff(known.Names(), format.Definitions.Any.Enum); diff != "" {
		t.Errorf("run go run ./scripts/generate: %s", diff)
	}
	if diff := cmp.Diff(steps, format.Definitions.Step.Enum); diff != "" {
		t.Errorf("run go run ./scripts/generate: %s", diff)
	}
}
