package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestShares(t *testing.T) {
	// Ensure that the shares of a row stand in the order of the layers, and that a row which was not measured is left out.
	f := figures{}
	for i, layer := range layers {
		f["BenchmarkActs/click share-"+layer+"-ms"] = float64(i) + 0.25
	}
	var out bytes.Buffer
	printShares(&out, f)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || strings.Join(strings.Fields(lines[1]), " ") != "locator.click 0.2 1.2 2.2 3.2 4.2" {
		t.Errorf("printed:\n%s", out.String())
	}
}
