// Package walk makes random calls of the primitives, to find what nobody
// thought of: a hang, a leak, an error without a type.
//
// Rules of this package:
//   - What is random comes from one seed, which a failure names.
//   - Arguments are valid for the record's schema most of the time, and aim at
//     what is on the page.
package walk

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Source makes random arguments.
type Source struct {
	*rand.Rand
	// Refs are what page.snapshot last named.
	Refs []string
}

type shape struct {
	Type       any               `json:"type"`
	Ref        string            `json:"$ref"`
	Enum       []any             `json:"enum"`
	Const      any               `json:"const"`
	OneOf      []*shape          `json:"oneOf"`
	Items      *shape            `json:"items"`
	Properties map[string]*shape `json:"properties"`
	Required   []string          `json:"required"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	MinItems   int               `json:"minItems"`

	Definitions map[string]*shape `json:"definitions"`
}

var (
	selectors = []string{"button", "input", "a", "select", "textarea", "#name", "#card", "[role=dialog] button", "li", "iframe", "canvas", "h1",
		"[contenteditable]", "x-open input", "x-closed button", "#moving", "#fresh", "body", "#none", "button:nth-of-type(2)", ":is(a, button)", "[[["}
	texts = []string{"", "a", "Green tea", "O'Brien \"x\"", "日本語", "😀", "1234", "line one\nline two", "<b>x</b>", strings.Repeat("long ", 400)}
	names = []string{"Order", "Save", "Row 3", "Open 3", "Name", "Send", "Closed save", "Yes, order"}
	keys  = []string{"Enter", "Tab", "Escape", "a", "ArrowDown", "Control+A", "Shift+Tab", "Backspace", "'", "+", "Space"}
)

// Arguments returns arguments for a call of the record.
func (s *Source) Arguments(r *primitive.Record) (map[string]any, error) {
	var root shape
	if err := json.Unmarshal(r.InputSchema, &root); err != nil {
		return nil, err
	}
	args, _ := s.value("", &root, &root, 0).(map[string]any)
	return args, nil
}

func (s *Source) value(name string, at, root *shape, depth int) any {
	switch {
	case at.Ref == "#/definitions/locator":
		return s.locator()
	case at.Ref != "":
		return s.value(name, root.Definitions[strings.TrimPrefix(at.Ref, "#/definitions/")], root, depth)
	case at.Const != nil:
		return at.Const
	case len(at.Enum) > 0:
		return pick(s, at.Enum)
	case len(at.OneOf) > 0 && at.Properties == nil:
		return s.value(name, pick(s, at.OneOf), root, depth)
	}
	switch s.kind(at) {
	case "object":
		return s.object(at, root, depth)
	case "array":
		list := []any{}
		for range at.MinItems + s.IntN(3) {
			list = append(list, s.value(name, at.Items, root, depth+1))
		}
		return list
	case "integer":
		return s.between(at, 0, 20)
	case "number":
		return float64(s.between(at, 0, 800)) + s.Float64()
	case "boolean":
		return s.IntN(2) == 0
	case "null":
		return nil
	}
	return s.text(name)
}

// kind chooses one of the types that are allowed.
func (s *Source) kind(at *shape) string {
	switch kinds := at.Type.(type) {
	case string:
		return kinds
	case []any:
		kind, _ := pick(s, kinds).(string)
		return kind
	}
	if at.Properties != nil {
		return "object"
	}
	return "string"
}

func (s *Source) object(at, root *shape, depth int) map[string]any {
	out := map[string]any{}
	for _, name := range sorted(at.Properties) {
		if slices.Contains(at.Required, name) || s.IntN(3+depth*2) == 0 {
			out[name] = s.value(name, at.Properties[name], root, depth+1)
		}
	}
	return out
}

func (s *Source) between(at *shape, low, high int) int {
	if at.Minimum != nil {
		low = int(*at.Minimum)
	}
	if at.Maximum != nil {
		high = min(int(*at.Maximum), low+2000)
	}
	return low + s.IntN(max(1, high-low+1))
}

// text returns what an argument of the name might hold.
func (s *Source) text(name string) any {
	switch {
	case name == "key":
		return pick(s, keys)
	case name == "ref":
		return s.ref()
	case strings.Contains(name, "selector"), name == "closest", name == "target":
		return pick(s, selectors)
	case name == "url":
		return pick(s, []string{"/index.html", "about:blank", "https://example.invalid/", "javascript:1"})
	}
	return pick(s, texts)
}

func (s *Source) ref() string {
	if len(s.Refs) == 0 {
		return "abc1"
	}
	return pick(s, s.Refs)
}

func (s *Source) locator() map[string]any {
	out := map[string]any{}
	switch s.IntN(7) {
	case 0:
		out["role"], out["name"] = pick(s, []string{"button", "textbox", "link", "combobox"}), pick(s, names)
	case 1:
		out["ref"] = s.ref()
	case 2:
		out["label"] = pick(s, names)
	case 3:
		out["xpath"] = pick(s, []string{"//button", "//input[1]", "//li[2]", "//*[", "count(//a)"})
	default:
		out["selector"] = pick(s, selectors)
	}
	if s.IntN(3) == 0 {
		out["nth"] = s.IntN(5) - 1
	}
	if s.IntN(6) == 0 {
		out["frame"] = pick(s, []any{"iframe", "#same", "#other", []any{"#other"}, map[string]any{"host": "localhost"}})
	}
	return out
}

func pick[T any](s *Source, from []T) T { return from[s.IntN(len(from))] }

func sorted(m map[string]*shape) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
