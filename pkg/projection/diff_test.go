package projection

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const trello = `{"lists":[{"id":1,"name":"To do","cards":[{"id":"a","title":"Tea"},{"id":"b","title":"Milk"}]},{"id":2,"name":"Done","cards":[{"id":"c","title":"Jam"}]}]}`

func mustDiff(t testing.TB, previous, current string) Changes {
	t.Helper()
	c, err := Diff(json.RawMessage(previous), json.RawMessage(current))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDiffPatches(t *testing.T) {
	// Ensure the patches name just what changed (P8); ours come in the order of the members' names, and an insertion at the head rewrites nothing.
	renamed := edited(t, edited(t, edited(t, trello, "To do", "Doing"), "Tea", "Green tea"), `{"id":"b","title":"Milk"}`, `{"id":"b","title":"Milk"},{"id":"d","title":"a<b"}`)
	wantJSON(t, mustDiff(t, trello, renamed).Patches, `[
		{"op":"replace","path":"/lists/0/cards/0/title","value":"Green tea"},
		{"op":"add","path":"/lists/0/cards/2","value":{"id":"d","title":"a<b"}},
		{"op":"replace","path":"/lists/0/name","value":"Doing"}]`)
	if text := string(mustDiff(t, trello, renamed).Patches); !strings.Contains(text, "a<b") {
		t.Errorf("patches are escaped for HTML: %s", text)
	}
	wantJSON(t, mustDiff(t, trello, edited(t, trello, `[{"id":"a"`, `[{"id":"z"},{"id":"a"`)).Patches, `[{"op":"add","path":"/lists/0/cards/0","value":{"id":"z"}}]`)
	wantJSON(t, mustDiff(t, `{"a/b":{"c~d":null}}`, `{"a/b":{"c~d":0}}`).Patches, `[{"op":"replace","path":"/a~1b/c~0d","value":0}]`)
	wantJSON(t, mustDiff(t, `{"a":1}`, `{"a":null}`).Patches, `[{"op":"replace","path":"/a","value":null}]`)
	wantJSON(t, mustDiff(t, trello, trello), `{"patches":[],"semantic_deltas":[]}`)
}

func TestDeltas(t *testing.T) {
	// Ensure changes are told in terms of the page (P9): entities by their identity, fields with what they were.
	cases := []struct{ name, from, to, want string }{
		{"a card is added", trello, edited(t, trello, `{"id":"b","title":"Milk"}`, `{"id":"b","title":"Milk"},{"id":"d","title":"Bread"}`),
			`[{"type":"entity_added","path":"/lists/0/cards/2","entity":{"kind":"card","id":"d","title":"Bread"}}]`},
		{"a card is added at the head", trello, edited(t, trello, `[{"id":"a"`, `[{"id":"d","title":"Bread"},{"id":"a"`),
			`[{"type":"entity_added","path":"/lists/0/cards/0","entity":{"kind":"card","id":"d","title":"Bread"}}]`},
		{"a list is renamed", trello, edited(t, trello, "To do", "Doing"),
			`[{"type":"field_replaced","path":"/lists/0/name","field":"name","value":"Doing","previous":"To do"}]`},
		{"a card is removed", trello, edited(t, trello, `{"id":"a","title":"Tea"},`, ``),
			`[{"type":"entity_removed","path":"/lists/0/cards/0","entity":{"kind":"card","id":"a","title":"Tea"}}]`},
		{"a card goes to another list and changes", trello, edited(t, edited(t, trello, `{"id":"a","title":"Tea"},`, ``), `{"id":"c"`, `{"id":"a","title":"Hot tea"},{"id":"c"`),
			`[{"type":"entity_moved","path":"/lists/1/cards/0","from":"/lists/0/cards/0","entity":{"kind":"card","id":"a","title":"Hot tea"}},
			  {"type":"field_replaced","path":"/lists/1/cards/0/title","field":"title","value":"Hot tea","previous":"Tea"}]`},
		{"the same id moves in one list and between two others", `[{"id":1,"cards":[{"id":"x"},{"id":"y"},{"id":"z"}]},{"id":2,"cards":[{"id":"x"}]},{"id":3,"cards":[]}]`,
			`[{"id":1,"cards":[{"id":"y"},{"id":"z"},{"id":"x"}]},{"id":2,"cards":[]},{"id":3,"cards":[{"id":"x"}]}]`,
			`[{"type":"entity_moved","path":"/0/cards/2","from":"/0/cards/0","entity":{"kind":"card","id":"x"}},
			  {"type":"entity_moved","path":"/2/cards/0","from":"/1/cards/0","entity":{"kind":"card","id":"x"}}]`},
		{"an element is dragged", `{"rows":[{"id":1},{"id":2},{"id":3},{"id":4}]}`, `{"rows":[{"id":4},{"id":1},{"id":2},{"id":3}]}`,
			`[{"type":"entity_moved","path":"/rows/0","from":"/rows/3","entity":{"kind":"row","id":4}}]`},
		{"the id wins over the name", `[{"id":1,"name":"a"},{"id":2,"name":"b"}]`, `[{"id":2,"name":"a"}]`,
			`[{"type":"entity_removed","path":"/0","entity":{"kind":"item","id":1,"title":"a"}},{"type":"field_replaced","path":"/0/name","field":"name","value":"a","previous":"b"}]`},
		{"ids that repeat identify nothing", `{"entries":[{"id":1,"name":"a"},{"id":1,"name":"b"}]}`, `{"entries":[{"id":1,"name":"b"}]}`,
			`[{"type":"entity_removed","path":"/entries/0","entity":{"kind":"entry","id":1,"title":"a"}}]`},
		{"a name may change in its place", `{"tabs":[{"name":"a","on":true},{"name":"b","on":true}]}`, `{"tabs":[{"name":"a","on":true},{"name":"c","on":true}]}`,
			`[{"type":"field_replaced","path":"/tabs/1/name","field":"name","value":"c","previous":"b"}]`},
		{"texts go by their place", `{"labels":["x","y","z"]}`, `{"labels":["new","x","q","z"]}`,
			`[{"type":"field_replaced","path":"/labels/0","field":"labels","value":"new","previous":"x"},
			  {"type":"field_replaced","path":"/labels/1","field":"labels","value":"x","previous":"y"},
			  {"type":"entity_added","path":"/labels/2","entity":{"kind":"label","title":"q"}}]`},
		{"a text at the head", `{"labels":["x","y"]}`, `{"labels":["new","x","y"]}`, `[{"type":"entity_added","path":"/labels/0","entity":{"kind":"label","title":"new"}}]`},
		{"the first elements", `{"rows":[]}`, `{"rows":[{"id":7}]}`, `[{"type":"entity_added","path":"/rows/0","entity":{"kind":"row","id":7}}]`},
		{"members come and go", `{"a":1}`, `{"b/c":null}`, `[{"type":"field_removed","path":"/a","field":"a","previous":1},{"type":"field_added","path":"/b~1c","field":"b/c","value":null}]`},
		{"another kind of value", `{"a":[1]}`, `{"a":{"b":1}}`, `[{"type":"field_replaced","path":"/a","field":"a","value":{"b":1},"previous":[1]}]`},
		{"the whole state", `null`, `1`, `[{"type":"field_replaced","path":"","value":1,"previous":null}]`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { wantJSON(t, mustDiff(t, c.from, c.to).Deltas, c.want) })
	}
}

func TestDiffBudgets(t *testing.T) {
	// Ensure a difference stays within its budgets and counts what it leaves out.
	records := func(n int, text string) string {
		rows := make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprintf(`{"id":%d,"text":%q}`, i, text)
		}
		return `{"rows":[` + strings.Join(rows, ",") + `]}`
	}
	// The state told anew is shorter than what changed in it.
	c := mustDiff(t, records(700, "a"), records(700, "b"))
	if !strings.HasPrefix(string(c.Patches), `[{"op":"replace","path":"","value":{"rows":`) || c.PatchesOmittedBytes != 0 {
		t.Errorf("%d bytes omitted, patches %.80s", c.PatchesOmittedBytes, c.Patches)
	}
	if c.DeltasOmitted == 0 || len(c.Deltas)+c.DeltasOmitted != 700 || len(encode(c.Deltas)) > maxDeltaBytes {
		t.Errorf("%d deltas, %d omitted", len(c.Deltas), c.DeltasOmitted)
	}
	c = mustDiff(t, records(500, "a"), records(500, strings.Repeat("b", 100)))
	if string(c.Patches) != "[]" || c.PatchesOmittedBytes <= maxPatchBytes {
		t.Errorf("%d bytes omitted, patches %.80s", c.PatchesOmittedBytes, c.Patches)
	}
	// Arrays too long to align still give patches that lead to the state.
	numbers := func(first string) string { return `[` + first + strings.Repeat(`,1`, 3000) + `]` }
	if c = mustDiff(t, numbers("1"), numbers("2")); string(c.Patches) != `[{"value":2,"op":"replace","path":"/0"}]` {
		t.Errorf("patches %.80s", c.Patches)
	}
	long := strings.Repeat("x", maxValueBytes)
	wantJSON(t, mustDiff(t, `{"t":1}`, `{"t":"`+long+`"}`).Deltas, `[{"type":"field_replaced","path":"/t","field":"t","previous":1,"values_omitted":true}]`)
	title := mustDiff(t, `[]`, `[{"id":1,"title":"`+strings.Repeat("é", 200)+`"}]`).Deltas[0].Entity.Title
	if want := strings.Repeat("é", maxTitleRunes-1) + "…"; title != want {
		t.Errorf("title %q", title)
	}
	_, err := Diff(json.RawMessage(`{`), json.RawMessage(`{}`))
	wantFault(t, err, fault.InvalidInput)
}

func TestSince(t *testing.T) {
	// Ensure the first reading starts a baseline, a later one tells the changes with both hashes, and a summary cannot be compared.
	p := parse(t, boardProjection)
	r := mustRun(t, p, extraction, Options{Internal: true})
	first, err := r.Since(t.Context(), nil)
	if err != nil || first.Baseline != "initialized" || first.PreviousStateHash != "" || string(first.Patches) != "[]" || first.Deltas == nil {
		t.Errorf("%+v, %v", first, err)
	}
	in := extraction
	in.Records = json.RawMessage(edited(t, string(in.Records), "Tea", "Coffee"))
	second, err := mustRun(t, p, in, Options{Internal: true}).Since(t.Context(), r.State)
	if err != nil || second.Baseline != "previous_snapshot" || second.PreviousStateHash != r.StateHash || second.StateHash == r.StateHash {
		t.Errorf("%+v, %v", second, err)
	}
	wantJSON(t, second.Patches, `[{"op":"replace","path":"/lists/0/cards/0/title","value":"Coffee"}]`)
	var shape map[string]json.RawMessage
	if err := json.Unmarshal(encode(second), &shape); err != nil || shape["semantic_deltas"] == nil || string(shape["patch_format"]) != `"json_patch"` {
		t.Errorf("shape %v, %v", shape, err)
	}
	_, err = mustRun(t, p, extraction, Options{Summary: DefaultSummary}).Since(t.Context(), nil)
	wantFault(t, err, fault.StateDiffRequiresFullState)
}
