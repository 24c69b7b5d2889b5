// Command budgets measures what the design promises in figures, on this machine
// and in one run, and reports for each whether it was met:
//
//	go run ./scripts/budgets [-quick] [-scale] [-out test/output/bench.json]
//
// With -scale it measures how cost grows with what there is, in place of the budgets. The budgets are
// drawn beside the file, as bench.svg.
//
// Rules of this package:
//   - A figure comes from a benchmark that anyone can run alone with go test; here
//     is only which ones, how often, and what they are held against.
//   - A missed budget is reported, and is not a failure: machines differ. A
//     benchmark that fails is one.
//   - The file holds every figure and every single time, with the versions and the
//     machine, so that a doubt can be answered later.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// result is the file of a run.
type result struct {
	Date     string            `json:"date"`
	Quick    bool              `json:"quick"`
	Machine  map[string]string `json:"machine"`
	Versions map[string]string `json:"versions"`
	Budgets  []outcome         `json:"budgets,omitzero"`
	Growths  []grown           `json:"growths,omitzero"`
	Figures  figures           `json:"figures"`
	Samples  []json.RawMessage `json:"samples"` // the single times, in the order they were taken
}

func main() {
	quick := flag.Bool("quick", false, "fewer rounds: for a look, not for a claim")
	scale := flag.Bool("scale", false, "how cost grows with elements, maps, hosts and records")
	out := flag.String("out", "", "file of the raw figures (default test/output/bench.json, with -scale scale.json)")
	flag.Parse()
	if *out == "" {
		*out = filepath.Join("test", "output", map[bool]string{false: "bench.json", true: "scale.json"}[*scale])
	}
	if err := run(*quick, *scale, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(quick, scale bool, out string) error {
	r := result{Date: time.Now().UTC().Format(time.RFC3339), Quick: quick, Machine: machine(), Versions: versions()}
	for _, k := range []string{"cpu", "cores", "memory", "kernel", "load"} {
		fmt.Printf("%-8s %s\n", k, r.Machine[k])
	}
	wanted := benches
	if scale {
		wanted = scaleBenches
	}
	var err error
	if r.Figures, r.Samples, err = measure(wanted, quick); err != nil {
		return err
	}
	if scale {
		for _, g := range growths {
			r.Growths = append(r.Growths, g.hold(r.Figures))
		}
		printGrowths(os.Stdout, r.Growths)
	} else {
		for _, b := range budgets {
			r.Budgets = append(r.Budgets, b.hold(r.Figures))
		}
		printPeers(os.Stdout, r.Figures)
		printAgents(os.Stdout, r.Figures)
		printBudgets(os.Stdout, r.Budgets)
		printShares(os.Stdout, r.Figures)
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(out, append(text, '\n'), 0o644); err != nil {
		return err
	}
	if !scale {
		if err := writeChart(strings.TrimSuffix(out, filepath.Ext(out))+".svg", r); err != nil {
			return err
		}
	}
	fmt.Printf("\nAll figures and single times: %s\n", out)
	return nil
}

func writeChart(name string, r result) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return drawChart(file, r)
}
