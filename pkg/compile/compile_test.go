package compile_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const shop = "https://tea.example/shop"

var recorded = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// run numbers the steps, which are on the shop's page where they name none.
func run(steps ...compile.Step) compile.Run {
	for i := range steps {
		steps[i].Number, steps[i].At = i+1, recorded
		if steps[i].URL == "" {
			steps[i].URL = shop
		}
	}
	return compile.Run{Source: compile.SourceRun, Session: "mcp:1", Steps: steps}
}

func did(name, args string, target *compile.Met) compile.Step {
	return compile.Step{Primitive: name, Args: json.RawMessage(args), Target: target}
}

func field(label string) *compile.Met {
	return &compile.Met{Tag: "input", Kind: "text", Role: "textbox", Name: label, Label: label, Selector: "#" + strings.ToLower(label)}
}

func button(name string) *compile.Met {
	return &compile.Met{Tag: "button", Role: "button", Name: name, Selector: "#b"}
}

// row is a button that each item of a list has.
func row(text string) *compile.Met {
	m := &compile.Met{Tag: "button", Role: "button", Name: "Choose", Several: []string{"role"}, Selector: "ul > li:nth-of-type(2) > button:nth-of-type(1)"}
	m.Row.Selector, m.Row.Text, m.Row.Inner = "li", text, "button"
	return m
}

// made is what the tests look at of a map.
type made struct {
	Tools []struct {
		Name        string
		Description string
		InputSchema struct {
			Required   []string
			Properties map[string]map[string]any
		} `json:"input_schema"`
		Workflow struct {
			Steps  []step
			Output string
		}
		Provenance compile.Provenance
	}
	Projections []struct {
		Postconditions map[string]struct{ Verify struct{ Expression string } }
	} `json:"state_projections"`
}

type step struct {
	ID, Primitive string
	ForEach       string `json:"for_each"`
	MaxItems      int    `json:"max_items"`
	Args          map[string]any
	Steps         []step
	SettleAfter   map[string]any `json:"settle_after"`
}

func write(t testing.TB, r compile.Run, opts compile.Options) (compile.Action, made) {
	t.Helper()
	opts.Catalogue = primitive.Load()
	a, err := compile.Write(r, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Findings) > 0 {
		t.Fatalf("findings %v\n%s", a.Findings, a.Text)
	}
	var m made
	if err := json.Unmarshal(a.Text, &m); err != nil {
		t.Fatal(err)
	}
	return a, m
}

func text(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // of strings
	}
	return string(raw)
}

func TestLocators(t *testing.T) {
	// Ensure that a target gets the most durable locator that finds it alone: test id, role and name, label, text, an item by its text, the caller's own, structure; and that one which the page has several of, or which the open page refutes, is passed by.
	met := compile.Met{Tag: "button", TestID: "send", Role: "button", Name: "Send", Selector: "form > button:nth-of-type(2)"}
	without := func(change func(*compile.Met)) *compile.Met {
		m := met
		change(&m)
		return &m
	}
	for _, test := range []struct {
		name, args string
		target     *compile.Met
		verdicts   map[string]compile.Verdict // by a word of the locator
		want       string
	}{
		{"test id", `{"locator":{"ref":"abc1"}}`, &met, nil, `{"test_id":"send"}`},
		{"role and name", `{"locator":{"ref":"abc1"}}`, without(func(m *compile.Met) { m.TestID = "" }), nil, `{"name":"Send","role":"button"}`},
		{"a test id of several", `{"locator":{"ref":"abc1"}}`, without(func(m *compile.Met) { m.Several = []string{"test_id"} }), nil, `{"name":"Send","role":"button"}`},
		{"the open page has two of the test id", `{"locator":{"ref":"abc1"}}`, &met, map[string]compile.Verdict{"test_id": compile.Several}, `{"name":"Send","role":"button"}`},
		{"the open page has no such test id any more", `{"locator":{"ref":"abc1"}}`, &met, map[string]compile.Verdict{"test_id": compile.None, "role": compile.One}, `{"name":"Send","role":"button"}`},
		{"label", `{"locator":{"ref":"abc1"}}`, &compile.Met{Tag: "input", Role: "textbox", Name: "Send to", Label: "Send", Several: []string{"role"}}, nil, `{"label":"Send"}`},
		{"text", `{"locator":{"ref":"abc1"}}`, &compile.Met{Tag: "div", Text: "Send", Selector: "div:nth-of-type(4)"}, nil, `{"text_equals":"Send"}`},
		{"the caller's own", `{"locator":{"selector":"#send"}}`, &compile.Met{Tag: "div", Selector: "div:nth-of-type(4)"}, nil, `{"selector":"#send"}`},
		{"structure", `{"locator":{"ref":"abc1"}}`, &compile.Met{Tag: "div", Selector: "div:nth-of-type(4)"}, nil, `{"selector":"div:nth-of-type(4)"}`},
		{"several then, one now", `{"locator":{"ref":"abc1"}}`, &compile.Met{Tag: "a", Role: "link", Name: "More", Several: []string{"role"}}, map[string]compile.Verdict{"role": compile.One}, `{"name":"More","role":"link"}`},
		{"without a description", `{"locator":{"label":"Name"}}`, nil, nil, `{"label":"Name"}`},
		{"in a frame", `{"locator":{"ref":"abc1"}}`, without(func(m *compile.Met) {
			m.Frame = append(m.Frame, struct {
				Host     string `json:"host,omitzero"`
				Name     string `json:"name,omitzero"`
				Selector string `json:"selector,omitzero"`
			}{Selector: "#pay"})
		}), nil, `{"frame":[{"selector":"#pay"}],"test_id":"send"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			check := func(_ string, locator json.RawMessage, _ *compile.Met) compile.Verdict {
				for word, verdict := range test.verdicts {
					if strings.Contains(string(locator), word) {
						return verdict
					}
				}
				return compile.Unchecked
			}
			_, m := write(t, run(did("locator.click", test.args, test.target)), compile.Options{Check: check})
			if got := text(m.Tools[0].Workflow.Steps[0].Args["locator"]); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	// Ensure that what cannot become an action is an error with its code, never a guess.
	several := &compile.Met{Tag: "a", Role: "link", Name: "More", Several: []string{"role"}}
	for _, test := range []struct {
		name string
		run  compile.Run
		opts compile.Options
		code fault.Code
	}{
		{"an ambiguous target", run(did("locator.click", `{"locator":{"ref":"abc1"}}`, several)), compile.Options{}, fault.MultipleTargets},
		{"a ref that the log says nothing of", run(did("locator.click", `{"locator":{"ref":"abc1"}}`, nil)), compile.Options{}, fault.InvalidInput},
		{"a point that the log says nothing of", run(did("pointer.click", `{"x":3,"y":4}`, nil)), compile.Options{}, fault.InvalidInput},
		{"nothing was done", run(), compile.Options{}, fault.InvalidInput},
		{"only looks", run(did("page.snapshot", `{}`, nil)), compile.Options{}, fault.InvalidInput},
		{"code", run(did("browser.run_javascript", `{"source":"1"}`, nil)), compile.Options{}, fault.InvalidInput},
		{"a bad name", run(did("locator.click", `{"locator":{"label":"A"}}`, nil)), compile.Options{Name: "9 lives"}, fault.InvalidInput},
		{"too many steps", run(slices.Repeat([]compile.Step{did("locator.click", `{"locator":{"label":"A"}}`, nil)}, 26)...), compile.Options{}, fault.InvalidInput},
		{"arguments that were cut", run(did("locator.click", `{"truncated":`, nil)), compile.Options{}, fault.InvalidInput},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.opts.Catalogue = primitive.Load()
			if a, err := compile.Write(test.run, test.opts); !fault.Is(err, test.code) {
				t.Errorf("got %v\n%s", err, a.Text)
			}
		})
	}
}

func TestInputs(t *testing.T) {
	// Ensure that what was typed or chosen becomes an input by the field's name, a secret a required one that nobody reads back, and that a text which was typed before is not asked for twice.
	secret := &compile.Met{Tag: "input", Kind: "password", Name: "Password", Role: "textbox", Secret: true}
	date := &compile.Met{Tag: "input", Kind: "date", Label: "Day", Name: "Day", Role: "textbox"}
	size := &compile.Met{Tag: "select", Kind: "select", Role: "combobox", Name: "Size"}
	a, m := write(t, run(
		did("locator.fill", `{"locator":{"ref":"a1"},"text":"ada@example.net"}`, field("Mail")),
		did("locator.fill", `{"locator":{"ref":"a2"},"text":"ada@example.net"}`, field("Again")),
		did("locator.fill", `{"locator":{"ref":"a3"},"text":{"length":9}}`, secret),
		did("locator.fill", `{"locator":{"ref":"a4"},"text":"2026-12-24"}`, date),
		did("locator.select_option", `{"locator":{"ref":"a5"},"label":"Medium"}`, size),
		did("locator.set_checked", `{"locator":{"label":"Gift"},"checked":true}`, nil),
		did("locator.fill", `{"locator":{"label":"Note"},"text":""}`, nil),
		did("locator.click", `{"locator":{"ref":"a6"},"diff":true,"timeout_ms":900}`, button("Send")),
	), compile.Options{})
	tool := m.Tools[0]
	if got := strings.Join(tool.InputSchema.Required, " "); got != "mail password day size" || got != strings.Join(a.Inputs, " ") {
		t.Errorf("inputs %s", got)
	}
	if p := tool.InputSchema.Properties["password"]; p["writeOnly"] != true || p["examples"] != nil {
		t.Errorf("password %v", p)
	}
	if p := tool.InputSchema.Properties["day"]; p["format"] != "date" || text(p["examples"]) != `["2030-01-31"]` {
		t.Errorf("day %v", p)
	}
	if got := text(tool.Workflow.Steps[1].Args["text"]); got != `"{% input.mail %}"` {
		t.Errorf("the second mail is %s", got)
	}
	if got := text(tool.Workflow.Steps[7].Args); strings.Contains(got, "diff") || strings.Contains(got, "timeout") {
		t.Errorf("the click keeps what only its caller needed: %s", got)
	}
	want := "type *mail* into *Mail*|type mail into *Again*|type *password* into *Password*|type *day* into *Day*|choose *size* in *Size*|check *Gift*|clear *Note*|click *Send*"
	for i, part := range strings.Split(want, "|") {
		if i == 5 || i == 6 {
			continue // without a description these have no name
		}
		if a.Sentences[i] != part {
			t.Errorf("sentence %d is %q, want %q", i+1, a.Sentences[i], part)
		}
	}
	if a.Name != "tea.send" || tool.Provenance != (compile.Provenance{Source: "run", Session: "mcp:1", RecordedAt: "2026-11-24T12:00:00Z"}) {
		t.Errorf("%s %+v", a.Name, tool.Provenance)
	}
}

func TestNamesOfInputs(t *testing.T) {
	// Ensure that the name of an input stands for it in an expression, whatever its field is called.
	for _, label := range []string{"True", "false", "Null", "In", "And", "Or", "Function"} {
		_, m := write(t, run(did("locator.fill", `{"locator":{"ref":"a1"},"text":"Ada Lovelace"}`, field(label))), compile.Options{})
		given, err := expr.Decode([]byte(`{"input":{"` + m.Tools[0].InputSchema.Required[0] + `":"Grace"}}`))
		if err != nil {
			t.Fatal(err)
		}
		typed, err := expr.Compile(strings.Trim(m.Tools[0].Workflow.Steps[0].Args["text"].(string), "{% }"))
		if err != nil {
			t.Fatal(err)
		}
		if value, err := typed.Eval(t.Context(), given, expr.Limits{}); err != nil || string(value.JSON()) != `"Grace"` {
			t.Errorf("%s: it types %s, %v", label, value.JSON(), err)
		}
	}
}

func TestReads(t *testing.T) {
	// Ensure that reads which no later call used fall away, that a text which was read and then typed is read again, and that the last read is what the action gives, waited for by what it shows of the inputs.
	price := &compile.Met{Tag: "span", Role: "generic", Selector: "#price"}
	result := &compile.Met{Tag: "output", Role: "status", Text: "Sent to Ada Lovelace", Selector: "#result"}
	read := func(target *compile.Met, out string) compile.Step {
		s := did("locator.text_content", `{"locator":{"ref":"r1"}}`, target)
		s.Output = json.RawMessage(fmt.Sprintf(`{"text":%q}`, out))
		s.After = []compile.Seen{{Selector: target.Selector, Text: out}}
		return s
	}
	a, m := write(t, run(
		read(&compile.Met{Tag: "h1", Role: "heading", Name: "Shop", Selector: "h1"}, "Shop"),
		read(price, "EUR 12.50"),
		did("locator.fill", `{"locator":{"ref":"a1"},"text":"EUR 12.50"}`, field("Amount")),
		did("locator.fill", `{"locator":{"ref":"a2"},"text":"Ada Lovelace"}`, field("To")),
		did("locator.click", `{"locator":{"ref":"a3"}}`, button("Send")),
		did("page.snapshot", `{}`, nil),
		read(result, "Sent to Ada Lovelace"),
	), compile.Options{})
	flow := m.Tools[0].Workflow
	var names []string
	for _, s := range flow.Steps {
		names = append(names, s.Primitive)
	}
	if got := strings.Join(names, " "); got != "locator.text_content locator.fill locator.fill locator.click locator.text_content" {
		t.Fatalf("steps %s", got)
	}
	if got := text(flow.Steps[1].Args["text"]); got != `"{% steps.`+flow.Steps[0].ID+`.output.text %}"` {
		t.Errorf("the amount is %s", got)
	}
	if got := text(flow.Steps[3].SettleAfter); got != `{"locator":{"selector":"#result","text_contains":"{% input.to %}"},"timeout_ms":5000}` {
		t.Errorf("waits for %s", got)
	}
	if got := m.Projections[0].Postconditions[a.Name].Verify.Expression; got != "{% $contains(state.shown_1, input.to) %}" {
		t.Errorf("verifies %s", got)
	}
	if strings.Contains(string(a.Text), "Ada") || !strings.Contains(flow.Output, flow.Steps[4].ID) {
		t.Errorf("%s", a.Text)
	}
}

func TestLoop(t *testing.T) {
	// Ensure that steps which repeat over a list become one with for_each over an input, and rounds of several steps one group, after whose last step it waits for the result.
	choose := func(text string) compile.Step { return did("locator.click", `{"locator":{"ref":"a1"}}`, row(text)) }
	a, m := write(t, run(choose("Sencha"), choose("Gyokuro"), choose("Assam"), did("locator.click", `{"locator":{"ref":"a9"}}`, button("Send"))), compile.Options{})
	steps := m.Tools[0].Workflow.Steps
	if len(steps) != 2 || steps[0].ForEach != "{% input.item_to_choose_list %}" || steps[0].MaxItems != 50 || !strings.Contains(text(steps[0].Args), `"text_contains":"{% item %}"`) {
		t.Errorf("steps %+v", steps)
	}
	if got := m.Tools[0].InputSchema.Properties["item_to_choose_list"]["type"]; len(a.Inputs) != 1 || got != "array" {
		t.Errorf("inputs %v, %v", a.Inputs, got)
	}
	add := func(text string) []compile.Step {
		return []compile.Step{did("locator.fill", fmt.Sprintf(`{"locator":{"ref":"a1"},"text":%q}`, text), field("Add")), did("locator.press", `{"locator":{"ref":"a1"},"key":"Enter"}`, field("Add"))}
	}
	twice := run(slices.Concat(add("milk"), add("bread"))...)
	if a, m = write(t, twice, compile.Options{}); len(m.Tools[0].Workflow.Steps) != 1 || len(m.Tools[0].Workflow.Steps[0].Steps) != 2 || strings.Join(a.Inputs, "") != "add_list" {
		t.Errorf("rounds of two: %+v, %v", m.Tools[0].Workflow.Steps, a.Inputs)
	}
	read := did("locator.text_content", `{"locator":{"ref":"r1"}}`, &compile.Met{Tag: "output", Role: "status", Selector: "#result"})
	read.Output = json.RawMessage(`{"text":"2 items"}`)
	_, m = write(t, run(append(twice.Steps, read)...), compile.Options{})
	if round := m.Tools[0].Workflow.Steps[0].Steps; round[0].SettleAfter != nil || text(round[1].SettleAfter) != `{"locator":{"selector":"#result"},"timeout_ms":5000}` {
		t.Errorf("waits in the round: %+v", round)
	}
}

func TestNoLoop(t *testing.T) {
	// Ensure that what was filled or chosen once more, in place of the time before, is no loop.
	fill := func(name, text string) compile.Step {
		return did("locator.fill", fmt.Sprintf(`{"locator":{"ref":"a1"},"text":%q}`, text), field(name))
	}
	radio := func(name string) compile.Step {
		return did("locator.click", `{"locator":{"ref":"a1"}}`, &compile.Met{Tag: "input", Role: "radio", Name: name})
	}
	for name, steps := range map[string][]compile.Step{
		"a form that was filled again": {fill("Name", "Ada"), fill("Mail", "a@b.example"), fill("Name", "Bea"), fill("Mail", "b@b.example")},
		"another radio button":         {radio("Small"), radio("Large")},
	} {
		t.Run(name, func(t *testing.T) {
			_, m := write(t, run(append(steps, did("locator.click", `{"locator":{"ref":"a9"}}`, button("Send")))...), compile.Options{})
			for _, s := range m.Tools[0].Workflow.Steps {
				if s.ForEach != "" {
					t.Errorf("a loop: %+v", s)
				}
			}
		})
	}
}

func TestConstants(t *testing.T) {
	// Ensure that a text that is kept as it is stands in the map so, also where it looks like an expression.
	for _, kept := range []string{"Blue Kettle", "{% 1 + 1 %}", "a {% b", `"%}`} {
		s := did("locator.fill", string(must(json.Marshal(map[string]any{"locator": map[string]any{"ref": "a1"}, "text": kept}))), field("Name"))
		s.Constant = true
		a, m := write(t, run(s, did("locator.click", `{"locator":{"ref":"a9"}}`, button("Send"))), compile.Options{})
		if len(a.Inputs) != 0 {
			t.Errorf("%q: inputs %v", kept, a.Inputs)
		}
		want := kept
		if kept != "Blue Kettle" {
			want = "{% " + strings.ReplaceAll(strconv.Quote(kept), "%}", `%" & "}`) + " %}"
		}
		if got := m.Tools[0].Workflow.Steps[0].Args["text"]; got != want {
			t.Errorf("%q is %q", kept, got)
		}
	}
}

func TestUserChecks(t *testing.T) {
	// Ensure that what the user pointed at after the last act is waited for by its own words, without a number of this run, and is the postcondition.
	fill := did("locator.fill", `{"locator":{"ref":"a1"},"text":"typed-0123456789ab"}`, field("Name"))
	check := func(t *compile.Met) compile.Step { return did("locator.wait_for", `{}`, t) }
	said := &compile.Met{Tag: "p", Role: "status", Text: "Order 5667 is confirmed, thank you typed-0123456789ab", Selector: "#said"}
	r := run(fill, did("locator.click", `{"locator":{"ref":"a9"}}`, button("Order")), check(said))
	r.Source = compile.SourceRecording
	_, m := write(t, r, compile.Options{Name: "tea.order"})
	steps := m.Tools[0].Workflow.Steps
	if got := text(steps[len(steps)-1].Args); got != `{"locator":{"selector":"#said","text_contains":"confirmed, thank you"},"timeout_ms":5000}` {
		t.Errorf("waits for %s", got)
	}
	if got := m.Projections[0].Postconditions["tea.order"].Verify.Expression; got != `{% $contains(state.shown_1, input.name) %}` {
		t.Errorf("verifies %s", got)
	}
	for shown, want := range map[string]string{
		"2 bicycles for “typed-0123456789ab”": `{"selector":"#said","text_contains":"for “"}`,
		"3 items in your basket":              `{"selector":"#said","text_contains":"in your basket"}`,
		"1001":                                `{"selector":"#said"}`,
		"Thank you, …!":                       `{"selector":"#said","text_contains":"Thank you,"}`,
	} {
		said.Text = shown
		_, m := write(t, r, compile.Options{Name: "tea.order"})
		if got := text(m.Tools[0].Workflow.Steps[2].Args["locator"]); got != want {
			t.Errorf("%s: waits for %s", shown, got)
		}
	}
	said.Text = "Thank you"
	if _, m = write(t, r, compile.Options{Name: "tea.order"}); m.Projections[0].Postconditions["tea.order"].Verify.Expression != `{% $contains(state.shown_1, "Thank you") %}` {
		t.Errorf("verifies %+v", m.Projections[0].Postconditions)
	}
	said.Selector = "p:nth-of-type(2)"
	if _, m = write(t, r, compile.Options{Name: "tea.order"}); len(m.Projections) != 0 {
		t.Errorf("verifies %+v", m.Projections)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func TestWhatFollowed(t *testing.T) {
	// Ensure that waits and postconditions come from what the run saw: a navigation, what a caller expected, a text that is another one than before.
	seen := func(s compile.Step, text string) compile.Step {
		s.After = []compile.Seen{{Selector: "#cart", Text: text}}
		return s
	}
	click := did("locator.click", `{"locator":{"label":"Buy"},"expect":{"text":"Thank you","url":"/done"}}`, nil)
	click.Navigated = "https://tea.example/orders/17/done"
	a, m := write(t, run(seen(did("page.snapshot", `{}`, nil), "Cart is empty"), click, seen(did("page.snapshot", `{}`, nil), "In the cart: 3 teas")), compile.Options{Name: "tea.buy"})
	steps := m.Tools[0].Workflow.Steps
	if len(steps) != 2 || text(steps[1].Args) != `{"text":"Thank you","url_contains":"/done"}` {
		t.Errorf("steps %+v", steps)
	}
	if got := m.Projections[0].Postconditions["tea.buy"].Verify.Expression; got != `{% $contains(state.shown_1, "In the cart:") and $contains(state.url, "/orders/") %}` {
		t.Errorf("verifies %s", got)
	}
	if a.URL != shop {
		t.Errorf("begins at %s", a.URL)
	}
}

func TestExpectedInOtherLetters(t *testing.T) {
	// Ensure that a wait for a text which has what was typed in other letters is left out with a note, and one for the text as it was typed uses the input.
	name := did("locator.fill", `{"locator":{"ref":"a1"},"text":"ada lovelace"}`, field("Name"))
	for shown, want := range map[string]string{"Welcome, ada lovelace": `{"text":"{% \"Welcome, \" \u0026 input.name %}"}`, "Welcome, Ada Lovelace": ""} {
		for _, steps := range [][]compile.Step{
			{did("locator.click", `{"locator":{"ref":"a3"},"expect":{"text":"`+shown+`"}}`, button("Send"))},
			{did("locator.click", `{"locator":{"ref":"a3"}}`, button("Send")), did("page.wait_for", `{"text":"`+shown+`"}`, nil)},
		} {
			a, m := write(t, run(append([]compile.Step{name}, steps...)...), compile.Options{})
			got, written := "", m.Tools[0].Workflow.Steps
			if len(written) == 3 {
				got = text(written[2].Args)
			}
			noted := slices.ContainsFunc(a.Notes, func(note string) bool { return strings.Contains(note, "wait for a text is left out") })
			if got != want || noted != (want == "") {
				t.Errorf("%s: waits for %s, notes %q", shown, got, a.Notes)
			}
		}
	}
}

func TestNothingTyped(t *testing.T) {
	// Ensure that no text that was typed, and no value of a secret field, is in a map, wherever the page repeated it later: in names, items, addresses, expected texts, results and states.
	c := primitive.Load()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[qxz][jvw][a-z]{2,6}[0-9]{0,3}( [qxz][jvw][a-z]{2,5})?`)
		var typed, hosts []string
		var steps []compile.Step
		spill := func(t *rapid.T, what string) string { // a text of the page, which may repeat what was typed
			if len(typed) == 0 || rapid.Bool().Draw(t, what) {
				return rapid.SampledFrom([]string{"Send", "Name", "Order 7", "Ort", "{% 1 %}"}).Draw(t, what)
			}
			return rapid.SampledFrom([]string{"", "To ", "«"}).Draw(t, what) + rapid.SampledFrom([]func(string) string{strings.ToUpper, strings.Clone}).Draw(t, what)(rapid.SampledFrom(typed).Draw(t, what)) + rapid.SampledFrom([]string{"", "!", " again"}).Draw(t, what)
		}
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			target := &compile.Met{Tag: "input", Role: "textbox", Name: spill(t, "name"), Label: spill(t, "label"), TestID: spill(t, "id"), Selector: "#x"}
			if rapid.Bool().Draw(t, "in an item") {
				target.Row.Selector, target.Row.Text, target.Row.Inner = "li", spill(t, "item"), "button"
				target.Several = []string{"role", "label", "test_id"}
			}
			target.Secret = rapid.Bool().Draw(t, "secret")
			switch rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0, 1:
				text := word.Draw(t, "text")
				typed = append(typed, text)
				steps = append(steps, did("locator.fill", fmt.Sprintf(`{"locator":{"ref":"a1"},"text":%q}`, text), target))
			case 2:
				s := did("locator.click", fmt.Sprintf(`{"locator":{"ref":"a1"},"expect":{"text":%q}}`, spill(t, "expected")), target)
				s.Navigated = "https://tea.example/find/" + strings.ReplaceAll(spill(t, "address"), " ", "%20")
				steps = append(steps, s)
			case 3:
				text := word.Draw(t, "choice")
				typed = append(typed, text)
				steps = append(steps, did("locator.select_option", fmt.Sprintf(`{"locator":{"ref":"a1"},"label":%q}`, text), target))
			case 4:
				s := did("locator.text_content", `{"locator":{"ref":"a1"}}`, target)
				text := spill(t, "read")
				s.Output = json.RawMessage(fmt.Sprintf(`{"text":%q}`, text))
				s.After = []compile.Seen{{Selector: "#x", Text: text}}
				steps = append(steps, s)
			case 5:
				steps = append(steps, did("page.wait_for", fmt.Sprintf(`{"text":%q}`, spill(t, "waited for")), nil))
			case 6:
				if len(typed) == 0 {
					continue
				}
				text := rapid.SampledFrom(typed).Draw(t, "address")
				host := strings.ReplaceAll(text, " ", "-") + ".example"
				hosts = append(hosts, host)
				form := rapid.SampledFrom([]string{"/find/%s", "/%s/all", "/find?page=2&q=%s", "/find?x=To+%s#a", "/#%s"}).Draw(t, "form")
				address := "https://" + host + fmt.Sprintf(form, rapid.SampledFrom([]func(string) string{url.QueryEscape, url.PathEscape}).Draw(t, "escaped")(text))
				steps = append(steps, did("browser.navigate", fmt.Sprintf(`{"url":%q}`, address), nil))
			}
		}
		a, err := compile.Write(run(steps...), compile.Options{Catalogue: c})
		if fault.Is(err, fault.InvalidInput) || fault.Is(err, fault.MultipleTargets) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Findings) > 0 {
			t.Fatalf("findings %v\n%s", a.Findings, a.Text)
		}
		whole := string(a.Text) + strings.Join(a.Sentences, "\n") + strings.Join(a.Notes, "\n")
		for _, host := range hosts { // the site's own name stands as it is
			if !strings.Contains(whole, "https://"+host+"/") {
				t.Fatalf("%s is not in\n%s", host, whole)
			}
		}
		for _, host := range hosts {
			whole = strings.ReplaceAll(whole, host, "…")
		}
		for _, text := range typed {
			if strings.Contains(strings.ToLower(whole), text) {
				t.Fatalf("%q is in\n%s", text, whole)
			}
		}
	})
}

func TestChoices(t *testing.T) {
	// Ensure that what somebody chose among others becomes an input and stands nowhere in the map, also where what was typed begins it or its name is short; and that a row is found by what was typed where its text has that as a word.
	option := func(role, name string) *compile.Met {
		return &compile.Met{Tag: "li", Role: role, Name: name, Selector: "ul > li:nth-of-type(2)"}
	}
	city := &compile.Met{Tag: "input", Kind: "text", Role: "combobox", Name: "City", Label: "City"}
	left := row("Blue Kettle")
	left.Several = nil // it is the only one now
	order := row("Order 4711")
	result := &compile.Met{Tag: "a", Role: "link", Name: "Blue Kettle", Selector: "ul > li:nth-of-type(2) > a"}
	result.Row.Selector, result.Row.Text, result.Row.Inner = "li", "Blue Kettle", "a"
	order.Several = nil
	for _, test := range []struct {
		name    string
		steps   []compile.Step
		inputs  string
		locator string // of the last step
		without string
	}{
		{"an option", []compile.Step{did("locator.fill", `{"locator":{"ref":"a1"},"text":"Lisb"}`, city), did("locator.click", `{"locator":{"ref":"a2"}}`, option("option", "Lisburn"))},
			"city city_choice", `{"name":"{% input.city_choice %}","role":"option"}`, "burn"},
		{"an option that was typed whole", []compile.Step{did("locator.fill", `{"locator":{"ref":"a1"},"text":"Lisbon"}`, city), did("locator.click", `{"locator":{"ref":"a2"}}`, option("option", "Lisbon"))},
			"city", `{"name":"{% input.city %}","role":"option"}`, "Lisbon"},
		{"a day", []compile.Step{did("locator.click", `{"locator":{"ref":"a2"}}`, option("gridcell", "17"))},
			"cell", `{"name":"{% input.cell %}","role":"gridcell"}`, `17\"`},
		{"a radio button", []compile.Step{did("locator.set_checked", `{"locator":{"ref":"a2"},"checked":true}`, option("radio", "Express"))},
			"choice", `{"name":"{% input.choice %}","role":"radio"}`, "Express"},
		{"what is dragged", []compile.Step{{Primitive: "locator.drag_to", Args: json.RawMessage(`{"locator":{"ref":"a1"},"to":{"ref":"a2"}}`), Target: &compile.Met{Tag: "div", Text: "Feed the cat"}, Destination: &compile.Met{Tag: "section", Role: "region", Name: "Done"}}},
			"item_to_drag", `{"text_equals":"{% input.item_to_drag %}"}`, "Feed"},
		{"a result that is more than what was searched", []compile.Step{did("locator.fill", `{"locator":{"ref":"a1"},"text":"Kettle"}`, field("Search")), did("locator.click", `{"locator":{"ref":"a2"}}`, result)},
			"search item", `{"retarget":{"selector":"a"},"selector":"li","text_contains":"{% input.item %}"}`, "Kettle"},
		{"a link of which nothing else is known", []compile.Step{did("locator.fill", `{"locator":{"ref":"a1"},"text":"Kettle"}`, field("Search")), did("locator.click", `{"locator":{"ref":"a2"}}`, &compile.Met{Tag: "a", Role: "link", Name: "Blue Kettle", Selector: "#a"})},
			"search item", `{"name":"{% input.item %}","role":"link"}`, "Kettle"},
		{"a button that repeats what was typed", []compile.Step{did("locator.fill", `{"locator":{"ref":"a1"},"text":"Kettle"}`, field("Search")), did("locator.click", `{"locator":{"ref":"a2"}}`, button("Print for Kettle"))},
			"search", `{"name":"{% \"Print for \" & input.search %}","role":"button"}`, "Kettle"},
		{"the row that a filter by a word left", []compile.Step{did("locator.fill", `{"locator":{"ref":"a1"},"text":"Kettle"}`, field("Filter")), did("locator.click", `{"locator":{"ref":"a2"}}`, left)},
			"filter item_to_choose", `{"retarget":{"selector":"button"},"selector":"li","text_contains":"{% input.item_to_choose %}"}`, "Kettle"},
		{"the row that a filter left", []compile.Step{did("locator.fill", `{"locator":{"ref":"a1"},"text":"4711"}`, field("Filter")), did("locator.click", `{"locator":{"ref":"a2"}}`, order)},
			"filter", `{"retarget":{"selector":"button"},"selector":"li","text_contains":"{% \"Order \" & input.filter %}"}`, "4711"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, m := write(t, run(test.steps...), compile.Options{})
			steps := m.Tools[0].Workflow.Steps
			var got strings.Builder
			enc := json.NewEncoder(&got)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(steps[len(steps)-1].Args["locator"]); err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(got.String()) != test.locator || strings.Join(a.Inputs, " ") != test.inputs || strings.Contains(string(a.Text), test.without) {
				t.Errorf("inputs %v, locator %s\n%s", a.Inputs, got.String(), a.Text)
			}
		})
	}
}

func TestWhereItIsDropped(t *testing.T) {
	// Ensure that what is dragged and the cell that it is dropped on are inputs of their own, each described as what it is and named by the sentence.
	drag := did("locator.drag_to", `{"locator":{"ref":"a1"},"to":{"ref":"a2"}}`, &compile.Met{Tag: "div", Text: "Dentist"})
	drag.Destination = &compile.Met{Tag: "td", Role: "gridcell", Name: "Friday 3", Selector: "#c3"}
	a, m := write(t, run(drag), compile.Options{})
	if got := strings.Join(a.Inputs, " "); got != "item_to_drag destination" {
		t.Fatalf("inputs %s", got)
	}
	if got := m.Tools[0].InputSchema.Properties["destination"]["description"]; got != "the name of where it is dropped, as the page shows it" {
		t.Errorf("the destination is %s", got)
	}
	if a.Sentences[0] != "drag *item_to_drag* to *destination*" || strings.Contains(string(a.Text), "Friday") {
		t.Errorf("%s\n%s", a.Sentences, a.Text)
	}
}

func TestWhereItLed(t *testing.T) {
	// Ensure that an address becomes a postcondition only where the record says that the page was there after the last act.
	first := did("locator.click", `{"locator":{"label":"A"}}`, nil)
	first.Navigated = "https://tea.example/plan"
	last := did("locator.click", `{"locator":{"label":"B"}}`, nil)
	last.URL = first.Navigated
	look := did("page.snapshot", `{}`, nil)
	look.URL = first.Navigated
	if _, m := write(t, run(first, last), compile.Options{}); len(m.Projections) != 0 {
		t.Errorf("nobody saw where the last act led: %+v", m.Projections)
	}
	if _, m := write(t, run(first, last, look), compile.Options{}); len(m.Projections) != 1 {
		t.Error("the page was seen after the last act, and has no postcondition")
	}
}

func TestBeginning(t *testing.T) {
	// Ensure that the description says on which page of its site the action begins, without numbers, names and what was typed.
	for path, want := range map[string]string{
		"":                            "",
		"/":                           "",
		"/order":                      " Begins on /order.",
		"/shop/tea-list.html":         " Begins on /shop/tea-list.html.",
		"/orders/4711/change":         " Begins on /orders/….",
		"/users/ada-lovelace":         " Begins on /users/….",
		"/@ada/tea.html":              " Begins on /…/tea.html.",
		"/shop/tea.v2.html":           " Begins on /shop/….",
		"/чай/листовой.html":          " Begins on /чай/листовой.html.",
		"/" + strings.Repeat("ч", 30): " Begins on /" + strings.Repeat("ч", 30) + ".",
		"/" + strings.Repeat("ч", 31): " Begins on /….",
		"/search/oolong/order":        "",
	} {
		fill := did("locator.fill", `{"text":"oolong"}`, field("Query"))
		fill.URL = "https://tea.example" + path
		_, m := write(t, run(fill), compile.Options{Name: "shop.search"})
		if got, want := m.Tools[0].Description, "Type query into Query."+want; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestAddressesAreForReading(t *testing.T) {
	// Ensure that a step that loads an address with what was typed uses the same input, and that its sentence names the page alone.
	const token = "typed-0123456789ab"
	fill := did("locator.fill", `{"text":"`+token+`"}`, field("Search"))
	for address, want := range map[string]string{
		"https://tea.example/results?q=" + token: "open tea.example/results",
		"https://tea.example/of/" + token:        "open tea.example",
	} {
		r := run(fill, did("browser.navigate", `{"url":"`+address+`"}`, nil), did("locator.click", `{}`, button("Buy")))
		r.Source = compile.SourceRecording
		a, _ := write(t, r, compile.Options{Name: "tea.search"})
		if !slices.Equal(a.Inputs, []string{"search"}) || a.Sentences[1] != want || strings.Contains(string(a.Text), token) {
			t.Errorf("%s: inputs %v, %q\n%s", address, a.Inputs, a.Sentences, a.Text)
		}
	}
}

func TestSameMapOfTheSameRun(t *testing.T) {
	// Ensure that an address with two search words gives the same map each time.
	for _, query := range []string{"q=green+tea&text=green+tea", "q=green+tea&text=black+tea"} {
		maps := map[string]bool{}
		for range 40 {
			a, _ := write(t, run(did("browser.navigate", `{"url":"https://tea.example/find?`+query+`"}`, nil), did("locator.click", `{"locator":{"ref":"a3"}}`, button("Send"))), compile.Options{})
			maps[string(a.Text)] = true
		}
		if len(maps) != 1 {
			t.Errorf("%s gives %d maps", query, len(maps))
		}
	}
}

func TestInputsInAddresses(t *testing.T) {
	// Ensure that an input stands in an address only for whole words behind the host, and not in the name of a parameter, so that it chooses neither the host nor another page.
	for _, c := range []struct{ typed, address, want string }{
		{"tea", "https://tea.example/search?q=tea", `{% "https://tea.example/search?q=" & $encodeUrlComponent(input.query) %}`},
		{"tea", "https://tea/tea", `{% "https://tea/" & $encodeUrlComponent(input.query) %}`},
		{"tea", "https://tea:8080?tea", `{% "https://tea:8080?" & $encodeUrlComponent(input.query) %}`},
		{"tea", "https://tea@shop.example/", "https://tea@shop.example/"},
		{"tea", `https:/tea\x/green`, `https:/tea\x/green`},
		{"https", "https://shop.example/", "https://shop.example/"},
		{"art", "https://shop.example/cart", "https://shop.example/cart"},
		{"tea", "https://shop.example/teas/tea.html", `{% "https://shop.example/teas/" & $encodeUrlComponent(input.query) & ".html" %}`},
		{"tea", "https://shop.example/%22tea%22/in-tea", `{% "https://shop.example/%22" & $encodeUrlComponent(input.query) & "%22/in-" & $encodeUrlComponent(input.query) %}`},
		{"tea", "https://shop.example/list?green+tea=1&tea+tea=2", "https://shop.example/list?green+tea=1&tea+tea=2"},
		{"tea", "https://shop.example/list?tea=1&steam=tea#tea", `{% "https://shop.example/list?tea=1&steam=" & $encodeUrlComponent(input.query) & "#" & $encodeUrlComponent(input.query) %}`},
		{"tea", "https://shop.example/green+tea/hot%20tea%20cup", `{% "https://shop.example/green+" & $encodeUrlComponent(input.query) & "/hot%20" & $encodeUrlComponent(input.query) & "%20cup" %}`},
		{"green tea", "https://shop.example/f?x=green+tea&y=green%20tea", `{% "https://shop.example/f?x=" & $encodeUrlComponent(input.query) & "&y=" & $encodeUrlComponent(input.query) %}`},
	} {
		fill := did("locator.fill", fmt.Sprintf(`{"text":%q}`, c.typed), field("Query"))
		to := did("browser.navigate", fmt.Sprintf(`{"url":%q}`, c.address), nil)
		wait := did("locator.click", fmt.Sprintf(`{"locator":{"label":"Buy"},"expect":{"url":%q}}`, c.address), nil)
		a, m := write(t, run(fill, to, wait), compile.Options{})
		if steps := m.Tools[0].Workflow.Steps; steps[1].Args["url"] != c.want || steps[3].Args["url_contains"] != c.want {
			t.Errorf("%s typed, then %s:\n%s", c.typed, c.address, a.Text)
		}
	}
	for word, path := range map[string]string{"tea": "/teas", "art": "/cart"} {
		click := did("locator.click", `{"locator":{"label":"Go"}}`, nil)
		click.Navigated = "https://tea.example" + path
		look := did("page.snapshot", `{}`, nil)
		look.URL = click.Navigated
		if a, m := write(t, run(did("locator.fill", fmt.Sprintf(`{"text":%q}`, word), field("Query")), click, look), compile.Options{}); len(m.Projections) != 0 {
			t.Errorf("%s typed, then %s, which says nothing of it:\n%s", word, path, a.Text)
		}
	}
}
