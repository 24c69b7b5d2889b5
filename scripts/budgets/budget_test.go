package main

import (
	"math"
	"testing"
)

// Ensure that the metrics of go test are read, case and unit, and other lines are not.
func TestParse(t *testing.T) {
	got := parse([]byte("goos: linux\nBenchmarkCommit/10-2 \t 100\t 12 ns/op\t 25000 records/s\nBenchmarkBroken\nPASS\n"))
	if len(got) != 2 || got["BenchmarkCommit/10 records/s"] != 25000 || got["BenchmarkCommit/10 ns/op"] != 12 {
		t.Errorf("got %v", got)
	}
}

// Ensure that a budget is met at its limit, missed beyond it, and neither where
// a figure is missing; the fastest of the others counts.
func TestHold(t *testing.T) {
	peers := figures{"BenchmarkFiveSteps playwright-p50-ms": 1200, "BenchmarkFiveSteps chrome-devtools-mcp-p50-ms": 1000, "BenchmarkFiveSteps agent-browser-p50-ms": 150}
	if limit := fastest(0.5)(peers); limit != 75 {
		t.Errorf("half of the fastest is %v", limit)
	}
	delete(peers, "BenchmarkFiveSteps playwright-p50-ms")
	if limit := fastest(0.5)(peers); !math.IsNaN(limit) {
		t.Errorf("without one of them it is %v", limit)
	}
	f := figures{"a": 10}
	for name, c := range map[string]struct {
		budget
		met, measured bool
	}{
		"at the limit": {budget{"", plain("a", "ms"), most(10), false}, true, true},
		"beyond":       {budget{"", plain("a", "ms"), most(9), false}, false, true},
		"at least":     {budget{"", plain("a", "ms"), most(11), true}, false, true},
		"not measured": {budget{"", plain("b", "ms"), most(10), false}, false, false},
	} {
		if o := c.hold(f); o.Met != c.met || o.Measured != c.measured {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
