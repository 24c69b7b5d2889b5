package pagemodel_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
)

// element is one element of a scripted page.
type element struct {
	selectors        []string
	role, name, text string
	hidden, disabled bool
}

// page answers the primitives as the content script does, and counts its calls.
type page struct {
	url      string
	elements []element
	calls    []string
	noBatch  bool // state.extract fails, as on an older extension
}

type locator struct {
	Selector, Role, Name string
	Text                 string `json:"text"`
	TextContains         string `json:"text_contains"`
	TextEquals           string `json:"text_equals"`
	Strict               bool
}

func (p *page) read(_ context.Context, primitive string, raw json.RawMessage) (json.RawMessage, error) {
	p.calls = append(p.calls, primitive)
	var args struct {
		Locator locator
		Extract []struct{ ID, Selector string }
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, err
	}
	switch primitive {
	case "page.info":
		return answer(map[string]any{"url": p.url, "title": "Test"})
	case "dom.snapshot_text":
		return answer(map[string]any{"text": "all the text", "truncated": false, "total_chars": 12})
	case "state.extract":
		if p.noBatch {
			return nil, fault.New(fault.UnknownPrimitive, "no such primitive")
		}
		counts := map[string]int{}
		for _, e := range args.Extract {
			counts[e.ID] = len(p.find(locator{Selector: e.Selector}))
		}
		return answer(map[string]any{"diagnostics": map[string]any{"selector_counts": counts}})
	}
	return p.located(primitive, args.Locator)
}

func (p *page) located(primitive string, l locator) (json.RawMessage, error) {
	if l.Selector == "!" {
		return nil, fault.New(fault.InvalidSelector, "not a valid CSS selector: !")
	}
	found := p.find(l)
	shown := slices.IndexFunc(found, func(e element) bool { return !e.hidden })
	switch {
	case len(found) == 0:
		return nil, fault.New(fault.TargetNotFound, "nothing matches the locator").With("match_count", 0)
	case len(found) > 1 && l.Strict:
		var candidates []map[string]any
		for _, e := range found[:min(6, len(found))] {
			candidates = append(candidates, map[string]any{"text": e.text, "rendered": !e.hidden})
		}
		return nil, fault.New(fault.MultipleTargets, "several").With("match_count", float64(len(found))).With("candidates", candidates)
	case shown < 0:
		return nil, fault.New(fault.TargetNotVisible, "hidden").With("match_count", len(found))
	case primitive == "locator.text_content":
		return answer(map[string]any{"text": found[shown].text, "visible": true})
	case found[shown].disabled:
		return nil, fault.New(fault.TargetNotActionable, "disabled").With("visibility", map[string]any{"enabled": false})
	}
	return answer(map[string]any{"visibility": map[string]any{"enabled": true}})
}

func (p *page) find(l locator) (found []element) {
	for _, e := range p.elements {
		fits := l.Selector == "" || slices.ContainsFunc(strings.Split(l.Selector, ", "), func(s string) bool { return slices.Contains(e.selectors, s) })
		fits = fits && (l.Role == "" || e.role == l.Role && !e.hidden) && (l.Name == "" || e.name == l.Name)
		fits = fits && strings.Contains(e.text, l.Text) && strings.Contains(e.text, l.TextContains) && (l.TextEquals == "" || e.text == l.TextEquals)
		if fits {
			found = append(found, e)
		}
	}
	return found
}

func answer(v any) (json.RawMessage, error) { return json.Marshal(v) }

// form is the page that the sample map simple-form is about.
func form() *page {
	return &page{url: "https://example.com/form", elements: []element{
		{selectors: []string{"#contact-form", "form", "main form"}, role: "form", name: "Contact form"},
		{selectors: []string{"#name", "input[name='name']"}, role: "textbox", name: "Name"},
		{selectors: []string{"#submit", "button[type='submit']"}, role: "button", name: "Submit", text: "Submit"},
		{selectors: []string{"#result", "output"}, role: "status", text: "Nothing yet"},
	}}
}

// change replaces an element of the page.
func (p *page) change(selector string, how func(*element)) *page {
	for i := range p.elements {
		if slices.Contains(p.elements[i].selectors, selector) {
			how(&p.elements[i])
		}
	}
	return p
}

// with adds elements.
func (p *page) with(elements ...element) *page {
	p.elements = append(p.elements, elements...)
	return p
}

// remove takes an element off the page.
func (p *page) remove(selector string) *page {
	p.elements = slices.DeleteFunc(p.elements, func(e element) bool { return slices.Contains(e.selectors, selector) })
	return p
}

// shared parses one of the shared maps; the test is skipped where there are none.
func shared(t *testing.T, name string) *pagemodel.Model {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "maps", name, "actions.json"))
	if err != nil {
		t.Log("the shared maps are not here: this part is left out")
		t.SkipNow()
	}
	return pagemodel.Parse(text)
}

func parse(t *testing.T, text string) *pagemodel.Model {
	t.Helper()
	s := pagemodel.Parse(json.RawMessage(text))
	if len(s.Problems) > 0 {
		t.Fatalf("problems %v", s.Problems)
	}
	return s
}

func verdicts(states []pagemodel.StateResult) string {
	var words []string
	for _, s := range states {
		words = append(words, s.Name+"="+s.Holds.String())
	}
	return strings.Join(words, " ")
}

// runChecks runs the checks of one map, whose actions are called by call.
func runChecks(ctx context.Context, s *pagemodel.Model, read pagemodel.Read, call pagemodel.Call, opts pagemodel.Options) pagemodel.Report {
	return pagemodel.Mapped{Model: s, Call: call}.RunChecks(ctx, read, nil, opts)
}
