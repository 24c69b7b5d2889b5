package bench

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
)

// openTabs opens the page of the host's first tab until there are so many.
func openTabs(b *testing.B, h *host, tabs int) {
	b.Helper()
	site := h.browser.Tabs[0].URL
	for len(h.browser.Tabs) < tabs {
		if err := h.browser.Open(b.Context(), site); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkManyClients measures what each of 50 clients waits that together read 200 times a second in ten
// tabs, each tab's clients in turn. What a late call waits for its client counts as well.
func BenchmarkManyClients(b *testing.B) {
	const tabs, clients, each = 10, 50, 250 * time.Millisecond
	h := start(b, actPage, "")
	openTabs(b, h, tabs)
	var mu sync.Mutex
	var all sample
	var callers sync.WaitGroup
	began := time.Now()
	for i := range clients {
		client := connect(b, h.home)
		callers.Go(func() {
			defer client.Close()
			var times []time.Duration
			for n := range max(b.N/clients, 1) {
				due := began.Add(each*time.Duration(n) + each*time.Duration(i)/clients)
				time.Sleep(time.Until(due))
				callIn(b, client, h.browser.Tabs[i%tabs].TabID, "locator.text_content")
				times = append(times, time.Since(due))
			}
			mu.Lock()
			defer mu.Unlock()
			all.times = append(all.times, times...)
		})
	}
	callers.Wait()
	all.report(b)
	b.ReportMetric(ms(slices.Max(all.times)), "max-ms")
	b.ReportMetric(0, "ns/op")
}

// restDelay is after how long without a call the browser has collected what calls have left behind.
const restDelay = 15 * time.Second

// BenchmarkExtensionMemory measures what the extension's process holds at rest after the first 400
// calls, and after all. Under load it takes two to three times as much, of whatever number of calls.
func BenchmarkExtensionMemory(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("it reads /proc")
	}
	h := start(b, actPage, "")
	for range 400 {
		callIn(b, h.Client, h.browser.Tabs[0].TabID, "locator.click")
	}
	process := extensionProcess(b, h)
	time.Sleep(restDelay)
	before := private(b, process)
	for b.Loop() {
		callIn(b, h.Client, h.browser.Tabs[0].TabID, "locator.click")
	}
	time.Sleep(restDelay)
	after := private(b, process)
	b.ReportMetric(before, "first-MB")
	b.ReportMetric(after, "last-MB")
	b.ReportMetric(0, "ns/op")
}

// extensionProcess returns the process of the extension in the browser that started the host.
func extensionProcess(b *testing.B, h *host) int {
	b.Helper()
	var status control.Status
	if err := h.Call(b.Context(), control.MethodStatus, control.Empty{}, &status); err != nil {
		b.Fatal(err)
	}
	parents := map[int]int{}
	var ofExtensions []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		b.Fatal(err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat")) // one that has ended meanwhile is none of these
		line, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		if _, rest, found := strings.Cut(string(stat), ") "); found {
			parents[pid], _ = strconv.Atoi(strings.Fields(rest)[1])
		}
		if strings.Contains(string(line), "--extension-process") {
			ofExtensions = append(ofExtensions, pid)
		}
	}
	for _, pid := range ofExtensions {
		for at := pid; at > 1; at = parents[at] {
			if at == status.BrowserPID {
				return pid
			}
		}
	}
	b.Fatalf("no process of an extension under the browser %d", status.BrowserPID)
	return 0
}
