package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// growth is how the cost of something grows with a count, and what it may be at the largest.
type growth struct {
	name  string
	sizes []int
	key   string                // of a figure, with the size as %d; without one for a single size
	ms    float64               // milliseconds in its unit
	limit func(figures) float64 // milliseconds at the largest size
}

// nanoseconds is one of the unit ns/op, in milliseconds.
const nanoseconds = 1e-6

// growths are the rows of ./scripts/bench --scale.
var growths = []growth{
	{"page.snapshot, elements", []int{1_000, 10_000}, "BenchmarkSnapshot/elements=%d/interactive=false p50-ms", 1, most(150)},
	{"page.snapshot, elements", []int{10_000, 100_000}, "BenchmarkSnapshot/elements=%d/interactive=false p50-ms", 1, most(3000)},
	{"click by role and name, elements", []int{10_000, 100_000}, "BenchmarkClickByRole/elements=%d p50-ms", 1, most(300)},
	{"page.snapshot, frames of other origins", []int{20}, "BenchmarkSnapshotFrames p50-ms", 1, most(60)},
	{"lint, maps", []int{100, 1000, 10_000}, "BenchmarkManyMaps/%d ns/op", nanoseconds, most(10_000)},
	{"lint, actions of a map", []int{30, 300, 3000}, "BenchmarkManyActions/%d ns/op", nanoseconds, most(1000)},
	{"the maps of a page, hosts", []int{100, 1000, 10_000}, "BenchmarkManyHosts/match/%d ns/op", nanoseconds, most(15)},
	{"storage list, hosts", []int{100, 1000, 10_000}, "BenchmarkManyHosts/list/%d ns/op", nanoseconds, most(300)},
	{"storage import, hosts", []int{100, 1000, 10_000}, "BenchmarkManyHosts/import/%d ns/op", nanoseconds, most(3000)},
	{"state_summary, records", []int{1_000, 10_000, 100_000}, "BenchmarkState/summary/records=%d p50-ms", 1, most(5000)},
	{"state_diff, records", []int{1_000, 10_000, 100_000}, "BenchmarkState/diff/records=%d p50-ms", 1, most(5000)},
	{"log of a site without hits, records", []int{100_000}, "BenchmarkScan/no_site ns/op", nanoseconds, most(100)},
	{"log dump through the host, records", []int{100_000}, "BenchmarkLogDump/host p50-ms", 1, times(1.3, "BenchmarkLogDump/file p50-ms")},
	{"log sessions, records", []int{10_000, 100_000}, "BenchmarkSessions/%d ns/op", nanoseconds, most(100)},
}

// scaleBenches are measured for the growths.
var scaleBenches = []bench{
	{"./test/bench", "^BenchmarkSnapshot$/^elements=(1000|10000|100000)$/^interactive=false$", "5x", "1x"},
	{"./test/bench", "^BenchmarkClickByRole$", "20x", "3x"},
	{"./test/bench", "^BenchmarkSnapshotFrames$", "20x", "5x"},
	{"./test/bench", "^BenchmarkState$", "5x", "1x"},
	{"./pkg/lint", "^BenchmarkMany", "2x", "1x"},
	{"./pkg/storage", "^BenchmarkManyHosts$", "2x", "1x"},
	{"./pkg/journal", "^BenchmarkScan$/^no_site$", "5x", "1x"},
	{"./pkg/logview", "^BenchmarkSessions$", "3x", "1x"},
	{"./test/bench", "^BenchmarkLogDump$", "10x", "1x"},
}

// grown is what was measured of a growth.
type grown struct {
	Name     string             `json:"name"`
	MS       map[string]float64 `json:"ms"`       // by size
	Limit    float64            `json:"limit"`    // milliseconds at the largest
	Exponent *float64           `json:"exponent"` // of the size, between the last two; null for a single one
	Met      bool               `json:"met"`      // at the largest
	Measured bool               `json:"measured"` // at each
	sizes    []int              // ascending
	times    []float64          // of the sizes
}

// hold holds the figures against the row.
func (g growth) hold(f figures) grown {
	out := grown{Name: g.name, MS: map[string]float64{}, sizes: g.sizes}
	limit := g.limit(f)
	if math.IsNaN(limit) {
		return out
	}
	out.Limit, out.Measured = limit, true
	for _, size := range g.sizes {
		key := g.key
		if len(g.sizes) > 1 {
			key = fmt.Sprintf(g.key, size)
		}
		took := f.get(key) * g.ms
		if math.IsNaN(took) {
			out.Measured = false
			return out
		}
		out.MS[fmt.Sprint(size)], out.times = took, append(out.times, took)
	}
	last := len(g.sizes) - 1
	out.Met = out.times[last] <= out.Limit
	if last > 0 {
		exponent := math.Log(out.times[last]/out.times[last-1]) / math.Log(float64(g.sizes[last])/float64(g.sizes[last-1]))
		out.Exponent = &exponent
	}
	return out
}

func printGrowths(w io.Writer, all []grown) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\ncost, count\tms at each count\tgrows as\tlimit\t")
	for _, g := range all {
		if !g.Measured {
			fmt.Fprintf(t, "%s\t–\t–\t≤ %.4g\tnot measured\n", g.Name, g.Limit)
			continue
		}
		times, slope, verdict := "", "–", "MISSED"
		for i, size := range g.sizes {
			times += fmt.Sprintf("%d: %.4g  ", size, g.times[i])
		}
		if g.Exponent != nil {
			slope = fmt.Sprintf("n^%.2f", *g.Exponent)
		}
		if g.Met {
			verdict = "met"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t≤ %.4g\t%s\n", g.Name, times, slope, g.Limit, verdict)
	}
	t.Flush()
}
