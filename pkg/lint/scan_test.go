package lint

import (
	"strings"
	"testing"
)

func TestReferences(t *testing.T) {
	// Ensure paths are told from texts, functions, operators and members, and
	// that those within filters are marked (!), those written with $$ too (^).
	for source, want := range map[string]string{
		"steps.find.output.candidates[1].clickable_center.x + 4": "steps.find.output.candidates.clickable_center.x",
		"$exists(steps.a.output) ? input.b : item":               "steps.a.output input.b item",
		"rows[id = input.id and $$.input.x = 'input.y'].name":    "rows.name !id !input.id ^!input.x",
		"`the rows`.`a b`":            "the rows.a b",
		"a / b / c":                   "a b c",
		"$match(a, /b.c[/]d/i) and e": "a e",
		"/* steps.x */ f":             "f",
		"$x.steps.y":                  "",
		"rows.(a & $$.b)":             "rows !a ^!b",
		"rows.{'k': a}":               "rows !a",
		"[input.a, steps.b]":          "input.a steps.b",
		"{'k': input.a}":              "input.a",
		"$map(rows, function($v, $i) { $v.x & input.y })": "rows function input.y",
		"a.*.b": "a", "a.b.$sum(c)": "a.b c", "and.or": "and.or", "a in b": "a b",
		"a[[": "a", "a]": "a", "'": "", "\\": "",
	} {
		var got []string
		for _, r := range references(source) {
			mark := ""
			if r.root {
				mark += "^"
			}
			if r.inner {
				mark += "!"
			}
			got = append(got, mark+strings.Join(r.path, "."))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s\n gives %s\n not   %s", source, text, want)
		}
	}
}

func TestSelectors(t *testing.T) {
	// Ensure lists and combinators are cut outside of brackets and quotes only.
	for selector, want := range map[string]string{
		"a, b":                   "a | b",
		"a:not(b, c) > d ~ e+f":  "a:not(b, c) d e f",
		`[x="a, b"] [y='c > d']`: `[x="a, b"] [y='c > d']`,
		`a\,b , c\ d`:            `a\,b | c\ d`,
		"[":                      "[", ")))": ")))", "": "",
	} {
		var parts []string
		for _, part := range split(selector, ',') {
			parts = append(parts, strings.Join(compounds(part), " "))
		}
		if got := strings.Join(parts, " | "); got != want {
			t.Errorf("%q gives %q, not %q", selector, got, want)
		}
	}
}
