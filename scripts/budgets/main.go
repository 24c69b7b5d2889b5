// Command budgets measures what the design promises in figures, on this machine
// and in one run, and reports for each whether it was met:
//
//	go run ./scripts/budgets [-quick] [-out test/output/bench.json]
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
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// result is the file of a run.
type result struct {
	Date     string            `json:"date"`
	Quick    bool              `json:"quick"`
	Machine  map[string]string `json:"machine"`
	Versions map[string]string `json:"versions"`
	Budgets  []outcome         `json:"budgets"`
	Figures  figures           `json:"figures"`
	Samples  []json.RawMessage `json:"samples"` // the single times, in the order they were taken
}

func main() {
	quick := flag.Bool("quick", false, "fewer rounds: for a look, not for a claim")
	out := flag.String("out", filepath.Join("test", "output", "bench.json"), "file of the raw figures")
	flag.Parse()
	if err := run(*quick, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(quick bool, out string) error {
	r := result{Date: time.Now().UTC().Format(time.RFC3339), Quick: quick, Machine: machine(), Versions: versions()}
	for _, k := range []string{"cpu", "cores", "memory", "kernel", "load"} {
		fmt.Printf("%-8s %s\n", k, r.Machine[k])
	}
	var err error
	if r.Figures, r.Samples, err = measure(quick); err != nil {
		return err
	}
	for _, b := range budgets {
		r.Budgets = append(r.Budgets, b.hold(r.Figures))
	}
	printPeers(os.Stdout, r.Figures)
	printBudgets(os.Stdout, r.Budgets)
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
	fmt.Printf("\nAll figures and single times: %s\n", out)
	return nil
}
