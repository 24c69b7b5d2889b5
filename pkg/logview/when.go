package logview

import (
	"strconv"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// maxInterval is how far back a duration reaches; beyond it a time.Duration ends.
const maxInterval = 100 * 365 * 24 * time.Hour

// layouts are the forms of a time; without a zone the reader's own is meant.
var layouts = []string{
	time.RFC3339, time.DateOnly, "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05",
}

// ParseTime reads a point in time as a person writes it, seen from now and in
// its zone: how long ago (90m, 24h, 7d, 2w), a day, a day and a time, a time of
// today, today or yesterday (their beginning), now, or RFC 3339.
func ParseTime(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch strings.ToLower(text) {
	case "now":
		return now, nil
	case "today":
		return midnight, nil
	case "yesterday":
		return midnight.AddDate(0, 0, -1), nil
	}
	if d, ok := duration(text); ok {
		return now.Add(-d), nil
	}
	for _, layout := range layouts {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	for _, layout := range []string{"15:04", time.TimeOnly} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), at.Second(), 0, now.Location()), nil
		}
	}
	return time.Time{}, fault.New(fault.InvalidArguments, "%q is no time", truncate.Characters(oneLine(text), briefText)).
		WithNextStep("Write how long ago (90m, 24h, 7d), a day (2026-11-20), a day and a time (\"2026-11-20 14:30\"), a time of today (14:30), today, yesterday, now, or RFC 3339.").
		WithDispatched(fault.NotDispatched)
}

// duration reads 90m and what time.ParseDuration lacks: days and weeks.
func duration(text string) (time.Duration, bool) {
	units := map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
	if len(text) > 1 {
		if unit, ok := units[text[len(text)-1:]]; ok {
			n, err := strconv.ParseUint(text[:len(text)-1], 10, 16)
			return time.Duration(n) * unit, err == nil && time.Duration(n) <= maxInterval/unit
		}
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0 && d <= maxInterval
}
