package projection

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/schema"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// limits bound the text of one declaration. The deepest known has about 20 levels.
var limits = strictjson.Limits{MaxBytes: 1 << 20, MaxDepth: 100}

// Parse checks a declaration. It gives the projection, or every fault in the
// order of the rules. Members that it does not know are left alone: maps carry
// notes.
func Parse(raw json.RawMessage) (*Projection, []Problem) {
	text, err := strictjson.Canonical(raw, limits)
	if err != nil {
		return nil, []Problem{{Message: fault.From(err).Message}}
	}
	p := &parser{}
	projection := p.projection(node{raw: text})
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return projection, nil
}

// parser collects the faults.
type parser struct{ problems []Problem }

func (p *parser) add(at node, format string, args ...any) {
	p.problems = append(p.problems, Problem{at.pointer, fmt.Sprintf(format, args...)})
}

func (p *parser) projection(root node) *Projection {
	if !root.is('{') {
		p.add(root, "a state projection must be an object")
		return nil
	}
	out := &Projection{
		Name:        p.name(root.get("name"), "a state projection must have a name"),
		Description: p.text(root.get("description"), "description"),
		URLMatches:  p.scope(root.get("scope")),
	}
	p.snapshot(root.get("snapshot"), out)
	out.Summaries = p.summaries(root.get("summaries"))
	out.Postconditions = p.postconditions(root.get("postconditions"), out.Name)
	out.markers = p.markers(root.get("markers"))
	return out
}

func (p *parser) snapshot(n node, out *Projection) {
	if !n.is('{') {
		p.add(n, "snapshot must be an object")
		return
	}
	// A version that is not known may mean anything; reading it as the known one
	// would give a wrong state without a word.
	if at := n.get("version"); string(at.raw) != "1" {
		p.add(at, "version must be the number 1")
	}
	if at := n.get("source"); at.text() != "dom" {
		p.add(at, `source must be "dom"`)
	}
	out.Extract = p.extract(n.get("extract"))
	projection := n.get("projection")
	if !projection.is('{') {
		p.add(projection, "projection must be an object with language and expression")
	} else {
		p.language(projection.get("language"), true)
		out.expression = p.expression(projection.get("expression"))
	}
	if at := n.get("output_schema"); !at.absent() {
		compiled, err := schema.Compile(at.raw)
		if err != nil {
			f := fault.From(err)
			// The fault lies within the schema: its place is told in the declaration.
			inner, _ := f.Evidence["pointer"].(string)
			p.add(node{pointer: at.pointer + inner}, "is no usable JSON Schema: %s", f.Message)
		}
		out.output = compiled
	}
}

// scope reads url_matches, one pattern or several. A blank one matches every page.
func (p *parser) scope(n node) []string {
	if n.absent() {
		return nil
	}
	if !n.is('{') {
		p.add(n, "scope must be an object with url_matches")
		return nil
	}
	at := n.get("url_matches")
	patterns := at.elements()
	if !at.is('[') {
		patterns = []node{at}
	}
	var out []string
	for _, pattern := range patterns {
		text := p.text(pattern, "url_matches")
		if text == "" {
			return nil
		}
		out = append(out, text)
	}
	return out
}

func (p *parser) summaries(n node) []Summary {
	if !n.absent() && !n.is('[') {
		p.add(n, "summaries must be an array")
	}
	var out []Summary
	seen := map[string]bool{}
	for _, element := range n.elements() {
		if !element.is('{') {
			p.add(element, "a summary must be an object")
			continue
		}
		s := Summary{
			Name:        p.name(element.get("name"), "a summary must have a name"),
			Description: p.text(element.get("description"), "description"),
			MaxBytes:    p.count(element.get("max_bytes"), "max_bytes", 1),
			expression:  p.expression(element.get("expression")),
		}
		if seen[s.Name] { // a caller could reach only one of them
			p.add(element.get("name"), "two summaries are called %q", s.Name)
		}
		seen[s.Name] = true
		out = append(out, s)
	}
	return out
}

// name reads a string that must be there.
func (p *parser) name(n node, without string) string {
	if n.text() == "" {
		p.add(n, "%s", without)
	}
	return n.text()
}

// text reads an optional string.
func (p *parser) text(n node, what string) string {
	if !n.absent() && !n.is('"') {
		p.add(n, "%s must be a string", what)
	}
	return n.text()
}

// count reads an optional whole number, 0 without one.
func (p *parser) count(n node, what string, least int) int {
	if n.absent() {
		return 0
	}
	value, err := strconv.Atoi(string(n.raw))
	if err != nil || value < least {
		p.add(n, "%s must be a whole number, %d or more", what, least)
	}
	return value
}

func (p *parser) language(n node, required bool) {
	if n.text() != "jsonata" && (required || !n.absent()) {
		p.add(n, `language must be "jsonata"`)
	}
}

// expression compiles an expression that must be there, bare or in {% %}.
func (p *parser) expression(n node) *expr.Expression {
	if !n.is('"') {
		p.add(n, "expression must be a string")
		return nil
	}
	source, isSlot, err := expr.Slot(n.text())
	if !isSlot {
		source = n.text()
	}
	var compiled *expr.Expression
	if err == nil {
		compiled, err = expr.Compile(source)
	}
	if err != nil {
		p.add(n, "%s", fault.From(err).Message)
	}
	return compiled
}
