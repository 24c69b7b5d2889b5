package pagemodel_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
)

func TestPresent(t *testing.T) {
	// Ensure that a target is found by role and name, else by its selector, else by a fallback, and that hidden, several, other text and absent are told apart.
	yes := true
	tests := []struct {
		name   string
		target pagemodel.Target
		page   *page
		want   pagemodel.Evidence
	}{
		{"role and name", pagemodel.Target{Selector: "#submit", Role: "button", Name: "Submit"}, form(), pagemodel.Evidence{Found: true, Via: "role", Count: 1, Visible: true, Text: "Submit"}},
		{"selector after a new name", pagemodel.Target{Selector: "#submit", Role: "button", Name: "Senden"}, form(), pagemodel.Evidence{Found: true, Via: "selector", Count: 1, Visible: true, Text: "Submit"}},
		{"a role alone does not outdo a selector", pagemodel.Target{Selector: "#gone", Role: "button"}, form(), pagemodel.Evidence{}},
		{"fallback", pagemodel.Target{Selector: "#gone", FallbackSelectors: []string{"#gone2", "output"}}, form(), pagemodel.Evidence{Found: true, Via: "fallback_selectors", Count: 1, Visible: true, Text: "Nothing yet"}},
		{"hidden", pagemodel.Target{Selector: "#result"}, form().change("#result", func(e *element) { e.hidden = true }), pagemodel.Evidence{Found: true, Via: "selector", Count: 1}},
		{"shown fallback goes before a hidden one", pagemodel.Target{Selector: "#name", FallbackSelectors: []string{"#submit"}}, form().change("#name", func(e *element) { e.hidden = true }), pagemodel.Evidence{Found: true, Via: "fallback_selectors", Count: 1, Visible: true, Text: "Submit"}},
		{"of two hidden ones the first", pagemodel.Target{Selector: "#gone2", FallbackSelectors: []string{"#name"}}, (&page{}).with(element{selectors: []string{"#gone2"}, hidden: true}, element{selectors: []string{"#name"}, hidden: true}), pagemodel.Evidence{Found: true, Via: "selector", Count: 1}},
		{"other text", pagemodel.Target{Selector: "#result", TextContains: "Submitted"}, form(), pagemodel.Evidence{OtherText: "Nothing yet"}},
		{"text", pagemodel.Target{Selector: "#result", Text: "Nothing"}, form(), pagemodel.Evidence{Found: true, Via: "selector", Count: 1, Visible: true, Text: "Nothing yet"}},
		{"text alone", pagemodel.Target{TextEquals: "Submit"}, form(), pagemodel.Evidence{Found: true, Via: "text", Count: 1, Visible: true, Text: "Submit"}},
		{"absent", pagemodel.Target{Selector: "#gone"}, form(), pagemodel.Evidence{}},
		{"enabled", pagemodel.Target{Selector: "#submit", Enabled: &yes}, form(), pagemodel.Evidence{Found: true, Via: "selector", Count: 1, Visible: true, Text: "Submit", Enabled: &yes}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.target.Find(t.Context(), test.page.read)
			if err != nil {
				t.Fatal(err)
			}
			if asJSON(t, got) != asJSON(t, test.want) {
				t.Errorf("got %s, want %s", asJSON(t, got), asJSON(t, test.want))
			}
		})
	}
}

func TestPresentCounts(t *testing.T) {
	// Ensure that several matches are counted by the one call that finds them, and a second one asks only where the first few are all hidden.
	p := &page{}
	for i := range 9 {
		p.elements = append(p.elements, element{selectors: []string{"li"}, text: "tea", hidden: i > 0})
	}
	got, err := pagemodel.Target{Selector: "li"}.Find(t.Context(), p.read)
	if err != nil || got.Count != 9 || !got.Visible || len(p.calls) != 1 {
		t.Errorf("%+v, %v, calls %v", got, err, p.calls)
	}
	for i := range p.elements {
		p.elements[i].hidden = i < 8
	}
	p.calls = nil
	got, err = pagemodel.Target{Selector: "li"}.Find(t.Context(), p.read)
	if err != nil || got.Count != 9 || !got.Visible || len(p.calls) != 2 {
		t.Errorf("%+v, %v, calls %v", got, err, p.calls)
	}
}

func TestFewCalls(t *testing.T) {
	// Ensure that targets of which most are absent cost one call for all and one for each that is there, however often they are named.
	var states []string
	for _, selector := range []string{"#a", "#b", "#c", "#d", "#name", "#name"} {
		states = append(states, `{"name":"s`+string(rune('0'+len(states)))+`","diagnostics":[{"target":"`+selector+`"}]}`)
	}
	s := parse(t, `{"states":[`+strings.Join(states, ",")+`]}`)
	p := form()
	got := verdicts(s.States(t.Context(), p.read, p.url))
	if got != "s0=false s1=false s2=false s3=false s4=true s5=true" {
		t.Error(got)
	}
	if !slices.Equal(p.calls, []string{"state.extract", "locator.text_content"}) {
		t.Errorf("calls %v", p.calls)
	}

	p = form()
	p.noBatch = true
	if again := verdicts(s.States(t.Context(), p.read, p.url)); again != got || len(p.calls) != 6 {
		t.Errorf("without the batch %s, calls %v", again, p.calls)
	}
}

func TestPresentFails(t *testing.T) {
	// Ensure that a look that cannot be taken is an error, in a state it is unknown, and a hostile number of things to look at ends.
	if _, err := (pagemodel.Target{Selector: "!"}).Find(t.Context(), form().read); !fault.Is(err, fault.InvalidSelector) {
		t.Errorf("got %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (pagemodel.Target{Selector: "#name"}).Find(cancelled, form().read); !fault.Is(err, fault.Cancelled) {
		t.Errorf("got %v", err)
	}
	s := parse(t, `{"states":[{"name":"a","diagnostics":[{"target":"!"}]}]}`)
	if states := s.States(t.Context(), form().read, ""); states[0].Holds != pagemodel.Unknown || states[0].Diagnostics[0].Reason == "" {
		t.Errorf("states %+v", states)
	}
	var many []string
	for i := range 150 {
		many = append(many, `{"name":"s`+asJSON(t, i)+`","diagnostics":[{"target":{"role":"a","name":"`+asJSON(t, i)+`"}},{"target":{"role":"b","name":"`+asJSON(t, i)+`"}}]}`)
	}
	p := form()
	states := parse(t, `{"states":[`+strings.Join(many, ",")+`]}`).States(t.Context(), p.read, "")
	if len(p.calls) > 200 || len(states) != 150 || states[149].Holds != pagemodel.Unknown {
		t.Errorf("%d calls, last state %+v", len(p.calls), states[149])
	}
}

func TestCheckTarget(t *testing.T) {
	// Ensure that a tool's absent target is drift_detected, unsent, with what was expected and seen; that prose and a hidden target stop nothing.
	tests := []struct {
		name, target string
		page         *page
		code         fault.Code
	}{
		{"there", `{"selector":"#submit"}`, form(), ""},
		{"absent", `{"selector":"#gone","role":"button","name":"Gone"}`, form(), fault.DriftDetected},
		{"a text", `"#gone"`, form(), fault.DriftDetected},
		{"another text on it", `{"selector":"#result","text_contains":"Submitted"}`, form(), fault.DriftDetected},
		{"hidden", `{"selector":"#submit"}`, form().change("#submit", func(e *element) { e.hidden = true }), ""},
		{"hidden against the map", `{"selector":"#submit","visible":true}`, form().change("#submit", func(e *element) { e.hidden = true }), fault.DriftDetected},
		{"disabled against the map", `{"selector":"#submit","enabled":true}`, form().change("#submit", func(e *element) { e.disabled = true }), fault.DriftDetected},
		{"nothing", ``, form(), ""},
		{"null", `null`, form(), ""},
		{"prose", `{"description":"the blue button"}`, form(), ""},
		{"cannot look", `{"selector":"!"}`, form(), fault.InvalidSelector},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.page.url = "https://example.com/other"
			err := pagemodel.CheckTarget(t.Context(), test.page.read, json.RawMessage(test.target))
			if test.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			f := fault.From(err)
			if f == nil || f.Code != test.code || f.Dispatched != fault.NotDispatched {
				t.Fatalf("got %v", err)
			}
			if wrong := "has another text"; strings.Contains(test.name, "text on") != strings.Contains(f.Message, wrong) {
				t.Errorf("message %s", f.Message)
			}
			if f.Code == fault.DriftDetected && (f.Evidence["expected"] == nil || f.Evidence["seen"] == nil || f.Evidence["url"] != "https://example.com/other") {
				t.Errorf("evidence %v", f.Evidence)
			}
		})
	}
}

func TestContext(t *testing.T) {
	// Ensure that a block is chosen by URL, state and target, that one that may fit is not kept back, and that the budgets cut and say so.
	s := parse(t, `{"states":[{"name":"ready","diagnostics":[{"target":"#name"}]},{"name":"done","diagnostics":[{"target":"#gone"}]},{"name":"words"}],
		"context":[
		{"id":"always","body":["one","two"],"available_tools":["a.b"]},
		{"id":"in-ready","body":"b","load_when":{"states":["ready","done"]}},
		{"id":"in-done","body":"b","load_when":{"states":["done"]}},
		{"id":"in-words","body":"b","load_when":{"states":["words"]}},
		{"id":"by-url","body":"b","load_when":{"url_contains":"/form"}},
		{"id":"not-url","body":"b","load_when":{"url_contains":["/cart","/pay"]}},
		{"id":"by-pattern","body":"b","load_when":{"url_matches":["https://example.com/*"]}},
		{"id":"not-pattern","body":"b","load_when":{"url_matches":"https://other.example/*"}},
		{"id":"by-target","body":"b","load_when":{"targets":["#gone","#name"]}},
		{"id":"not-target","body":"b","load_when":{"targets":[{"selector":"#gone"}]}},
		{"id":"in-prose","body":"b","load_when":"when the form is there"}]}`)
	p := form()
	var ids []string
	blocks := s.Context(t.Context(), p.url, s.States(t.Context(), p.read, p.url), p.read)
	for _, b := range blocks {
		ids = append(ids, b.ID)
	}
	if want := []string{"always", "in-ready", "in-words", "by-url", "by-pattern", "by-target", "in-prose"}; !slices.Equal(ids, want) {
		t.Errorf("blocks %v, want %v", ids, want)
	}
	if blocks[0].Body != "one\ntwo" || blocks[0].Truncated {
		t.Errorf("block %+v", blocks[0])
	}

	var long []string
	for _, id := range []string{"a", "b", "c", "d"} {
		long = append(long, `{"id":"`+id+`","body":"`+strings.Repeat("é", 5000)+`"}`)
	}
	total := 0
	for i, b := range parse(t, `{"context":[`+strings.Join(long, ",")+`]}`).Context(t.Context(), "", nil, p.read) {
		if n := len([]rune(b.Body)); n > pagemodel.MaxBlockChars || !b.Truncated || b.TotalChars != 5000 || (i < 3) != (n == pagemodel.MaxBlockChars) {
			t.Errorf("block %d has %d characters, truncated %v of %d", i, n, b.Truncated, b.TotalChars)
		} else {
			total += n
		}
	}
	if total != pagemodel.MaxContextChars {
		t.Errorf("%d characters together", total)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
