package workflow

import (
	"encoding/json"
	"slices"
	"strings"
)

// The kinds of a step are named after the member that makes it one.
const (
	kindPrimitive = "primitive"
	kindAssert    = "assert"
	kindGroup     = "steps"
)

var (
	kinds = []string{kindPrimitive, kindAssert, kindGroup}

	// notFor are the members that a kind of step cannot have. An assertion only looks at
	// values, so there is nothing to repeat or to wait for, and one that may fail asserts
	// nothing.
	notFor = map[string][]string{
		kindPrimitive: {"message", "output"},
		kindAssert:    {"args", "output", "retry_until", "max_attempts", "after_each", "on_error", "settle_after"},
		kindGroup:     {"args", "message", "retry_until", "max_attempts", "after_each"},
	}
)

// kind checks what the step consists of, except the steps of its group.
func (p *parser) kind(object map[string]json.RawMessage, s *step) {
	given := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return absent(object[kind]) })
	if len(given) > 1 {
		p.add(given[1], "cannot stand beside %s: a step has one of %s", given[0], strings.Join(kinds, ", "))
		return
	}
	if len(given) == 0 {
		p.primitive(object, kindPrimitive) // says what is missing
		return
	}
	for _, member := range notFor[given[0]] {
		if !absent(object[member]) {
			p.add(member, "is not for a step with %s", given[0])
		}
	}
	switch given[0] {
	case kindPrimitive:
		s.primitive = p.primitive(object, kindPrimitive)
	case kindAssert:
		s.assert, s.message = p.assert(object), p.slot(object, "message")
	}
}

// assert returns the condition. A literal is refused: a bare expression would be a text,
// which always holds.
func (p *parser) assert(object map[string]json.RawMessage) *slot {
	if literal(object["assert"]) {
		p.add("assert", "must be an expression {%% … %%}")
		return nil
	}
	return p.slot(object, "assert")
}

// least returns min_items.
func (p *parser) least(object map[string]json.RawMessage, most int) int {
	const field = "min_items"
	if absent(object[field]) {
		return 0
	}
	if absent(object["for_each"]) {
		p.add(field, "stands only beside for_each")
	}
	n := p.bounded(object, field, "for_each")
	if n > most && most > 0 {
		p.add(field, "must not be greater than max_items, which is %d", most)
	}
	return n
}

// nested checks the steps of a group and the value of its items. It is last: what is
// found in them has places of its own. A group does not loop inside of itself, so that the
// calls of a run stay countable and item has one meaning.
func (p *parser) nested(object map[string]json.RawMessage, s *step) {
	if p.group != "" {
		for _, member := range []string{"for_each", kindGroup} {
			if !absent(object[member]) {
				p.add(member, "cannot stand inside of the for_each of %q", p.group)
			}
		}
		return
	}
	if absent(object[kindGroup]) {
		return
	}
	if absent(object["for_each"]) {
		p.add("for_each", "%s requires for_each, which runs them for each item", kindGroup)
	}
	p.group = p.step
	s.group = p.list(object[kindGroup])
	p.group = ""
	if len(s.group) == 0 && string(object[kindGroup]) == "[]" {
		p.add(kindGroup, "must have at least one step")
	}
	s.output = p.slot(object, "output")
}
