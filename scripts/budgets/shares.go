package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// layers are where the time of a call goes; the worker's share is with the way to it.
var layers = []string{"page", "browser", "worker", "host", "disk"}

// shared are the rows whose time is followed through the layers, by the beginning of their figures' names.
var shared = []struct{ name, key string }{
	{"five steps as one site action", "BenchmarkFiveSteps site-action-"},
	{"five steps as five primitive calls", "BenchmarkFiveSteps primitives-"},
	{"locator.click", "BenchmarkActs/click "},
	{"locator.click, tasks deferred", "BenchmarkClickDeferred "},
	{"locator.fill", "BenchmarkActs/fill "},
	{"locator.click with diff", "BenchmarkActs/diff "},
	{"page.snapshot of 1,000 elements", "BenchmarkSnapshot/elements=1000/interactive=false "},
	{"page.snapshot of 50,000 elements", "BenchmarkSnapshot/elements=50000/interactive=false "},
}

// printShares prints where the time of a call goes, in the mean of all calls.
func printShares(w io.Writer, f figures) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\nmean ms of a call\t")
	for _, layer := range layers {
		fmt.Fprintf(t, "%s\t", layer)
	}
	fmt.Fprintln(t)
	for _, row := range shared {
		if math.IsNaN(f.get(row.key + "share-page-ms")) {
			continue
		}
		fmt.Fprintf(t, "%s\t", row.name)
		for _, layer := range layers {
			fmt.Fprintf(t, "%.1f\t", f.get(row.key+"share-"+layer+"-ms"))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}
