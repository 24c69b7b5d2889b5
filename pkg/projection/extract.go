package projection

import (
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxExtractors is how many the primitive takes.
const maxExtractors = 100

// properties are what a field can read of an element.
var properties = []string{"innerText", "textContent", "value", "checked", "ariaLabel", "boundingClientRect"}

// extract checks the extractors and gives the arguments of the primitive:
// what it knows, in the map's order, without nulls and notes.
func (p *parser) extract(n node) json.RawMessage {
	if !n.is('[') {
		p.add(n, "extract must be an array")
		return nil
	}
	extractors := n.elements()
	if len(extractors) > maxExtractors {
		p.add(n, "extract has %d extractors, the limit is %d", len(extractors), maxExtractors)
	}
	seen := map[string]bool{}
	out := []byte(`{"extract":[`)
	for i, extractor := range extractors {
		if i > 0 {
			out = append(out, ',')
		}
		out = p.field(out, extractor, "an extractor")
		id := extractor.get("id")
		switch {
		case !extractor.is('{'): // said already
		case id.text() == "":
			p.add(id, "an extractor must have an id, the name of its records")
		case seen[id.text()]: // the later records would take the place of the earlier ones
			p.add(id, "two extractors have the id %q", id.text())
		}
		seen[id.text()] = true
	}
	return append(out, "]}"...)
}

// field checks an extractor or a field and appends what the primitive knows of it.
func (p *parser) field(out []byte, n node, what string) []byte {
	if !n.is('{') {
		p.add(n, "%s must be an object", what)
	}
	out = append(out, '{')
	first := len(out)
	for _, m := range n.members() {
		if m.absent() && m.name != "default" || !p.checkMember(m, what) {
			continue
		}
		if len(out) > first {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, m.name), ':')
		if m.name == "fields" {
			out = p.fields(out, m.node)
		} else {
			out = append(out, m.raw...)
		}
	}
	return append(out, '}')
}

// checkMember checks a member of a field and tells whether the primitive takes it.
func (p *parser) checkMember(m member, of string) bool {
	switch m.name {
	case "id":
		if !m.is('"') {
			p.add(m.node, "id must be a string")
		}
		return of == "an extractor"
	case "selector", "xpath", "closest", "attribute", "property":
		if m.text() == "" {
			p.add(m.node, "%s must be a string that is not empty", m.name)
		} else if m.name == "property" && !slices.Contains(properties, m.text()) {
			p.add(m.node, "property %q cannot be read; one of %v can", m.text(), properties)
		}
	case "many", "required", "trim":
		if text := string(m.raw); text != "true" && text != "false" {
			p.add(m.node, "%s must be true or false", m.name)
		}
	case "fields":
		if !m.is('{') {
			p.add(m.node, "fields must be an object from names to fields")
		}
	case "default":
	default:
		return false
	}
	return true
}

func (p *parser) fields(out []byte, n node) []byte {
	out = append(out, '{')
	for i, m := range n.members() {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, m.name), ':')
		out = p.field(out, m.node, "a field")
	}
	return append(out, '}')
}

// appendQuoted appends a JSON string. Names come from strict JSON, so they are
// valid UTF-8, the only thing that the function refuses.
func appendQuoted(out []byte, name string) []byte {
	quoted, _ := jsontext.AppendQuote(out, name)
	return quoted
}
