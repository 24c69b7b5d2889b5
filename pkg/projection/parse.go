package projection

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/schema"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// limits bound the text of one declaration. The deepest known has about 20 levels.
var limits = strictjson.Limits{MaxBytes: 1 << 20, MaxDepth: 100}

// Parse parses a declaration. It returns the projection, or every problem in the
// order of the rules. It ignores unknown members: maps carry notes.
func Parse(raw json.RawMessage) (*Projection, []Problem) {
	text, err := strictjson.Canonical(raw, limits)
	if err != nil {
		return nil, []Problem{{Message: fault.From(err).Message}}
	}
	p := &parser{}
	projection := p.projection(jsonnode.Node{Raw: text})
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return projection, nil
}

// parser collects the problems.
type parser struct{ problems []Problem }

func (p *parser) add(at jsonnode.Node, format string, args ...any) {
	p.problems = append(p.problems, Problem{at.Pointer, fmt.Sprintf(format, args...)})
}

func (p *parser) projection(root jsonnode.Node) *Projection {
	if !root.IsObject() {
		p.add(root, "a state projection must be an object")
		return nil
	}
	out := &Projection{
		Name:        p.name(root.Get("name"), "a state projection must have a name"),
		Description: p.text(root.Get("description"), "description"),
		URLMatches:  p.scope(root.Get("scope")),
	}
	p.snapshot(root.Get("snapshot"), out)
	out.Summaries = p.summaries(root.Get("summaries"))
	out.Postconditions = p.postconditions(root.Get("postconditions"), out.Name)
	out.markers = p.markers(root.Get("markers"))
	return out
}

func (p *parser) snapshot(n jsonnode.Node, out *Projection) {
	if !n.IsObject() {
		p.add(n, "snapshot must be an object")
		return
	}
	// An unknown version may mean anything; treating it as the known one would
	// silently produce a wrong state.
	if at := n.Get("version"); string(at.Raw) != "1" {
		p.add(at, "version must be the number 1")
	}
	if at := n.Get("source"); at.Text() != "dom" {
		p.add(at, `source must be "dom"`)
	}
	out.Extract = p.extract(n.Get("extract"))
	projection := n.Get("projection")
	if !projection.IsObject() {
		p.add(projection, "projection must be an object with language and expression")
	} else {
		p.language(projection.Get("language"), true)
		out.expression = p.expression(projection.Get("expression"))
	}
	if at := n.Get("output_schema"); !at.Absent() {
		compiled, err := schema.Compile(at.Raw)
		if err != nil {
			f := fault.From(err)
			// The pointer is within the schema: make it one into the declaration.
			inner, _ := f.Evidence["pointer"].(string)
			p.add(jsonnode.Node{Pointer: at.Pointer + inner}, "is no usable JSON Schema: %s", f.Message)
		}
		out.output = compiled
	}
}

// scope returns url_matches, one pattern or several. A blank one matches every page.
func (p *parser) scope(n jsonnode.Node) []string {
	if n.Absent() {
		return nil
	}
	if !n.IsObject() {
		p.add(n, "scope must be an object with url_matches")
		return nil
	}
	at := n.Get("url_matches")
	patterns := at.Elements()
	if !at.IsArray() {
		patterns = []jsonnode.Node{at}
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

func (p *parser) summaries(n jsonnode.Node) []Summary {
	if !n.Absent() && !n.IsArray() {
		p.add(n, "summaries must be an array")
	}
	var out []Summary
	seen := map[string]bool{}
	for _, element := range n.Elements() {
		if !element.IsObject() {
			p.add(element, "a summary must be an object")
			continue
		}
		s := Summary{
			Name:        p.name(element.Get("name"), "a summary must have a name"),
			Description: p.text(element.Get("description"), "description"),
			MaxBytes:    p.count(element.Get("max_bytes"), "max_bytes", 1),
			expression:  p.expression(element.Get("expression")),
		}
		if seen[s.Name] { // a caller could select only one of them
			p.add(element.Get("name"), "two summaries are called %q", s.Name)
		}
		seen[s.Name] = true
		out = append(out, s)
	}
	return out
}

// name returns a required string.
func (p *parser) name(n jsonnode.Node, without string) string {
	if n.Text() == "" {
		p.add(n, "%s", without)
	}
	return n.Text()
}

// text returns an optional string.
func (p *parser) text(n jsonnode.Node, what string) string {
	if !n.Absent() && !n.IsString() {
		p.add(n, "%s must be a string", what)
	}
	return n.Text()
}

// count returns an optional integer, or 0.
func (p *parser) count(n jsonnode.Node, what string, least int) int {
	if n.Absent() {
		return 0
	}
	value, err := strconv.Atoi(string(n.Raw))
	if err != nil || value < least {
		p.add(n, "%s must be a whole number, %d or more", what, least)
	}
	return value
}

func (p *parser) language(n jsonnode.Node, required bool) {
	if n.Text() != "jsonata" && (required || !n.Absent()) {
		p.add(n, `language must be "jsonata"`)
	}
}

// expression compiles a required expression, bare or in {% %}.
func (p *parser) expression(n jsonnode.Node) *expr.Expression {
	if !n.IsString() {
		p.add(n, "expression must be a string")
		return nil
	}
	source, isSlot, err := expr.Slot(n.Text())
	if !isSlot {
		source = n.Text()
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
