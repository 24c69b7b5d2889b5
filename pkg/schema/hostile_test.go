package schema_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// refused schemas, with the place of the fault.
var refused = []struct{ text, pointer string }{
	// Not a schema.
	{``, ""}, {`{`, ""}, {`{} {}`, ""}, {`[]`, ""}, {`"x"`, ""}, {`null`, ""}, {`1`, ""},
	{`{"type":"object","type":"array"}`, "/type"},
	{strings.Repeat(`{"not":`, 101) + "{}" + strings.Repeat("}", 101), ""},
	{`{"description":"` + strings.Repeat("x", 1<<20) + `"}`, ""},
	{`{"allOf":[` + strings.Repeat("{},", 10_000) + `{}]}`, "/allOf/9999"},

	// Drafts.
	{`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, "/$schema"},
	{`{"$schema":"https://json-schema.org/draft/2019-09/schema"}`, "/$schema"},
	{`{"$schema":"http://json-schema.org/draft-03/schema#"}`, "/$schema"},
	{`{"$schema":"http://json-schema.org/schema#"}`, "/$schema"},
	{`{"$schema":"http://evil.example/draft-07/schema#"}`, "/$schema"},
	{`{"$schema":7}`, "/$schema"}, {`{"$schema":null}`, "/$schema"},
	{`{"properties":{"a":{"$schema":"http://json-schema.org/draft-07/schema#"}}}`, "/properties/a/$schema"},
	{`{"$schema":"http://json-schema.org/draft-04/schema#","const":1}`, "/const"},
	{`{"$schema":"http://json-schema.org/draft-04/schema#","contains":{}}`, "/contains"},
	{`{"$schema":"http://json-schema.org/draft-04/schema#","propertyNames":{}}`, "/propertyNames"},
	{`{"$schema":"http://json-schema.org/draft-04/schema#","not":true}`, "/not"},
	{`{"$schema":"http://json-schema.org/draft-04/schema#","exclusiveMinimum":1}`, "/exclusiveMinimum"},
	{`{"$schema":"http://json-schema.org/draft-04/schema#","exclusiveMinimum":true}`, "/exclusiveMinimum"},
	{`{"$schema":"http://json-schema.org/draft-06/schema#","if":{},"then":false}`, "/if"},
	{`{"$schema":"http://json-schema.org/draft-07/schema#","minimum":1,"exclusiveMinimum":true}`, "/exclusiveMinimum"},

	// Keywords that would be ignored.
	{`{"prefixItems":[{}]}`, "/prefixItems"},
	{`{"dependentRequired":{}}`, "/dependentRequired"},
	{`{"dependentSchemas":{}}`, "/dependentSchemas"},
	{`{"unevaluatedProperties":false}`, "/unevaluatedProperties"},
	{`{"unevaluatedItems":false}`, "/unevaluatedItems"},
	{`{"contains":{},"minContains":2}`, "/minContains"},
	{`{"contains":{},"maxContains":2}`, "/maxContains"},
	{`{"$anchor":"a"}`, "/$anchor"},
	{`{"$dynamicRef":"#a"}`, "/$dynamicRef"},
	{`{"$dynamicAnchor":"a"}`, "/$dynamicAnchor"},
	{`{"$recursiveRef":"#"}`, "/$recursiveRef"},
	{`{"extends":{}}`, "/extends"},
	{`{"divisibleBy":2}`, "/divisibleBy"},
	{`{"disallow":"null"}`, "/disallow"},
	{`{"properties":{"a":{"items":[{"unevaluatedItems":false}]}}}`, "/properties/a/items/0/unevaluatedItems"},
	{`{"definitions":{"unused":{"prefixItems":[]}}}`, "/definitions/unused/prefixItems"},
	{`{"maxlength":3}`, "/maxlength"},
	{`{"AdditionalProperties":false}`, "/AdditionalProperties"},
	{`{"$Ref":"#"}`, "/$Ref"},

	// References.
	{`{"$ref":"http://127.0.0.1:1/x"}`, "/$ref"},
	{`{"$ref":"other.json"}`, "/$ref"},
	{`{"$ref":"file:///etc/passwd"}`, "/$ref"},
	{`{"$ref":"//evil.example/x#"}`, "/$ref"},
	{`{"$ref":""}`, "/$ref"},
	{`{"$ref":1}`, "/$ref"},
	{`{"$ref":{}}`, "/$ref"},
	{`{"$ref":"#/definitions/missing"}`, "/$ref"},
	{`{"$ref":"#name","definitions":{"a":{"$id":"#name"}}}`, "/$ref"},
	{`{"$ref":"#/%zz"}`, "/$ref"},
	{`{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{}}}`, "/items/$ref"},
	{`{"items":{"$ref":"#/default"},"default":{"type":"null"}}`, "/items/$ref"},
	{`{"items":{"$ref":"#/enum/0"},"enum":[{}]}`, "/items/$ref"},
	{`{"items":{"$ref":"#/definitions"},"definitions":{}}`, "/items/$ref"},
	{`{"items":[{}],"not":{"$ref":"#/items/00"}}`, "/not/$ref"},
	{`{"items":{"$ref":"#/definitions/a","minLength":1},"definitions":{"a":{}}}`, "/items/minLength"},
	{`{"properties":{"a":{"$id":"http://x.example/","properties":{"b":{"$ref":"#"}}}}}`, "/properties/a/properties/b/$ref"},

	// Loops for one value.
	{`{"$ref":"#"}`, ""},
	{`{"allOf":[{"$ref":"#"}]}`, ""},
	{`{"not":{"anyOf":[{"if":{"$ref":"#"}}]}}`, ""},
	{`{"dependencies":{"a":{"$ref":"#"}}}`, ""},
	{`{"definitions":{"a":{"$ref":"#/definitions/b"},"b":{"oneOf":[{"$ref":"#/definitions/a"}]}}}`, "/definitions/a"},
	{`{"properties":{"x":{"else":{"$ref":"#/properties/x"}}}}`, "/properties/x"},

	// Regular expressions.
	{`{"pattern":"(?=a)"}`, "/pattern"}, {`{"pattern":"(?<!a)b"}`, "/pattern"}, {`{"pattern":"(a)\\1"}`, "/pattern"},
	{`{"pattern":"["}`, "/pattern"}, {`{"pattern":"a{1001}"}`, "/pattern"}, {`{"pattern":"(a{1000}){1000}"}`, "/pattern"},
	{`{"patternProperties":{"(?=a)":{}}}`, "/patternProperties/(?=a)"},

	// Shapes that the validator takes for no constraint, or falls over.
	{`{"enum":[]}`, "/enum"}, {`{"enum":1}`, "/enum"}, {`{"anyOf":[]}`, "/anyOf"}, {`{"oneOf":[]}`, "/oneOf"}, {`{"allOf":{}}`, "/allOf"},
	{`{"items":[],"additionalItems":false}`, "/items"}, {`{"items":1}`, "/items"}, {`{"contains":1}`, "/contains"}, {`{"contains":[{}]}`, "/contains"},
	{`{"definitions":true}`, "/definitions"}, {`{"definitions":{"a":1}}`, "/definitions/a"}, {`{"definitions":[]}`, "/definitions"},
	{`{"properties":[]}`, "/properties"}, {`{"properties":{"a":null}}`, "/properties/a"}, {`{"patternProperties":true}`, "/patternProperties"},
	{`{"dependencies":{"a":[1]}}`, "/dependencies/a/0"}, {`{"dependencies":{"a":"b"}}`, "/dependencies/a"},
	{`{"required":true}`, "/required"}, {`{"required":["a","a"]}`, "/required/1"}, {`{"required":[1]}`, "/required/0"},
	{`{"type":[]}`, "/type"}, {`{"type":"any"}`, "/type"}, {`{"type":["string","string"]}`, "/type"}, {`{"type":1}`, "/type"}, {`{"type":"Integer"}`, "/type"},
	{`{"minLength":-1}`, "/minLength"}, {`{"minLength":1.5}`, "/minLength"}, {`{"maxItems":1e3}`, "/maxItems"}, {`{"maxItems":99999999999999999999}`, "/maxItems"}, {`{"maxItems":"1"}`, "/maxItems"},
	{`{"multipleOf":0}`, "/multipleOf"}, {`{"multipleOf":-1}`, "/multipleOf"}, {`{"minimum":"1"}`, "/minimum"}, {`{"exclusiveMaximum":"1"}`, "/exclusiveMaximum"},
	{`{"uniqueItems":"yes"}`, "/uniqueItems"}, {`{"format":1}`, "/format"}, {`{"pattern":1}`, "/pattern"}, {`{"additionalProperties":1}`, "/additionalProperties"}, {`{"not":"x"}`, "/not"},
	{`{"minLength":3,"maxLength":2}`, ""},

	// Numbers that cannot be handled or compared.
	{`{"minimum":1e1000000000}`, "/minimum"}, {`{"maximum":1e-1000000}`, "/maximum"}, {`{"multipleOf":1e999999}`, "/multipleOf"},
	{`{"enum":[1e400]}`, "/enum/0"}, {`{"const":[{"a":9007199254740993}]}`, "/const/0/a"}, {`{"minimum":` + strings.Repeat("9", 401) + `}`, "/minimum"},
}

func TestCompileRefuses(t *testing.T) {
	// Ensure that no schema compiles of which a part would be ignored, fetched or
	// never end, and that the error says where.
	for _, test := range refused {
		_, err := schema.Compile(json.RawMessage(test.text))
		e := fault.From(err)
		if e == nil || e.Code != fault.InvalidArguments || e.Evidence["pointer"] != test.pointer {
			t.Errorf("%.100s: got %v", test.text, e)
			if e != nil {
				t.Errorf("  at %q, want %q", e.Evidence["pointer"], test.pointer)
			}
		}
	}
}

func TestNothingIsLoaded(t *testing.T) {
	// Ensure that no schema makes the host fetch an address or read a file: a
	// server sees no connection, and a file that would be a valid schema does not
	// make one compile.
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"definitions":{"a":{}}}`))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{"definitions":{"a":{}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{server.URL + "/s.json", "file://" + filepath.ToSlash(file)} {
		for _, form := range []string{
			`{"$ref":"%s"}`, `{"$ref":"%s#/definitions/a"}`, `{"items":{"$ref":"%s"}}`,
			`{"$schema":"%s"}`, `{"$id":"%s","$ref":"other.json"}`,
			`{"properties":{"x":{"id":"%s","items":{"$ref":"#/definitions/a"}}}}`,
			`{"properties":{"x":{"$id":"%s#f","items":{"$ref":"#/definitions/a"}}},"definitions":{"a":{}}}`,
		} {
			if _, err := schema.Compile(json.RawMessage(fmt.Sprintf(form, address))); err == nil {
				t.Errorf("%s with %s compiled", form, address)
			}
		}
		// These compile, and mean only what stands in them.
		for _, form := range []string{
			`{"$id":"%s#f","$ref":"#/definitions/a","definitions":{"a":{"type":"null"}}}`,
			`{"id":"%s","$ref":"#/definitions/a","definitions":{"a":{"type":"null"}}}`,
			`{"default":{"$ref":"%s"},"examples":[{"$ref":"%[1]s"}],"type":"null"}`,
			`{"enum":[{"$ref":"%s"},null],"x-other":{"$ref":"%[1]s"}}`,
		} {
			s, err := schema.Compile(json.RawMessage(fmt.Sprintf(form, address)))
			if err != nil {
				t.Errorf("%s with %s: %v", form, address, err)
				continue
			}
			if s.Validate(json.RawMessage(`null`)) != nil || s.Validate(json.RawMessage(`1`)) == nil {
				t.Errorf("%s with %s means something else", form, address)
			}
		}
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections to the server", n)
	}
}

func TestWorkIsBounded(t *testing.T) {
	// Ensure that schemas whose work doubles at each level end with a violation,
	// and that ordinary recursive schemas still work on large documents.
	var doubling strings.Builder
	doubling.WriteString(`{"$ref":"#/definitions/d0","definitions":{`)
	for i := range 60 {
		fmt.Fprintf(&doubling, `"d%d":{"allOf":[{"$ref":"#/definitions/d%d"},{"$ref":"#/definitions/d%[2]d"}]},`, i, i+1)
	}
	doubling.WriteString(`"d60":{}}}`)
	chain := func(levels int) string { return strings.Repeat(`{"c":`, levels) + "1" + strings.Repeat("}", levels) }
	tests := []struct {
		name, schema, doc string
		valid             bool
	}{
		{"doubling by references", doubling.String(), `1`, false},
		{"doubling with the document", `{"anyOf":[{"properties":{"c":{"$ref":"#"}}},{"properties":{"c":{"$ref":"#"}}}]}`, chain(100), false},
		{"doubling, but a small document", `{"anyOf":[{"properties":{"c":{"$ref":"#"}}},{"properties":{"c":{"$ref":"#"}}}]}`, chain(5), true},
		{"any JSON", `{"anyOf":[{"type":["string","number"]},{"items":{"$ref":"#"}},{"additionalProperties":{"$ref":"#"}}]}`, "[" + strings.Repeat(`{"a":[1,"b"]},`, 2000) + "1]", true},
		{"a long list of nodes", `{"properties":{"c":{"$ref":"#"}}}`, chain(1000), true},
	}
	for _, test := range tests {
		s, err := schema.Compile(json.RawMessage(test.schema))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := s.Validate(json.RawMessage(test.doc)); (got == nil) != test.valid {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

func TestSearchesAreBounded(t *testing.T) {
	// Ensure that no schema of a page makes searching a short text take minutes, by patterns, names of members or formats, that the keyword is named, and that
	// what authors write checks documents as large as they are.
	slow := strings.Repeat("(?:.?){1000}", 16) + `\\x00`
	list := func(n int, element string) string { return "[" + strings.Repeat(element+",", n) + element + "]" }
	members := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `,"a name of a member %06d":1`, i)
		}
		return "{" + s.String()[1:] + "}"
	}
	for _, test := range []struct {
		name, schema, doc string
		keyword           string // that takes too long
	}{
		{"one pattern by many references", `{"definitions":{"p":{"pattern":"` + slow + `"}},"not":{"allOf":` + list(3500, `{"$ref":"#/definitions/p"}`) + `}}`, `"xxxxxxxxxxxxxxxxxxxx"`, "pattern"},
		{"one pattern and a long text", `{"not":{"pattern":"` + slow + `"}}`, `"` + strings.Repeat("x", 25_000) + `"`, "pattern"},
		{"patterns that are compiled for each member", `{"patternProperties":{"[\\pL ]{1,255}":{}}}`, members(500), "patternProperties"},
		{"names", `{"propertyNames":{"not":{"pattern":"` + slow + `"}}}`, members(1000), "pattern"},
		{"texts that are regular expressions", `{"items":{"format":"regex"}}`, list(200, `"\\pL{1000}"`), "format"},
		{"addresses", `{"items":{"pattern":"^https?://","format":"uri"}}`, list(20_000, `"https://shop.example/products/1"`), ""},
		{"texts", `{"items":{"pattern":"^[^\\x00]{0,1000}$"}}`, list(300, `"`+strings.Repeat("x", 1000)+`"`), ""},
		{"names of people", `{"items":{"pattern":"^[\\p{L}\\p{M} '-]{1,255}$"}}`, list(20_000, `"Zoë O'Hara-Smith"`), ""},
		{"a long list", `{"items":{"allOf":[{},{},{"pattern":"x"}]}}`, list(300_000, `"x"`), ""},
		{"own members", `{"patternProperties":{"^a [a-z ]+[0-9]+$":{"type":"number"}},"additionalProperties":false}`, members(10_000), ""},
	} {
		s, err := schema.Compile(json.RawMessage(test.schema))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := s.Validate(json.RawMessage(test.doc))
		if (got == nil) != (test.keyword == "") || got != nil && got[0].Keyword != test.keyword {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

func TestPatternsAreBounded(t *testing.T) {
	// Ensure that no schema compiles to gigabytes by its patterns: one that is too large, or too large together with those before, is refused at its place without being compiled, and what authors write is not.
	letters := "(?:" + strings.Repeat("a", 3300) + "){1000}"
	properties := func(n int, pattern string) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `,"p%02d":{"pattern":%q}`, i, pattern)
		}
		return `{"properties":{` + s.String()[1:] + `}}`
	}
	for _, test := range []struct{ name, schema, pointer string }{
		{"one that is large", properties(29, letters), "/properties/p00/pattern"},
		{"many that are small", properties(30, "a{1000}"), "/properties/p25/pattern"},
		{"names of members", `{"patternProperties":{"` + letters + `":{}}}`, "/patternProperties/(?:aaa"},
		{"classes of letters", properties(9, strings.Repeat(`\pL`, 100)), "/properties/p0"},
		{"ordinary names", properties(20, `^[\p{L}\p{M} '-]{1,255}$`), ""},
		{"ordinary texts", properties(20, `^[^\x00]{0,1000}$`), ""},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := schema.Compile(json.RawMessage(test.schema))
		runtime.ReadMemStats(&after)
		if test.pointer == "" {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		e := fault.From(err)
		if e == nil {
			t.Errorf("%s: it compiled", test.name)
		} else if at, _ := e.Evidence["pointer"].(string); e.Code != fault.InvalidArguments || !strings.HasPrefix(at, test.pointer) || !strings.Contains(e.Message, "too large") {
			t.Errorf("%s: got %v at %.100s", test.name, e, at)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
			t.Errorf("%s: it took %d MB", test.name, took>>20)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, test := range refused {
		if len(test.text) < 1000 {
			f.Add([]byte(test.text), []byte(`{"a":[1,null,"x"]}`))
		}
	}
	f.Add([]byte(benchmarkSchema), []byte(`{"target":{}}`))
	f.Add([]byte(`{"enum":[1],"items":{"$ref":"#"}}`), []byte(`[1e999]`))
	// Ensure that neither schema nor document makes the validator fail, and that
	// every refusal is an invalid_arguments with a place.
	f.Fuzz(func(t *testing.T, text, doc []byte) {
		s, err := schema.Compile(text)
		if err != nil {
			e := fault.From(err)
			if _, located := e.Evidence["pointer"]; e.Code != fault.InvalidArguments || !located || strings.Contains(e.Message, "the validator failed") {
				t.Fatalf("%q: got %v with %v", text, e, e.Evidence)
			}
			return
		}
		for _, v := range s.Validate(doc) {
			if strings.Contains(v.Message, "could not be checked") {
				t.Fatalf("%q on %q: %v", text, doc, v)
			}
		}
	})
}
