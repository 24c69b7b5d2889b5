package journal

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// fakeClock is a clock that tests set while the writer reads it.
type fakeClock struct{ at atomic.Pointer[time.Time] }

func (c *fakeClock) set(at time.Time) { c.at.Store(&at) }

func (c *fakeClock) now() time.Time {
	if at := c.at.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// openTest opens a new log that is closed at the end of the test.
func openTest(t testing.TB, opt Options) *Journal {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "journal.db"), opt)
}

func openAt(t testing.TB, path string, opt Options) *Journal {
	t.Helper()
	j, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func commit(t testing.TB, j *Journal, records ...Record) {
	t.Helper()
	if err := j.Commit(context.Background(), records...); err != nil {
		t.Fatal(err)
	}
}

// all reads the whole log in pages.
func all(t testing.TB, r *Reader) []Record {
	t.Helper()
	var records []Record
	for from := uint64(0); ; {
		page, err := r.Read(from, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return records
		}
		records = append(records, page...)
		from = page[len(page)-1].Seq + 1
	}
}

func verified(t testing.TB, r *Reader) Report {
	t.Helper()
	report, err := r.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK {
		t.Fatalf("the chain is broken: %+v", report)
	}
	return report
}

// endsOnce checks that the call has one outcome, and that no intent is open.
func endsOnce(t *testing.T, j *Journal, callID string) {
	t.Helper()
	outcomes := 0
	for _, r := range all(t, &j.Reader) {
		if r.Type == TypeOutcome && r.CallID == callID {
			outcomes++
		}
	}
	if open, err := j.OpenIntents(); err != nil || len(open) > 0 || outcomes != 1 {
		t.Errorf("%d outcomes, %d open intents, %v", outcomes, len(open), err)
	}
	verified(t, &j.Reader)
}
