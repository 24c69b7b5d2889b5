package actionmap

import "slices"

// markerPrimitives are what a marker's recipe may use. A recipe runs when an
// agent only asks where a marker is, hence the short list.
var markerPrimitives = []string{"keyboard.press", "pointer.click", "pointer.move", "pointer.double_click",
	"locator.element_info", "locator.wait_for", "text.insert", "text.type", "viewport.scroll"}

// checkProjection checks the shape of a state projection. A projection with a
// finding is not listed.
func checkProjection(p node) []Finding {
	var findings []Finding
	add := func(at node, format string, args ...any) {
		findings = append(findings, newFinding("S15", SeverityError, at, format, args))
	}
	if !p.isObject() {
		add(p, "a state projection must be an object")
		return findings
	}
	if p.get("name").text() == "" {
		add(p.get("name"), "a state projection must have a name")
	}
	snapshot := p.get("snapshot")
	if !snapshot.isObject() {
		add(snapshot, "snapshot must be an object")
		return append(findings, checkMarkers(p.get("markers"))...)
	}
	if string(snapshot.get("version").raw) != "1" {
		add(snapshot.get("version"), "version must be the number 1")
	}
	if snapshot.get("source").text() != "dom" {
		add(snapshot.get("source"), `source must be "dom"`)
	}
	if !snapshot.get("extract").isArray() {
		add(snapshot.get("extract"), "extract must be an array")
	}
	projection := snapshot.get("projection")
	if projection.get("language").text() != "jsonata" {
		add(projection.get("language"), `language must be "jsonata"`)
	}
	if !projection.get("expression").isString() {
		add(projection.get("expression"), "expression must be a string")
	}
	return append(findings, checkMarkers(p.get("markers"))...)
}

// checkMarkers checks declared markers. An expression gives markers only when
// it runs, so any string passes here.
func checkMarkers(markers node) []Finding {
	var findings []Finding
	add := func(at node, format string, args ...any) {
		findings = append(findings, newFinding("S15", SeverityError, at, format, args))
	}
	if markers.absent() || markers.isString() {
		return nil
	}
	if !markers.isArray() {
		add(markers, "markers must be an array or an expression")
	}
	seen := map[string]bool{}
	for _, m := range markers.elements() {
		id := m.get("id").text()
		switch {
		case id == "":
			add(m.get("id"), "a marker must have an id")
		case seen[id]:
			add(m.get("id"), "duplicate marker id %q", id)
		}
		seen[id] = true
		if kind := m.get("type").text(); kind != "cursor" && kind != "pointer" {
			add(m.get("type"), `type must be "cursor" or "pointer"`)
		}
		recipe := m.get("recipe").elements()
		if len(recipe) == 0 {
			add(m.get("recipe"), "recipe must be a non-empty array")
		}
		for _, step := range recipe {
			if name := step.get("primitive").text(); !slices.Contains(markerPrimitives, name) {
				add(step.get("primitive"), "primitive %q is not allowed in a recipe; allowed are %v", name, markerPrimitives)
			}
			if args := step.get("args"); !args.absent() && !args.isObject() {
				add(args, "args must be an object")
			}
		}
	}
	return findings
}
