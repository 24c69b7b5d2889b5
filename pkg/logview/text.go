package logview

import (
	"fmt"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/journal"
)

// Text returns records, in order, as plain text of at most limit bytes for a
// reader that has only so much room: the newest that fit, below a line that says
// how many are left out. The text may quote pages.
func Text(records []journal.Record, now time.Time, in *time.Location, limit int) string {
	lines := Lines{Now: now, In: in}
	var all []string
	add := func(more []Line) {
		for _, line := range more {
			all = append(all, line.String())
		}
	}
	for _, r := range records {
		add(lines.Record(r))
	}
	add(lines.End())
	size, left := 0, len(all) // the lines from left on take size bytes
	for left > 0 && size+len(all[left-1])+1+len(omitted(left-1)) <= limit {
		left--
		size += len(all[left]) + 1
	}
	if len(omitted(left))+size > limit {
		return "" // not even the note fits
	}
	return omitted(left) + inLines(all[left:])
}

func inLines(lines []string) string {
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(line)
		text.WriteByte('\n')
	}
	return text.String()
}

// omitted returns the note that lines are left out, empty for none.
func omitted(lines int) string {
	if lines == 0 {
		return ""
	}
	return fmt.Sprintf("… %s before these are left out\n", counted(lines, "line"))
}

// String is the line without its styles.
func (l Line) String() string {
	var text strings.Builder
	for _, span := range l {
		text.WriteString(span.Text)
	}
	return text.String()
}
