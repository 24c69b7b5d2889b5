package actionmap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/actionmap"
)

// root is a valid map with further root members; tools is its tools' JSON.
func root(members, tools string) string {
	if members != "" {
		members = "," + members
	}
	return fmt.Sprintf(`{"protocol":"actions.json","version":1,"tools":[%s]%s}`, tools, members)
}

// tool is a valid static tool with further members.
func tool(members string) string {
	if members != "" {
		members = "," + members
	}
	return `{"name":"a.b","description":"d","input_schema":{"type":"object"}` + members + `}`
}

const static = `"x_actions":{"static_output":1}`

func TestValidateRules(t *testing.T) {
	// Ensure each rule finds its fault and says where it stands: every row is a
	// map that breaks one rule.
	projection := func(members string) string {
		return `"state_projections":[{"name":"p","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"records"}}` + members + `}]`
	}
	marker := `{"id":"m","type":"cursor","recipe":[{"primitive":"pointer.click"}]}`
	conditioned := `{"name":"NAME","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"1"}},"postconditions":{"a.b":{"expression":"true"}}}`
	twice := `"state_projections":[` + strings.Replace(conditioned, "NAME", "p", 1) + `,` + strings.Replace(conditioned, "NAME", "q", 1) + `]`
	for _, c := range []struct{ text, rule, pointer, message string }{
		{`{`, "json", "", "ends"},
		{`{"protocol":"actions.json","version":1,"tools":[` + tool(static) + `],` + twice + `}`, "S15", "/state_projections/1/postconditions/a.b", "already"},
		{`{"protocol":"actions.json","version":1,"tools":[{"name":"a","name":"b"}]}`, "json", "/tools/0/name", "twice"},
		{`[]`, "S1", "", "object"},
		{`{"protocol":"x","version":1,"tools":[]}`, "S1", "/protocol", "actions.json"},
		{`{"protocol":"actions.json","version":"1","tools":[]}`, "S2", "/version", "number 1"},
		{`{"protocol":"actions.json","tools":[]}`, "S2", "/version", "number 1"},
		{`{"protocol":"actions.json","version":1}`, "S3", "/tools", "array"},
		{root("", `{"name":"1x","description":"d","input_schema":{},`+static+`}`), "S4", "/tools/0/name", "identifier"},
		{root(`"checks":[{"id":"a b"}]`, ""), "S4", "/checks/0/id", "identifier"},
		{root("", tool(static)+","+tool(static)), "S5", "/tools/1/name", "twice in tools"},
		{root("", `{"name":"a","description":"d",`+static+`}`), "S6", "/tools/0/input_schema", "input_schema"},
		{root("", `{"name":"a","input_schema":{},`+static+`}`), "S6", "/tools/0/description", "description"},
		{root("", `{"name":"a","description":"d","input_schema":[],`+static+`}`), "S6", "/tools/0/input_schema", "object"},
		{root("", `{"name":"a","description":"d","input_schema":{"properties":{"x":{"type":"text"}}},`+static+`}`), "S6", "/tools/0/input_schema", "JSON Schema"},
		{root("", tool(`"x_actions":{"static_output":1,"result_schema":3}`)), "S6", "/tools/0/x_actions/result_schema", "object"},
		{root("", tool("")), "S7", "/tools/0", "nothing runs"},
		{root("", tool(`"x_actions":{"handler":"no.such"}`)), "S7", "/tools/0/x_actions/handler", "no primitive"},
		{root("", tool(`"x_actions":{"handler":"pointer.click","binding":{"arguments":1}}`)), "S7", "/tools/0/x_actions/binding/arguments", "object"},
		{root(`"signals":[{"name":"s","ingestion":"enabled"}]`, ""), "S8", "/signals/0", "event"},
		{root(`"states":[{"name":"s","target":{"selector":["x"]}}]`, ""), "S9", "/states/0/target/selector", "string"},
		{root(`"states":[{"name":"s","target":{"fallback_selectors":["x",1]}}]`, ""), "S9", "/states/0/target/fallback_selectors", "array of strings"},
		{root(`"attachments":[{"id":"a","target":{}}]`, ""), "S10", "/attachments/0", "lifecycle"},
		{root(`"transitions":[{"name":"t","from":"nowhere"}]`, ""), "S11", "/transitions/0/from", `"nowhere"`},
		{root(`"transitions":[{"name":"t","tool":"nothing"}]`, ""), "S11", "/transitions/0/tool", "unknown tool"},
		{root(`"checks":[{"id":"c","assertions":[{"target":{"state":"x"}}]}]`, ""), "S12", "/checks/0/assertions/0/target/state", "unknown state"},
		{root(`"checks":[{"id":"c","steps":[{"tool":"x"}]}]`, ""), "S12", "/checks/0/steps/0/tool", "unknown tool"},
		{root(`"prompt":{"source":{"files":["../x"]}}`, ""), "S13", "/prompt/source/files/0", "relative"},
		{root(`"x_actions":{"files":[{"path":"/etc/passwd"}]}`, ""), "S13", "/x_actions/files/0/path", "relative"},
		{root(`"signals":[{"name":"s","direction":"up"}]`, ""), "S14", "/signals/0/direction", "one of"},
		{root(`"checks":[{"id":"c","severity":"huge"}]`, ""), "S14", "/checks/0/severity", "one of"},
		{root(`"transitions":[{"name":"t","method":"dance"}]`, ""), "S14", "/transitions/0/method", "one of"},
		{root(`"attachments":[{"id":"a","kind":"x","target":{},"lifecycle":{}}]`, ""), "S14", "/attachments/0/kind", "one of"},
		{root("", tool(`"x_actions":{"static_output":1,"scope":"all"}`)), "S14", "/tools/0/x_actions/scope", "one of"},
		{root(`"context":[{"id":"a","source":{"confidence":"sure"}}]`, ""), "S14", "/context/0/source/confidence", "one of"},
		{root("", tool(`"workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"s","primitive":"pointer.click","else":1}]}`)), "S15", "/tools/0/workflow/steps/0/else", `step "s"`},
		{root(projection(`,"markers":[`+marker+`,`+marker+`]`), ""), "S15", "/state_projections/0/markers/1/id", "two markers"},
		{root(projection(`,"markers":[{"id":"m","type":"gaze","recipe":[{"primitive":"pointer.click"}]}]`), ""), "S15", "/state_projections/0/markers/0/type", "cursor"},
		{root(projection(`,"markers":[{"id":"m","type":"cursor","recipe":[]}]`), ""), "S15", "/state_projections/0/markers/0/recipe", "one step or more"},
		{root(projection(`,"markers":[{"id":"m","type":"cursor","recipe":[{"primitive":"debug.run_javascript"}]}]`), ""), "S15", "/state_projections/0/markers/0/recipe/0/primitive", "not allowed"},
		{root(projection(`,"summaries":[{"name":"s","expression":"{% ( %}"}]`), ""), "S15", "/state_projections/0/summaries/0/expression", ""},
		{root(`"state_projections":[{"name":"p","snapshot":{"version":1,"source":"dom","extract":[]}}]`, ""), "S15", "/state_projections/0/snapshot/projection", "expression"},
	} {
		findings := actionmap.Validate([]byte(c.text), dict)
		found := false
		for _, f := range findings {
			found = found || f.Rule == c.rule && strings.HasPrefix(f.Pointer, c.pointer) &&
				strings.Contains(f.Message, c.message) && f.Severity == actionmap.SeverityError
		}
		if !found {
			t.Errorf("%s %s is not found in %s: %v", c.rule, c.pointer, c.text, findings)
		}
		if len(findings) > 2 {
			t.Errorf("%s gives too many findings: %v", c.text, findings)
		}
	}
}

func TestValidateAsTheHost(t *testing.T) {
	// Ensure that a projection which the host would refuse has a finding, once, at its place.
	const valid = `{"name":"p","scope":{"url_matches":"*"},"snapshot":{"version":1,"source":"dom","extract":[{"id":"e","selector":"li","fields":{"f":{"selector":"b"}}}],
		"projection":{"language":"jsonata","expression":"records"}},"summaries":[{"name":"s","expression":"state","max_bytes":9}],
		"postconditions":{"a.b":{"expression":"state","settle_ms":30000,"failure_message":"no"}}}`
	for _, c := range []struct{ old, new, pointer string }{
		{"", "", ""},
		{`{"a.b":{"expression":"state","settle_ms":30000,"failure_message":"no"}}`, `[{"action":"a.b","expression":"state"}]`, "/postconditions"},
		{`30000`, `30001`, "/postconditions/a.b/settle_ms"},
		{`30000`, `"2s"`, "/postconditions/a.b/settle_ms"},
		{`"no"`, `7`, "/postconditions/a.b/failure_message"},
		{`"settle_ms"`, `"projection":7,"settle_ms"`, "/postconditions/a.b/projection"},
		{`[{"id":"e"`, `[{"id":"e"},{"id":"e"`, "/snapshot/extract/1/id"},
		{`[{"id":"e"`, `[` + extractors(100) + `{"id":"e"`, "/snapshot/extract"},
		{`{"f":{"selector":"b"}}`, `[{"selector":"b"}]`, "/snapshot/extract/0/fields"},
		{`"selector":"b"`, `"selector":""`, "/snapshot/extract/0/fields/f/selector"},
		{`"selector":"b"`, `"selector":7`, "/snapshot/extract/0/fields/f/selector"},
		{`[{"name":"s"`, `[{"name":"s","expression":"1"},{"name":"s"`, "/summaries/1/name"},
		{`"max_bytes":9`, `"max_bytes":0`, "/summaries/0/max_bytes"},
		{`{"url_matches":"*"}`, `"*"`, "/scope"},
	} {
		text := strings.Replace(valid, c.old, c.new, 1)
		var got []string
		for _, f := range actionmap.Validate([]byte(root(`"state_projections":[`+text+`]`, tool(static))), dict) {
			got = append(got, f.Pointer)
		}
		want := []string{"/state_projections/0" + c.pointer}
		if c.pointer == "" {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", c.new, got)
		}
	}
}

// extractors are n of them, each with a comma after it.
func extractors(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"e%d"},`, i)
	}
	return b.String()
}

func TestValidateAccepts(t *testing.T) {
	// Ensure valid maps have no finding, and that names inside schemas and free
	// data are not taken for the format's own.
	for _, text := range []string{
		root("", ""),
		root("", tool(`"x_actions":{"static_output":{"selector":3,"source":{"files":["/x"]}}}`)),
		root("", `{"name":"a","description":"d","input_schema":{"properties":{"selector":{"type":"string"}}},`+static+`}`),
		root(`"states":{"ready":"prose"},"transitions":[{"name":"t","from":"ready","to":"ready","method":"click"}]`, ""),
		root(`"state_projections":[{"name":"p","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"{% records %}"}},"markers":"{% [] %}"}]`, ""),
	} {
		if findings := actionmap.Validate([]byte(text), dict); len(findings) > 0 {
			t.Errorf("%s: %v", text, findings)
		}
	}
}

func TestValidateWarnings(t *testing.T) {
	// Ensure what cannot work here without breaking the format is a warning.
	for _, text := range []string{
		root(`"requires":{"primitive_dictionary":{"required_primitives":["no.such"]}}`, ""),
		root("", tool(`"x_actions":{"handler":"site.own","execution":{"steps":[{}]}}`)),
		root(`"state_projections":[{"name":"p","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"1"}},"postconditions":{"no.such":{"expression":"1"}}}]`, ""),
	} {
		findings := actionmap.Validate([]byte(text), dict)
		if len(findings) != 1 || findings[0].Severity != actionmap.SeverityWarning {
			t.Errorf("%s: %v", text, findings)
		}
	}
}

func TestValidateRealMaps(t *testing.T) {
	// Ensure strict validation finds in real maps what is known to break the
	// rules, and nothing else.
	for name, want := range map[string][]string{
		"simple-form": {"S7"},              // a handler of the page's own code, with documented steps
		"prime-video": {"S14", "S2", "S7"}, // version, a method of its own, a tool that nothing runs
		"good-map":    {"S15", "S2"},       // no version, a projection without its expression
	} {
		text := shared(t, "maps/"+name+"/actions.json")
		if text == nil {
			continue
		}
		findings := actionmap.Validate(text, dict)
		left := append([]string{}, want...)
		for _, f := range findings {
			found := false
			for i, rule := range left {
				if rule == f.Rule {
					left, found = append(left[:i:i], left[i+1:]...), true
					break
				}
			}
			if !found {
				t.Errorf("%s: %v", name, f)
			}
		}
		if len(left) > 0 {
			t.Errorf("%s lacks %v: %v", name, left, findings)
		}
	}
}
