package lint

import (
	"encoding/json"
	"testing"
)

func TestReferencesInSchemas(t *testing.T) {
	// Ensure that a reference to a place in the schema is followed, and that one to an anchor leads to no other place.
	for ref, want := range map[string]string{"#/defs/a": "no", "#": "no", "#defs/a": "", "#defs": "", "other.json#/defs/a": ""} {
		schema, err := json.Marshal(map[string]any{
			"properties": map[string]any{"of": map[string]any{"$ref": ref}}, "additionalProperties": false,
			"defs": map[string]any{"properties": map[string]any{}, "additionalProperties": false,
				"a": map[string]any{"properties": map[string]any{}, "additionalProperties": false}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if want != "" {
			want = "of." + want
		}
		if got := (&linter{}).unknownField(schema, []string{"of", "no"}); got != want {
			t.Errorf("%s: %q is unknown, not %q", ref, got, want)
		}
	}
}
