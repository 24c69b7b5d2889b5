package expr

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const benchSource = `$map($filter(records, function($r){ $r.v > 10 and $r.open }), function($r){ {"title": $r.title, "n": $r.v} })`

// benchInput has 100 records.
func benchInput() string {
	records := make([]string, 100)
	for i := range records {
		records[i] = fmt.Sprintf(`{"title":"Card %d","v":%d,"open":%v,"labels":["P0","P1"]}`, i, i+10, i%2 == 1)
	}
	return `{"records":[` + strings.Join(records, ",") + `]}`
}

func benchmark(b *testing.B, source, input string) {
	v := decode(b, input)
	e, err := Compile(source)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Eval(context.Background(), v, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMapAndFilter(b *testing.B) { benchmark(b, benchSource, benchInput()) }

func BenchmarkSlot(b *testing.B) {
	benchmark(b, `steps.find.output.clickable_center.x`, `{"steps":{"find":{"output":{"clickable_center":{"x":10.5,"y":2}}}}}`)
}

func BenchmarkSelectorSlot(b *testing.B) {
	benchmark(b, `"[data-id=\"" & $replace(input.id, /["\\]/, "\\$0") & "\"]"`, `{"input":{"id":"card-42"}}`)
}

func BenchmarkCompileUncached(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compile(benchSource); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	text := json.RawMessage(benchInput())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(text); err != nil {
			b.Fatal(err)
		}
	}
}
