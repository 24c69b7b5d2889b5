package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/schema"
)

func TestValidate(t *testing.T) {
	// Ensure that each keyword refuses what it must, at the right place, and lets
	// the rest through. A violation is written "path keyword".
	tests := []struct {
		schema, doc string
		want        []string
	}{
		{`{}`, `null`, nil},
		{`true`, `{"a":1}`, nil},
		{`false`, `1`, []string{" false"}},
		{`{"type":"integer"}`, `1.0`, nil},
		{`{"type":"integer"}`, `1e2`, nil},
		{`{"type":"integer"}`, `1.5`, []string{" type"}},
		{`{"type":"integer"}`, `"1"`, []string{" type"}},
		{`{"type":"integer"}`, `true`, []string{" type"}},
		{`{"type":["string","null"]}`, `null`, nil},
		{`{"type":["string","null"]}`, `1`, []string{" type"}},
		{`{"enum":["a",1,null,{"b":[1]}]}`, `{"b":[1.0]}`, nil},
		{`{"enum":["a",1,null]}`, `"1"`, []string{" enum"}},
		{`{"const":{"a":1}}`, `{"a":2}`, []string{" const"}},
		{`{"const":null}`, `false`, []string{" const"}},
		{`{"minLength":2,"maxLength":3}`, `"ä€"`, nil},
		{`{"minLength":2,"maxLength":3}`, `"a"`, []string{" minLength"}},
		{`{"minLength":2,"maxLength":3}`, `"abcd"`, []string{" maxLength"}},
		{`{"pattern":"^a+$"}`, `"ab"`, []string{" pattern"}},
		{`{"pattern":"^a+$"}`, `5`, nil},
		{`{"format":"date"}`, `"2026-02-30"`, []string{" format"}},
		{`{"format":"a-format-of-its-own"}`, `"x"`, nil},
		{`{"minimum":1,"maximum":3}`, `0`, []string{" minimum"}},
		{`{"minimum":1,"maximum":3}`, `4`, []string{" maximum"}},
		{`{"exclusiveMinimum":1}`, `1`, []string{" exclusiveMinimum"}},
		{`{"maximum":1,"exclusiveMaximum":true}`, `1`, []string{" exclusiveMaximum"}},
		{`{"multipleOf":0.1}`, `0.35`, []string{" multipleOf"}},
		{`{"multipleOf":0.1}`, `0.3`, nil},
		{`{"required":["a","b"]}`, `{"a":1}`, []string{" required"}},
		{`{"additionalProperties":false,"properties":{"a":{}}}`, `{"a":1,"b":2}`, []string{" additionalProperties"}},
		{`{"additionalProperties":{"type":"string"}}`, `{"x/y~z":1}`, []string{"/x~1y~0z type"}},
		{`{"patternProperties":{"^n":{"type":"number"}}}`, `{"n1":1,"n2":"x","m":"x"}`, []string{"/n2 type"}},
		{`{"propertyNames":{"pattern":"^[a-z]+$"}}`, `{"A":1}`, []string{" pattern", " propertyNames"}},
		{`{"minProperties":1,"maxProperties":1}`, `{}`, []string{" minProperties"}},
		{`{"minProperties":1,"maxProperties":1}`, `{"a":1,"b":2}`, []string{" maxProperties"}},
		{`{"dependencies":{"a":["b"]}}`, `{"a":1}`, []string{" dependencies"}},
		{`{"dependencies":{"a":{"required":["b"]}}}`, `{"a":1}`, []string{" required"}},
		{`{"items":{"type":"string"}}`, `["a",1,"b",2]`, []string{"/1 type", "/3 type"}},
		{`{"items":[{},{"type":"string"}],"additionalItems":false}`, `[1,2,3]`, []string{" additionalItems", "/1 type"}},
		{`{"minItems":1,"maxItems":2}`, `[]`, []string{" minItems"}},
		{`{"minItems":1,"maxItems":2}`, `[1,2,3]`, []string{" maxItems"}},
		{`{"uniqueItems":true}`, `[{"a":1},{"a":1.0}]`, []string{" uniqueItems"}},
		{`{"contains":{"const":1}}`, `[2]`, []string{" contains", "/0 const"}},
		{`{"allOf":[{"minimum":1},{"maximum":0}]}`, `1`, []string{" allOf", " maximum"}},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, []string{" anyOf", " type"}},
		{`{"oneOf":[{"minimum":0},{"maximum":5}]}`, `3`, []string{" oneOf"}},
		{`{"not":{"type":"null"}}`, `null`, []string{" not"}},
		{`{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}`, `"a"`, []string{" minLength", " then"}},
		{`{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}`, `1`, []string{" else", " minimum"}},
		{`{"properties":{"a":{"items":{"properties":{"b":{"type":"null"}}}}}}`, `{"a":[{},{"b":1}]}`, []string{"/a/1/b type"}},

		// References.
		{`{"definitions":{"a b/c~d%":{"type":"null"}},"properties":{"x":{"$ref":"#/definitions/a%20b~1c~0d%25"}}}`, `{"x":1}`, []string{"/x type"}},
		{`{"properties":{"child":{"$ref":"#"}},"additionalProperties":false}`, `{"child":{"child":{"x":1}}}`, []string{"/child/child additionalProperties"}},
		{`{"$ref":"#/definitions/n","definitions":{"n":{"type":"null"}}}`, `1`, []string{" type"}},
		{`{"$id":"http://example.com/s.json","properties":{"a":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":"null"}}}`, `{"a":1}`, []string{"/a type"}},
		{`{"properties":{"$ref":{"type":"null"},"const":{"$ref":"#/properties/$ref"}}}`, `{"$ref":1,"const":1}`, []string{"/$ref type", "/const type"}},
		// What only looks like an identifier must not redirect a reference.
		{`{"definitions":{"a":{"type":"null"}},"default":{"$id":"#/definitions/a"},"properties":{"x":{"$ref":"#/definitions/a"}}}`, `{"x":1}`, []string{"/x type"}},
		{`{"definitions":{"a":{"type":"null"}},"examples":[{"id":"#/definitions/a","type":"string"}],"$ref":"#/definitions/a"}`, `1`, []string{" type"}},

		// Annotations and words of others constrain nothing.
		{`{"title":1,"description":2,"x-ui":{"$ref":"http://x"},"$comment":"c","default":3,"examples":[4],"readOnly":true,"contentEncoding":"base64"}`, `"a"`, nil},
		{`{"$defs":{"a":{"type":"null"}}}`, `1`, nil},
		{`{"properties":{"a":{"$id":"#/properties/a","type":"null"}}}`, `{"a":1}`, []string{"/a type"}},

		// Exact numbers.
		{`{"maximum":9007199254740992}`, `9007199254740993`, []string{" maximum"}},
		{`{"minimum":12345678901234567891}`, `12345678901234567890`, []string{" minimum"}},
		{`{"type":"integer"}`, `123456789012345678901234567890`, nil},
		{`{"enum":[9007199254740991]}`, `9007199254740992`, []string{" enum"}},
		{`{"uniqueItems":true}`, `[9007199254740992,9007199254740993]`, nil},
		{`{"uniqueItems":true}`, `[{"id":[9007199254740993]},{"id":[9007199254740993.0]}]`, []string{" uniqueItems"}},

		// What cannot be checked is not valid.
		{`{}`, `1e400`, []string{" type"}},
		{`{"enum":[1]}`, `{"a":[1e1000000000]}`, []string{"/a/0 type"}},
		{`{"multipleOf":3}`, `1e-1000000`, []string{" type"}},
		{`{}`, `{`, []string{" json"}},
		{`{}`, ``, []string{" json"}},
		{`{}`, `1 2`, []string{" json"}},
	}
	for _, test := range tests {
		s, err := schema.Compile(json.RawMessage(test.schema))
		if err != nil {
			t.Errorf("%s: %v", test.schema, err)
			continue
		}
		var got []string
		for _, v := range s.Validate(json.RawMessage(test.doc)) {
			got = append(got, v.Path+" "+v.Keyword)
			if v.Message == "" || strings.Contains(v.Message, "%!") || strings.Contains(v.Message, "<nil>") {
				t.Errorf("%s on %s: the message is %q", test.schema, test.doc, v.Message)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s on %s (-want +got):\n%s", test.schema, test.doc, diff)
		}
	}
}

func TestViolations(t *testing.T) {
	// Ensure that messages read well, come in one order, and are bounded.
	s := schema.MustCompile(`{"type":"object","required":["name"],"properties":{"n":{"type":"integer"},"k":{"enum":["a","b"]}},"additionalProperties":false}`)
	want := []schema.Violation{
		{Path: "", Keyword: "additionalProperties", Message: `the member "x" is not allowed`},
		{Path: "", Keyword: "required", Message: `the member "name" is missing`},
		{Path: "/k", Keyword: "enum", Message: `must be one of "a", "b"`},
		{Path: "/n", Keyword: "type", Message: `must be integer, not string`},
	}
	for range 20 {
		if diff := cmp.Diff(want, s.Validate(json.RawMessage(`{"n":"1","k":"c","x":1}`))); diff != "" {
			t.Fatal(diff)
		}
	}
	many := json.RawMessage("[" + strings.TrimSuffix(strings.Repeat(`"a",`, 1000), ",") + "]")
	if got := schema.MustCompile(`{"items":{"type":"null"}}`).Validate(many); len(got) != 100 {
		t.Errorf("%d violations", len(got))
	}
}

func TestConcurrentValidate(t *testing.T) {
	// Ensure that one compiled schema serves many goroutines, also while others
	// compile.
	s := schema.MustCompile(`{"properties":{"a":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":"integer","minimum":1}}}`)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				doc := json.RawMessage(fmt.Sprintf(`{"a":%d}`, j-25))
				if got := s.Validate(doc); (got == nil) != (j > 25) {
					t.Errorf("%s: got %v", doc, got)
				}
				schema.MustCompile(fmt.Sprintf(`{"maximum":%d,"pattern":"a{%d}"}`, i, j))
			}
		})
	}
	wg.Wait()
}

func TestCompileNewer(t *testing.T) {
	// Ensure that prefixItems holds each element to its own schema and items the others, also by reference, and that what draft 2020-12 does not say of them is not read into it.
	for _, row := range []struct {
		schema, doc string
		want        []string
	}{
		{`{"prefixItems":[{"type":"string"},{"type":"integer"}]}`, `["a","b"]`, []string{"/1 type"}},
		{`{"prefixItems":[{"type":"string"}]}`, `["a",1,null]`, nil},
		{`{"prefixItems":[{"type":"string"}]}`, `[]`, nil},
		{`{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, `[1,2,"c"]`, []string{"/0 type", "/2 type"}},
		{`{"prefixItems":[{"type":"string"}],"items":false}`, `["a",2]`, []string{" additionalItems"}},
		{`{"prefixItems":[{"type":"string"}],"additionalItems":false}`, `["a",2]`, nil},
		{`{"prefixItems":[{"type":"string"}],"contains":{"type":"null"}}`, `["a",null]`, nil},
		{`{"properties":{"a":{"prefixItems":[{"prefixItems":[true,{"type":"null"}]}]},"b":{"$ref":"#/properties/a/prefixItems/0/prefixItems/1"}}}`, `{"a":[[1,2]],"b":3}`, []string{"/a/0/1 type", "/b type"}},
		{`{"items":[{"type":"string"}],"additionalItems":false}`, `[1,2]`, []string{" additionalItems", "/0 type"}},
	} {
		s, err := schema.CompileNewer(json.RawMessage(row.schema))
		if err != nil {
			t.Errorf("%s: %v", row.schema, err)
			continue
		}
		var got []string
		for _, v := range s.Validate(json.RawMessage(row.doc)) {
			got = append(got, v.Path+" "+v.Keyword)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s with %s: %s", row.schema, row.doc, diff)
		}
	}
	for text, pointer := range map[string]string{
		`{"prefixItems":[]}`: "/prefixItems", `{"prefixItems":{}}`: "/prefixItems", `{"prefixItems":[{}],"items":[{}]}`: "/items",
		`{"prefixItems":[{"$anchor":"a"}]}`: "/prefixItems/0/$anchor", `{"definitions":{"a":{}},"$ref":"#/definitions/a","prefixItems":[{}]}`: "/prefixItems",
		`{"$schema":"http://json-schema.org/draft-07/schema#","prefixItems":[{}]}`: "/prefixItems", `{"prefixItems":[{"$ref":"#/prefixItems/0"}]}`: "/prefixItems/0",
	} {
		if _, err := schema.CompileNewer(json.RawMessage(text)); err == nil || fault.From(err).Evidence["pointer"] != pointer {
			t.Errorf("%s: %v, want it at %s", text, err, pointer)
		}
	}
}

func TestMustCompile(t *testing.T) {
	// Ensure that a schema of the program that does not compile is noticed at once.
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	schema.MustCompile(`{"prefixItems":[]}`)
}

var benchmarkSchema = `{"type":"object","additionalProperties":false,"required":["target"],"properties":{
	"target":{"type":"object","properties":{"selector":{"type":"string","minLength":1},"text":{"type":"string"},"index":{"type":"integer","minimum":0}}},
	"button":{"enum":["left","middle","right"]},"timeout_ms":{"type":"integer","minimum":1,"maximum":120000}}}`

func BenchmarkValidate(b *testing.B) {
	s := schema.MustCompile(benchmarkSchema)
	doc := json.RawMessage(`{"target":{"selector":"#buy","index":0},"button":"left","timeout_ms":2000}`)
	b.ReportAllocs()
	for b.Loop() {
		if got := s.Validate(doc); got != nil {
			b.Fatal(got)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		schema.MustCompile(benchmarkSchema)
	}
}
