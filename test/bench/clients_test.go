package bench

import (
	"encoding/json"
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
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/policy"
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

// readIn reads a text in a tab; it may be called side by side.
func readIn(b *testing.B, client *control.Client, tab int) {
	args, err := json.Marshal(map[string]any{"locator": map[string]any{"selector": "#more"}, "policy_exception_report": policy.Report{
		Kind: policy.KindGeneric, IntendedTool: "locator.text_content", ActionsJSONPath: "none", Reason: "A benchmark.",
	}})
	if err != nil {
		b.Error(err)
		return
	}
	var e dispatch.Envelope
	err = client.Call(b.Context(), control.MethodCall, control.CallParams{
		Session: control.SessionParams{Kind: policy.SessionCLI}, Name: "locator.text_content", Arguments: args, Target: control.TargetParams{TabID: tab},
	}, &e)
	if err != nil || !e.OK {
		b.Errorf("%v, %+v", err, e.Error)
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
				readIn(b, client, h.browser.Tabs[i%tabs].TabID)
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

// BenchmarkExtensionMemory measures what the extension's process holds after the first 400 calls, and after all.
func BenchmarkExtensionMemory(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("it reads /proc")
	}
	h := start(b, actPage, "")
	for range 400 {
		clickIn(b, h.Client, h.browser.Tabs[0].TabID)
	}
	process := extensionProcess(b, h)
	before := private(b, process)
	for b.Loop() {
		clickIn(b, h.Client, h.browser.Tabs[0].TabID)
	}
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
