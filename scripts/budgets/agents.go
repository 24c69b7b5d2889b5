package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// agentWays are the ways to do the tasks of the gallery, as BenchmarkAgentCost names them.
var agentWays = append([]string{"site-action", "primitives"}, peerNames...)

// learning is the row of what an agent asks once a session; it is no task.
const learning = "learn"

// agentCost is what tasks cost through one server.
type agentCost struct {
	calls, sent, received, ms float64
}

func (c *agentCost) add(f figures, task, way string) {
	at := func(unit string) float64 { return f.get(agentKey(task, way, unit)) }
	c.calls += at("calls")
	c.sent += at("sent-bytes")
	c.received += at("received-bytes")
	c.ms += at("ms")
}

// String returns the cells of a table.
func (c agentCost) String() string {
	return fmt.Sprintf("%.0f\t%.0f\t%.0f\t%.0f\t", c.calls, c.sent, c.received, c.ms)
}

func agentKey(task, way, unit string) string {
	return "BenchmarkAgentCost/" + task + " " + way + "-" + unit
}

// agentTasks returns the tasks that were measured.
func agentTasks(f figures) []string {
	all := map[string]bool{}
	for key := range f {
		name, _, _ := strings.Cut(key, " ")
		if task, ok := strings.CutPrefix(name, "BenchmarkAgentCost/"); ok && task != learning {
			all[task] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// printAgents compares what an agent pays for the tasks of the gallery. Done is what
// was done in every round; what all have done is comparable.
func printAgents(w io.Writer, f figures) {
	tasks := agentTasks(f)
	if len(tasks) == 0 {
		return
	}
	done := func(task, way string) bool { return f.get(agentKey(task, way, "done")) == 1 }
	shared := slices.DeleteFunc(slices.Clone(tasks), func(task string) bool {
		return slices.ContainsFunc(agentWays, func(way string) bool { return !done(task, way) })
	})
	fmt.Fprintf(w, "\n%d tasks on the pages of the gallery, by one script that looks before it acts; no model takes part.\n", len(tasks))
	fmt.Fprintln(w, "Bytes are of the messages both ways. What is learned once, beside the catalogue, is in none of the other figures.")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "over MCP\tdone\tcalls\tsent B\treceived B\tms\tlearned B\tcatalogue B\t")
	lines := ""
	for _, way := range agentWays {
		var of, vain, learned agentCost
		var missing []string
		for _, task := range tasks {
			if done(task, way) {
				of.add(f, task, way)
			} else {
				vain.add(f, task, way)
				missing = append(missing, task)
			}
		}
		learned.add(f, learning, way)
		fmt.Fprintf(t, "%s\t%d\t%s%.0f\t%.0f\t\n", way, len(tasks)-len(missing), of, learned.sent+learned.received, f.get(agentKey(learning, way, "catalogue-bytes")))
		if len(missing) > 0 {
			lines += fmt.Sprintf("Not done by %s, for %.0f calls, %.0f bytes and %.0f ms: %s.\n", way, vain.calls, vain.sent+vain.received, vain.ms, strings.Join(missing, ", "))
		}
	}
	t.Flush()
	fmt.Fprint(w, lines)
	fmt.Fprintf(w, "What all have done, %d of them:\n", len(shared))
	fmt.Fprintln(t, "over MCP\tcalls\tsent B\treceived B\tms\t")
	for _, way := range agentWays {
		var of agentCost
		for _, task := range shared {
			of.add(f, task, way)
		}
		fmt.Fprintf(t, "%s\t%s\n", way, of)
	}
	t.Flush()
}
