package actionmap_test

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/actionmap"
)

func TestLocate(t *testing.T) {
	// Ensure line and column are those of the value, that what is missing has
	// the place of the nearest part above, and that faults of the text have the
	// byte at which it breaks.
	const text = "{\r\n  \"a/b\": [ 1,\t{ \"søk\" : \"✓ x\", \"k~\": null } ],\n\"tools\":[]}"
	for pointer, want := range map[string][2]int{
		"": {1, 1}, "/a~1b": {2, 10}, "/a~1b/0": {2, 12}, "/a~1b/1": {2, 15}, "/a~1b/1/søk": {2, 25}, "/a~1b/1/k~0": {2, 38},
		"/tools": {3, 9}, "/tools/7/name": {3, 9}, "/none/at/all": {1, 1}, "/a~1b/1/søk/deeper": {2, 25},
	} {
		findings := []actionmap.Finding{{Pointer: pointer}}
		actionmap.Locate([]byte(text), findings)
		if got := [2]int{findings[0].Line, findings[0].Column}; got != want {
			t.Errorf("%q is at %v, not %v", pointer, got, want)
		}
	}
	for text, want := range map[string][2]int{
		"": {1, 1}, "{\n\"protocol\":\"actions.json\",\n \"tools\": [,]}": {3, 12}, "{\"a\":1,\n \"a\":2}": {2, 2},
		"{}\n{}": {2, 2}, "{\"protocol\":\"actions.json\",\"n\":\"\\ud800\"}": {1, 33},
	} {
		f := actionmap.Validate([]byte(text), nil)[0]
		if got := [2]int{f.Line, f.Column}; got != want || f.Hint == "" {
			t.Errorf("%q breaks at %v, not %v: %v", text, got, want, f)
		}
	}
}

func TestSlotPlaces(t *testing.T) {
	// Ensure a broken expression is found where it stands, deep in arguments,
	// and all of them at once.
	text := withTools(flow("a.b", `{"id":"s","primitive":"locator.element_info","when":"{% ( %}","args":{"locator":{"selector":"x {% 1 %}","text_contains":["{% a b %}","{% 1 %}"]}}}`))
	var got []string
	for _, f := range actionmap.Validate([]byte(text), dict) {
		got = append(got, f.Pointer)
	}
	const step = "/tools/0/workflow/steps/0"
	if want := step + "/args/locator/selector " + step + "/args/locator/text_contains/0 " + step + "/when"; strings.Join(got, " ") != want {
		t.Errorf("%v", got)
	}
}
