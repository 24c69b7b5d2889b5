package logview_test

import (
	"fmt"
	"time"

	"github.com/actionsjson/actions-host/pkg/logview"
)

// A time as a person writes it after --since.
func ExampleParseTime() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, text := range []string{"90m", "2026-02-28", "2026-03-01T11:59:30Z", "yesterday-ish"} {
		at, err := logview.ParseTime(text, now)
		fmt.Println(at.UTC().Format(time.RFC3339), err != nil)
	}
	// Output:
	// 2026-03-01T10:30:00Z false
	// 2026-02-28T00:00:00Z false
	// 2026-03-01T11:59:30Z false
	// 0001-01-01T00:00:00Z true
}

func ExampleTook() {
	for _, d := range []time.Duration{850 * time.Microsecond, 42 * time.Millisecond, 1530 * time.Millisecond, 95 * time.Second} {
		fmt.Println(logview.Took(d))
	}
	// Output:
	// 1 ms
	// 42 ms
	// 1.5 s
	// 1 min 35 s
}
