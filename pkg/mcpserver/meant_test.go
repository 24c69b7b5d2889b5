package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMeant(t *testing.T) {
	// Ensure that arguments are taken as models write them where they mean one thing only, and left as they are, for the host to judge, where they do not.
	const report = `{"kind":"generic"}`
	s := newServer(t)
	for _, row := range []struct{ tool, given, name, want string }{
		{"locator.click", `{"locator":"{\"ref\":\"a1\"}","timeout_ms":"500"}`, "locator.click", `{"locator":{"ref":"a1"},"timeout_ms":500}`},
		{"locator.click", `{"locator":" {\"ref\":\"a1\"} ","policy_exception_report":"{\"kind\":\"generic\"}"}`, "locator.click", `{"locator":{"ref":"a1"},"policy_exception_report":` + report + `}`},
		{"locator.set_checked", `{"locator":{"text":"Gift"},"checked":"true","detail":"true"}`, "locator.set_checked", `{"locator":{"text":"Gift"},"checked":true,"detail":true}`},
		{"locator.click", `{"locator":{"text":"Go"},"timeout_ms":null}`, "locator.click", `{"locator":{"text":"Go"}}`},
		{"actions.site", `{"mode":"list","action":null,"arguments":null,"offset":"2"}`, "actions.site", `{"mode":"list","offset":2}`},
		// What is no such text, or stands where a text is taken, stays.
		{"locator.click", `{"locator":"h1","timeout_ms":"soon"}`, "locator.click", `{"locator":"h1","timeout_ms":"soon"}`},
		{"locator.click", `{"locator":"[1]","timeout_ms":"{}"}`, "locator.click", `{"locator":"[1]","timeout_ms":"{}"}`},
		{"locator.click", `{"locator":"{\"ref\":1,\"ref\":2}"}`, "locator.click", `{"locator":"{\"ref\":1,\"ref\":2}"}`},
		{"locator.fill", `{"locator":{"label":"Age"},"text":"42"}`, "locator.fill", `{"locator":{"label":"Age"},"text":"42"}`},
		{"task.complete", `{"result":null}`, "task.complete", `{"result":null}`},
		{"no.such.tool", `{"locator":"{}"}`, "no.such.tool", `{"locator":"{}"}`},
		// primitives.call: the same inside, as one text, and what stands beside.
		{callTool, `{"name":"locator_hover","arguments":"{\"locator\":\"{\\\"ref\\\":\\\"a1\\\"}\"}"}`, "locator.hover", `{"locator":{"ref":"a1"}}`},
		{callTool, `{"name":"locator.hover","arguments":{"timeout_ms":1},"policy_exception_report":` + report + `}`, "locator.hover", `{"timeout_ms":1,"policy_exception_report":` + report + `}`},
		{callTool, `{"name":"locator.hover","timeout_ms":1,"policy_exception_report":` + report + `}`, "locator.hover", `{"timeout_ms":1,"policy_exception_report":` + report + `}`},
		{callTool, `{"name":"page.info","arguments":{"policy_exception_report":{}},"policy_exception_report":` + report + `}`, "page.info", `{"policy_exception_report":{}}`},
		{directTool, `{"allowed":"false"}`, directTool, `{"allowed":false}`},
		{listTool, `{"query":"7","offset":"30"}`, listTool, `{"query":"7","offset":30}`},
	} {
		name, args, err := s.unwrap(row.tool, json.RawMessage(row.given))
		if err != nil || name != row.name {
			t.Errorf("%s %s gives %s, %v", row.tool, row.given, name, err)
			continue
		}
		var got, want any
		if raw, err := written(args); err != nil || json.Unmarshal(raw, &got) != nil || json.Unmarshal([]byte(row.want), &want) != nil {
			t.Fatalf("%s: %v", row.given, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", row.tool, row.given, diff)
		}
	}
}

func TestKinds(t *testing.T) {
	// Ensure that the types of every primitive's arguments can be read.
	s := newServer(t)
	for _, name := range s.catalogue.Names() {
		r, public := s.catalogue.Public(name)
		if !public {
			continue
		}
		var declared struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(r.InputSchema, &declared); err != nil {
			t.Fatal(err)
		}
		types := kindsOf(r)
		if _, ok := declared.Properties["locator"]; ok && types["locator"] != "object" {
			t.Errorf("%s: the locator has the type %q", name, types["locator"])
		}
		if _, ok := declared.Properties["timeout_ms"]; ok && types["timeout_ms"] != "integer" {
			t.Errorf("%s: timeout_ms has the type %q", name, types["timeout_ms"])
		}
	}
}

func TestGoingOn(t *testing.T) {
	// Ensure that the next page of a snapshot is called with the report of the first, that the parts of a long output need none, and that nothing else of an output is touched.
	const report = `{"kind":"generic","reason":"a < b"}`
	s := newServer(t)
	for _, row := range []struct{ output, report, want string }{
		{`{"snapshot":"\"next\":{}","next":{"name":"page.snapshot","arguments":{"cursor":"1:2"}},"x":1}`, report,
			`{"snapshot":"\"next\":{}","next":{"name":"page.snapshot","arguments":{"cursor":"1:2","policy_exception_report":` + report + `}},"x":1}`},
		{`{"next":{"name":"page.snapshot","arguments":{"cursor":"1:2"}}}`, ``, ``},
		{`{"next":{"name":"locator.text_content","arguments":{"output_of":"c","output_offset":3}}}`, report, ``},
		{`{"next":{"name":"actions.site","arguments":{"mode":"list","offset":3}}}`, report, ``},
		{`{"next":{"name":"buy.now","arguments":{}}}`, report, ``},
		{`{"next":"tomorrow"}`, report, ``},
		{`7`, report, ``},
	} {
		var given json.RawMessage
		if row.report != "" {
			given = json.RawMessage(row.report)
		}
		want := row.want
		if want == "" {
			want = row.output
		}
		if got := string(s.goingOn(json.RawMessage(row.output), given)); got != want {
			t.Errorf("%s gives\n%s, want\n%s", row.output, got, want)
		}
	}
}
