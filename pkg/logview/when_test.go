package logview

import (
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestParseTime(t *testing.T) {
	// Ensure that people's ways to say when are read in their own zone, and that others are refused with those that are accepted.
	zone := time.FixedZone("away", 2*3600)
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, zone)
	for given, want := range map[string]string{
		"24h": "2026-11-20T09:30:00+02:00", "90m": "2026-11-21T08:00:00+02:00", "7d": "2026-11-14T09:30:00+02:00", "2w": "2026-11-07T09:30:00+02:00", "0s": "2026-11-21T09:30:00+02:00",
		"today": "2026-11-21T00:00:00+02:00", "Yesterday": "2026-11-20T00:00:00+02:00", "now": "2026-11-21T09:30:00+02:00", "14:05": "2026-11-21T14:05:00+02:00",
		"2026-11-20": "2026-11-20T00:00:00+02:00", "2026-11-20 14:30": "2026-11-20T14:30:00+02:00", "2026-11-20T14:30:05": "2026-11-20T14:30:05+02:00", "2026-11-20T14:30:05Z": "2026-11-20T14:30:05Z",
	} {
		if got, err := ParseTime(given, at); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%s is %v, %v; not %s", given, got, err, want)
		}
	}
	for _, given := range []string{"", "soon", "-5m", "5", "1y", "2026-13-01", "24:61", "99999999d", "17000w", "9999999h", "d", "now\n"[:2], "1.5d"} {
		_, err := ParseTime(given, at)
		if f := fault.From(err); f == nil || f.Code != fault.InvalidArguments || !strings.Contains(f.NextStep, "RFC 3339") {
			t.Errorf("%q: %v", given, err)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{"24h", "7d", "2026-11-20 14:30", "14:30", "yesterday", "-1h", "9223372036854775807ns", "65535w", "17000w"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, given string) {
		// Ensure that nothing makes it panic, that a duration never lies ahead, and that a refusal is one.
		at, err := ParseTime(given, now)
		if err != nil {
			if !fault.Is(err, fault.InvalidArguments) {
				t.Fatal(err)
			}
			return
		}
		if d, ok := duration(strings.TrimSpace(given)); ok && (d < 0 || at.After(now)) {
			t.Fatalf("%q is %s", given, at)
		}
	})
}
