package lint_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/lint"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestPlaces(t *testing.T) {
	// Ensure a finding names the line and column at which an editor puts the
	// mark, counts characters and not bytes, and keeps its id when tools move.
	const text = "{\n  \"protocol\": \"actions.json\", \"version\": 1,\n  \"tools\": [\n" +
		"\t{\"description\": \"søk ✓\", \"name\": \"nav.click_button_3\", \"input_schema\": {}, \"x_actions\": {\"static_output\": 1}}\n  ]\n}\n"
	got := lint.Map([]byte(text), lint.Place{}, primitive.Load())
	if len(got) != 1 || got[0].Line != 4 || got[0].Column != 35 || got[0].ID != "layout_bound_name:/tools/nav.click_button_3/name" {
		t.Errorf("%+v", got)
	}
	moved := strings.Replace(text, "\t{", "\t{\"name\":\"nav.list\",\"x_actions\":{\"static_output\":1}},\n\t{", 1)
	again := lint.Map([]byte(moved), lint.Place{}, primitive.Load())
	if len(again) != 1 || again[0].ID != got[0].ID || again[0].Pointer == got[0].Pointer {
		t.Errorf("%+v", again)
	}
}

func TestCodes(t *testing.T) {
	// Ensure each code can stand in a list of accepted findings and says what is
	// wrong and what to do.
	seen := map[string]bool{}
	for _, c := range lint.Codes {
		if !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(c.Name) || seen[c.Name] || c.About == "" || c.Hint == "" || c.Severity == "" {
			t.Errorf("%+v", c)
		}
		seen[c.Name] = true
	}
}

func TestRealMaps(t *testing.T) {
	// Ensure real maps give the advice that their readers would give, and no
	// other.
	for name, want := range map[string][]string{
		"simple-form": {"absolute_local_path /surface/origin"}, // file://examples/…
		"prime-video": {},
		"good-map": {
			"root_lost_in_filter /state_projections/0/postconditions/good.card.open/verify/expression",
		},
	} {
		text, err := os.ReadFile(filepath.Join("../../../shared/maps", name, "actions.json"))
		if err != nil {
			t.Logf("%s is not there, this part is skipped", name)
			continue
		}
		got := []string{}
		for _, f := range lint.Map(text, lint.Place{}, primitive.Load()) {
			got = append(got, f.Rule+" "+f.Pointer)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestSARIF(t *testing.T) {
	// Ensure the log has what SARIF 2.1.0 requires of a log, a run, a rule, a
	// result and a place, and that suppressed findings are marked.
	files := []lint.File{{Path: "sites/my map/actions.json", Findings: lint.Map([]byte(`{"protocol":"actions.json","tools":[{"name":"x.tab_1"}]}`), lint.Place{}, primitive.Load())}, {Path: "/abs/actions.json"}}
	files[0].Findings[0].Accepted, files[0].Findings[0].Rationale = true, "known"
	files[1].Findings = append(files[1].Findings, lint.Finding{Finding: actionmap.Finding{Rule: "map_unreadable", Severity: "error", Message: "m"}})
	text, err := lint.SARIF("1.2.3", lint.Rules(), files)
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			ColumnKind string
			Tool       struct {
				Driver struct {
					Name, Version string
					Rules         []struct {
						ID               string
						ShortDescription struct{ Text string }
					}
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
				Suppressions []struct{ Kind, Justification string }
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-2.1.0") || len(log.Runs) != 1 {
		t.Fatalf("%s", text)
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name == "" || run.ColumnKind != "unicodeCodePoints" || len(run.Results) != 2 {
		t.Fatalf("%s", text)
	}
	for i, r := range run.Results {
		place := r.Locations[0].PhysicalLocation
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || !slices.Contains([]string{"error", "warning", "note", "none"}, r.Level) ||
			r.Message.Text == "" || place.Region.StartLine < 1 || place.Region.StartColumn < 1 ||
			place.ArtifactLocation.URI != []string{"sites/my%20map/actions.json", "file:///abs/actions.json"}[i] {
			t.Errorf("%+v", r)
		}
	}
	if s := run.Results[0].Suppressions; len(s) != 1 || s[0].Kind != "external" || s[0].Justification != "known" {
		t.Errorf("%+v", s)
	}
}

func FuzzLoad(f *testing.F) {
	// Ensure no text makes loading, validating, deriving authority or linting
	// panic, and that every finding has a place within the text.
	known := primitive.Load()
	f.Add([]byte(`{"protocol":"actions.json","version":1,"tools":[{"name":"a","workflow":{"version":1,"expression_language":"jsonata","steps":[
		{"id":"s","primitive":"locator.element_info","args":{"locator":{"selector":"a > b, [c='d,e'] f"}},"retry_until":"{% $exists(steps.s.output.clickable_center[0].x) %}","max_attempts":2,"after_each":{"primitive":"viewport.scroll"},"settle_after":{"locator":{"selector":"x"}}},
		{"id":"t","primitive":"pointer.click","args":{"x":"{% steps.s.output.bounding_box.x / 2 %}"},"when":"{% $not($exists(steps.s)) %}","on_error":"continue"}],"output":"{% items[/[/]/].(steps.s){a: b} %}"}}]}`))
	f.Add([]byte(`{"protocol":"actions.json","tools":[{"name":"tab_1","x_actions":{"handler":"pointer.click","binding":{"arguments":{"x":1}}}}],"state_projections":[{"name":"p","postconditions":{"tab_1":{"expression":"state["}}}],"imports":[{"uri":"../a"}],"transitions":[{"tool":"tab_1","preconditions":["a b"]}]}`))
	f.Add([]byte("\ufeff{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		findings := actionmap.Validate(text, known)
		for _, place := range []lint.Place{{}, {Scope: "public", Host: "example.com"}} {
			for _, f := range lint.Map(text, place, known) {
				findings = append(findings, f.Finding)
			}
		}
		for _, finding := range append(findings, actionmap.CheckHost(text, known, actionmap.HostEmbed)...) {
			if finding.Line < 1 || finding.Column < 1 || finding.Line > strings.Count(string(text), "\n")+1 {
				t.Fatalf("%+v", finding)
			}
		}
		if m, err := actionmap.Parse(text); err == nil {
			for _, tool := range m.Tools {
				tool.Authority(known)
			}
		}
	})
}
