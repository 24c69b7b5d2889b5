package conformance

import (
	_ "embed" // the table
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// namesTable is a JSON object of lists of [html, role, name, description, why the browser's own
// tree says otherwise]; the last two may be missing. An @ stands for the case's number, data-t
// marks the element.
//
//go:embed testdata/names.json
var namesTable []byte

// namedElement is one line of the table: what the specifications of names say about an element.
type namedElement struct {
	html, role, name, description string
	differs                       string // what the browser's own tree does instead
}

func namedElements() (all []namedElement) {
	var table map[string][][]string
	if err := json.Unmarshal(namesTable, &table); err != nil {
		panic(err)
	}
	for _, rows := range table {
		for _, row := range rows {
			row = append(row, "", "")[:5]
			all = append(all, namedElement{row[0], row[1], row[2], row[3], row[4]})
		}
	}
	slices.SortFunc(all, func(a, b namedElement) int { return strings.Compare(a.html, b.html) })
	return all
}

// namesPage is a page with the elements, each in a group with its number.
func namesPage(elements []namedElement) string {
	page := []string{"<!doctype html><meta charset=utf-8><title>Names</title>"}
	for i, e := range elements {
		page = append(page, fmt.Sprintf("<div role=group aria-label='case %d' id=case-%d>%s</div>", i, i, strings.ReplaceAll(e.html, "@", "-"+strconv.Itoa(i))))
	}
	return strings.Join(page, "\n")
}

// browserNames checks that the browser's own tree shows the elements of the table as they are
// called elsewhere.
func browserNames(p *Page) {
	out := p.ok(a11yTree, `{"max_nodes":2000,"max_depth":40}`)
	outline, _ := out.at("outline").(string)
	p.is(out, "truncated", `false`)
	sections := strings.Split(outline, `group "case `)
	for i, e := range namedElements() {
		if e.differs != "" || e.role == "generic" || e.role == "none" || e.role == "presentation" {
			continue
		}
		section := sections[slices.IndexFunc(sections, func(s string) bool { return strings.HasPrefix(s, strconv.Itoa(i)+`"`) })]
		want := e.role
		if e.name != "" {
			want += " " + strconv.Quote(e.name)
		}
		if !slices.ContainsFunc(strings.Split(section, "\n"), func(line string) bool {
			described := e.description == "" || strings.Contains(line, "[description:"+strconv.Quote(e.description)+"]")
			return strings.HasPrefix(strings.TrimSpace(line), want) && described
		}) {
			p.Errorf("%s: want %s, described %q, in\n%s", e.html, want, e.description, section)
		}
	}
}
