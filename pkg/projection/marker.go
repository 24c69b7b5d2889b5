package projection

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// The types of markers.
const (
	MarkerCursor  = "cursor"  // a place to put the text cursor
	MarkerPointer = "pointer" // a place to point at
)

// recipePrimitives are the primitives allowed in a recipe. A recipe runs when an
// agent only asks where a marker is, hence the short list.
var recipePrimitives = []string{"keyboard.press", "pointer.click", "pointer.move", "pointer.double_click",
	"locator.element_info", "locator.wait_for", "text.insert", "text.type", "viewport.scroll"}

// Marker is a named place of a page and how to reach it. It is data: reading a state
// runs no recipe.
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

// declaredMarkers are markers, or the expression for them, or nothing.
type declaredMarkers struct {
	fixed      []Marker
	expression *expr.Expression
}

// markers parses a declaration of markers.
func (p *parser) markers(n jsonnode.Node) declaredMarkers {
	switch {
	case n.Absent():
		return declaredMarkers{}
	case n.IsString():
		return declaredMarkers{expression: p.expression(n)}
	case !n.IsArray():
		p.add(n, "markers must be an array or an expression")
		return declaredMarkers{}
	case len(n.Raw) > maxMarkerBytes:
		p.add(n, "markers have %d bytes, the limit is %d", len(n.Raw), maxMarkerBytes)
	}
	return declaredMarkers{fixed: p.markerList(n)}
}

func (p *parser) markerList(n jsonnode.Node) []Marker {
	var out []Marker
	seen := map[string]bool{}
	for _, element := range n.Elements() {
		if !element.IsObject() {
			p.add(element, "a marker must be an object")
			continue
		}
		m := Marker{
			ID:          p.name(element.Get("id"), "a marker must have an id"),
			Type:        element.Get("type").Text(),
			Description: p.text(element.Get("description"), "description"),
			Anchor:      p.object(element.Get("anchor"), "anchor"),
			Recipe:      p.recipe(element.Get("recipe")),
		}
		if seen[m.ID] && m.ID != "" {
			p.add(element.Get("id"), "two markers have the id %q", m.ID)
		}
		seen[m.ID] = true
		if m.Type != MarkerCursor && m.Type != MarkerPointer {
			p.add(element.Get("type"), "type must be %q or %q", MarkerCursor, MarkerPointer)
		}
		out = append(out, m)
	}
	return out
}

func (p *parser) recipe(n jsonnode.Node) []RecipeStep {
	var out []RecipeStep
	for _, step := range n.Elements() {
		name := step.Get("primitive")
		if !slices.Contains(recipePrimitives, name.Text()) {
			p.add(name, "primitive %q is not allowed in a recipe; allowed are %v", name.Text(), recipePrimitives)
		}
		out = append(out, RecipeStep{name.Text(), p.object(step.Get("args"), "args")})
	}
	if len(out) == 0 {
		p.add(n, "recipe must be an array of one step or more")
	}
	return out
}

// object returns an optional object.
func (p *parser) object(n jsonnode.Node, what string) json.RawMessage {
	if n.Absent() {
		return nil
	}
	if !n.IsObject() {
		p.add(n, "%s must be an object", what)
	}
	return n.Raw
}

// markersOf returns the markers of a reading.
func (p *Projection) markersOf(ctx context.Context, facts []expr.Member) ([]Marker, error) {
	if p.markers.expression == nil {
		return p.markers.fixed, nil
	}
	value, err := p.markers.expression.Eval(ctx, expr.Object(facts...), expr.Limits{MaxOutputBytes: maxMarkerBytes, LargeInput: true})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, p.failed(fault.StateMarkersFailed, "marker expression", err)
	}
	at := jsonnode.Node{Raw: value.JSON()}
	if at.Absent() {
		return nil, nil
	}
	if at.IsObject() { // a path over one element selects the element
		at.Raw = slices.Concat([]byte("["), at.Raw, []byte("]"))
	}
	check := &parser{}
	if !at.IsArray() {
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
