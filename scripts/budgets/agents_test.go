package main

import (
	"strings"
	"testing"
)

func TestPrintAgents(t *testing.T) {
	// Ensure that the tasks done and those in vain are added up apart, that what is learned once is in neither, that only tasks which all have done are compared, and that nothing is printed where nothing was measured.
	f := figures{}
	for _, way := range agentWays {
		for task, calls := range map[string]float64{"order": 3, "card": 5, learning: 7} {
			for unit, figure := range map[string]float64{"done": 1, "calls": calls, "sent-bytes": 100 * calls, "received-bytes": 1000 * calls, "ms": 10 * calls} {
				f[agentKey(task, way, unit)] = figure
			}
		}
		f[agentKey(learning, way, "catalogue-bytes")] = 7600
	}
	f[agentKey("card", "playwright", "done")] = 0.5
	var out strings.Builder
	printAgents(&out, f)
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"2 tasks on", "site-action 2 8 800 8000 80 7700 7600", "playwright 1 3 300 3000 30 7700 7600",
		"Not done by playwright, for 5 calls, 5500 bytes and 50 ms: card.", "What all have done, 1 of them:", "agent-browser 3 300 3000 30",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	out.Reset()
	if printAgents(&out, figures{"BenchmarkFiveSteps playwright-p50-ms": 1}); out.Len() > 0 {
		t.Errorf("printed %s", out.String())
	}
}
