package profile

import "time"

// recordBudget is what a page may add to the log in an interval.
type recordBudget struct {
	interval       time.Duration
	records, bytes int
}

// recordLimit holds records to a budget.
type recordLimit struct {
	since                 time.Time
	count, bytes, dropped int
}

// take reports whether there is room for a record of so many bytes, before which dropped others
// were left out, and how many were left out before it in all.
func (l *recordLimit) take(of recordBudget, now time.Time, size, dropped int) (before int, ok bool) {
	if now.Sub(l.since) >= of.interval {
		l.since, l.count, l.bytes = now, 0, 0
	}
	if l.count == of.records || l.bytes+size > of.bytes {
		l.dropped += 1 + dropped
		return 0, false
	}
	l.count, l.bytes = l.count+1, l.bytes+size
	before, l.dropped = dropped+l.dropped, 0
	return before, true
}
