package site_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/site"
)

// The scenarios of the format's reference, by their ids: C catalogue, A
// arguments. A row with a note has another result than the reference
// implementation, on purpose.

func TestArgumentScenarios(t *testing.T) {
	// Ensure the scenarios A1 to A7: where the action's name is found and what its arguments are.
	for _, c := range []struct {
		id, call, args string // args: what the handler gets
		code           fault.Code
		note           string
	}{
		{id: "A1", call: `{"mode":"call","action":"go","arguments":{"a":1}}`, args: `{"a":1}`},
		{id: "A2 action_name", call: `{"mode":"call","action_name":"go","arguments":{"a":1}}`, args: `{"a":1}`},
		{id: "A2 name", call: `{"mode":"call","name":"go","arguments":{"a":1}}`, args: `{"a":1}`},
		{id: "A3", call: `{"mode":"call","action":"go","arguments":{"action":"go","a":1}}`, args: `{"a":1}`},
		{id: "A4", call: `{"mode":"call","arguments":{"action":"go","a":1}}`, args: `{"a":1}`},
		{id: "A5", call: `{"mode":"call","action":"go","arguments":{"action":"stay","a":1}}`, args: `{"a":1,"action":"stay"}`},
		{id: "A6", call: `{"mode":"call","arguments":{"a":1}}`, code: fault.InvalidInput},
		{id: "A7", call: `{"mode":"call","action":"go","arguments":"{\"a\":1}"}`, args: `{"a":1}`, note: "the reference loses a text's data"},
		{id: "A7 not JSON", call: `{"mode":"call","action":"go","arguments":"a=1"}`, code: fault.InvalidInput, note: "the reference calls with {}"},
	} {
		t.Run(c.id, func(t *testing.T) {
			r := echo(t, open)
			_, err := r.handle(t, c.call)
			if c.code != "" {
				wantCode(t, err, c.code)
				if len(r.ran) > 0 {
					t.Errorf("ran %v (%s)", r.ran, c.note)
				}
				return
			}
			if err != nil || len(r.ran) != 1 || r.ran[0].Args != c.args {
				t.Errorf("ran %v, %v (%s)", r.ran, err, c.note)
			}
		})
	}
}

func TestCatalogueScenarios(t *testing.T) {
	// Ensure the scenarios C1 to C8: what a page's maps offer, and how each kind of action is carried out.
	const shopMap = "public/sites/shop.example.com/cart"
	count := `"state_projections":[{"name":"cart","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"{'n': 1}"}},
		"postconditions":{"flow":{"verify":{"language":"jsonata","expression":"state.n = $$.input.n"}}}}],`
	text := mapOf(count+`"blocked_primitives":["text.type"],"x_actions":{"files":[{"id":"faq","path":"faq.md"},{"id":"how","path":"how/SKILL.md"}]},`,
		tool("flow", workflow(`{"id":"a","primitive":"page.info"}`))+","+
			tool("go", open+`"x_actions":{"handler":"dom.snapshot_text","binding":{"arguments":{"o":{"a":1,"b":2}}}}`)+","+tool("help", open+`"x_actions":{"static_output":{"k":"v"}}`))
	r := newRig(t, map[string]string{
		shopMap: text, shopMap + "/proof/old": text,
		"public/sites/shop.example.com/more":  mapOf(`"blocked_primitives":["pointer.click","text.type"],`, tool("more", open+greeting)),
		"public/sites/other.example.com/more": mapOf(`"blocked_primitives":["browser.navigate"],`, tool("other", open+greeting)),
	})
	folder := filepath.Join(r.root, "scopes", filepath.FromSlash(shopMap))
	for name, content := range map[string]string{"faq.md": "---\ntitle: FAQ\n---\nAsk.", "how/SKILL.md": "---\nname: how\n---\nDo."} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r.step = func(name string, _ json.RawMessage) (json.RawMessage, error) {
		if name == "state.extract" {
			return json.RawMessage(`{"url":"` + page + `","title":"","records":{},"diagnostics":{"complete":true}}`), nil
		}
		return json.RawMessage(`{"done":true}`), nil
	}
	list, _ := listOf(t, r, `{"mode":"list"}`)
	var names []string
	for _, a := range list.Actions {
		names = append(names, a.Name)
	}
	if want := []string{"flow", "go", "help", "more"}; !slices.Equal(names, want) {
		t.Errorf("C1, C2: listed %v, wanted %v: maps in order, none under proof/", names, want)
	}

	if _, err := r.call(t, "flow", `{"n":1}`); err != nil || r.meta.Postcondition == nil {
		t.Errorf("C3: %v, postcondition %v", err, r.meta.Postcondition)
	}
	r.ran = nil
	if _, err := r.call(t, "go", `{"o":{"b":3},"c":4}`); err != nil || len(r.ran) != 1 {
		t.Fatalf("C4: ran %v, %v", r.ran, err)
	}
	wantJSON(t, r.ran[0].Args, `{"o":{"a":1,"b":3},"c":4}`)
	if got, err := r.call(t, "help", `{}`); err != nil || got != `{"k":"v"}` {
		t.Errorf("C5: %s, %v", got, err)
	}

	read := site.Files{Store: r.site.Store}.Handlers()["storage.read_file"]
	file := func(args string) (string, error) {
		out, err := read(t.Context(), primitive.Call{URL: page, Arguments: json.RawMessage(args)})
		return string(out), err
	}
	// C6 differs: a list stays short, so the size and the front matter come with
	// the file itself, and the front matter of every Markdown file does.
	skill, err := file(`{"id":"how"}`)
	faq, faqErr := file(`{"id":"faq"}`)
	if err != nil || faqErr != nil || !strings.Contains(skill, `"bytes":21`) || !strings.Contains(skill, `"front_matter":{"name":"how"}`) || !strings.Contains(faq, `"front_matter":{"title":"FAQ"}`) {
		t.Errorf("C6: %s %v, %s %v", skill, err, faq, faqErr)
	}
	if same, err := file(`{"path":"scopes/` + shopMap + `/how/SKILL.md"}`); err != nil || same != skill {
		t.Errorf("C7: %s, %v", same, err)
	}
	for _, args := range []string{`{}`, `{"id":"how","path":"scopes/` + shopMap + `/how/SKILL.md"}`} {
		if _, err := file(args); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("C7: %s gives %v", args, err)
		}
	}
	if blocked := r.site.Store.Match(page).Blocked(); !slices.Equal(blocked, []string{"pointer.click", "text.type"}) {
		t.Errorf("C8: blocked %v", blocked)
	}
	if blocked := r.site.Store.Match("https://third.example.com/").Blocked(); len(blocked) != 0 {
		t.Errorf("C8: another host blocks %v", blocked)
	}
}
