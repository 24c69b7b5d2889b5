package pagemodel

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// Target describes one element as a person would, and as the page's code does.
type Target struct {
	Selector          string          `json:"selector,omitempty"` // CSS
	XPath             string          `json:"xpath,omitempty"`
	Role              string          `json:"role,omitempty"` // ARIA
	Name              string          `json:"name,omitempty"` // accessible name
	Text              string          `json:"text,omitempty"` // the same as TextContains
	TextContains      string          `json:"text_contains,omitempty"`
	TextEquals        string          `json:"text_equals,omitempty"`
	State             string          `json:"state,omitempty"` // the state in which it is there
	Visible           *bool           `json:"visible,omitempty"`
	Enabled           *bool           `json:"enabled,omitempty"`
	FallbackSelectors []string        `json:"fallback_selectors,omitempty"`
	Frame             json.RawMessage `json:"frame,omitempty"` // as in a locator
}

// Evidence is what was seen of a target.
type Evidence struct {
	Found   bool   `json:"found"`
	Via     string `json:"via,omitempty"` // role, selector, xpath, fallback_selectors, name or text
	Count   int    `json:"count"`         // matches, shown or not
	Visible bool   `json:"visible"`       // shown on the page, on screen or further down
	Enabled *bool  `json:"enabled,omitempty"`
	Text    string `json:"text,omitempty"` // of the first one shown, cut
	// OtherText is what the target reads where its text is not the expected one.
	OtherText string `json:"other_text,omitempty"`
}

// maxEvidenceText is how much text of the page a piece of evidence may hold.
const maxEvidenceText = 160

// readTarget reads a target; a string is a selector. It returns false where no
// member describes how to find the element: prose, an empty object.
func readTarget(p jsonnode.Node) (Target, bool) {
	if selector := strings.TrimSpace(p.Text()); selector != "" {
		return Target{Selector: selector}, true
	}
	o := p.Object()
	t := Target{
		Selector: o.Get("selector").Text(), XPath: o.Get("xpath").Text(),
		Role: o.Get("role").Text(), Name: o.Get("name").Text(),
		Text: o.Get("text").Text(), TextContains: o.Get("text_contains").Text(), TextEquals: o.Get("text_equals").Text(),
		State: o.Get("state").Text(), Visible: o.Get("visible").Boolean(), Enabled: o.Get("enabled").Boolean(),
		FallbackSelectors: append(o.Get("selectors").Texts(), o.Get("fallback_selectors").Texts()...),
	}
	if frame := o.Get("frame"); len(frame.Texts()) > 0 {
		t.Frame = frame.Raw
	}
	return t, len(t.strategies()) > 0
}

// strategy is one method to find a target.
type strategy struct {
	via string
	locator
}

// strategies lists the strategies in the order in which they are tried. What a person sees
// goes first: it survives a rebuilt page. A role alone fits too much, so it
// counts only where nothing else is declared.
func (t Target) strategies() (list []strategy) {
	base := locator{Text: t.Text, TextContains: t.TextContains, TextEquals: t.TextEquals, Frame: t.Frame}
	add := func(via string, l locator) { list = append(list, strategy{via, l}) }
	if t.Role != "" && t.Name != "" {
		l := base
		l.Role, l.Name = t.Role, t.Name
		add("role", l)
	}
	if t.Selector != "" {
		l := base
		l.Selector = t.Selector
		add("selector", l)
	}
	if t.XPath != "" {
		l := base
		l.XPath = t.XPath
		add("xpath", l)
	}
	if len(t.FallbackSelectors) > 0 {
		l := base
		// One call for all: the engine tries the parts of a list in their order.
		l.Selector = strings.Join(t.FallbackSelectors, ", ")
		add("fallback_selectors", l)
	}
	if len(list) > 0 {
		return list
	}
	switch {
	case t.Role != "":
		base.Role = t.Role
		add("role", base)
	case t.Name != "":
		base.Name = t.Name
		add("name", base)
	case base.filters():
		add("text", base)
	}
	return list
}

// Find looks for the target on the page. A target that is not there is not an error;
// errors are those of the reads, such as invalid_selector.
func (t Target) Find(ctx context.Context, read Read) (Evidence, error) {
	return newPageReader(read).target(ctx, t)
}

// CheckTarget checks a tool's declared target before its first step: absent, or
// not as declared, is drift_detected with what was expected and what was seen,
// and nothing runs. A hidden element is not a drift: the action may be what shows
// it. A target in prose is not checked.
func CheckTarget(ctx context.Context, read Read, target json.RawMessage) error {
	t, ok := readTarget(jsonnode.Node{Raw: target})
	if !ok {
		return nil
	}
	l := newPageReader(read)
	seen, err := l.target(ctx, t)
	if err != nil {
		return fault.From(err).WithDispatched(fault.NotDispatched)
	}
	problem := ""
	switch {
	case !seen.Found && seen.OtherText != "":
		problem = "has another text than the map says"
	case !seen.Found:
		problem = "is not on the page"
	case t.Visible != nil && *t.Visible != seen.Visible:
		problem = "is not as visible as the map says"
	case t.Enabled != nil && seen.Enabled != nil && *t.Enabled != *seen.Enabled:
		problem = "is not as enabled as the map says"
	default:
		return nil
	}
	f := fault.New(fault.DriftDetected, "the target of the action %s: %s", problem, t).
		With("expected", t).With("seen", seen).WithDispatched(fault.NotDispatched)
	if at, err := l.page(ctx); err == nil {
		f = f.With("url", at.URL).With("title", at.Title)
	}
	return f
}

// String describes the target briefly.
func (t Target) String() string {
	steps := []string{}
	if t.Role != "" || t.Name != "" {
		steps = append(steps, strings.TrimSpace(firstNonEmpty(t.Role, "element")+" "+quoted(t.Name)))
	}
	if selector := firstNonEmpty(t.Selector, t.XPath, strings.Join(t.FallbackSelectors, ", ")); selector != "" {
		steps = append(steps, selector)
	}
	if text := firstNonEmpty(t.TextEquals, t.TextContains, t.Text); text != "" {
		steps = append(steps, "with the text "+quoted(text))
	}
	return truncate.Characters(strings.Join(steps, ", "), maxEvidenceText)
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	return "“" + text + "”"
}

// maxTargets bounds the targets that are looked for at once.
const maxTargets = 50

// TargetsThere reports which of the tools' declared targets are on the page. Those that are
// prose, and those that cannot be looked for, count as there.
func TargetsThere(ctx context.Context, read Read, declared []json.RawMessage) []bool {
	there := make([]bool, len(declared))
	targets := make([]Target, len(declared))
	var known []Target
	for i, raw := range declared {
		t, ok := readTarget(jsonnode.Node{Raw: raw})
		if there[i] = !ok; ok && len(known) < maxTargets {
			known = append(known, t)
		}
		targets[i] = t
	}
	l := newPageReader(read)
	l.prefetch(ctx, known)
	for i, t := range targets {
		if there[i] {
			continue
		}
		seen, err := l.target(ctx, t)
		there[i] = err != nil || seen.Found
	}
	return there
}
