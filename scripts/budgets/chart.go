package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
)

// Sizes of the picture, in pixels.
const (
	chartWidth = 900
	rowHeight  = 22
	labelWidth = 400
	barWidth   = 340 // of a figure at its limit
	widest     = 1.1 // of the limit: a longer bar is cut
)

// drawChart writes the picture of a run: the five steps beside the other servers, and each budget as a share
// of its limit.
func drawChart(w io.Writer, r result) error {
	var rows strings.Builder
	y := 58
	heading := func(text string) {
		y += 16
		fmt.Fprintf(&rows, `<text class="heading" x="16" y="%d">%s</text>`, y, escaped(text))
		y += rowHeight - 6
	}
	bar := func(label, figure, class string, share float64) {
		width := math.Min(share, widest) * barWidth
		fmt.Fprintf(&rows, `<text x="16" y="%d">%s</text><rect class="%s" x="%d" y="%d" width="%.1f" height="12" rx="2"/><text x="%.1f" y="%d">%s</text>`,
			y+10, escaped(label), class, labelWidth, y, width, labelWidth+width+6, y+10, escaped(figure))
		y += rowHeight
	}
	heading("Five steps over MCP, p50 in ms; the page itself takes 30 ms")
	slowest := 0.0
	ways := append([]string{"site-action", "primitives"}, peerNames...)
	for _, name := range ways {
		slowest = max(slowest, r.Figures["BenchmarkFiveSteps "+name+"-p50-ms"])
	}
	for _, name := range ways {
		took, measured := r.Figures["BenchmarkFiveSteps "+name+"-p50-ms"]
		if !measured {
			continue
		}
		class := "peer"
		if name == "site-action" || name == "primitives" {
			class = "met"
		}
		bar(name, fmt.Sprintf("%.0f", took), class, took/slowest)
	}
	heading("Budgets, as a share of their limits: the line")
	first := y
	for _, o := range r.Budgets {
		if !o.Measured {
			continue
		}
		share, class := *o.Value/o.Limit, "met"
		if o.AtLeast {
			share = o.Limit / *o.Value
		}
		if !o.Met {
			class = "missed"
		}
		bar(o.Name, fmt.Sprintf("%.4g %s", *o.Value, o.Unit), class, share)
	}
	fmt.Fprintf(&rows, `<line x1="%d" x2="%d" y1="%d" y2="%d"/>`, labelWidth+barWidth, labelWidth+barWidth, first-4, y)
	about := fmt.Sprintf("%s · %s · %s cores · %s", r.Date, r.Machine["cpu"], r.Machine["cores"], r.Versions["chromium"])
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" aria-label="Actions Host in figures">
<style>text { font: 12px system-ui, sans-serif; fill: #1b2130 } .title { font-size: 16px; font-weight: 700 } .heading { font-weight: 700 } .about { fill: #5b6478 }
.met { fill: #2451d1 } .missed { fill: #c4432b } .peer { fill: #9aa0ae } line { stroke: #1b2130; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) { text { fill: #e8ebf2 } .about { fill: #a8b0c0 } .ground { fill: #171b26 } line { stroke: #e8ebf2 } }</style>
<rect class="ground" width="%[1]d" height="%[2]d" fill="#fff"/><text class="title" x="16" y="28">Actions Host in figures</text><text class="about" x="16" y="48">%[3]s</text>
%[4]s
</svg>
`, chartWidth, y+12, escaped(about), rows.String())
	return err
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes all
	return b.String()
}
