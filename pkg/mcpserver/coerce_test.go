package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
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
		// Any other string, or one where a string is taken, stays.
		{"locator.click", `{"locator":"h1","timeout_ms":"soon"}`, "locator.click", `{"locator":"h1","timeout_ms":"soon"}`},
		{"locator.click", `{"locator":"[1]","timeout_ms":"{}"}`, "locator.click", `{"locator":"[1]","timeout_ms":"{}"}`},
		{"locator.click", `{"locator":"{\"ref\":1,\"ref\":2}"}`, "locator.click", `{"locator":"{\"ref\":1,\"ref\":2}"}`},
		{"locator.fill", `{"locator":{"label":"Age"},"text":"42"}`, "locator.fill", `{"locator":{"label":"Age"},"text":"42"}`},
		{"task.complete", `{"result":null}`, "task.complete", `{"result":null}`},
		{"no.such.tool", `{"locator":"{}"}`, "no.such.tool", `{"locator":"{}"}`},
		// primitives.call: the same inside, as one string, and next to the arguments.
		{callTool, `{"name":"locator_hover","arguments":"{\"locator\":\"{\\\"ref\\\":\\\"a1\\\"}\"}"}`, "locator.hover", `{"locator":{"ref":"a1"}}`},
		{callTool, `{"name":"locator.hover","arguments":{"timeout_ms":1},"policy_exception_report":` + report + `}`, "locator.hover", `{"timeout_ms":1,"policy_exception_report":` + report + `}`},
		{callTool, `{"name":"locator.hover","timeout_ms":1,"policy_exception_report":` + report + `}`, "locator.hover", `{"timeout_ms":1,"policy_exception_report":` + report + `}`},
		{callTool, `{"name":"page.info","arguments":{"policy_exception_report":{}},"policy_exception_report":` + report + `}`, "page.info", `{"policy_exception_report":{}}`},
		{callTool, `{"name":"page.info","arguments":{},"target_url_contains":"tea","speed":1}`, "page.info", `{"target_url_contains":"tea","speed":1}`},
		{directTool, `{"allowed":"false"}`, directTool, `{"allowed":false}`},
		{listTool, `{"query":"7","offset":"30"}`, listTool, `{"query":"7","offset":30}`},
	} {
		name, args, err := s.unwrap(row.tool, json.RawMessage(row.given))
		if err != nil || name != row.name {
			t.Errorf("%s %s gives %s, %v", row.tool, row.given, name, err)
			continue
		}
		var got, want any
		if raw, err := primitive.Output(args); err != nil || json.Unmarshal(raw, &got) != nil || json.Unmarshal([]byte(row.want), &want) != nil {
			t.Fatalf("%s: %v", row.given, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", row.tool, row.given, diff)
		}
	}
}

func TestBatchAsModelsWriteIt(t *testing.T) {
	// Ensure that the calls of a batch are taken like those of primitives.call: by the tools' names, as text, with arguments beside, and that what has no meaning is left to the host.
	s := newServer(t)
	_, args, err := s.unwrap("primitives.batch", json.RawMessage(`{"calls":"[{\"name\":\"locator_fill\",\"arguments\":\"{\\\"text\\\":\\\"a\\\"}\"},{\"name\":\"page.info\",\"policy_exception_report\":{\"intended_tool\":\"page_info\"}},{\"arguments\":{}},7]"}`))
	if err != nil {
		t.Fatal(err)
	}
	s.normalizeBatch(args)
	const want = `[{"name":"locator.fill","arguments":{"text":"a"}},{"name":"page.info","arguments":{"policy_exception_report":{"intended_tool":"page.info"}}},{"arguments":{}},7]`
	var got, wanted any
	if json.Unmarshal(args[callsMember], &got) != nil || json.Unmarshal([]byte(want), &wanted) != nil {
		t.Fatalf("%s", args[callsMember])
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
	if names := calledNames("primitives.batch", args); len(names) != 1 && names[0] != "locator.fill" {
		t.Errorf("it calls %v", names)
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
		types := argTypesOf(r)
		if _, ok := declared.Properties["locator"]; ok && types["locator"] != "object" {
			t.Errorf("%s: the locator has the type %q", name, types["locator"])
		}
		if _, ok := declared.Properties["timeout_ms"]; ok && types["timeout_ms"] != "integer" {
			t.Errorf("%s: timeout_ms has the type %q", name, types["timeout_ms"])
		}
	}
}

func TestNameReport(t *testing.T) {
	// Ensure that a report names the tool as the client knows it, and that another name is left for the host to refuse.
	s := newServer(t)
	for given, want := range map[string]string{
		"locator.click": "locator.click", "locator_click": "locator.click", "mcp__actions-host__locator_click": "locator.click",
		"mcp__my__shop__locator_click": "locator.click", "mcp__actions-host__locator_fill": "mcp__actions-host__locator_fill",
		"other__locator_click": "other__locator_click", "locator_fill": "locator_fill", "": "",
	} {
		args := members{reportMember: json.RawMessage(`{"intended_tool":"` + given + `"}`)}
		s.normalizeReport("locator.click", args)
		if got := string(args[reportMember]); got != `{"intended_tool":"`+want+`"}` {
			t.Errorf("%q becomes %s, want %q", given, got, want)
		}
	}
}

func TestLocalArguments(t *testing.T) {
	// Ensure that the tools of this process refuse arguments that they do not have, by name, and take what every tool takes.
	s := newServer(t)
	for _, row := range []struct{ tool, given, complaint string }{
		{listTool, `{"word":"dialog"}`, `"/word"`},
		{listTool, `{"query":{}}`, `"/query"`},
		{listTool, `{"offset":-1}`, "offset"},
		{listTool, `{"query":"dialog","policy_exception_report":{},"target_url_contains":"tea"}`, ""},
		{directTool, `{}`, "allowed"},
		{directTool, `{"allowed":true,"for":"all"}`, `"/for"`},
		{directTool, `{"allowed":true}`, ""},
		{tabsTool, `{"tab":1}`, `"/tab"`},
	} {
		name, args, err := s.unwrap(row.tool, json.RawMessage(row.given))
		if err != nil {
			t.Fatal(err)
		}
		e := s.invoke(t.Context(), name, args, func(string) {})
		switch {
		case e.OK != (row.complaint == ""):
			t.Errorf("%s %s: %+v", row.tool, row.given, e)
		case !e.OK && (e.Error.Code != fault.InvalidInput || !strings.Contains(e.Error.Message, row.complaint) || e.Error.Dispatched != fault.NotDispatched):
			t.Errorf("%s %s: %+v", row.tool, row.given, e.Error)
		}
	}
}
