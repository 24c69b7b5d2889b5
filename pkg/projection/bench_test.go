package projection

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// benchRecords are so many cards; the title of one of them is changed.
func benchRecords(count, changed int) json.RawMessage {
	cards := make([]string, count)
	for i := range cards {
		title := fmt.Sprintf("Card %d", i)
		if i == changed {
			title = "Changed"
		}
		cards[i] = fmt.Sprintf(`{"id":"c%d","title":%q,"href":"/card/%d","labels":["P0","P%d"],"due":null,"open":%v}`, i, title, i, i%4, i%2 == 0)
	}
	return json.RawMessage(`{"cards":[` + strings.Join(cards, ",") + `]}`)
}

// benchProjection is over 1,000 records, with a schema and a summary.
const benchProjection = `{"name":"cards","snapshot":{"version":1,"source":"dom","extract":[],
	"projection":{"language":"jsonata","expression":"{\"cards\": [records.cards.{\"id\": id, \"title\": $trim(title), \"open\": open, \"urgent\": \"P0\" in labels}]}"},
	"output_schema":{"type":"object","required":["cards"],"properties":{"cards":{"type":"array","items":{"type":"object","required":["id"],
		"properties":{"id":{"type":"string"},"title":{"type":"string"},"open":{"type":"boolean"}}}}}}},
	"summaries":[{"name":"agent_context","expression":"{\"open\": $count(state.cards[open])}"}]}`

func BenchmarkRun(b *testing.B) {
	p := parse(b, benchProjection)
	in := Extraction{Records: benchRecords(1000, -1), URL: "https://a.test/", Title: "Cards"}
	b.SetBytes(int64(len(in.Records)))
	b.ReportAllocs()
	for b.Loop() {
		mustRun(b, p, in, Options{Internal: true})
	}
}

func BenchmarkRunSummary(b *testing.B) {
	p := parse(b, benchProjection)
	in := Extraction{Records: benchRecords(1000, -1), URL: "https://a.test/", Title: "Cards"}
	b.ReportAllocs()
	for b.Loop() {
		mustRun(b, p, in, Options{Summary: DefaultSummary})
	}
}

func BenchmarkDiff(b *testing.B) {
	previous, current := benchRecords(1000, -1), benchRecords(1000, 500)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Diff(previous, current); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		parse(b, boardProjection)
	}
}
