package primitive_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// form is manifest/primitives.schema.json.
type form struct {
	compiled *schema.Schema
	Required []string
	// Properties are the members that are objects of a fixed form.
	Properties map[string]struct{ Required []string }
}

func readForm(t *testing.T) form {
	t.Helper()
	text, err := os.ReadFile("../../manifest/primitives.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var f form
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if f.compiled, err = schema.Compile(text); err != nil {
		t.Fatal(err)
	}
	return f
}

// lint returns the findings of a record after a change of it.
func (f form) lint(t *testing.T, name string, change func(record map[string]any)) []string {
	t.Helper()
	var record map[string]any
	if err := json.Unmarshal(manifest.Primitives()[name], &record); err != nil {
		t.Fatal(err)
	}
	change(record)
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, finding := range primitive.Lint(f.compiled, name, text) {
		found = append(found, finding.String())
	}
	return found
}

func TestLintMissesEachMember(t *testing.T) {
	// Ensure that a record without any one of the required members fails the build, by the names of record and member.
	f := readForm(t)
	const name = "locator.click"
	if found := f.lint(t, name, func(map[string]any) {}); found != nil {
		t.Fatalf("the record as it is: %v", found)
	}
	missing := func(member string, change func(record map[string]any)) {
		t.Helper()
		found := f.lint(t, name, change)
		named := func(finding string) bool {
			return strings.HasPrefix(finding, name+": ") && strings.Contains(finding, member)
		}
		if !slices.ContainsFunc(found, named) {
			t.Errorf("without %s: %q", member, found)
		}
	}
	required := append(slices.Clone(f.Required), "labels", "classes")
	for _, member := range required {
		missing(member, func(record map[string]any) { delete(record, member) })
	}
	within := 0
	for member, object := range f.Properties {
		for _, inner := range object.Required {
			within++
			missing(inner, func(record map[string]any) { delete(record[member].(map[string]any), inner) })
		}
	}
	if within < 9 {
		t.Errorf("only %d members within security, labels and adapters were removed", within)
	}
}

func TestLint(t *testing.T) {
	// Ensure that what contradicts itself in a record, or promises what is not there, is found by the member.
	f := readForm(t)
	set := func(path string, value any) func(map[string]any) {
		return func(record map[string]any) {
			members := strings.Split(path, "/")
			for _, m := range members[:len(members)-1] {
				record = record[m].(map[string]any)
			}
			record[members[len(members)-1]] = value
		}
	}
	for _, row := range []struct {
		name, path string
		value      any
		want       string
	}{
		{"page.info", "summary", "One is here. Two is here. Three is here. Four is here.", "page.info: summary: it has 4 sentences"},
		{"page.info", "summary", "It waits for 30 s. of time, e.g. Two of 3.5. Three.", ""},
		{"page.info", "name", "page.other", "page.info: name: the file is called"},
		{"page.info", "effect", "write", "page.info: effect: must be one of"},
		{"page.info", "paced", true, "page.info: paced"},
		{"page.info", "classes", []string{"navigation"}, "page.info: classes"},
		{"page.info", "route", "host", "page.info: portable"},
		{"page.info", "conformance", []string{}, "page.info: conformance"},
		{"page.info", "conformance", []string{"other.name/reads"}, `page.info: conformance: "other.name/reads"`},
		{"page.info", "adapters/firefox/support", "unsupported", "page.info: adapters.firefox: it is unsupported without a reason"},
		{"page.info", "security/destructive", true, "page.info: security.destructive"},
		{"page.find", "security/note", "Nothing could go wrong.", "page.find: security.note: the effect is view"},
		{"page.info", "security/note", "Nothing could go wrong.", ""},
		{"page.info", "errors", []string{"no_such_code"}, "page.info: errors: errors.json does not declare no_such_code"},
		{"page.info", "errors", []string{"timeout", "timeout"}, "page.info: errors: timeout stands twice"},
		{"page.info", "summary", "It ends with target_not_found where nothing is there.", "page.info: errors: its texts speak of target_not_found"},
		{"locator.click", "errors", []string{}, "locator.click: errors: it takes a locator, and stale_ref is missing"},
		{"locator.click", "capabilities", []string{}, "locator.click: capabilities"},
		{"locator.click", "security/injectable_arguments", []string{"words"}, `locator.click: security.injectable_arguments: there is no argument "words"`},
		{"transfer.read", "security/unlogged", []string{"words"}, "transfer.read: security.unlogged"},
		{"locator.click", "labels/tool", "click {locator}", "locator.click: labels.tool: it has a placeholder"},
		{"locator.click", "labels/tool.with_param", "click {words}", `locator.click: labels.tool.with_param: there is no argument "words"`},
		{"locator.click", "labels/tool.with_param", "click it", "locator.click: labels.tool.with_param: it has 0"},
		{"text.type", "labels/tool.with_param", "type {text}", `text.type: labels.tool.with_param: the argument "text" may hold typed text`},
		{"transfer.write", "labels/tool.with_param", "keep {value}", `transfer.write: labels.tool.with_param: the argument "value" may hold typed text`},
		{"browser.navigate", "url_argument", "address", `browser.navigate: url_argument: there is no argument "address"`},
		{"text.type", "input_schema/properties/text/default", "a", "text.type: input_schema.text: it is required and has a default"},
		{"text.type", "input_schema/properties/mode", map[string]any{"type": "string", "description": "insert, append or replace."}, "text.type: input_schema.mode: a fixed choice must be an enum"},
		{"text.type", "input_schema/properties/mode", map[string]any{"type": "string", "description": "insert without it; append goes on."}, "text.type: input_schema.mode: a fixed choice must be an enum"},
		{"text.type", "input_schema/required", []string{"words"}, `text.type: input_schema: it requires "words"`},
		{"text.type", "input_schema/additionalProperties", true, "text.type: input_schema: it is no closed object"},
		{"text.type", "input_schema/type", "nothing", "text.type: input_schema: "},
		{"browser.run_javascript", "capability_class", "privileged", "browser.run_javascript: capability_class"},
		{"browser.run_javascript", "workflow", true, "browser.run_javascript: workflow"},
	} {
		found := f.lint(t, row.name, set(row.path, row.value))
		if row.want == "" {
			if found != nil {
				t.Errorf("%s %s: %q", row.name, row.path, found)
			}
			continue
		}
		if !slices.ContainsFunc(found, func(finding string) bool { return strings.HasPrefix(finding, row.want) }) {
			t.Errorf("%s %s = %v: %q, want %s", row.name, row.path, row.value, found, row.want)
		}
	}
}
