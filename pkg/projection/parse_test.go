package projection

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestParse(t *testing.T) {
	// Ensure a valid declaration is read in full (P1) and its extractors become valid arguments of the primitive.
	p := parse(t, boardProjection)
	if p.Name != "board" || p.Description != "The board." || !slices.Equal(p.SummaryNames(), []string{"agent_context", "broken", "nothing", "long"}) {
		t.Errorf("read %q %q %v", p.Name, p.Description, p.SummaryNames())
	}
	first := p.Postconditions[0]
	if first.Action != "card.add" || first.Projection != "board" || first.FailureMessage != "The card is not there." || first.SettleMS != 2000 {
		t.Errorf("read the postcondition %+v", first)
	}
	if second := p.Postconditions[1]; second.Projection != "modal" || second.SettleMS != 0 {
		t.Errorf("read the postcondition %+v", second)
	}
	record, ok := primitive.Load().Record(Primitive)
	if !ok {
		t.Fatalf("no record of %s", Primitive)
	}
	if err := record.CheckInput(p.Extract); err != nil {
		t.Errorf("%s: %v", p.Extract, err)
	}
}

func TestExtractArguments(t *testing.T) {
	// Ensure notes and nulls of a map do not reach the primitive, and the order of the fields stays.
	text := edited(t, boardProjection, `"id":{"attribute":"data-id"}`, `"z":{"property":"value","note":"x","xpath":null,"id":"no"},"a":{"default":null,"many":false}`)
	got := string(parse(t, text).Extract)
	want := `{"extract":[{"id":"lists","selector":".list","fields":{"z":{"property":"value"},"a":{"default":null,"many":false},"name":{`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got  %s\nwant %s…", got, want)
	}
	// Reading another property was null; here it is a fault, because the map can never work.
	if _, problems := Parse(json.RawMessage(edited(t, boardProjection, `"attribute":"data-id"`, `"property":"outerHTML"`))); len(problems) != 1 {
		t.Errorf("problems %v", problems)
	}
}

func TestParseFaults(t *testing.T) {
	// Ensure every fault of a declaration is named with its place.
	cases := []struct{ old, new, pointer, message string }{
		{boardProjection, `[]`, "", "must be an object"},
		{boardProjection, `{"a":1,"a":2}`, "", "stands twice"},
		{boardProjection, `{`, "", ""},
		{`"name":"board"`, `"name":""`, "/name", "must have a name"},
		{`"description":"The board."`, `"description":5`, "/description", "must be a string"},
		{`{"url_matches":"https://trello.test/b/*"}`, `"https://trello.test"`, "/scope", "scope must be an object"},
		{`"https://trello.test/b/*"`, `["x",7]`, "/scope/url_matches/1", "must be a string"},
		{`"version":1`, `"version":"1"`, "/snapshot/version", "number 1"},
		{`"source":"dom"`, `"source":"ax"`, "/snapshot/source", `"dom"`},
		{`"extract":[{`, `"extract":{},"x":[{`, "/snapshot/extract", "must be an array"},
		{`{"id":"lists",`, `{`, "/snapshot/extract/0/id", "must have an id"},
		{`{"id":"lists",`, `{"id":"lists"},{"id":"lists",`, "/snapshot/extract/1/id", "two extractors"},
		{`{"id":"lists",`, `7,{"id":"lists",`, "/snapshot/extract/0", "must be an object"},
		{`"selector":"h2"`, `"selector":["h2"]`, "/snapshot/extract/0/fields/name/selector", "must be a string"},
		{`"many":true`, `"many":"yes"`, "/snapshot/extract/0/fields/cards/many", "true or false"},
		{`"due":{`, `"a/b":[],"due":{`, "/snapshot/extract/0/fields/cards/fields/a~1b", "must be an object"},
		{`"fields":{"id":{"attribute":"id"}`, `"fields":[],"x":{"id":{"attribute":"id"}`, "/snapshot/extract/0/fields/cards/fields", "from names to fields"},
		{`"language":"jsonata","expression":"{% {`, `"language":"jq","expression":"{% {`, "/snapshot/projection/language", "jsonata"},
		{`[records.lists] } %}"`, `[records.lists] %}"`, "/snapshot/projection/expression", "cannot be parsed"},
		{`"expression":"{% {`, `"expression":"text {% {`, "/snapshot/projection/expression", "whole string"},
		{`"required":["lists"]`, `"required":"lists"`, "/snapshot/output_schema/required", "JSON Schema"},
		{`{"name":"nothing"`, `{"name":"broken"`, "/summaries/2/name", "two summaries"},
		{`"expression":"state.none"`, `"x":1`, "/summaries/2/expression", "must be a string"},
		{`"max_bytes":1000`, `"max_bytes":-1`, "/summaries/0/max_bytes", "1 or more"},
		{`"card.close":{`, `"card.open":5,"card.close":{`, "/postconditions/card.open", "must be an object"},
		{`"expression":"{% state.open = false %}"`, `"x":1`, "/postconditions/card.close/expression", "must be a string"},
		{`"verify":{"language":"jsonata"`, `"verify":{"language":"js"`, "/postconditions/card.add/verify/language", "jsonata"},
		{`"settle_ms":0`, `"settle_ms":60000`, "/postconditions/card.close/settle_ms", "30000 or less"},
	}
	for _, c := range cases {
		_, problems := Parse(json.RawMessage(edited(t, boardProjection, c.old, c.new)))
		if len(problems) == 0 {
			t.Errorf("%s passes", c.new)
		} else if p := problems[0]; p.Pointer != c.pointer || !strings.Contains(p.Message, c.message) {
			t.Errorf("%s: got %q %q, want %q … %s", c.new, p.Pointer, p.Message, c.pointer, c.message)
		}
	}
}

func TestMarkerDeclarations(t *testing.T) {
	// Ensure markers are checked where they are declared (M1, M2), and an expression is only compiled (M3).
	const good = `[{"id":"a","type":"cursor","recipe":[{"primitive":"keyboard.press"}]},{"id":"b","type":"pointer","recipe":[{"primitive":"pointer.move","args":{}}]}]`
	cases := []struct{ markers, pointer string }{
		{good, "ok"},
		{`null`, "ok"},
		{`[]`, "ok"},
		{`"{% state.cards.{\"id\": id} %}"`, "ok"},
		{edited(t, good, `"id":"b"`, `"id":"a"`), "/markers/1/id"},
		{edited(t, good, `"cursor"`, `"gaze"`), "/markers/0/type"},
		{edited(t, good, `keyboard.press`, `debug.run_javascript`), "/markers/0/recipe/0/primitive"},
		{edited(t, good, `keyboard.press`, `dom.focus`), "/markers/0/recipe/0/primitive"},
		{edited(t, good, `[{"primitive":"keyboard.press"}]`, `[]`), "/markers/0/recipe"},
		{edited(t, good, `"id":"a"`, `"id":""`), "/markers/0/id"},
		{edited(t, good, `"args":{}`, `"args":[]`), "/markers/1/recipe/0/args"},
		{edited(t, good, `"type":"cursor"`, `"type":"cursor","anchor":"h1"`), "/markers/0/anchor"},
		{`{}`, "/markers"},
		{`[1]`, "/markers/0"},
		{`"{% ( %}"`, "/markers"},
	}
	for _, c := range cases {
		start := strings.Index(boardProjection, `"markers":`)
		_, problems := Parse(json.RawMessage(boardProjection[:start] + `"markers":` + c.markers + `}`))
		got := "ok"
		if len(problems) > 0 {
			got = problems[0].Pointer
		}
		if got != c.pointer {
			t.Errorf("%s: %s, want %s", c.markers, got, c.pointer)
		}
	}
}

func TestSet(t *testing.T) {
	// Ensure listing and finding follow the page's URL (P2, P3), a broken declaration hides no other and is told, and of two postconditions of an action none goes unchecked.
	broken := edited(t, edited(t, boardProjection, `"name":"board"`, `"name":"broken"`), `"version":1`, `"version":2`)
	broken = edited(t, broken, `"card.add"`, `"card.move"`)
	everywhere := edited(t, edited(t, boardProjection, `"name":"board"`, `"name":"anywhere"`), `"https://trello.test/b/*"`, `["https://other.test/*","https://trello.test/c/*"]`)
	set := ParseSet(json.RawMessage(`[` + broken + `,` + boardProjection + `,` + everywhere + `,5]`))
	names := func(url string) (out []string) {
		for _, p := range set.For(url) {
			out = append(out, p.Name)
		}
		return out
	}
	if diff := cmp.Diff([]string{"board"}, names("https://trello.test/b/x")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"anywhere"}, names("https://trello.test/c/x")); diff != "" {
		t.Error(diff)
	}
	if p, err := set.Find("board", "https://trello.test/b/x"); err != nil || p.Name != "board" {
		t.Errorf("found %v, %v", p, err)
	}
	_, err := set.Find("board", "https://trello.test/c/x")
	wantJSON(t, wantFault(t, err, fault.StateProjectionNotFound).Evidence["available"], `["anywhere"]`)
	_, err = set.Find("none", "https://nowhere.test/")
	wantJSON(t, wantFault(t, err, fault.StateProjectionNotFound).Evidence["available"], `[]`)
	_, err = set.Find("broken", "https://trello.test/b/x")
	wantJSON(t, wantFault(t, err, fault.InvalidStateProjection).Evidence["problems"], `[{"pointer":"/snapshot/version","message":"version must be the number 1"}]`)
	_, err = set.Postcondition("card.add") // of two projections
	wantFault(t, err, fault.InvalidStatePostcondition)
	if c, err := ParseSet(json.RawMessage(`[` + broken + `,` + boardProjection + `]`)).Postcondition("card.add"); err != nil || c.Projection != "board" {
		t.Errorf("postcondition %v, %v", c, err)
	}
	if c, err := set.Postcondition("card.none"); err != nil || c != nil {
		t.Errorf("postcondition %v, %v", c, err)
	}
	_, err = set.Postcondition("card.move")
	wantFault(t, err, fault.InvalidStatePostcondition)
	if got := ParseSet(json.RawMessage(`{"not":"a list"}`)).For("https://trello.test/b/x"); len(got) != 0 {
		t.Errorf("an object holds %d projections", len(got))
	}
}

func TestPostconditionsThatAreNoObject(t *testing.T) {
	// Ensure that no action runs unchecked beside postconditions in a shape that names no actions.
	const declared = `{"name":"other","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"{}"}},"postconditions":`
	for _, conditions := range []string{`[{"action":"card.add","expression":"true"}]`, `"state.ok"`, `7`} {
		for _, text := range []string{declared + conditions + `}`, boardProjection + `,` + declared + conditions + `}`} {
			_, err := ParseSet(json.RawMessage(`[` + text + `]`)).Postcondition("card.add")
			if f := wantFault(t, err, fault.InvalidStatePostcondition); f.Evidence["projection"] != "other" || !strings.Contains(f.Message, "/postconditions: ") {
				t.Errorf("%s: %v", conditions, f)
			}
		}
	}
	if c, err := ParseSet(json.RawMessage(`[` + declared + `null}]`)).Postcondition("card.add"); err != nil || c != nil {
		t.Errorf("null: %v, %v", c, err)
	}
}

func TestSharedMaps(t *testing.T) {
	// Ensure a real map's projection without an expression is refused by name and place, not by a crash.
	raw := sharedMap(t, "good-map")
	if raw == nil {
		return
	}
	_, err := ParseSet(raw).Find("good.cards", "https://example.com/")
	wantJSON(t, wantFault(t, err, fault.InvalidStateProjection).Evidence["problems"],
		`[{"pointer":"/snapshot/projection","message":"projection must be an object with language and expression"}]`)
}
