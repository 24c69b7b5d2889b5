package logview

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	tableSites  = 2  // of a session that are named
	tableColumn = 40 // characters of one column
)

// SessionTable lists sessions, one a line below a heading, in aligned columns.
func SessionTable(sessions []*Session, now time.Time, in *time.Location) []Line {
	if len(sessions) == 0 {
		return []Line{{{Plain, "The log has no session yet."}}}
	}
	rows := [][]string{{"SESSION", "CLIENT", "CALLS", "FAILED", "REFUSED", "STARTED", "AGO", "FOR", "SITES"}}
	for _, s := range sessions {
		rows = append(rows, []string{
			s.SessionID, s.who(), fmt.Sprint(s.Calls), fmt.Sprint(s.Failures), fmt.Sprint(s.Refusals),
			s.First.In(in).Format("2006-01-02 15:04"), ago(s.Last, now), Took(time.Duration(s.DurationMS) * time.Millisecond), s.sites(),
		})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			row[i] = truncate.Characters(oneLine(row[i]), tableColumn)
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	lines := make([]Line, 0, len(rows))
	for n, row := range rows {
		var line Line
		for i, cell := range row {
			style, text := Plain, pad(cell, widths[i])
			if i >= 2 && i <= 4 || i >= 6 && i <= 7 {
				text = padLeft(cell, widths[i])
			}
			switch {
			case n == 0:
				style = Faint
			case i == 0:
				style = Strong
			case (i == 3 || i == 4) && cell != "0":
				style = Bad
			}
			line = append(line, Span{style, text}, Span{Plain, "  "})
		}
		lines = append(lines, trimmed(line))
	}
	return lines
}

// who is the client and the session's name, as far as they are known.
func (s *Session) who() string {
	if s.Name == "" {
		return s.Client
	}
	return joined(" ", s.Client, "“"+s.Name+"”")
}

// sites are the first hosts that it touched.
func (s *Session) sites() string {
	var names []string
	for _, origin := range s.Origins[:min(len(s.Origins), tableSites)] {
		_, host, _ := strings.Cut(origin, "://")
		names = append(names, host)
	}
	text := strings.Join(names, ", ")
	if more := len(s.Origins) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
