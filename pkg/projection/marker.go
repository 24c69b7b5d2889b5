package projection

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// The types of markers.
const (
	MarkerCursor  = "cursor"  // a place to put the text cursor
	MarkerPointer = "pointer" // a place to point at
)

// recipePrimitives are what a recipe may use. A recipe runs when an agent only
// asks where a marker is, hence the short list.
var recipePrimitives = []string{"keyboard.press", "pointer.click", "pointer.move", "pointer.double_click",
	"locator.element_info", "locator.wait_for", "text.insert", "text.type", "viewport.scroll"}

// Marker is a named place of a page and how to get there. It is data: reading a
// state runs no recipe.
type Marker struct {
	ID          string          `json:"id"`
	Type        string          `json:"type"` // MarkerCursor or MarkerPointer
	Description string          `json:"description,omitempty"`
	Anchor      json.RawMessage `json:"anchor,omitempty"` // an object; x and y, if numbers, are a first location
	Recipe      []RecipeStep    `json:"recipe"`           // one step or more
}

// RecipeStep is one call of a recipe.
type RecipeStep struct {
	Primitive string          `json:"primitive"`
	Args      json.RawMessage `json:"args,omitempty"` // an object
}

// declaredMarkers are markers, or the expression that gives them, or nothing.
type declaredMarkers struct {
	fixed      []Marker
	expression *expr.Expression
}

// markers reads a declaration of markers.
func (p *parser) markers(n node) declaredMarkers {
	switch {
	case n.absent():
		return declaredMarkers{}
	case n.is('"'):
		return declaredMarkers{expression: p.expression(n)}
	case !n.is('['):
		p.add(n, "markers must be an array or an expression")
		return declaredMarkers{}
	case len(n.raw) > maxMarkerBytes:
		p.add(n, "markers have %d bytes, the limit is %d", len(n.raw), maxMarkerBytes)
	}
	return declaredMarkers{fixed: p.markerList(n)}
}

func (p *parser) markerList(n node) []Marker {
	var out []Marker
	seen := map[string]bool{}
	for _, element := range n.elements() {
		if !element.is('{') {
			p.add(element, "a marker must be an object")
			continue
		}
		m := Marker{
			ID:          p.name(element.get("id"), "a marker must have an id"),
			Type:        element.get("type").text(),
			Description: p.text(element.get("description"), "description"),
			Anchor:      p.object(element.get("anchor"), "anchor"),
			Recipe:      p.recipe(element.get("recipe")),
		}
		if seen[m.ID] && m.ID != "" {
			p.add(element.get("id"), "two markers have the id %q", m.ID)
		}
		seen[m.ID] = true
		if m.Type != MarkerCursor && m.Type != MarkerPointer {
			p.add(element.get("type"), "type must be %q or %q", MarkerCursor, MarkerPointer)
		}
		out = append(out, m)
	}
	return out
}

func (p *parser) recipe(n node) []RecipeStep {
	var out []RecipeStep
	for _, step := range n.elements() {
		name := step.get("primitive")
		if !slices.Contains(recipePrimitives, name.text()) {
			p.add(name, "primitive %q is not allowed in a recipe; allowed are %v", name.text(), recipePrimitives)
		}
		out = append(out, RecipeStep{name.text(), p.object(step.get("args"), "args")})
	}
	if len(out) == 0 {
		p.add(n, "recipe must be an array of one step or more")
	}
	return out
}

// object reads an optional object.
func (p *parser) object(n node, what string) json.RawMessage {
	if n.absent() {
		return nil
	}
	if !n.is('{') {
		p.add(n, "%s must be an object", what)
	}
	return n.raw
}

// mark gives the markers of a reading.
func (p *Projection) mark(ctx context.Context, facts []expr.Member) ([]Marker, error) {
	if p.markers.expression == nil {
		return p.markers.fixed, nil
	}
	value, err := p.markers.expression.Eval(ctx, expr.Object(facts...), expr.Limits{MaxOutputBytes: maxMarkerBytes})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, p.failed(fault.StateMarkersFailed, "marker expression", err)
	}
	at := node{raw: value.JSON()}
	if at.absent() {
		return nil, nil
	}
	if at.is('{') { // a path over one element gives the element
		at.raw = slices.Concat([]byte("["), at.raw, []byte("]"))
	}
	check := &parser{}
	if !at.is('[') {
		check.add(at, "markers must be an array")
	}
	markers := check.markerList(at)
	if len(check.problems) > 0 {
		first := check.problems[0]
		return nil, fault.New(fault.InvalidStateMarkers, "the markers of %q: %s: %s", p.Name, first.Pointer, first.Message).
			With("projection", p.Name).With("problems", check.problems)
	}
	return markers, nil
}
