package bench

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
)

// cardsMap projects the cards of a page.
const cardsMap = `{"protocol":"actions.json","version":1,"tools":[],"state_projections":[{"name":"bench.cards","snapshot":{"version":1,"source":"dom",
	"extract":[{"id":"cards","selector":"li","fields":{"id":{"attribute":"id"},"title":{"selector":"b"},"price":{"selector":"i"}}}],
	"projection":{"language":"jsonata","expression":"{% {'cards': [records.cards]} %}"},
	"output_schema":{"type":"object","required":["cards"],"properties":{"cards":{"type":"array","items":{"type":"object","required":["id","title","price"]}}}}},
	"summaries":[{"name":"agent_context","expression":"{% {'cards': $count(state.cards), 'first': state.cards[0].title} %}"}]}]}`

// BenchmarkState measures a summary of a page of so many records, and what changed since the last look.
func BenchmarkState(b *testing.B) {
	for _, records := range []int{1_000, 10_000, 100_000} {
		page := fmt.Sprintf(`<ul></ul><script>document.querySelector("ul").innerHTML = Array.from({length: %d}, (_, i) => "<li id=c" + i + "><b>Card " + i + "</b> <i>" + i %% 90 + ".50</i></li>").join("");
			let n = 0; setInterval(() => { document.querySelector("b").textContent = "Card " + ++n }, 100)</script>`, records)
		b.Run(fmt.Sprintf("summary/records=%d", records), func(b *testing.B) {
			h := start(b, page, cardsMap)
			var out struct{ Summary struct{ Cards int } }
			h.measure(func() { h.must(dispatch.SiteTool, map[string]any{"mode": "state_summary"}, &out) })
			if out.Summary.Cards != records {
				b.Fatalf("%d cards, not %d", out.Summary.Cards, records)
			}
		})
		b.Run(fmt.Sprintf("diff/records=%d", records), func(b *testing.B) {
			h := start(b, page, cardsMap)
			var out struct {
				Patches json.RawMessage
				Deltas  []any `json:"semantic_deltas"`
			}
			h.must(dispatch.SiteTool, map[string]any{"mode": "state_diff"}, &out)
			var all sample
			for b.Loop() {
				started := time.Now()
				h.must(dispatch.SiteTool, map[string]any{"mode": "state_diff"}, &out)
				all.add(time.Since(started))
			}
			all.report(b)
			b.ReportMetric(float64(len(out.Patches)), "patch-bytes")
			b.ReportMetric(0, "ns/op")
		})
	}
}
