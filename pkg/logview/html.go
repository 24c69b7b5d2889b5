package logview

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

//go:embed report.html
var reportHTML string

//go:embed report.css
var reportCSS string

// reportTemplate escapes each text for the place it is at: whatever comes
// from a page stays text.
var reportTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("report").Parse(reportHTML)) })

// page is the data of the template.
type page struct {
	*Report
	In     *time.Location
	CSS    template.CSS
	Policy string
	Bars   []bar
	Rows   []row
}

// row is an item with what is computed for the page.
type row struct {
	*Item
	Time, Stamp string
	Inner       bool // a step
	Bar         *bar // within its action
	Below       []row
}

// bar is a stretch of time on a line of barWidth units.
type bar struct {
	X, Width float64
	Class    string
}

const (
	barWidth = 1000
	leastBar = 3 // so that it is seen
)

// WriteHTML writes the report as one file that asks nobody for anything: styles
// within, no scripts, and a policy that forbids all else.
func (r *Report) WriteHTML(w io.Writer, in *time.Location) error {
	sum := sha256.Sum256([]byte(reportCSS))
	p := page{
		Report: r, In: in, CSS: template.CSS(reportCSS),
		Policy: fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'", base64.StdEncoding.EncodeToString(sum[:])),
		Bars:   r.bars(), Rows: rows(r.Items, nil, in),
	}
	if err := reportTemplate().Execute(w, p); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the report cannot be written: %v", err)
	}
	return nil
}

func rows(items []*Item, above *Item, in *time.Location) []row {
	list := make([]row, len(items))
	for i, item := range items {
		list[i] = row{
			Item: item, Time: item.At.In(in).Format(time.TimeOnly), Stamp: item.At.UTC().Format(time.RFC3339Nano),
			Inner: above != nil, Below: rows(item.Steps, item, in),
		}
		if above != nil && above.TookMS > 0 && item.Status != StatusSkipped {
			b := item.bar(above.At, above.duration())
			list[i].Bar = &b
		}
	}
	return list
}

// bars are the calls of the session on the line of its time.
func (r *Report) bars() []bar {
	span := r.Session.Last.Sub(r.Session.First)
	if span <= 0 {
		return nil
	}
	var bars []bar
	for _, item := range r.Items {
		if item.CallID != "" {
			bars = append(bars, item.bar(r.Session.First, span))
		}
	}
	return bars
}

// bar places the item within a span of time.
func (i *Item) bar(from time.Time, span time.Duration) bar {
	unit := float64(span) / barWidth
	width := min(max(float64(i.duration())/unit, leastBar), barWidth)
	x := min(max(float64(i.At.Sub(from))/unit, 0), barWidth-width)
	return bar{X: float64(int(x*10)) / 10, Width: float64(int(width*10)) / 10, Class: i.Class()}
}

// Head is the report in one sentence.
func (p page) Head() string {
	s := p.Session
	text := fmt.Sprintf("%s in %s", counted(s.Calls, "call"), Took(time.Duration(s.DurationMS)*time.Millisecond))
	if s.Steps > 0 {
		text += ", with " + counted(s.Steps, "step")
	}
	unknown := 0
	for _, i := range p.Items {
		if i.Status == StatusUnknown {
			unknown++
		}
	}
	switch {
	case s.Calls > 0 && s.Failures+s.Refusals+unknown == 0:
		text += ". Nothing failed and nothing was refused."
	case s.Calls > 0:
		text += fmt.Sprintf(". %d failed, %d refused.", s.Failures, s.Refusals)
	default:
		text += "."
	}
	if unknown > 0 {
		text += fmt.Sprintf(" How it ended is not known: %d.", unknown)
	}
	if s.Running > 0 {
		text += fmt.Sprintf(" Not ended: %d.", s.Running)
	}
	return text
}

// When returns when the session was.
func (p page) When() string {
	first, last := p.Session.First.In(p.In), p.Session.Last.In(p.In)
	text := Date(first, time.Time{}) + ", " + first.Format(time.TimeOnly) + " to "
	if first.Format(time.DateOnly) != last.Format(time.DateOnly) {
		text += Date(last, time.Time{}) + ", "
	}
	return text + last.Format("15:04:05 MST")
}

// Written returns when the report was made.
func (p page) Written() string { return p.Made.In(p.In).Format("2006-01-02 15:04 MST") }

// KindName is the kind of session in words.
func (p page) KindName() string {
	switch p.Session.Kind {
	case "cli":
		return "terminal"
	case "mcp":
		return "coding agent (MCP)"
	case "voice":
		return "voice agent"
	default:
		return p.Session.Kind
	}
}
