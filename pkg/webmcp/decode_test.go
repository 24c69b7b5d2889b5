package webmcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestResponses(t *testing.T) {
	// Ensure that each way in which a tool ends is read: values, undefined, what was thrown, and the text that browsers leave unparsed.
	for _, row := range []struct{ params, output, exception string }{
		{`{"invocationId":"i","status":"Completed","output":{"a":null}}`, `{"a":null}`, ""},
		{`{"invocationId":"i","status":"Completed","output":"undefined"}`, `"undefined"`, ""},
		{`{"invocationId":"i","status":"Completed"}`, ``, ""},
		{`{"invocationId":"i","status":"Completed","output":"{\"x\":\"ü\"}"}`, `{"x":"ü"}`, ""},
		{`{"invocationId":"i","status":"Completed","output":"\"ü\""}`, `"ü"`, ""},
		{`{"invocationId":"i","status":"Completed","output":"über"}`, `"über"`, ""},
		{`{"invocationId":"i","status":"Completed","output":"{\"x\":\"日本\"}"}`, `"{\"x\":\"日本\"}"`, ""},
		{`{"invocationId":"i","status":"Completed","output":"{\"x\":1}"}`, `"{\"x\":1}"`, ""},
		{`{"invocationId":"i","status":"Error","exception":{"type":"object","className":"TypeError","description":"TypeError: boom!\n at x"}}`, ``, "TypeError: boom!\n at x"},
		{`{"invocationId":"i","status":"Error","exception":{"type":"string","value":"nope"}}`, ``, "nope"},
		{`{"invocationId":"i","status":"Error","exception":{"type":"number","value":7}}`, ``, "7"},
		{`{"invocationId":"i","status":"Error","exception":{"type":"number","unserializableValue":"NaN"}}`, ``, "NaN"},
	} {
		event, err := Decode("WebMCP.toolResponded", json.RawMessage(row.params))
		e, ok := event.(ToolResponded)
		if err != nil || !ok || string(e.Response.Output) != row.output || e.Response.Exception != row.exception {
			t.Errorf("%s gave %+v, %v", row.params, event, err)
		}
	}
}

func TestHostileDeclarations(t *testing.T) {
	// Ensure that what a page declares is cut to bounds, and that what cannot be read is an error and no tool.
	long := strings.Repeat("é", 10_000)
	huge := `{"type":"object","x":"` + strings.Repeat("x", maxSchemaBytes) + `"}`
	event, err := Decode("WebMCP.toolsAdded", json.RawMessage(`{"tools":[{"name":"n","frameId":"f","description":"`+long+`","inputSchema":`+huge+`},{"name":"m","frameId":"f","inputSchema":"text"}]}`))
	e, ok := event.(ToolsAdded)
	if err != nil || !ok || utf8.RuneCountInString(e.Tools[0].Description) != maxDescription || !e.Tools[0].SchemaLeftOut || e.Tools[0].InputSchema != nil || e.Tools[1].InputSchema != nil {
		t.Errorf("read as %.300v, %v", event, err)
	}
	for _, bad := range []string{``, `[]`, `{"tools":{}}`, `{"tools":[{"name":7}]}`, `{"tools":`} {
		if event, err := Decode("WebMCP.toolsAdded", json.RawMessage(bad)); err == nil {
			t.Errorf("%s was read as %v", bad, event)
		}
	}
	if event, err := Decode("Network.requestWillBeSent", json.RawMessage(`nonsense`)); event != nil || err != nil {
		t.Errorf("an event of no interest is %v, %v", event, err)
	}
}

func TestCheck(t *testing.T) {
	// Ensure that arguments are held against what is understood of a schema, and that the rest is named.
	for _, row := range []struct {
		schema, args string
		unchecked    []string
		valid        bool
	}{
		{``, `{"a":1}`, []string{}, true},
		{`{"type":"object","required":["a"]}`, `{}`, []string{}, false},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":"x"}`, []string{"/$schema"}, false},
		{`{"properties":{"a":{"prefixItems":[{"type":"string"}],"minItems":2}}}`, `{"a":[1]}`, []string{"/properties/a/prefixItems"}, false},
		{`{"properties":{"a":{"$ref":"https://x.example/s.json"}}}`, `{"a":1}`, []string{"/properties/a/$ref"}, true},
		{`{"properties":{"a/b":{"pattern":"(?<x>["}}}`, `{"a/b":"c"}`, []string{"/properties/a~1b/pattern"}, true},
		{`{"anyOf":[{"type":"nonsense"},{"type":"object"}]}`, `{}`, []string{"/anyOf/0/type"}, true},
	} {
		violations, unchecked := Tool{Declared: Declared{InputSchema: json.RawMessage(row.schema)}}.withoutEmpty().Check(json.RawMessage(row.args))
		if (len(violations) == 0) != row.valid || !slices.Equal(unchecked, row.unchecked) {
			t.Errorf("%s with %s: %v, unchecked %q", row.schema, row.args, violations, unchecked)
		}
	}
	if _, unchecked := (Tool{Declared: Declared{SchemaLeftOut: true}}).Check(json.RawMessage(`{}`)); !slices.Equal(unchecked, []string{""}) {
		t.Errorf("of a schema that was left out %q is unchecked", unchecked)
	}
}

// withoutEmpty takes an empty schema for none.
func (t Tool) withoutEmpty() Tool {
	if len(t.InputSchema) == 0 {
		t.InputSchema = nil
	}
	return t
}

// Ensure that no event, however it is built, makes the decoder or the registry
// panic, and that what was heard is listed within bounds.
func FuzzEvents(f *testing.F) {
	for method := range decoders {
		f.Add(method, `{"tools":[{"name":"a","frameId":"f"}],"frameId":"f","frame":{"id":"f","loaderId":"l","parentId":"f"},"invocationId":"i","sessionId":"s","targetInfo":{"type":"iframe","targetId":"f"},"status":"Completed"}`)
		f.Add(method, `{"tools":[{"name":"","frameId":"","inputSchema":{"$ref":"#"}}],"frame":{},"exception":{"value":{}},"reason":"swap","type":"BackForwardCacheRestore"}`)
	}
	f.Fuzz(func(t *testing.T, method, params string) {
		event, err := Decode(method, json.RawMessage(params))
		if err != nil {
			return
		}
		r := New()
		for _, session := range []string{"", "s", ""} {
			r.Hear(session, event)
			tools, _ := r.Tools()
			for _, tool := range tools {
				if utf8.RuneCountInString(tool.Description) > maxDescription || len(tool.InputSchema) > maxSchemaBytes {
					t.Errorf("%d characters, %d bytes", utf8.RuneCountInString(tool.Description), len(tool.InputSchema))
				}
				tool.Check(json.RawMessage(`{"a":1}`))
				if run := r.Begin(tool.ID, "cli"); run != nil {
					run.Sent("i")
				}
			}
		}
		r.Invocations()
		r.Reset()
		if tools, _ := r.Tools(); len(tools) != 0 {
			t.Errorf("%d tools are left", len(tools))
		}
	})
}

// Ensure that neither a frame tree nor what was read in a frame makes its decoder
// panic, and that what comes of it is within bounds.
func FuzzReads(f *testing.F) {
	f.Add(`[{"name":"a","description":"d","inputSchema":{"type":"object"},"hints":{"readOnlyHint":true},"form":true}]`)
	f.Add(`{"frameTree":{"frame":{"id":"a","url":"about:srcdoc"},"childFrames":[{"frame":{"id":"b","parentId":"a"}}]}}`)
	f.Add(`{"frameTree":{"childFrames":[{"childFrames":[{}]}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		r := New()
		if frames, err := DecodeTree(json.RawMessage(text)); err == nil {
			r.Asked("", frames)
		}
		tools, err := DecodeRead("a", text)
		if err != nil {
			return
		}
		for _, frame := range r.Unread() {
			r.Read(frame, tools)
		}
		for _, tool := range tools {
			if utf8.RuneCountInString(tool.Description) > maxDescription || len(tool.InputSchema) > maxSchemaBytes {
				t.Errorf("%d characters, %d bytes", utf8.RuneCountInString(tool.Description), len(tool.InputSchema))
			}
		}
	})
}
