package expr

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
		"$map(rows, function($v, $i) { $v.x & input.y })": "rows input.y",
		"a.*.b": "a", "a.b.$sum(c)": "a.b c", "and.or": "and.or", "a in b": "a b",
		"": "",
	} {
		var got []string
		references, err := References(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
		}
		for _, r := range references {
			mark := ""
			if r.Root {
				mark += "^"
			}
			if r.Inner {
				mark += "!"
			}
			got = append(got, mark+strings.Join(r.Path, "."))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s\n gives %s\n not   %s", source, text, want)
		}
	}
	for _, source := range []string{"a[[", "a]", "'"} {
		if list, err := References(source); list != nil || err == nil {
			t.Errorf("%q is read as %v", source, list)
		}
	}
}

func TestMarkedReferences(t *testing.T) {
	// Ensure that a path carries what is asked of it: whether it exists, does not, or is false.
	for source, want := range map[string]Reference{
		"$exists(steps.a.output[0])":           {Exists: true},
		"$not( $exists(steps.a) ) and input.b": {Exists: true, Absent: true},
		"steps.a.ok = false":                   {False: true},
		"steps.a.ok = true":                    {},
		"$not($boolean($exists(steps.a)))":     {Exists: true},
		"$not(steps.a)":                        {},
		"$exists($count(steps.a))":             {},
	} {
		list, err := References(source)
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %v, %v", source, list, err)
		}
		got := list[0]
		if got.Path = nil; got.Exists != want.Exists || got.Absent != want.Absent || got.False != want.False {
			t.Errorf("%s gives %+v", source, got)
		}
	}
}
