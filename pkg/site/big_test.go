package site_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// listed is what the tests of big maps read of a list.
type listed struct {
	Actions []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
		Truncated   bool            `json:"truncated"`
	} `json:"actions"`
	Total            int             `json:"total"`
	Truncated        bool            `json:"truncated"`
	Next             json.RawMessage `json:"next"`
	StateProjections []any           `json:"state_projections"`
	Files            []any           `json:"files"`
	LeftOut          map[string]int  `json:"left_out"`
	Guidance         []struct {
		Prompt     string `json:"prompt"`
		Skill      struct{ Text string }
		Truncated  bool `json:"truncated"`
		TotalChars int  `json:"total_chars"`
	} `json:"guidance"`
	Context []struct {
		Body       string `json:"body"`
		Truncated  bool   `json:"truncated"`
		TotalChars int    `json:"total_chars"`
	} `json:"context"`
}

// listOf calls mode list and returns the characters of its actions besides.
func listOf(t *testing.T, r *rig, args string) (listed, int) {
	t.Helper()
	out, err := r.handle(t, args)
	if err != nil {
		t.Fatal(err)
	}
	var l listed
	if err := json.Unmarshal([]byte(out), &l); err != nil {
		t.Fatal(err)
	}
	var raw struct{ Actions json.RawMessage }
	if err := json.Unmarshal([]byte(out), &raw); err != nil {
		t.Fatal(err)
	}
	return l, utf8.RuneCount(raw.Actions)
}

// bigMap has 100 actions in at least 280 KB: each a schema with described
// members and a workflow.
func bigMap(t *testing.T) string {
	t.Helper()
	property := `{"type":"string","description":"` + strings.Repeat("One of the values that the form of this page offers. ", 2) + `"}`
	var tools []string
	for i := range 100 {
		var steps []string
		for s := range 18 {
			steps = append(steps, fmt.Sprintf(`{"id":"s%d","primitive":"locator.element_info","args":{"locator":{"selector":"#form-%d [name=field-%d]","text_contains":"Field"}}}`, s, i, s))
		}
		topic := []string{"invoices", "members", "projects", "reports"}[i%4]
		tools = append(tools, fmt.Sprintf(`{"name":"desk.%s.act_%03d","description":"Work on %s, number %d.","input_schema":{"type":"object","properties":{"a":%s,"b":%s,"c":%s}},"workflow":{"version":1,"expression_language":"jsonata","steps":[%s]}}`,
			topic, i, topic, i, property, property, property, strings.Join(steps, ",")))
	}
	text := mapOf("", strings.Join(tools, ","))
	if len(text) < 280_000 {
		t.Fatalf("the map has %d bytes only", len(text))
	}
	return text
}

func TestListOfABigMap(t *testing.T) {
	// Ensure that a map of 100 actions and 280 KB is listed within the budget, that the literal arguments of each next page lead to every action exactly once and in order, and that a query and names_only narrow it.
	r := newRig(t, map[string]string{"public/sites/shop.example.com/desk": bigMap(t)})
	for name, row := range map[string]struct {
		args         string
		total, pages int // the most pages that it may take
	}{
		"all":               {`{"mode":"list"}`, 100, 20},
		"names only":        {`{"mode":"list","names_only":true}`, 100, 1},
		"one topic":         {`{"mode":"list","query":"invoices"}`, 25, 5},
		"two words":         {`{"mode":"list","query":"Reports act_003"}`, 1, 1},
		"topic, names only": {`{"mode":"list","query":"members","names_only":true}`, 25, 1},
		"nothing":           {`{"mode":"list","query":"no such thing"}`, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var names []string
			args, pages := row.args, 0
			for args != "" {
				l, size := listOf(t, r, args)
				if pages++; size > 8000 {
					t.Errorf("page %d has %d characters of actions", pages, size)
				}
				if l.Total != row.total || l.Truncated != (l.Next != nil) || pages > row.pages {
					t.Fatalf("page %d: total %d, truncated %t, next %s", pages, l.Total, l.Truncated, l.Next)
				}
				for _, a := range l.Actions {
					names = append(names, a.Name)
					if (a.InputSchema == nil) != strings.Contains(row.args, "names_only") {
						t.Errorf("%s has the schema %s", a.Name, a.InputSchema)
					}
				}
				args = string(l.Next)
			}
			seen := map[string]bool{}
			for i, name := range names {
				if seen[name] || i > 0 && names[i-1][len(names[i-1])-3:] >= name[len(name)-3:] {
					t.Errorf("%s comes again or out of order", name)
				}
				seen[name] = true
			}
			if len(names) != row.total {
				t.Errorf("%d of %d actions were listed", len(names), row.total)
			}
		})
	}
}

func TestListOfAHugeSchema(t *testing.T) {
	// Ensure that one action whose schema alone is over the budget is listed by name, says that it was cut, and hides no other.
	huge := `"input_schema":{"type":"object","description":"` + strings.Repeat("x", 20_000) + `"},`
	r := shop(t, tool("first", open+greeting)+","+tool("huge", huge+greeting)+","+tool("last", open+greeting))
	l, size := listOf(t, r, `{"mode":"list"}`)
	if len(l.Actions) != 3 || size > 1000 || !l.Actions[1].Truncated || l.Actions[1].InputSchema != nil || l.Actions[1].Description != "About huge." || l.Actions[2].Truncated {
		t.Errorf("%d characters: %+v", size, l.Actions)
	}
}

func TestListBoundsItsSections(t *testing.T) {
	// Ensure that long texts and many declarations beside the actions are cut to their budgets, say so with what there was, and cut nothing that fits.
	var projections, files, blocks []string
	for i := range 200 {
		projections = append(projections, fmt.Sprintf(`{"name":"p%d","description":"A part of the page.","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"1"}}}`, i))
		files = append(files, fmt.Sprintf(`{"id":"f%d","path":"f%d.md","title":"A file"}`, i, i))
	}
	for i := range 3 {
		blocks = append(blocks, fmt.Sprintf(`{"id":"c%d","body":"%s"}`, i, strings.Repeat("ü", 1800)))
	}
	text := mapOf(`"prompt":"`+strings.Repeat("ä", 1500)+`","skill":"`+strings.Repeat("ö", 1500)+`","context":[`+strings.Join(blocks, ",")+`],
		"x_actions":{"files":[`+strings.Join(files, ",")+`]},"state_projections":[`+strings.Join(projections, ",")+`],`, tool("go", open+greeting))
	r := newRig(t, map[string]string{
		"public/sites/shop.example.com/long":  text,
		"public/sites/shop.example.com/short": mapOf(`"prompt":"Be kind.",`, tool("stay", open+greeting)),
	})
	l, _ := listOf(t, r, `{"mode":"list"}`)
	if len(l.Guidance) != 2 {
		t.Fatalf("guidance of %d maps", len(l.Guidance))
	}
	if utf8.RuneCountInString(l.Guidance[0].Prompt) != 1500 || utf8.RuneCountInString(l.Guidance[0].Skill.Text) != 500 ||
		!l.Guidance[0].Truncated || l.Guidance[0].TotalChars != 3000 || l.Guidance[1].Prompt != "Be kind." || l.Guidance[1].Truncated {
		t.Errorf("the first guidance: truncated %t of %d", l.Guidance[0].Truncated, l.Guidance[0].TotalChars)
	}
	lengths := []int{1800, 1800, 400}
	for i, b := range l.Context {
		if n := utf8.RuneCountInString(b.Body); n != lengths[i] || b.Truncated != (n < 1800) || b.Truncated && b.TotalChars != 1800 {
			t.Errorf("block %d: %d characters, truncated %t of %d", i, n, b.Truncated, b.TotalChars)
		}
	}
	if len(l.Context) != 3 {
		t.Errorf("%d blocks", len(l.Context))
	}
	for name, rows := range map[string][]any{"state_projections": l.StateProjections, "files": l.Files} {
		raw, err := json.Marshal(rows)
		if err != nil || len(rows) == 0 || len(raw) > 4300 || len(rows)+l.LeftOut[name] != 200 {
			t.Errorf("%s: %d rows in %d characters, %d left out, %v", name, len(rows), len(raw), l.LeftOut[name], err)
		}
	}
	if _, ok := l.LeftOut["skills"]; ok {
		t.Errorf("left out %v", l.LeftOut)
	}
}
