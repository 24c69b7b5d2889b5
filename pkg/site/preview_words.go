package site

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// sentences are what primitives do to their target.
var sentences = map[string]string{
	"locator.click": "press %s", "pointer.click": "press %s", "locator.double_click": "press %s twice", "pointer.double_click": "press %s twice",
	"locator.select_option": "choose in %s", "locator.set_checked": "tick or untick %s", "locator.hover": "point at %s", "pointer.move": "point at %s",
	"locator.upload_file": "put a file into %s", "locator.drag_to": "drag %s", "locator.element_info": "look at %s", "locator.wait_for": "wait for %s",
	"locator.fill": typeInto, "text.insert": typeInto, "text.type": typeInto, "clipboard.paste": typeInto,
	"locator.press": pressKey, "keyboard.press": pressKey, "keyboard.press_gated": pressKey,
}

// The sentences that say more than the target.
const (
	typeInto = "type %d characters into %s"
	pressKey = "press the key %s in %s"
	focused  = "what has the focus then"
)

var placeOfArgument = regexp.MustCompile(`\{\w+\}`)

// sentence returns what a call does, in a line for a person: type 6 characters into searchbox
// "Search the teas". Without arguments it says no more than the primitive does.
func sentence(record *primitive.Record, s *previewStep, args json.RawMessage) string {
	what, form := whatOf(s, args), sentences[record.Name]
	switch {
	case s.Primitive == "assert":
		return "check a condition"
	case s.Primitive == "for_each":
		return fmt.Sprintf("do the next steps for each of %d", s.Items)
	case args == nil:
		return label(record, "")
	case form == typeInto:
		return fmt.Sprintf(form, s.characters, orFocus(what))
	case form == pressKey:
		key := dispatch.TextMember(args, "key")
		if utf8.RuneCountInString(key) == 1 {
			key = "of one character" // it may be one of a secret
		}
		return fmt.Sprintf(form, key, orFocus(what))
	case record.Name == "browser.navigate" && len(s.Addresses) > 0:
		return "go to " + s.Addresses[0]
	case record.Name == "browser.open_tab" && len(s.Addresses) > 0:
		return "open " + s.Addresses[0] + " in a new tab"
	case form != "" && what != "":
		return fmt.Sprintf(form, what)
	case record.URLArgument != "" && len(s.Addresses) > 0:
		return label(record, s.Addresses[0])
	}
	return label(record, what)
}

func orFocus(what string) string {
	if what == "" {
		return focused
	}
	return what
}

// label returns the primitive's own words, with what it is about.
func label(record *primitive.Record, what string) string {
	switch {
	case what != "" && record.Labels.WithParam != "":
		return placeOfArgument.ReplaceAllLiteralString(record.Labels.WithParam, what)
	case record.Labels.Tool != "":
		return record.Labels.Tool
	}
	return record.Name
}

// whatOf returns the target of a call: by its role and name on the page, else by what the
// call names.
func whatOf(s *previewStep, args json.RawMessage) string {
	var at struct{ X, Y *float64 }
	switch {
	case s.Target != nil:
		return s.Target.String()
	case s.argument != "":
		return strconv.Quote(s.argument)
	case json.Unmarshal(args, &at) == nil && at.X != nil && at.Y != nil:
		return fmt.Sprintf("what is at %.0f, %.0f", *at.X, *at.Y)
	}
	return quoted(dispatch.TextMember(args, "target"))
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	return strconv.Quote(truncate.Characters(text, 40))
}

// String returns the target as people name it.
func (t target) String() string {
	kind := t.Role
	if kind == "" || kind == "generic" || kind == "none" {
		kind = t.TagName
	}
	if t.Name == "" {
		return "a " + kind + " without a name"
	}
	return kind + " " + strconv.Quote(t.Name)
}

// valuesOf returns the texts that a call would type, by argument; those of an unknown target
// only where they are no free text.
func valuesOf(args json.RawMessage, typed []string, targetKnown bool) map[string]any {
	values := map[string]any{}
	for _, name := range typed {
		if strings.Contains(name, ".") || name == "text" && !targetKnown || name == "html" {
			continue
		}
		if text := dispatch.TextMember(args, name); text != "" {
			values[name] = truncate.Characters(redact.Text(text), maxShownText)
		}
	}
	if len(values) == 0 {
		return nil
	}
	return values
}
