package actionmap

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// markerPrimitives are the primitives allowed in a marker's recipe. A recipe runs
// when an agent only asks where a marker is, hence the short list.
var markerPrimitives = []string{"keyboard.press", "pointer.click", "pointer.move", "pointer.double_click",
	"locator.element_info", "locator.wait_for", "text.insert", "text.type", "viewport.scroll"}

// checkProjection checks the shape of a state projection. A projection with a
// finding is not listed.
func checkProjection(p jsonnode.Node) []Finding {
	var findings []Finding
	add := func(at jsonnode.Node, format string, args ...any) {
		findings = append(findings, newFinding("S15", SeverityError, at, format, args))
	}
	if !p.IsObject() {
		add(p, "a state projection must be an object")
		return findings
	}
	if p.Get("name").Text() == "" {
		add(p.Get("name"), "a state projection must have a name")
	}
	snapshot := p.Get("snapshot")
	if !snapshot.IsObject() {
		add(snapshot, "snapshot must be an object")
		return append(findings, checkMarkers(p.Get("markers"))...)
	}
	if string(snapshot.Get("version").Raw) != "1" {
		add(snapshot.Get("version"), "version must be the number 1")
	}
	if snapshot.Get("source").Text() != "dom" {
		add(snapshot.Get("source"), `source must be "dom"`)
	}
	if !snapshot.Get("extract").IsArray() {
		add(snapshot.Get("extract"), "extract must be an array")
	}
	projection := snapshot.Get("projection")
	if projection.Get("language").Text() != "jsonata" {
		add(projection.Get("language"), `language must be "jsonata"`)
	}
	if !projection.Get("expression").IsString() {
		add(projection.Get("expression"), "expression must be a string")
	}
	return append(findings, checkMarkers(p.Get("markers"))...)
}

// checkMarkers checks declared markers. The markers of an expression are
// known only at run time, so any string passes here.
func checkMarkers(markers jsonnode.Node) []Finding {
	var findings []Finding
	add := func(at jsonnode.Node, format string, args ...any) {
		findings = append(findings, newFinding("S15", SeverityError, at, format, args))
	}
	if markers.Absent() || markers.IsString() {
		return nil
	}
	if !markers.IsArray() {
		add(markers, "markers must be an array or an expression")
	}
	seen := map[string]bool{}
	for _, m := range markers.Elements() {
		id := m.Get("id").Text()
		switch {
		case id == "":
			add(m.Get("id"), "a marker must have an id")
		case seen[id]:
			add(m.Get("id"), "duplicate marker id %q", id)
		}
		seen[id] = true
		if kind := m.Get("type").Text(); kind != "cursor" && kind != "pointer" {
			add(m.Get("type"), `type must be "cursor" or "pointer"`)
		}
		recipe := m.Get("recipe").Elements()
		if len(recipe) == 0 {
			add(m.Get("recipe"), "recipe must be a non-empty array")
		}
		for _, step := range recipe {
			if name := step.Get("primitive").Text(); !slices.Contains(markerPrimitives, name) {
				add(step.Get("primitive"), "primitive %q is not allowed in a recipe; allowed are %v", name, markerPrimitives)
			}
			if args := step.Get("args"); !args.Absent() && !args.IsObject() {
				add(args, "args must be an object")
			}
		}
	}
	return findings
}
