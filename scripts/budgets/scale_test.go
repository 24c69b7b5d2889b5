package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func TestGrowth(t *testing.T) {
	// Ensure that the exponent is that of the last two counts, that the limit, a number or a multiple of another figure, holds at the largest, and that a missing figure is told.
	row := growth{"lint", []int{10, 100, 1000}, "Lint/%d ns/op", nanoseconds, most(200)}
	g := row.hold(figures{"Lint/10 ns/op": 1e6, "Lint/100 ns/op": 2e6, "Lint/1000 ns/op": 200e6})
	if !g.Measured || !g.Met || g.Exponent == nil || math.Abs(*g.Exponent-2) > 1e-9 || g.MS["100"] != 2 {
		t.Errorf("%+v", g)
	}
	if g := row.hold(figures{"Lint/10 ns/op": 1, "Lint/100 ns/op": 1, "Lint/1000 ns/op": 201e6}); g.Met {
		t.Errorf("beyond its limit: %+v", g)
	}
	if g := row.hold(figures{"Lint/10 ns/op": 1}); g.Measured || g.Met {
		t.Errorf("half measured: %+v", g)
	}
	single := growth{"frames", []int{20}, "Frames p50-ms", 1, most(60)}
	if g := single.hold(figures{"Frames p50-ms": 60}); !g.Met || g.Exponent != nil {
		t.Errorf("a single count: %+v", g)
	}
	beside := growth{"dump", []int{9}, "Dump/host p50-ms", 1, times(1.5, "Dump/file p50-ms")}
	if g := beside.hold(figures{"Dump/host p50-ms": 30, "Dump/file p50-ms": 20}); !g.Met || g.Limit != 30 {
		t.Errorf("as many times as allowed: %+v", g)
	}
	if g := beside.hold(figures{"Dump/host p50-ms": 31, "Dump/file p50-ms": 20}); g.Met || !g.Measured {
		t.Errorf("more times than allowed: %+v", g)
	}
	if g := beside.hold(figures{"Dump/host p50-ms": 30}); g.Measured || g.Met {
		t.Errorf("without the other figure: %+v", g)
	}
	var out bytes.Buffer
	printGrowths(&out, []grown{g, single.hold(figures{})})
	if text := out.String(); !strings.Contains(text, "n^2.00") || !strings.Contains(text, "not measured") {
		t.Errorf("printed:\n%s", text)
	}
}

func TestChart(t *testing.T) {
	// Ensure that the picture is XML whatever the names are, shows each budget that was measured, and those that were missed as such.
	value := 3.0
	r := result{Date: "2026-11-27", Machine: map[string]string{"cpu": `<"cpu">&`}, Figures: figures{"BenchmarkFiveSteps site-action-p50-ms": 84, "BenchmarkFiveSteps playwright-p50-ms": 300},
		Budgets: []outcome{{Name: "relay", Unit: "ms", Value: &value, Limit: 1, Measured: true}, {Name: "journal", Unit: "records/s", Value: &value, Limit: 2, AtLeast: true, Met: true, Measured: true}, {Name: "absent"}}}
	var out bytes.Buffer
	if err := drawChart(&out, r); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
	if !strings.Contains(text, "relay") || !strings.Contains(text, "journal") || strings.Contains(text, "absent") || strings.Count(text, `class="missed"`) != 1 || strings.Count(text, `class="peer"`) != 1 {
		t.Errorf("drawn:\n%s", text)
	}
}
