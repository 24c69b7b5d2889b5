package actionmap_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// dictionary maps primitive names to effects.
type dictionary map[string]string

func (d dictionary) Step(name string) bool {
	return d[name] != "" && name != "browser.extract_elements"
}
func (d dictionary) Effect(name string) string { return d[name] }

var dict = dictionary{"locator.element_info": "read", "locator.wait_for": "read", "pointer.click": "input", "text.insert": "input",
	"keyboard.press": "input", "overlay.menu.hide": "view", "browser.extract_elements": "read", "overlay.open": "view"}

// shared returns a file beside the repository, or nil with a note in the log.
func shared(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../shared", filepath.FromSlash(name)))
	if err != nil {
		t.Logf("%s is not there, this part is skipped", name)
		return nil
	}
	return text
}

func load(t testing.TB, text string) *actionmap.Map {
	t.Helper()
	m, err := actionmap.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// withTools is a small map; each argument is the JSON of one tool.
func withTools(tools ...string) string {
	return `{"protocol":"actions.json","version":1,"surface":{"origin":"https://x.test"},"tools":[` + strings.Join(tools, ",") + `]}`
}

func TestParseRealMaps(t *testing.T) {
	// Ensure maps of the wild load as they are, each tool with the kind by
	// which it runs.
	for name, want := range map[string]map[string]actionmap.Kind{
		"simple-form": {"contact.submit_name": actionmap.KindHandler},
		"prime-video": {"prime_video.continue_watching.collect": actionmap.KindNone, "overlay.open_continue_watching": actionmap.KindHandler},
		"good-map":    {"good.card.find": actionmap.KindHandler, "good.card.open": actionmap.KindWorkflow},
	} {
		text := shared(t, "maps/"+name+"/actions.json")
		if text == nil {
			continue
		}
		m, err := actionmap.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := map[string]actionmap.Kind{}
		for _, tool := range m.Tools {
			got[tool.Name] = tool.Kind
			if tool.Kind == actionmap.KindWorkflow {
				if _, err := tool.Compiled(dict); err != nil {
					t.Errorf("%s, %s: %v", name, tool.Name, err)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// examples cuts the JSON objects out of the text of a format description.
func examples(text string) (found []string) {
	for i := strings.Index(text, "{\n"); i >= 0; {
		var raw json.RawMessage
		if err := json.NewDecoder(strings.NewReader(text[i:])).Decode(&raw); err == nil {
			found = append(found, string(raw))
			i += len(raw)
		} else {
			i++
		}
		next := strings.Index(text[i:], "{\n")
		if next < 0 {
			break
		}
		i += next
	}
	return found
}

func TestParseExamplesOfTheFormat(t *testing.T) {
	// Ensure the examples of the format's own description load and are valid.
	text := shared(t, "seeds/actions-json-format.txt")
	if text == nil {
		return
	}
	list := examples(string(text))
	if len(list) != 2 {
		t.Fatalf("found %d examples", len(list))
	}
	for i, example := range list {
		m := load(t, example)
		if len(m.Problems) > 0 || len(m.Tools) != i || m.Origin != "https://example.com" {
			t.Errorf("example %d gives %+v", i, m)
		}
		if findings := actionmap.Validate([]byte(example), dict); len(findings) > 0 {
			t.Errorf("example %d: %v", i, findings)
		}
	}
}

func TestParseTolerates(t *testing.T) {
	// Ensure the shapes of metadata that real maps use are read, and that
	// anything else is ignored.
	m := load(t, `{"protocol":"actions.json","version":"0.1.0-working","surface":"a board, as prose","states":{"ready":"prose"},
		"requires":[],"prompt":"Be careful.","skill":"Read this first.","scope":{"url_matches":"https://x.test/b/*"},"notes":[1],
		"workflows":[],"tools":[]}`)
	if m.Version != "0.1.0-working" || m.Surface != "a board, as prose" || m.Guidance.Prompt != "Be careful." ||
		m.Guidance.Skill.Text != "Read this first." || len(m.BlockedPrimitives) != 0 {
		t.Errorf("%+v", m)
	}
	m = load(t, `{"protocol":"actions.json","surface":{"name":"Board","url_patterns":["https://x.test/a*",3," "]},
		"scope":{"url_matches":["https://x.test/b*"]},
		"requires":{"primitive_dictionary":{"blocked_primitives":["a.b",{"name":"c.d","why":"x"},"a.b",7]}},
		"prompt":{"boundaries":["no payments","no mail"],"mission":"Move cards","title":"Board","source":{"files":["x"]}},
		"skill":{"path":"SKILL.md","when_to_read":"first"},
		"x_actions":{"files":[{"id":"s","path":"SKILL.md"},{"path":"../../etc/passwd"},{"path":"C:\\x"},{"path":"context/a.md","kind":"context","read_when":"often"}]},
		"state_projections":[{"name":"cards","description":"d","summaries":[{"name":"agent_context"},{"name":"short"}],
			"snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"records"}}},{"name":"broken"}],
		"tools":[]}`)
	if m.Name != "Board" {
		t.Errorf("name is %q", m.Name)
	}
	if diff := cmp.Diff([]string{"https://x.test/a*", "https://x.test/b*"}, m.URLPatterns); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a.b", "c.d"}, m.BlockedPrimitives); diff != "" {
		t.Error(diff)
	}
	want := "title: Board\nmission: Move cards\nboundaries:\n- no payments\n- no mail"
	if diff := cmp.Diff(want, m.Guidance.Prompt); diff != "" {
		t.Error(diff)
	}
	files := []actionmap.File{{ID: "s", Path: "SKILL.md", Kind: "reference"}, {Path: "context/a.md", Kind: "context", ReadWhen: "often"}}
	if diff := cmp.Diff(files, m.Files); diff != "" || !m.Files[0].Skill() || m.Files[1].Skill() {
		t.Error(diff)
	}
	projections := []actionmap.Projection{{Name: "cards", Description: "d", Summaries: []string{"agent_context", "short"}}}
	if diff := cmp.Diff(projections, m.Projections); diff != "" {
		t.Error(diff)
	}
	if len(m.Problems) != 3 {
		t.Errorf("problems are %+v", m.Problems)
	}
}

func TestParseRefuses(t *testing.T) {
	// Ensure only what is no map at all is refused, with the place of the fault.
	for text, want := range map[string]string{
		``: "", `[]`: "object", `{"tools":[]}`: "protocol", `{"protocol":"actions.json"}`: "tools",
		`{"protocol":"actions.json","tools":{}}`:                            "tools",
		`{"protocol":"actions.json","tools":[],"tools":[]}`:                 "twice",
		strings.Repeat(`{"a":`, 300) + `1` + strings.Repeat(`}`, 300):       "",
		`{"protocol":"actions.json","tools":[` + strings.Repeat(" ", 4<<20): "",
	} {
		_, err := actionmap.Parse([]byte(text))
		if !fault.Is(err, fault.InvalidMap) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s gives %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	// Ensure no text makes loading or validating panic, that what loads has
	// callable tools only, and that its strict text loads again.
	f.Add([]byte(withTools(`{"name":"a","workflow":{"version":1,"steps":[]}}`)))
	f.Add([]byte(`{"protocol":"actions.json","tools":[{"name":"x","x_actions":{"handler":"a.b"}}],"prompt":{"a":[{"b":1}]},"state_projections":[{}]}`))
	for _, name := range []string{"simple-form", "prime-video", "good-map"} {
		if text := shared(f, "maps/"+name+"/actions.json"); text != nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		actionmap.Validate(text, dict)
		m, err := actionmap.Parse(text)
		if err != nil {
			return
		}
		for _, tool := range m.Tools {
			if tool.Name == "" || tool.Kind == "" {
				t.Fatalf("%+v", tool)
			}
			_ = tool.CheckArguments(json.RawMessage(`{"x":1}`))
		}
		again, err := actionmap.Parse(m.Raw)
		if err != nil || len(again.Tools) != len(m.Tools) || len(again.Problems) != len(m.Problems) {
			t.Fatalf("%v", err)
		}
	})
}
