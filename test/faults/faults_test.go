// Package faults injects faults into the built host, beside the fake browser and in
// Chromium, and counts what each does: a table of fault, times, lost, doubled, hung
// and the time to the next good call.
//
// Rules of this package:
//   - Lost is an answered call without its intent and outcome in the log, a call that a
//     page saw without its intent, or a record that is gone and is not named as missing.
//   - Doubled is an action that a page, or its server, saw twice, or that has ended
//     twice in the log. Each action has a mark of its own, so that one that was made
//     again under a new call id is seen too.
//   - Hung is a call without any answer within its limit.
//   - These three are judged, 0 of each; times are printed and never judged.
//   - A fault that reached nothing, such as one in free bytes or with no call under
//     way, does not count and is counted apart.
//   - Faults come one after the other, so that a time is that of one fault.
package faults

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
)

var (
	limit   = flag.Duration("limit", 0, "how long each fault is injected at most; 0: as often as it is planned")
	results = flag.String("results", "", "the file whose table gets the rows of this run; empty: a new one in test/output")
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Clean()
	if err := keep(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// keep writes the table. Where none is named it is one that ./scripts/test prints: go test
// shows nothing of a package that passes.
func keep() error {
	if *results != "" {
		return writeResults(*results)
	}
	path := filepath.Join(repo.Root(), "test", "output", "faults.md")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		return err
	}
	return writeResults(path)
}
