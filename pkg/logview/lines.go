package logview

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// Style is how a part of a line looks where there are colours.
type Style int

// The styles.
const (
	Plain Style = iota
	Faint
	Strong
	Good
	Bad
	Attention
)

// Span is a part of a line.
type Span struct {
	Style Style
	Text  string
}

// Line is one line without its end.
type Line []Span

const (
	nameWidth    = 28
	defaultWidth = 160 // characters of a line
	leastDetail  = 20
	agoWidth     = 100 // of a line from which on there is room for relative times
)

// Lines makes lines of records that come in order. A call is one line; a stored
// action is one where it starts, its steps below it, and one where it ends.
type Lines struct {
	Now   time.Time // of the relative times; zero: there are none
	In    *time.Location
	Width int  // of a line; 0: 160
	Live  bool // each start is worth a line, since its end may be long in coming

	date, group string
	open        map[string]entry // calls whose start was not written
	titles      map[string]string
}

// Record returns the lines of the next record.
func (l *Lines) Record(r journal.Record) []Line {
	e := read(r)
	switch {
	case r.Type == journal.TypePolicy && e.kind == noted && e.payload.Error != nil:
		return nil // the question before it was shown
	case e.kind == started:
		return l.start(e)
	case e.kind == ended:
		if start, ok := l.open[e.CallID]; ok && len(e.payload.Arguments) == 0 {
			e.payload.Arguments = start.payload.Arguments // what failed has them nowhere else
		}
		delete(l.open, e.CallID)
		if title := l.titles[e.CallID]; title != "" && e.payload.Action == "" {
			e.payload.Action = title
		}
		delete(l.titles, e.CallID)
	}
	return l.line(e)
}

// start keeps the start of a call for the case that its end never comes. That
// of a stored action is shown, for its steps follow.
func (l *Lines) start(e entry) []Line {
	if e.Name == siteTool {
		if l.titles == nil {
			l.titles = map[string]string{}
		}
		l.titles[e.CallID] = e.subject()
		return l.line(e)
	}
	if l.Live {
		return l.line(e)
	}
	if l.open == nil {
		l.open = map[string]entry{}
	}
	l.open[e.CallID] = e
	return nil
}

// End returns the lines of the calls whose end was not among the records.
func (l *Lines) End() []Line {
	var lines []Line
	for _, e := range slices.SortedFunc(maps.Values(l.open), func(a, b entry) int { return int(int64(a.Seq) - int64(b.Seq)) }) {
		lines = append(lines, l.line(e)...)
	}
	l.open = nil
	return lines
}

// line writes the headings that are due and the record's own line.
func (l *Lines) line(e entry) []Line {
	lines := l.headings(e)
	at := e.At.In(l.location())
	row := Line{{Faint, fmt.Sprintf("%6d  ", e.Seq)}, {Plain, at.Format(time.TimeOnly) + "  "}}
	width := l.Width
	if width == 0 {
		width = defaultWidth
	}
	if !l.Now.IsZero() && width >= agoWidth {
		row = append(row, Span{Faint, fmt.Sprintf("%10s  ", ago(e.At, l.Now))})
	}
	mark, style := e.mark()
	name := oneLine(e.title())
	if e.ParentID != "" {
		name = "  " + name
	}
	row = append(row, Span{style, mark + " "}, Span{nameStyle(e), pad(name, nameWidth)}, Span{Faint, " " + padLeft(e.time(), 9) + "  "})
	for _, span := range row {
		width -= utf8.RuneCountInString(span.Text)
	}
	detailStyle := Plain
	if e.failed() {
		detailStyle = Bad
	}
	if detail := truncate.Characters(oneLine(e.detail(max(width, leastDetail))), max(width, leastDetail)); detail != "" {
		row = append(row, Span{detailStyle, detail})
	}
	return append(lines, trimmed(row))
}

func nameStyle(e entry) Style {
	if e.ParentID == "" && e.CallID != "" {
		return Strong
	}
	return Plain
}

// headings are the lines above what follows: the day, then session and site.
func (l *Lines) headings(e entry) []Line {
	var lines []Line
	if date := Date(e.At.In(l.location()), l.Now); date != l.date {
		if l.date != "" {
			lines = append(lines, Line{})
		}
		lines = append(lines, Line{{Strong, date}})
		l.date, l.group = date, ""
	}
	place := e.place()
	if e.SessionID == "" || place == "" && strings.HasPrefix(l.group, e.SessionID+" · ") {
		return lines // of the browser, or of no page
	}
	group := e.SessionID + " · " + place
	if group == l.group {
		return lines
	}
	l.group = group
	return append(lines, Line{}, Line{{Attention, oneLine(strings.TrimSuffix(group, " · "))}})
}

func (l *Lines) location() *time.Location {
	if l.In == nil {
		return time.Local
	}
	return l.In
}

// Date formats a day for a person, as seen from now; with a zero now as a date alone.
func Date(at, now time.Time) string {
	text := at.Format("Monday, 2 January 2006")
	if now.IsZero() {
		return text
	}
	now = now.In(at.Location())
	switch at.Format(time.DateOnly) {
	case now.Format(time.DateOnly):
		return text + " (today)"
	case now.AddDate(0, 0, -1).Format(time.DateOnly):
		return text + " (yesterday)"
	default:
		return text
	}
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

func padLeft(text string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text))) + text
}

// trimmed drops the blanks at the end of a line.
func trimmed(l Line) Line {
	for len(l) > 0 {
		last := &l[len(l)-1]
		if last.Text = strings.TrimRight(last.Text, " "); last.Text != "" {
			return l
		}
		l = l[:len(l)-1]
	}
	return l
}
