package projection

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// boardProjection is a declaration of the kind that real maps have.
const boardProjection = `{
	"name":"board","description":"The board.","scope":{"url_matches":"https://trello.test/b/*"},
	"snapshot":{"version":1,"source":"dom",
		"extract":[{"id":"lists","selector":".list","fields":{
			"id":{"attribute":"data-id"},"name":{"selector":"h2","trim":true,"required":true},
			"cards":{"selector":".card","many":true,"fields":{"id":{"attribute":"id"},"title":{"selector":"a"},"due":{"selector":".due","default":null}}}}}],
		"projection":{"language":"jsonata","expression":"{% {\"url\": url, \"title\": title, \"by\": projection.name, \"lists\": [records.lists] } %}"},
		"output_schema":{"type":"object","required":["lists"],"properties":{"lists":{"type":"array","items":{
			"type":"object","required":["id","name"],"properties":{"id":{"type":"integer"},"name":{"type":"string"},"cards":{"type":"array"}}}}}}},
	"summaries":[
		{"name":"agent_context","expression":"{\"lists\": $count(state.lists), \"cards\": $count(records.lists.cards), \"on\": url, \"of\": projection.name}","max_bytes":1000},
		{"name":"broken","expression":"$number(url)"},{"name":"nothing","expression":"state.none"},
		{"name":"long","expression":"$join([1..7000].(\"xxxxxx\"))","max_bytes":90000}],
	"postconditions":{
		"card.add":{"verify":{"language":"jsonata","expression":"$exists(state.lists.cards[title = $$.input.title])"},"failure_message":"The card is not there."},
		"card.close":{"projection":"modal","expression":"{% state.open = false %}","settle_ms":0}},
	"markers":[{"id":"first","type":"pointer","anchor":{"x":1,"y":2,"near":"h2"},"recipe":[{"primitive":"locator.element_info","args":{"locator":{"selector":".card"}}}]}]}`

// extraction is what a page of two lists gives.
var extraction = Extraction{
	Records: json.RawMessage(`{"lists":[{"id":1,"name":"To do","cards":[{"id":"a","title":"Tea","due":null}]},{"id":2,"name":"Done","cards":[]}]}`),
	URL:     "https://trello.test/b/x", Title: "Board",
	Diagnostics: Diagnostics{SelectorCounts: map[string]int{"lists": 2}},
}

func parse(t testing.TB, text string) *Projection {
	t.Helper()
	p, problems := Parse(json.RawMessage(text))
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	return p
}

// edited replaces one part of a text that must occur in it.
func edited(t testing.TB, text, old, new string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q does not occur", old)
	}
	return strings.Replace(text, old, new, 1)
}

func mustRun(t testing.TB, p *Projection, in Extraction, opt Options) Reading {
	t.Helper()
	r, err := p.Run(t.Context(), in, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantFault asserts the code and returns the fault.
func wantFault(t testing.TB, err error, code fault.Code) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code {
		t.Fatalf("error %v, want %s", err, code)
	}
	return f
}

// wantJSON compares two JSON texts by value; got may be any value.
func wantJSON(t testing.TB, got any, want string) {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if diff := cmp.Diff(b, a); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// sharedMap reads a projection section of the shared maps, nil where they are not present.
func sharedMap(t testing.TB, name string) json.RawMessage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "maps", name, "actions.json"))
	if errors.Is(err, os.ErrNotExist) {
		t.Logf("the map %s is not present beside the repository: this part is left out", name)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		StateProjections json.RawMessage `json:"state_projections"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m.StateProjections
}
