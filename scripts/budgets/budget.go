package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// budget is one promise of the design.
type budget struct {
	name   string
	figure func(figures) (value float64, unit string)
	limit  func(figures) float64
	least  bool // the limit is the least, not the most
}

// outcome is how a budget was kept.
type outcome struct {
	Name     string   `json:"name"`
	Unit     string   `json:"unit"`
	Value    *float64 `json:"value"` // null: not measured
	Limit    float64  `json:"limit"`
	AtLeast  bool     `json:"at_least,omitempty"`
	Met      bool     `json:"met"`
	Measured bool     `json:"measured"`
}

// peerNames are the other servers as they are shipped; their fastest counts.
var peerNames = []string{"chrome-devtools-mcp", "playwright", "agent-browser"}

var budgets = []budget{
	{"five steps as one site action, p50", plain("BenchmarkFiveSteps site-action-p50-ms", "ms"), fastest(0.38), false},
	{"five steps as five primitive calls, p50", plain("BenchmarkFiveSteps primitives-p50-ms", "ms"), most(75), false},
	{"answer of the site action, with its marks", plain("BenchmarkFiveSteps site-action-answer-bytes", "bytes"), most(520), false},
	{"locator.click, p50", plain("BenchmarkActs/click p50-ms", "ms"), most(11), false},
	{"locator.click where Chromium defers a page's tasks to the next frame, p50", plain("BenchmarkClickDeferred p50-ms", "ms"), most(17), false},
	{"locator.fill, p50", plain("BenchmarkActs/fill p50-ms", "ms"), most(8), false},
	{"answer of a click with diff", plain("BenchmarkActs/diff answer-bytes", "bytes"), most(600), false},
	{"clicks in one tab", plain("BenchmarkClicks/tabs=1 clicks/s", "clicks/s"), most(100), true},
	{"clicks in ten tabs", plain("BenchmarkClicks/tabs=10 clicks/s", "clicks/s"), most(250), true},
	{"50 clients, 200 reads a second in ten tabs, p95 of p50", ratio("BenchmarkManyClients p95-ms", "BenchmarkManyClients p50-ms"), most(3), false},
	{"memory of the extension at rest after 6,800 calls, of that after 400", ratio("BenchmarkExtensionMemory last-MB", "BenchmarkExtensionMemory first-MB"), most(1.1), false},
	{"page.snapshot of 1,000 elements, p50", plain("BenchmarkSnapshot/elements=1000/interactive=false p50-ms", "ms"), most(10), false},
	{"page.snapshot of 1,000 elements, what changed, p50", plain("BenchmarkSnapshotDiff/elements=1000 p50-ms", "ms"), most(3), false},
	{"page.snapshot of 50,000 elements, p50", plain("BenchmarkSnapshot/elements=50000/interactive=false p50-ms", "ms"), most(600), false},
	{"MCP core catalogue, 1 map", plain("BenchmarkCatalogue one-map-bytes", "bytes"), most(7600), false},
	{"MCP core catalogue, 100 maps: the same", plain("BenchmarkCatalogue hundred-maps-bytes", "bytes"), other("BenchmarkCatalogue one-map-bytes"), false},
	{"launch to ready, p50", plain("BenchmarkLaunch p50-ms", "ms"), most(900), false},
	{"host cold start to first reply, p50", plain("BenchmarkColdStart p50-ms", "ms"), most(13), false},
	{"relay host, page, host, p50", plain("BenchmarkRelay p50-ms", "ms"), most(1.2), false},
	{"policy decision, 1,000 rules, p99", plain("BenchmarkDecide p99-us", "µs"), most(50), false},
	{"loop guard and output limiter, p99", plain("BenchmarkGuard p99-us", "µs"), most(20), false},
	{"journal, one caller", plain("BenchmarkCommit/1 records/s", "records/s"), most(3500), true},
	{"journal of raw bbolt, groups of 1", ratio("BenchmarkCommit/1 records/s", "BenchmarkBbolt/1 records/s"), most(0.85), true},
	{"journal of raw bbolt, groups of 10", ratio("BenchmarkCommit/10 records/s", "BenchmarkBbolt/10 records/s"), most(0.85), true},
	{"journal of raw bbolt, groups of 100", ratio("BenchmarkCommit/100 records/s", "BenchmarkBbolt/100 records/s"), most(0.85), true},
	{"binary", plain("BenchmarkBinarySize binary-MB", "MB"), most(32), false},
	{"idle memory", plain("BenchmarkIdleMemory idle-MB", "MB"), most(28), false},
	{"private memory of an MCP server, the most of 200", plain("BenchmarkClientMemory client-MB", "MB"), most(8), false},
	{"worker killed to next good call, p50", plain("BenchmarkWorkerKilled p50-ms", "ms"), most(2000), false},
	{"recording: an event of the user's hand, on the page, p95", plain("BenchmarkRecording p95-ms", "ms"), most(1), false},
	{"voice: tool event in, result event out, an acting call", mean("BenchmarkToolCall/act"), most(10), false},
	{"text agent: a step over chat, beside its model", mean("BenchmarkStep/chat"), most(5), false},
	{"text agent: a step over responses", mean("BenchmarkStep/responses"), most(5), false},
	{"text agent: a step over messages", mean("BenchmarkStep/messages"), most(5), false},
	{"POST /v1/agent, above its model", mean("BenchmarkEndpoint"), most(3), false},
	{"1 MB of a page as a message: words", mean("BenchmarkPageContent/words"), most(150), false},
	{"1 MB of a page as a message: forged marks", mean("BenchmarkPageContent/marks"), most(150), false},
	{"1 MB of a page as a message: hidden signs", mean("BenchmarkPageContent/hidden"), most(150), false},
	{"1 MB of a page as a message: wide signs", mean("BenchmarkPageContent/wide"), most(150), false},
}

func plain(key, unit string) func(figures) (float64, string) {
	return func(f figures) (float64, string) { return f.get(key), unit }
}

func mean(name string) func(figures) (float64, string) {
	return func(f figures) (float64, string) { return f.get(name+" ns/op") / 1e6, "ms" }
}

func ratio(above, below string) func(figures) (float64, string) {
	return func(f figures) (float64, string) { return f.get(above) / f.get(below), "×" }
}

func most(limit float64) func(figures) float64 { return func(figures) float64 { return limit } }

// times is a multiple of another figure.
func times(factor float64, key string) func(figures) float64 {
	return func(f figures) float64 { return factor * f.get(key) }
}

func other(key string) func(figures) float64 {
	return func(f figures) float64 { return f.get(key) }
}

// fastest is a share of what the fastest of the other servers took.
func fastest(share float64) func(figures) float64 {
	return func(f figures) float64 {
		best := math.Inf(1)
		for _, name := range peerNames {
			best = math.Min(best, f.get("BenchmarkFiveSteps "+name+"-p50-ms"))
		}
		return share * best
	}
}

// get returns a figure; NaN, which meets no budget, where it was not measured.
func (f figures) get(key string) float64 {
	if value, ok := f[key]; ok {
		return value
	}
	return math.NaN()
}

// hold holds the figures against the budget.
func (b budget) hold(f figures) outcome {
	value, unit := b.figure(f)
	limit := b.limit(f)
	o := outcome{Name: b.name, Unit: unit, AtLeast: b.least}
	if math.IsNaN(value) || math.IsNaN(limit) {
		return o
	}
	o.Value, o.Limit, o.Measured = &value, limit, true
	o.Met = value <= limit
	if b.least {
		o.Met = value >= limit
	}
	return o
}

func printBudgets(w io.Writer, all []outcome) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nbudget\tfigure\tlimit\t")
	for _, o := range all {
		sign := "≤"
		if o.AtLeast {
			sign = "≥"
		}
		switch {
		case !o.Measured:
			fmt.Fprintf(t, "%s\t–\t–\tnot measured\n", o.Name)
		case o.Met:
			fmt.Fprintf(t, "%s\t%.4g %s\t%s %.4g\tmet\n", o.Name, *o.Value, o.Unit, sign, o.Limit)
		default:
			fmt.Fprintf(t, "%s\t%.4g %s\t%s %.4g\tMISSED\n", o.Name, *o.Value, o.Unit, sign, o.Limit)
		}
	}
	t.Flush()
}

// printPeers compares the ways to do the five steps.
func printPeers(w io.Writer, f figures) {
	fmt.Fprintln(w, "\nFill in two fields, choose an option, click, read the result; the page itself takes 30 ms.")
	fmt.Fprintln(w, "No model takes part; every server was given the elements, and ours the map of the page.")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "over MCP\tp50 ms\tleast\tmost\tanswers B\tcatalogue B\t")
	for _, name := range append([]string{"site-action", "primitives"}, append(peerNames, "playwright-no-settle")...) {
		at := func(unit string) float64 { return f.get("BenchmarkFiveSteps " + name + "-" + unit) }
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t\n", name, at("p50-ms"), at("min-ms"), at("max-ms"), at("answer-bytes"), at("catalogue-bytes"))
	}
	t.Flush()
}
