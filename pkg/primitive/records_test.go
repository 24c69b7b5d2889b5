package primitive_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// each runs a check on every record of the dictionary.
func each(t *testing.T, check func(t *testing.T, r *primitive.Record)) {
	t.Helper()
	catalogue := primitive.Load()
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

func TestRecordsPassTheLint(t *testing.T) {
	// Ensure that each file holds one record of the declared form that leaves nothing out and does not contradict itself.
	text, err := os.ReadFile("../../manifest/primitives.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := primitive.LintAll(text); err != nil {
		t.Error(err)
	}
}

func TestRecordsAreWritten(t *testing.T) {
	// Ensure that no record still says what scripts/new-tool began it with.
	each(t, func(t *testing.T, r *primitive.Record) {
		if strings.HasPrefix(r.Security.Note, "Nobody has said yet") {
			t.Error("security.note: say what could go wrong")
		}
		if strings.HasSuffix(r.Summary, "in one or two sentences for a model.") {
			t.Error("summary: say what it does")
		}
	})
}

func TestSchemas(t *testing.T) {
	// Ensure that both schemas of each record compile with what its effect adds, and that inputs are closed objects.
	each(t, func(t *testing.T, r *primitive.Record) {
		for what, text := range map[string]json.RawMessage{"input": r.InputSchema, "output": r.OutputSchema} {
			if _, err := schema.Compile(text); err != nil {
				t.Errorf("%s_schema: %v", what, err)
			}
		}
		var input struct {
			AdditionalProperties *bool `json:"additionalProperties"`
		}
		if err := json.Unmarshal(r.InputSchema, &input); err != nil || input.AdditionalProperties == nil || *input.AdditionalProperties {
			t.Errorf("a misspelt argument would pass: %v", err)
		}
	})
}
