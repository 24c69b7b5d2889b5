package logview_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/logview"
)

// work is what clients do in a log, at random: calls that end well, badly, in the next run of records or never, refusals,
// questions, steps and names.
func work(random *rand.Rand, many int) []journal.Record {
	var records []journal.Record
	var pending []journal.Record
	clock := time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)
	serial := 0
	for len(records) < many {
		clock = clock.Add(time.Duration(random.IntN(4)-1) * time.Second) // it goes back, too
		serial++
		r := journal.Record{At: clock, SessionID: fmt.Sprintf("mcp:%d", random.IntN(5)), Type: journal.TypeOutcome, CallID: fmt.Sprint("call_", serial), Name: "locator.click"}
		data := map[string]any{"ok": random.IntN(3) > 0, "url": fmt.Sprintf("https://host%d.test/a", random.IntN(80))}
		switch random.IntN(9) {
		case 0, 1:
			r.Type = journal.TypeIntent
			pending = append(pending, r)
		case 2, 3:
			if len(pending) > 0 {
				at := random.IntN(len(pending))
				r.SessionID, r.CallID = pending[at].SessionID, pending[at].CallID
				pending = append(pending[:at], pending[at+1:]...)
			}
		case 4:
			if last := len(records) - 1; last >= 0 && records[last].Type == journal.TypePolicy { // what was asked is refused
				r.SessionID, r.CallID = records[last].SessionID, records[last].CallID
			}
			r.Type, data["error"] = journal.TypePolicy, fault.New(fault.PermissionDenied, "no")
		case 5:
			r.Type, data["expires_at"] = journal.TypePolicy, clock
		case 6:
			r.ParentID = "call_of_an_action"
		case 7:
			r.Type, r.CallID, data = journal.TypeSessionNamed, "", map[string]any{"name": fmt.Sprint("name ", serial)}
		case 8:
			r.Type, r.CallID, data = journal.TypeSessionStarted, "", map[string]any{"client": map[string]string{"name": "codex", "version": fmt.Sprint(serial)}}
		}
		r.Data, _ = json.Marshal(data) // maps of texts always encode
		records = append(records, r)
	}
	return records
}

// keepAll is a log with tallies of which nothing is removed.
var keepAll = journal.Options{Tally: logview.Tally, Retention: journal.Retention{MaxAge: -1, MaxBytes: -1}}

func openLog(t testing.TB, path string, opt journal.Options) *journal.Journal {
	t.Helper()
	j, err := journal.Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// logOf commits the records to a new log.
func logOf(t testing.TB, path string, opt journal.Options, records []journal.Record) *journal.Journal {
	t.Helper()
	j := openLog(t, path, opt)
	for len(records) > 0 {
		n := min(len(records), 1000)
		if err := j.Commit(t.Context(), records[:n]...); err != nil {
			t.Fatal(err)
		}
		records = records[n:]
	}
	return j
}

// counted goes through a log by its tallies.
func counted(t testing.TB, j *journal.Journal) (of logview.Sessions, read int) {
	t.Helper()
	err := j.Tallied(t.Context(), of.Add, func(r journal.Record) { read++; of.Record(r) })
	if err != nil {
		t.Fatal(err)
	}
	open, err := j.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	of.SetRunning(open)
	return of, read
}

func TestTallies(t *testing.T) {
	// Ensure that sessions that are counted by tallies are those that are counted record by record, whatever runs the calls cross, with records removed by retention, and that few records are read.
	for seed := range uint64(6) {
		records := work(rand.New(rand.NewPCG(seed, 7)), 2000)
		path, opt := filepath.Join(t.TempDir(), "log.db"), keepAll
		if seed%2 == 1 {
			opt.Retention.MaxBytes = 400 << 10
		}
		if err := logOf(t, path, opt, records).Close(); err != nil {
			t.Fatal(err)
		}
		j := openLog(t, path, keepAll)
		got, read := counted(t, j)
		var want logview.Sessions
		for from := uint64(1); from != 0; {
			page, err := j.Scan(t.Context(), journal.Filter{}, from, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Records {
				want.Record(r)
			}
			from = page.Next
		}
		if diff := cmp.Diff(want.List, got.List, cmpopts.IgnoreUnexported(logview.Session{})); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		if read > 2*256 {
			t.Errorf("seed %d: %d records were read", seed, read)
		}
	}
	var of logview.Sessions
	for _, broken := range []string{"", "[", `[{}]`, `{"a":1}`, `[null]`} {
		if of.Add([]byte(broken)) || len(of.List) > 0 {
			t.Errorf("%q was counted", broken)
		}
	}
}

// BenchmarkSessions lists the sessions of a log.
func BenchmarkSessions(b *testing.B) {
	for _, many := range []int{10_000, 100_000} {
		j := logOf(b, filepath.Join(b.TempDir(), "log.db"), keepAll, work(rand.New(rand.NewPCG(1, 1)), many))
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			for b.Loop() {
				if of, _ := counted(b, j); len(of.List) != 5 {
					b.Fatal(len(of.List))
				}
			}
		})
	}
}
