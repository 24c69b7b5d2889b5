package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// catalogue is a page of about n elements: rows of text, a link and a button.
func catalogue(n int) string {
	var b strings.Builder
	b.WriteString("<main><h1>Teas</h1><p id=bought>0 bought</p><table>")
	for i := range n / 10 {
		fmt.Fprintf(&b, `<tr><td>%d<td>Tea number %d<td><a href="/tea/%d">Open %d</a><td><span>stock <b>%d</b></span><td><button onclick="bought.textContent=++window.n+' bought'">Buy %d</button></tr>`,
			i, i, i, i, i*7%13, i)
	}
	b.WriteString("</table></main><script>window.n = 0</script>")
	return b.String()
}

type snapshot struct {
	Snapshot  string `json:"snapshot"`
	Diff      string `json:"diff"`
	NodeCount int    `json:"node_count"`
	RefCount  int    `json:"ref_count"`
	Total     int    `json:"total_chars"`
}

// BenchmarkSnapshot measures a snapshot of a large page, whole and with controls
// only, and its size; the size of all its pages is what a model would have to
// read.
func BenchmarkSnapshot(b *testing.B) {
	for _, elements := range []int{1_000, 10_000, 50_000, 100_000} {
		for _, interactive := range []bool{false, true} {
			b.Run(fmt.Sprintf("elements=%d/interactive=%t", elements, interactive), func(b *testing.B) {
				h := start(b, catalogue(elements), "")
				var s snapshot
				h.measure(func() { h.must("page.snapshot", map[string]any{"interactive": interactive}, &s) })
				b.ReportMetric(float64(s.Total), "chars")
				b.ReportMetric(float64(utf8.RuneCountInString(s.Snapshot)), "first-page-chars")
				b.ReportMetric(float64(s.RefCount), "refs")
				b.ReportMetric(float64(s.NodeCount), "nodes")
			})
		}
	}
}

// BenchmarkSnapshotButtons measures a page of nothing but controls.
func BenchmarkSnapshotButtons(b *testing.B) {
	for _, buttons := range []int{2_000, 25_000} {
		b.Run(fmt.Sprintf("buttons=%d", buttons), func(b *testing.B) {
			h := start(b, `<main></main><script>document.querySelector("main").innerHTML = Array.from({length: `+fmt.Sprint(buttons)+`}, (_, i) => "<button>Buy " + i + "</button>").join("")</script>`, "")
			var s snapshot
			measure(b, func() { h.must("page.snapshot", map[string]any{}, &s) })
			b.ReportMetric(float64(s.RefCount), "refs")
		})
	}
}

// BenchmarkSnapshotDiff measures what one click changed, and how much less that
// is than a whole snapshot.
func BenchmarkSnapshotDiff(b *testing.B) {
	for _, elements := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("elements=%d", elements), func(b *testing.B) {
			h := start(b, catalogue(elements), "")
			var whole, s snapshot
			h.must("page.snapshot", map[string]any{}, &whole)
			var all sample
			for i := 0; b.Loop(); i++ {
				buy := fmt.Sprint("Buy ", i%(elements/10)) // another one each time: it is no slip of the hand
				h.must("locator.click", map[string]any{"locator": map[string]any{"role": "button", "name": buy}}, nil)
				started := time.Now()
				h.must("page.snapshot", map[string]any{"diff": true}, &s)
				all.add(time.Since(started))
				if !strings.Contains(s.Diff, "bought") {
					b.Fatalf("the difference is %q", s.Diff)
				}
			}
			all.report(b)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(len(s.Diff)), "diff-chars")
			b.ReportMetric(float64(len(s.Diff))/float64(whole.Total), "of-whole")
		})
	}
}

// BenchmarkSnapshotFrames measures a snapshot of a page with 20 frames of other origins.
func BenchmarkSnapshotFrames(b *testing.B) {
	const frames = 20
	h := start(b, `<main></main><script>
		if (top === self) document.querySelector("main").innerHTML = Array.from({length: `+fmt.Sprint(frames)+`}, (_, i) => "<iframe src='//f" + i + ".localhost:" + location.port + "/'></iframe>").join("");
		else document.querySelector("main").innerHTML = "<button>Buy</button>";
	</script>`, "")
	var s snapshot
	for h.must("page.snapshot", map[string]any{}, &s); s.RefCount < 2*frames; { // until all have come
		h.must("page.snapshot", map[string]any{}, &s)
	}
	h.measure(func() { h.must("page.snapshot", map[string]any{}, &s) })
	b.ReportMetric(float64(s.RefCount), "refs")
}

// BenchmarkClickByRole measures a click on the last of many buttons, found by its role and name, and the
// first one, for which the browser has read nothing of the page yet.
func BenchmarkClickByRole(b *testing.B) {
	for _, elements := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("elements=%d", elements), func(b *testing.B) {
			h := start(b, catalogue(elements), "")
			turn := 0
			click := func() {
				turn++
				name := fmt.Sprint("Buy ", elements/10-1-turn%900) // another one each time: it is no slip of the hand
				h.must("locator.click", map[string]any{"locator": map[string]any{"role": "button", "name": name}}, nil)
			}
			started := time.Now()
			click()
			first := time.Since(started)
			h.measure(click)
			b.ReportMetric(ms(first), "first-ms")
		})
	}
}
