package registry

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
		{`{"invocationId":"i","status":"Completed","output":"` + strings.Repeat("é", maxOutput-2) + `"}`, `"` + strings.Repeat("é", maxOutput-2) + `"`, ""},
		{`{"invocationId":"i","status":"Completed","output":[1,"` + strings.Repeat("é", maxOutput) + `"]}`, `"[1,\"` + strings.Repeat("é", maxOutput-5) + `…"`, ""},
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

func TestStackTraces(t *testing.T) {
	// Ensure that where a tool was registered keeps lines, columns and what led there by timers and promises, all of it bounded, and that a tool without a stack has none.
	frames := func(n int) string {
		return strings.TrimSuffix(strings.Repeat(`{"functionName":"f","url":"https://a.example/a.js","lineNumber":1,"columnNumber":2},`, n), ",")
	}
	deep := ``
	for range maxParents + 3 {
		deep = `,"parent":{"callFrames":[` + frames(maxStack+2) + `]` + deep + `}`
	}
	event, err := Decode("WebMCP.toolsAdded", json.RawMessage(`{"tools":[
		{"name":"one","frameId":"f","stackTrace":{"callFrames":[{"functionName":"reg","scriptId":"4","url":"https://a.example/a.js","lineNumber":13,"columnNumber":75}],
			"parent":{"description":"setTimeout","callFrames":[{"functionName":"","url":"https://a.example/b.js","lineNumber":0,"columnNumber":0},{"functionName":"go","url":"https://a.example/b.js","lineNumber":8,"columnNumber":4}],
			"parent":{"description":"await","callFrames":[],"parent":{"callFrames":[{"functionName":"main","url":"","lineNumber":2,"columnNumber":3}]}}}}},
		{"name":"deep","frameId":"f","stackTrace":{"callFrames":[`+frames(maxStack+2)+`]`+deep+`}},
		{"name":"none","frameId":"f"}]}`))
	e, ok := event.(ToolsAdded)
	if err != nil || !ok {
		t.Fatalf("%v, %v", event, err)
	}
	want := []Place{
		{Function: "reg", URL: "https://a.example/a.js", Line: 14, Column: 76},
		{URL: "https://a.example/b.js", Line: 1, Column: 1, Async: "setTimeout"},
		{Function: "go", URL: "https://a.example/b.js", Line: 9, Column: 5},
		{Function: "main", Line: 3, Column: 4, Async: "async"},
	}
	if !slices.Equal(e.Tools[0].Stack, want) {
		t.Errorf("the stack is %+v", e.Tools[0].Stack)
	}
	if n := len(e.Tools[1].Stack); n != maxStack*(maxParents+1) || e.Tools[2].Stack != nil {
		t.Errorf("%d places, and of none %v", n, e.Tools[2].Stack)
	}
}

func TestInputs(t *testing.T) {
	// Ensure that what a tool is invoked with is kept as the JSON that it is, as a text where it is none, and only by its length where it is too large.
	large := `{"x":"` + strings.Repeat("x", maxInput) + `"}`
	for input, want := range map[string]string{`{"a":2}`: `{"a":2}`, ``: ``, `a <b>`: `"a \u003cb\u003e"`, large: ``} {
		params, err := json.Marshal(map[string]string{"toolName": "add", "frameId": "f", "invocationId": "i", "input": input})
		if err != nil {
			t.Fatal(err)
		}
		event, err := Decode("WebMCP.toolInvoked", params)
		e, ok := event.(ToolInvoked)
		if err != nil || !ok || string(e.Input.Value) != want || e.Input.Bytes != len(input) {
			t.Errorf("%.40s gave %.100v, %v", input, event, err)
		}
	}
}

func TestHostileDeclarations(t *testing.T) {
	// Ensure that what a page declares is cut to bounds, and that what cannot be read is an error and no tool.
	long := strings.Repeat("é", 2*maxDescription)
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
		{`{"properties":{"a":{"prefixItems":[{"type":"string"}]}}}`, `{"a":[1]}`, []string{}, false},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"prefixItems":[{"type":"string"},{"$dynamicRef":"#x"}],"items":false}}}`, `{"a":["b",1]}`, []string{"/$schema", "/properties/a/prefixItems/1/$dynamicRef"}, true},
		{`{"properties":{"a":{"prefixItems":[{}],"items":{"$anchor":"x","type":"string"}}}}`, `{"a":[1,2]}`, []string{"/properties/a/items/$anchor"}, false},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}}}`, `{"a":[1]}`, []string{"/properties/a/prefixItems"}, true},
		{`{"properties":{"a":{"$ref":"https://x.example/s.json"}}}`, `{"a":1}`, []string{"/properties/a/$ref"}, true},
		{`{"properties":{"a/b":{"pattern":"(?<x>["}}}`, `{"a/b":"c"}`, []string{"/properties/a~1b/pattern"}, true},
		{`{"properties":{"a":{"pattern":"(?:` + strings.Repeat("x", 3300) + `){1000}"},"b":{"type":"integer"}}}`, `{"a":"c","b":"x"}`, []string{"/properties/a/pattern"}, false},
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
			r.HandleEvent(session, event)
			tools, _ := r.Tools()
			for _, tool := range tools {
				if utf8.RuneCountInString(tool.Description) > maxDescription || len(tool.InputSchema) > maxSchemaBytes {
					t.Errorf("%d characters, %d bytes", utf8.RuneCountInString(tool.Description), len(tool.InputSchema))
				}
				tool.Check(json.RawMessage(`{"a":1}`))
				if run := r.Begin(tool.ID, "cli"); run != nil {
					run.SetID("i")
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
	f.Add(`{"origin":"https://a.example","tools":[{"name":"a","title":"A","description":"d","inputSchema":{"type":"object"},"hints":{"readOnlyHint":true},"form":true}]}`)
	f.Add(`{"frameTree":{"frame":{"id":"a","url":"about:srcdoc"},"childFrames":[{"frame":{"id":"b","parentId":"a"}}]}}`)
	f.Add(`{"frameTree":{"childFrames":[{"childFrames":[{}]}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		r := New()
		if frames, err := DecodeTree(json.RawMessage(text)); err == nil {
			r.SetFrames("", frames)
		}
		read, err := DecodeRead("a", text)
		if err != nil {
			return
		}
		for _, frame := range r.UnreadFrames(true) {
			r.SetRead(frame, &read)
		}
		for _, tool := range read.Tools {
			if utf8.RuneCountInString(tool.Description) > maxDescription || len(tool.InputSchema) > maxSchemaBytes {
				t.Errorf("%d characters, %d bytes", utf8.RuneCountInString(tool.Description), len(tool.InputSchema))
			}
		}
	})
}
