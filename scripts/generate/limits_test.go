package main

import (
	"os"
	"strings"
	"testing"
)

func TestErrorPageIsComplete(t *testing.T) {
	// Ensure that the page has every code with its next step, and every limit with a number.
	inRepository(t)
	c, err := load("manifest")
	if err != nil {
		t.Fatal(err)
	}
	page := string(c.errorPage())
	for _, e := range c.errors {
		row := "\n| `" + e.Code + "` | " + yesNo(e.Retryable) + " | " + yesNo(e.Recoverable) + " | " + e.NextStep + " |\n"
		if e.NextStep == "" || !strings.Contains(page, row) {
			t.Errorf("%s is missing", e.Code)
		}
		if strings.ContainsAny(e.NextStep, "|\n") {
			t.Errorf("the next step of %s breaks the table", e.Code)
		}
	}
	for _, l := range c.limits {
		if l.value == "" || !strings.Contains(page, "| "+l.value+" | "+l.what+" | ["+l.constant+"](../"+l.file+") |\n") {
			t.Errorf("%s of %s is missing", l.constant, l.file)
		}
	}
	for _, row := range []string{"| 25 steps | of a workflow |", "| 10 min | `timeout_ms` of a call |", "| 64 MiB | a message from the browser |", "| 48,000 bytes | a projected state"} {
		if !strings.Contains(page, row) {
			t.Errorf("%q is not on the page", row)
		}
	}
}

func TestLimitsFollowTheirConstants(t *testing.T) {
	// Ensure that a changed constant fails the check, and that one which is gone is named with its file.
	inCopy(t)
	const name = "pkg/workflow/workflow.go"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ old, new, says string }{
		{"MaxSteps = 25", "MaxSteps = 26", "manifest/README.md differs"},
		{"MaxSteps = 25", "MaxEntries = 25", name + " has no constant MaxSteps"},
		{"MaxSteps = 25", "MaxSteps = 2.5", name + ": the constant MaxSteps is no whole number"},
	} {
		if err := os.WriteFile(name, []byte(strings.Replace(string(text), row.old, row.new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(true); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s gives %v", row.new, err)
		}
	}
}
