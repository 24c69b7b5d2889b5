package faults

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// faults are all that a long run injects, in the order of the table.
var faults = []string{
	"host killed under load",
	"database: bit flipped in a meta page", "database: bit flipped in a live page", "database: bit flipped in a free page", "database: page zeroed", "database: file cut",
	"full disk", "write fails", "sync fails", "log with times of 1970 and 2106", "second host of a profile",
	"client: half a length", "client: frame announced, not sent", "client: 2,000 calls at once", "client: 10,000 sessions", "client: reads no answer",
	"Chromium: worker killed", "Chromium: host killed", "Chromium: browser killed",
	"Chromium: page navigated", "Chromium: page redirected", "Chromium: host suspended", "Chromium: browser suspended", "Chromium: tab crashed", "Chromium: tab closed",
}

const head = `# What faults do

Written by ` + "`./scripts/faults`" + `, and the rules of the counts are in [faults_test.go](faults_test.go). A run replaces the rows
of the faults that it injects. The time is that to the next good call, and for a client's fault that of another client's
call beside it; how busy the machine was is the load of one minute when the fault had been injected.

| fault | times | reached nothing | lost | doubled | hung | p95 | date | machine |
|---|---|---|---|---|---|---|---|---|
`

const tail = `
The host that is killed in Chromium is killed again as soon as it works: the extension takes that for a host that cannot
run, and connects again after a delay that grows each time.

## What is not injected

- The clock of a host that runs: a process has none of its own, and a variable for tests has no place in the product. A
  host is started on a log whose times jump instead.
- A power cut, and errors of single writes and syncs: no file system below a built host can be made to fail so here.
- Broken pages of the log in every region, over three starts, and floods of a page: pkg/journal and test/e2e inject them.
`

// writeResults puts the rows of this run into the table of a file, whose other rows stay, and what somebody
// wrote after it.
func writeResults(path string) error {
	lines, written, err := readResults(path)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if !slices.Contains(faults, r.name) {
			return fmt.Errorf("the table has no row for %q", r.name)
		}
		if r.times+r.missed == 0 {
			continue
		}
		times := fmt.Sprint(r.times)
		if r.times+r.missed < r.planned || r.times < r.planned && r.missed < r.planned {
			times += fmt.Sprintf(" of %d", r.planned)
		}
		lines[r.name] = fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %s | %s | %s |", r.name, times, r.missed, len(r.lost), len(r.doubled), len(r.hung),
			r.p95(), time.Now().UTC().Format(time.DateOnly), r.machine)
	}
	var text strings.Builder
	text.WriteString(head)
	for _, name := range faults {
		line := lines[name]
		if line == "" {
			line = fmt.Sprintf("| %s | not run | | | | | | | |", name)
		}
		text.WriteString(line + "\n")
	}
	text.WriteString(tail + written)
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// readResults returns the rows of a file by their faults, and what stands after our own text; none where
// there is no file.
func readResults(path string) (lines map[string]string, written string, err error) {
	lines = map[string]string{}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	table, written, _ := strings.Cut(string(text), tail)
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			lines[strings.TrimSpace(cells[1])] = strings.TrimRight(line, "\n")
		}
	}
	return lines, written, nil
}

// machine describes what the faults were injected on.
func machine() string {
	load := "unknown"
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ = strings.Cut(string(text), " ")
	}
	return fmt.Sprintf("%s/%s, %d cores, load %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load)
}
