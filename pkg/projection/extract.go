package projection

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/go-json-experiment/json/jsontext"
)

// maxExtractors is the maximum that the primitive accepts.
const maxExtractors = 100

// properties are what a field can read of an element.
var properties = []string{"innerText", "textContent", "value", "checked", "ariaLabel", "boundingClientRect"}

// extract checks the extractors and returns the arguments of the primitive:
// the members that it knows, in the map's order, without nulls and notes.
func (p *parser) extract(n jsonnode.Node) json.RawMessage {
	if !n.IsArray() {
		p.add(n, "extract must be an array")
		return nil
	}
	extractors := n.Elements()
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
		id := extractor.Get("id")
		switch {
		case !extractor.IsObject(): // reported above
		case id.Text() == "":
			p.add(id, "an extractor must have an id, the name of its records")
		case seen[id.Text()]: // the later records would replace the earlier ones
			p.add(id, "two extractors have the id %q", id.Text())
		}
		seen[id.Text()] = true
	}
	return fmt.Appendf(out, `],"max_bytes":%d}`, maxRecordBytes)
}

// field checks an extractor or a field and appends the members that the primitive knows.
func (p *parser) field(out []byte, n jsonnode.Node, what string) []byte {
	if !n.IsObject() {
		p.add(n, "%s must be an object", what)
	}
	out = append(out, '{')
	first := len(out)
	for _, m := range n.Members() {
		if m.Absent() && m.Name != "default" || !p.checkMember(m, what) {
			continue
		}
		if len(out) > first {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, m.Name), ':')
		if m.Name == "fields" {
			out = p.fields(out, m.Node)
		} else {
			out = append(out, m.Raw...)
		}
	}
	return append(out, '}')
}

// checkMember checks a member of a field and reports whether the primitive accepts it.
func (p *parser) checkMember(m jsonnode.Member, of string) bool {
	switch m.Name {
	case "id":
		if !m.IsString() {
			p.add(m.Node, "id must be a string")
		}
		return of == "an extractor"
	case "selector", "xpath", "closest", "attribute", "property":
		if m.Text() == "" {
			p.add(m.Node, "%s must be a string that is not empty", m.Name)
		} else if m.Name == "property" && !slices.Contains(properties, m.Text()) {
			p.add(m.Node, "property %q cannot be read; one of %v can", m.Text(), properties)
		}
	case "many", "required", "trim":
		if text := string(m.Raw); text != "true" && text != "false" {
			p.add(m.Node, "%s must be true or false", m.Name)
		}
	case "fields":
		if !m.IsObject() {
			p.add(m.Node, "fields must be an object from names to fields")
		}
	case "default":
	default:
		return false
	}
	return true
}

func (p *parser) fields(out []byte, n jsonnode.Node) []byte {
	out = append(out, '{')
	for i, m := range n.Members() {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, m.Name), ':')
		out = p.field(out, m.Node, "a field")
	}
	return append(out, '}')
}

// appendQuoted appends a JSON string. Names come from strict JSON, so they are
// valid UTF-8, the only possible error.
func appendQuoted(out []byte, name string) []byte {
	quoted, _ := jsontext.AppendQuote(out, name)
	return quoted
}
