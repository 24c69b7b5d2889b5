package manifest

import (
	"encoding/json"
	"testing"
)

func TestAddProperties(t *testing.T) {
	// Ensure that properties are added behind those that a schema has, that one of the same name stays, and that nothing else of the schema changes.
	const more = `{"a":{"type":"string"}, "b" : {"enum":["}",","]}}`
	for _, c := range []struct {
		schema, want string
		added        int
	}{
		{`{"type":"object","properties":{"x":{"properties":{"a":{}}}},"required":["x"]}`,
			`{"type":"object","properties":{"x":{"properties":{"a":{}}},"a":{"type":"string"},"b":{"enum":["}",","]}},"required":["x"]}`, 2},
		{`{"properties":{"b":{"description":"\"a\":{"}},"type":"object"}`, `{"properties":{"b":{"description":"\"a\":{"},"a":{"type":"string"}},"type":"object"}`, 1},
		{`{"type":"object","properties":{}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"enum":["}",","]}}}`, 2},
		{`{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"enum":["}",","]}}}`, 2},
		{"{\n \"properties\": {\n \"a\": {} ,\n \"b\": {} \n}\n}\n", "{\n \"properties\": {\n \"a\": {} ,\n \"b\": {} \n}\n}\n", 0},
	} {
		got, added, err := AddProperties([]byte(c.schema), []byte(more))
		if err != nil || string(got) != c.want || len(added) != c.added || !json.Valid(got) {
			t.Errorf("%s gives\n%s, added %v, %v; want\n%s", c.schema, got, added, err, c.want)
		}
	}
	if same, added, err := AddProperties([]byte(`{"type":"object"}`), nil); err != nil || added != nil || string(same) != `{"type":"object"}` {
		t.Errorf("%s, %v, %v", same, added, err)
	}
	if _, _, err := AddProperties([]byte(`[]`), []byte(more)); err == nil {
		t.Error("a list has properties")
	}
}
