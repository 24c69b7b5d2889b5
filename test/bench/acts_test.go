package bench

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/harness"
)

const actPage = `<label>Name <input id=name></label><button type=button id=more onclick="said.textContent = ++window.n">One more</button><p id=said></p><script>window.n = 0</script>`

// BenchmarkActs measures the two primitives that agents use most, on a small page, and what a click
// answers with the difference that it made.
func BenchmarkActs(b *testing.B) {
	h := start(b, actPage, "")
	more := map[string]any{"locator": map[string]any{"selector": "#more"}}
	b.Run("click", func(b *testing.B) {
		h.b = b
		h.measure(func() { h.must("locator.click", more, nil) })
	})
	b.Run("fill", func(b *testing.B) {
		h.b = b
		turn := 0
		h.measure(func() {
			turn++
			h.must("locator.fill", map[string]any{"locator": map[string]any{"selector": "#name"}, "text": fmt.Sprint("Ada ", turn)}, nil)
		})
	})
	b.Run("diff", func(b *testing.B) {
		h.b = b
		h.must("page.snapshot", map[string]any{}, nil)
		most := 0
		h.measure(func() {
			e := h.must("locator.click", map[string]any{"locator": map[string]any{"selector": "#more"}, "diff": true}, nil)
			most = max(most, len(e.Output))
		})
		b.ReportMetric(float64(most), "answer-bytes")
	})
}

// BenchmarkClickDeferred is a click in a browser that launch has not started: Chromium defers
// what a page has to do about it until the frame that shows it, 60 times a second.
func BenchmarkClickDeferred(b *testing.B) {
	h := startWith(b, []string{"--enable-features=DeferRendererTasksAfterInput"}, actPage, "")
	h.measure(func() { h.must("locator.click", map[string]any{"locator": map[string]any{"selector": "#more"}}, nil) })
}

// BenchmarkClicks counts the clicks that get through in a second, in one tab and in ten, by one caller a tab.
func BenchmarkClicks(b *testing.B) {
	for _, tabs := range []int{1, 10} {
		b.Run(fmt.Sprintf("tabs=%d", tabs), func(b *testing.B) {
			h := start(b, actPage, "")
			openTabs(b, h, tabs)
			clients := make([]*control.Client, tabs)
			for i := range clients {
				clients[i] = connect(b, h.home)
				defer clients[i].Close()
			}
			each := max(b.N/tabs, 1)
			started := time.Now()
			var callers sync.WaitGroup
			for i, client := range clients {
				callers.Go(func() {
					for range each {
						callIn(b, client, h.browser.Tabs[i].TabID, "locator.click")
					}
				})
			}
			callers.Wait()
			b.ReportMetric(float64(each*tabs)/time.Since(started).Seconds(), "clicks/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// callIn calls the primitive on the button of actPage in a tab; it may be called side by side.
func callIn(b *testing.B, client *control.Client, tab int, name string) {
	args, err := json.Marshal(map[string]any{"locator": map[string]any{"selector": "#more"}, "policy_exception_report": policy.Report{
		Kind: policy.KindGeneric, IntendedTool: name, ActionsJSONPath: "none", Reason: "A benchmark.",
	}})
	if err != nil {
		b.Error(err)
		return
	}
	var e dispatch.Envelope
	err = client.Call(b.Context(), control.MethodCall, control.CallParams{
		Session: control.SessionParams{Kind: policy.SessionCLI}, Name: name, Arguments: args, Target: control.TargetParams{TabID: tab},
	}, &e)
	if err != nil || !e.OK {
		b.Errorf("%v, %+v", err, e.Error)
	}
}

// BenchmarkLaunch is the time from the start of a browser until the host is ready for calls in its tab.
func BenchmarkLaunch(b *testing.B) {
	site := orderPage(b)
	var all sample
	for b.Loop() {
		home := harness.NewHome(b)
		started := time.Now()
		browser := home.OpenWith(b, nil, nil, site)
		all.add(time.Since(started))
		if err := browser.Close(); err != nil { // the next one has the machine for itself
			b.Fatal(err)
		}
	}
	all.report(b)
	b.ReportMetric(0, "ns/op")
}
