package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// figures are the metrics of the benchmarks: "BenchmarkName/case unit" to value.
type figures map[string]float64

// bench is one run of go test.
type bench struct {
	pkg, pattern string
	time, quick  string // -benchtime
}

// benches are measured one after the other: two cores are not enough for two.
var benches = []bench{
	{"./test/bench", "^BenchmarkFiveSteps$", "30x", "5x"},
	{"./test/bench", "^BenchmarkAgentCost$", "2x", "1x"},
	{"./test/bench", "^Benchmark(Catalogue|IdleMemory|ClientMemory|BinarySize)$", "1x", "1x"},
	{"./test/bench", "^Benchmark(Acts|ClickDeferred)$", "100x", "20x"},
	{"./test/bench", "^BenchmarkClicks$", "1000x", "200x"},
	{"./test/bench", "^BenchmarkManyClients$", "12000x", "1000x"},
	{"./test/bench", "^BenchmarkExtensionMemory$", "6400x", "400x"},
	{"./test/bench", "^BenchmarkSnapshot$/^elements=(1000|50000)$/^interactive=false$", "20x", "3x"},
	{"./test/bench", "^BenchmarkSnapshotDiff$/^elements=1000$", "50x", "10x"},
	{"./test/bench", "^BenchmarkLaunch$", "10x", "3x"},
	{"./test/bench", "^BenchmarkColdStart$", "100x", "20x"},
	{"./test/bench", "^BenchmarkRelay$", "500x", "100x"},
	{"./test/bench", "^BenchmarkWorkerKilled$", "10x", "3x"},
	{"./test/bench", "^BenchmarkRecording$", "100x", "20x"},
	{"./pkg/policy", "^BenchmarkDecide$", "20000x", "2000x"},
	{"./pkg/dispatch", "^BenchmarkGuard$", "100000x", "10000x"},
	{"./pkg/journal", "^Benchmark(Commit|Bbolt)$", "2s", "500ms"},
	{"./pkg/agent", "^BenchmarkToolCall$", "500x", "100x"},
	{"./pkg/model", "^BenchmarkStep$", "300x", "50x"},
	{"./pkg/endpoint", "^BenchmarkEndpoint$", "300x", "50x"},
	{"./pkg/chat", "^BenchmarkPageContent$", "20x", "3x"},
}

// measure runs the benchmarks and returns their figures and their single times.
func measure(wanted []bench, quick bool) (figures, []json.RawMessage, error) {
	folder, err := os.MkdirTemp("", "actions-bench-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)
	samples := filepath.Join(folder, "samples")
	all := figures{}
	for _, b := range wanted {
		many := b.time
		if quick {
			many = b.quick
		}
		fmt.Fprintf(os.Stderr, "measuring %s %s\n", b.pkg, b.pattern)
		cmd := exec.Command("go", "test", "-run", "^$", "-bench", b.pattern, "-benchtime", many, "-timeout", "20m", b.pkg)
		cmd.Env = append(os.Environ(), "ACTIONS_BENCH_SAMPLES="+samples)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
		}
		maps.Copy(all, parse(out))
	}
	kept, err := readSamples(samples)
	if errors.Is(err, fs.ErrNotExist) { // no benchmark times single calls
		err = nil
	}
	return all, kept, err
}

func readSamples(name string) ([]json.RawMessage, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var all []json.RawMessage
	for line := range bytes.Lines(text) {
		all = append(all, bytes.TrimSpace(line))
	}
	return all, nil
}

// processors matches the suffix that go test adds to a benchmark's name.
var processors = regexp.MustCompile(`-\d+$`)

// parse reads the lines of go test -bench: name, count, then values with units.
func parse(out []byte) figures {
	found := figures{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := processors.ReplaceAllString(fields[0], "")
		for i := 2; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				found[name+" "+fields[i+1]] = value
			}
		}
	}
	return found
}
