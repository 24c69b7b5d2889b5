package agent

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/schema"
	"github.com/actionsjson/actions-host/pkg/voice"
)

var update = flag.Bool("update", false, "write the golden files anew")

// catalogueBudget is what the whole tool surface may weigh, in bytes: it is paid
// for with every turn that the provider's cache misses.
const catalogueBudget = 90_000

func fresh(t *testing.T, mode policy.Mode, page Page) *Agent {
	t.Helper()
	return &Agent{
		Catalogue: primitive.Load(), Session: &dispatch.Session{ID: "voice:1", SessionKind: policy.SessionVoice, Mode: mode},
		HasPagePrimitive: func(string) bool { return true }, Page: func() Page { return page },
	}
}

func TestLabelArgument(t *testing.T) {
	// Ensure that a call by its safe name is described by its target, and one that is unknown or broken by nothing.
	a := fresh(t, policy.ModeAct, Page{})
	for _, row := range []struct{ name, args, want string }{
		{"locator_click", `{"locator":{"name":"Send"},"policy_exception_report":{}}`, "Send"},
		{"locator_fill", `{"locator":{"label":"Email"},"text":"ada@tea.example"}`, "Email"},
		{"page_info", `{}`, ""},
		{"no_such", `{"locator":{"name":"Send"}}`, ""},
		{"locator_click", `{"locator":`, ""},
	} {
		if got := a.LabelArgument(voice.ToolCall{Name: row.name, Arguments: row.args}); got != row.want {
			t.Errorf("%s %s: %q, want %q", row.name, row.args, got, row.want)
		}
	}
}

func TestSurface(t *testing.T) {
	// Ensure that the tool surface is what the golden file says, within its budget and the provider's limit, actions.site first, and that every schema is valid, closed and demands a report.
	s, err := fresh(t, policy.ModeAct, Page{Origin: "https://example.com", Tabs: 1}).ToolSet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(s.Functions, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "toolset.json", append(text, '\n'))
	golden(t, "instructions.txt", []byte(s.Instructions+"\n"))
	compact, err := json.Marshal(s.Functions)
	if err != nil {
		t.Fatal(err)
	}
	if len(compact) > catalogueBudget || len(s.Functions) > MaxFunctions {
		t.Errorf("%d functions of %d bytes; the limits are %d and %d", len(s.Functions), len(compact), MaxFunctions, catalogueBudget)
	}
	if s.Functions[0].Name != "actions_site" {
		t.Errorf("%s stands first", s.Functions[0].Name)
	}
	for i, f := range s.Functions {
		compiled, err := schema.Compile(f.Parameters)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		bad := compiled.Validate(json.RawMessage(`{"no_such_member":1}`))
		if len(bad) == 0 {
			t.Errorf("%s takes any member", f.Name)
		}
		var s struct{ Required []string }
		if err := json.Unmarshal(f.Parameters, &s); err != nil || (strings.Join(s.Required, " ") != "mode") == (i == 0) {
			t.Errorf("%s requires %q", f.Name, s.Required)
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; go test ./pkg/agent -update writes it anew):\n%s", name, diff)
	}
}

func TestLookOnly(t *testing.T) {
	// Ensure that in ask mode only reading and viewing tools are offered, that a blocked primitive is left out, and that the instructions name no tool that is not offered.
	a := fresh(t, policy.ModeAsk, Page{Origin: "https://example.com", Blocked: []string{"page.snapshot"}})
	s, err := a.ToolSet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range s.Functions {
		names[f.Name] = true
		name, ok := a.primitiveOf(f.Name)
		record, _ := a.Catalogue.Record(name)
		if !ok || name != dispatch.SiteTool && record.Effect != "read" && record.Effect != "view" {
			t.Errorf("%s is offered", f.Name)
		}
	}
	if names["page_snapshot"] || !names["page_info"] || strings.Contains(s.Instructions, "page.snapshot") || strings.Contains(s.Instructions, "task.add") {
		t.Errorf("offered %v with the instructions\n%s", names, s.Instructions)
	}
}

func TestModeOfTheMoment(t *testing.T) {
	// Ensure that an agent whose user switches it to looking in the middle of a session is offered no acting tool from then on, and that settings which cannot be read are no permission to act.
	t.Setenv(paths.EnvHome, t.TempDir())
	a := fresh(t, policy.ModeAct, Page{Origin: "https://example.com"})
	a.Session.Limit = ModeNow
	clicks := func() bool {
		t.Helper()
		s, err := a.ToolSet(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(s.Functions, func(f voice.Function) bool { return f.Name == "locator_click" })
	}
	if !clicks() {
		t.Error("an agent that may act is offered no click")
	}
	settings := DefaultSettings()
	settings.Mode = policy.ModeAsk
	if err := settings.Save(); err != nil {
		t.Fatal(err)
	}
	if clicks() || a.Session.ModeNow() != policy.ModeAsk {
		t.Error("an agent that only looks is offered a click")
	}
	if err := os.WriteFile(settingsFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if clicks() {
		t.Error("an agent whose settings are broken is offered a click")
	}
}
