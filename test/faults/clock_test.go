package faults

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// years are those between which the clock of a log jumps.
var years = []int{1970, 2106, time.Now().Year()}

func TestClock(t *testing.T) {
	// Ensure that a host goes on with a log whose clock was in 1970, in 2106 and back, in any order: it keeps each record, closes what was left open, and its chain is whole. The clock of a host that runs is not moved: a process has none of its own.
	home := harness.NewHome(t)
	inject(t, "log with times of 1970 and 2106", 3, 20, func(r *row) bool {
		forget(t, home)
		l := harness.NewLedger()
		ids := clockedLog(t, home.Database())
		began := time.Now()
		b := &fakes.Browser{Page: page}
		p := home.Ready(t, b, shop)
		r.goodCall(t, home, l, began)
		hangUp(t, p)
		saw(l, b.Calls())
		all := home.Records(t)
		r.compare(l, all)
		left := map[string]int{}
		for _, record := range all {
			left[record.CallID+record.Type]++
		}
		for id, end := range ids {
			if left[id+journal.TypeIntent] != 1 || left[id+end] != 1 {
				r.lost = append(r.lost, fmt.Sprintf("%s, which ends as %s", id, end))
			}
		}
		return true
	}).judge(t)
}

// clockedLog writes a log of calls at jumping times, of which the last one is open. It
// returns how each call ends in the end.
func clockedLog(t *testing.T, path string) map[string]string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := journal.Open(path, journal.Options{Now: func() time.Time {
		return time.Date(years[rand.IntN(len(years))], 1, 1, 0, 0, rand.IntN(1000), 0, time.UTC)
	}})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for i := range 30 {
		id := fmt.Sprint("clock-", i)
		for _, kind := range []string{journal.TypeIntent, journal.TypeOutcome} {
			if i == 29 && kind == journal.TypeOutcome {
				ids[id] = journal.TypeInterrupted
				continue
			}
			ids[id] = journal.TypeOutcome
			if err := log.Commit(t.Context(), journal.Record{Type: kind, SessionID: "cli", CallID: id, Name: clickName, Data: json.RawMessage(`{}`)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return ids
}
