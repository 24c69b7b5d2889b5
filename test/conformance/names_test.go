package conformance

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// readNames makes a snapshot of each element of the table, and looks for it by role and name.
const readNames = `(async () => {
	const run = (name, args) => ActionsPage.run(name, args, {signal: new AbortController().signal, deadline: performance.now() + 10_000});
	const answers = [];
	for (const [i, {role, name}] of CASES.entries()) {
		const selector = "#case-" + i + " [data-t]";
		const line = await run("snapshot.document", {locator: {selector}}).then((out) => out.lines[0] ?? "", (e) => e.message);
		const locator = {selector, role, ...(name && {name})};
		const found = await run("locator.wait_for", {locator, state: "attached", timeout_ms: 0}).then(() => true, () => false);
		answers.push({line, found});
	}
	return answers;
})()`

// Ensure that role, name and description are those of the specifications, that a snapshot
// shows them, and that a locator finds the element by them.
func TestAccessibleNames(t *testing.T) {
	t.Parallel()
	d := newDirect(t)
	site := NewSite(t)
	for elements := range slices.Chunk(namedElements(), 60) {
		d.Open(t, site.page(Case{Name: "names", HTML: namesPage(elements)}))
		wanted := make([]map[string]string, len(elements))
		for i, e := range elements {
			wanted[i] = map[string]string{"role": e.role, "name": e.name}
		}
		list, err := json.Marshal(wanted)
		if err != nil {
			t.Fatal(err)
		}
		result, err := d.evaluate(d.world(t), strings.Replace(readNames, "CASES", string(list), 1))
		if err != nil {
			t.Fatal(err)
		}
		var answers []struct {
			Line  string
			Found bool
		}
		if err := json.Unmarshal(result, &answers); err != nil {
			t.Fatal(err)
		}
		for i, e := range elements {
			if answer := answers[i]; !e.isShownBy(answer.Line) || !answer.Found {
				t.Errorf("%s: want %s %q, described %q; the line is %s; found: %t", e.html, e.role, e.name, e.description, answer.Line, answer.Found)
			}
		}
	}
}

// unshown are the roles that have no line of their own in a snapshot.
var unshown = strings.Fields("code definition deletion emphasis generic none presentation rowgroup strong term time")

// isShownBy reports whether the line of a snapshot says what is wanted.
func (e namedElement) isShownBy(line string) bool {
	if slices.Contains(unshown, e.role) && !strings.HasPrefix(line, "- "+e.role+" ") || strings.HasSuffix(line, "none is rendered") {
		return true
	}
	if e.name == "" {
		return e.role == "group" || strings.HasPrefix(line, "- "+e.role)
	}
	line = strings.TrimLeft(strings.ReplaceAll(line, "''", "'"), "- '")
	// The parts of a row, or of a branch, are its lines.
	if (e.role == "row" || e.role == "treeitem") && !strings.Contains(line, strconv.Quote(e.name)) {
		return strings.HasPrefix(line, e.role) && strings.HasSuffix(line, ":")
	}
	described := !e.isControl() || e.description == "" || strings.Contains(line, "[description="+strconv.Quote(e.description)+"]")
	return strings.HasPrefix(line, e.role+" "+strconv.Quote(e.name)) && described
}

// isControl reports whether a description by attribute is shown.
func (e namedElement) isControl() bool {
	return slices.Contains([]string{"button", "checkbox", "link", "textbox"}, e.role) && (strings.Contains(e.html, "aria-desc") || strings.Contains(e.html, "title="))
}
