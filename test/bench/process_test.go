package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
)

// BenchmarkColdStart is the time from the start of a host's process, as a
// browser starts it, to its first reply.
func BenchmarkColdStart(b *testing.B) {
	home := harness.NewHome(b)
	var all sample
	for b.Loop() {
		started := time.Now()
		p := home.Start(b, &fakes.Browser{})
		if _, err := p.Browser.Handshake(b.Context()); err != nil {
			b.Fatal(err)
		}
		all.add(time.Since(started))
		p.Browser.Conn.Close()
		p.Ended(b)
	}
	all.report(b)
	b.ReportMetric(0, "ns/op")
}

// BenchmarkIdleMemory is what a host keeps resident that has a claimed tab, a map
// and a hundred calls behind it.
func BenchmarkIdleMemory(b *testing.B) {
	home := harness.NewHome(b)
	home.Map(b, "public", "desk.example.com", "bench", orderMap)
	p := home.Ready(b, &fakes.Browser{Page: func(_ context.Context, call protocol.ActionCall) (any, error) { return fakes.Answer(call) }}, "https://desk.example.com/")
	h := &host{home: home, b: b}
	h.Client = connect(b, h.home)
	b.Cleanup(func() { h.Close() })
	for range 100 {
		h.must("page.info", map[string]any{}, nil)
	}
	once(b, "idle-MB", resident(b, p.Cmd.Process.Pid))
}

// clientsAtOnce is how many agents the clients of BenchmarkClientMemory serve.
const clientsAtOnce = 200

// BenchmarkClientMemory is the most memory that one of two hundred MCP servers of one browser has for itself,
// each of which has listed its tools and run three. What they share, the program's own pages, is not in it.
func BenchmarkClientMemory(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("only Linux tells what of a process's memory is its own")
	}
	home := harness.NewHome(b)
	home.Map(b, "public", "desk.example.com", "bench", orderMap)
	home.Ready(b, &fakes.Browser{Page: func(_ context.Context, call protocol.ActionCall) (any, error) { return fakes.Answer(call) }}, "https://desk.example.com/")
	most := 0.0
	var all []*server
	for range clientsAtOnce {
		s := own(b, home)
		s.catalogue()
		for range 3 {
			s.must("actions_site", map[string]any{"mode": "list"})
		}
		all = append(all, s)
	}
	for _, s := range all {
		most = max(most, private(b, s.cmd.Process.Pid))
	}
	once(b, "client-MB", most)
}

// private is what memory a process shares with no other, in megabytes.
func private(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Fatal(err)
	}
	sum := 0.0
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); fields[0] == "Private_Clean:" || fields[0] == "Private_Dirty:" {
			kb, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += kb * 1024 / 1e6
		}
	}
	return sum
}

// resident is a process's resident memory in megabytes.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		b.Fatal(err)
	}
	kb, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return kb * 1024 / 1e6
}

// BenchmarkBinarySize is the size of the program as it is released.
func BenchmarkBinarySize(b *testing.B) {
	exe := filepath.Join(b.TempDir(), "actions-host")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", exe, "./host")
	cmd.Dir, cmd.Env = repo.Root(), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(exe)
	if err != nil {
		b.Fatal(err)
	}
	once(b, "binary-MB", float64(info.Size())/1e6)
}

// BenchmarkCatalogue is what the list of tools weighs with one map and with a
// hundred, in a browser that has the page of one of them.
func BenchmarkCatalogue(b *testing.B) {
	home := shop(b, orderPage(b))
	one := own(b, home).catalogue()
	for i := range 99 {
		host := fmt.Sprintf("shop%d.example", i)
		if i%3 == 0 {
			host = "127.0.0.1" // of this very page
		}
		home.Map(b, "public", host, fmt.Sprint("more", i), strings.ReplaceAll(orderMap, "bench.send", fmt.Sprintf("bench.send%d", i)))
	}
	s := own(b, home)
	s.must("actions_site", map[string]any{"mode": "list"})
	hundred := s.catalogue()
	once(b, "hundred-maps-bytes", float64(hundred))
	b.ReportMetric(float64(one), "one-map-bytes")
}

// once reports a figure that is the same however often it is taken.
func once(b *testing.B, name string, figure float64) {
	b.Helper()
	for b.Loop() {
	}
	b.ReportMetric(figure, name)
	b.ReportMetric(0, "ns/op")
}
