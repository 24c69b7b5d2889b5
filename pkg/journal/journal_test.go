package journal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Ensure 64 concurrent writers get one chain without gaps, and that each
// writer's records keep their order.
func TestConcurrentWriters(t *testing.T) {
	const writers, each = 64, 20
	j := openTest(t, Options{})
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				r := Record{Type: TypeLifecycle, SessionID: fmt.Sprint(w), Name: fmt.Sprint(i)}
				var err error
				if i%4 == 3 {
					err = j.Append(context.Background(), r)
				} else {
					err = j.Commit(context.Background(), r)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := j.Wait(context.Background(), writers*each-1); err != nil {
		t.Fatal(err)
	}
	if report := verified(t, &j.Reader); report.First != 1 || report.Last != writers*each || report.Records != writers*each {
		t.Errorf("report %+v", report)
	}
	next := map[string]int{}
	for i, r := range all(t, &j.Reader) {
		if r.Seq != uint64(i+1) {
			t.Fatalf("sequence number %d at place %d", r.Seq, i+1)
		}
		if r.Name != fmt.Sprint(next[r.SessionID]) {
			t.Fatalf("writer %s: %s came before %d", r.SessionID, r.Name, next[r.SessionID])
		}
		next[r.SessionID]++
	}
}

// Ensure the order does not depend on the clock: it may stand, go back to 1970
// or ahead to 2106.
func TestClock(t *testing.T) {
	times := []time.Time{time.Unix(2e9, 0), time.Unix(0, 0), time.Unix(0, 0), time.Date(2106, 2, 7, 0, 0, 0, 0, time.UTC), time.Unix(1, 1)}
	var clock fakeClock
	j := openTest(t, Options{Now: clock.now})
	for i := range times {
		clock.set(times[i])
		commit(t, j, Record{Type: TypeLifecycle, Name: fmt.Sprint(i)})
	}
	verified(t, &j.Reader)
	for i, r := range all(t, &j.Reader) {
		if r.Name != fmt.Sprint(i) || !r.At.Equal(times[i]) || r.At.Location() != time.UTC {
			t.Errorf("record %d: %+v", i, r)
		}
	}
}

// Ensure an appended record is written without anybody waiting for it, and
// before what is committed later.
func TestAppend(t *testing.T) {
	j := openTest(t, Options{})
	if err := j.Append(context.Background(), Record{Type: TypeRuntime, Name: "first"}); err != nil {
		t.Fatal(err)
	}
	if err := j.Wait(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(context.Background(), Record{Type: TypeRuntime, Name: "second"}); err != nil {
		t.Fatal(err)
	}
	commit(t, j, Record{Type: TypeLifecycle, Name: "third"})
	var names []string
	for _, r := range all(t, &j.Reader) {
		names = append(names, r.Name)
	}
	if got := strings.Join(names, " "); got != "first second third" {
		t.Errorf("got %s", got)
	}
}

// waiting is a context that tells when somebody waits for its end.
type waiting struct {
	context.Context
	asked chan struct{}
}

func (w waiting) Done() <-chan struct{} {
	signal(w.asked)
	return w.Context.Done()
}

// Ensure a caller that stops waiting does not stop the writing.
func TestCancelledCommit(t *testing.T) {
	j := openTest(t, Options{})
	tx, err := j.Bolt().Begin(true) // keeps the writer waiting
	if err != nil {
		t.Fatal(err)
	}
	inner, cancel := context.WithCancel(context.Background())
	ctx := waiting{inner, make(chan struct{}, 1)}
	answer := make(chan error)
	go func() { answer <- j.Commit(ctx, Record{Type: TypeLifecycle, Name: "kept"}) }()
	<-ctx.asked
	cancel()
	if err := <-answer; !fault.Is(err, fault.Cancelled) {
		t.Fatalf("got %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	commit(t, j, Record{Type: TypeLifecycle, Name: "next"})
	if records := all(t, &j.Reader); len(records) != 2 || records[0].Name != "kept" {
		t.Errorf("got %+v", records)
	}
	if err := j.Commit(ctx, Record{Type: TypeLifecycle}); !fault.Is(err, fault.Cancelled) {
		t.Errorf("with an ended context: %v", err)
	}
}

// Ensure records that cannot be stored are refused before they reach the queue.
func TestInvalidRecords(t *testing.T) {
	j := openTest(t, Options{})
	for _, r := range []Record{
		{}, {Type: TypeIntent}, {Type: TypeOutcome}, {Type: TypeDamaged},
		{Type: TypeLifecycle, Name: strings.Repeat("x", maxField+1)},
		{Type: TypeLifecycle, At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if err := j.Commit(context.Background(), r); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%+v: %v", r, err)
		}
		if err := j.Append(context.Background(), r); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	commit(t, j)
	if last, err := j.Last(); err != nil || last != 0 {
		t.Errorf("last %d, %v", last, err)
	}
}

// Ensure Close writes what is queued, that a closed log refuses records, and
// that those who wait are told.
func TestClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, path, Options{})
	waiting := make(chan error)
	go func() { waiting <- j.Wait(context.Background(), 1000) }()
	for range 100 {
		if err := j.Append(context.Background(), Record{Type: TypeLifecycle}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; !fault.Is(err, fault.JournalUnavailable) {
		t.Errorf("Wait: %v", err)
	}
	if err := j.Commit(context.Background(), Record{Type: TypeLifecycle}); !fault.Is(err, fault.JournalUnavailable) {
		t.Errorf("Commit: %v", err)
	}
	if err := j.Append(context.Background(), Record{Type: TypeLifecycle}); !fault.Is(err, fault.JournalUnavailable) {
		t.Errorf("Append: %v", err)
	}
	if _, err := j.Read(0, 1); !fault.Is(err, fault.JournalUnavailable) {
		t.Errorf("Read: %v", err)
	}
	r, err := ReadFile(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if report := verified(t, r); report.Records != 100 {
		t.Errorf("report %+v", report)
	}
}

// Ensure one process at a time has the file, and that the others are told so.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, path, Options{})
	if _, err := Open(path, Options{LockTimeout: 60 * time.Millisecond}); !fault.Is(err, fault.DatabaseLocked) {
		t.Errorf("Open: %v", err)
	}
	if _, err := ReadFile(path, 60*time.Millisecond); !fault.Is(err, fault.DatabaseLocked) {
		t.Errorf("ReadFile: %v", err)
	}
	commit(t, j, Record{Type: TypeLifecycle})
}

// Ensure pages of records fit together, hashes included, wherever they begin.
func TestRead(t *testing.T) {
	j := openTest(t, Options{})
	for i := range 30 {
		commit(t, j, Record{Type: TypeLifecycle, Name: fmt.Sprint(i), Data: []byte(`{ "n" : 1.0 }`)})
	}
	whole, err := j.Read(0, 0)
	if err != nil || len(whole) != 30 {
		t.Fatalf("%d records, %v", len(whole), err)
	}
	for i, want := range whole {
		if i > 0 && want.Prev != whole[i-1].Hash || string(want.Data) != `{"n":1.0}` {
			t.Errorf("record %+v", want)
		}
		page, err := j.Read(want.Seq, 2)
		if err != nil || len(page) != min(2, 30-i) || page[0].Prev != want.Prev || page[0].Hash != want.Hash || page[0].Name != want.Name {
			t.Errorf("from %d: %+v, %v", want.Seq, page, err)
		}
	}
	if page, err := j.Read(31, 5); err != nil || len(page) != 0 {
		t.Errorf("after the end: %v, %v", page, err)
	}
}

func TestRefusedOutcome(t *testing.T) {
	// Ensure that an outcome whose Commit has failed is written later, and not twice where it had reached the disk all the same.
	for name, written := range map[string]bool{"lost": false, "written": true} {
		t.Run(name, func(t *testing.T) {
			j := openTest(t, Options{})
			outcome := Record{Type: TypeOutcome, CallID: "c"}
			commit(t, j, Record{Type: TypeIntent, CallID: "c"})
			if written {
				commit(t, j, outcome)
			}
			e, err := j.prepare(outcome)
			if err != nil {
				t.Fatal(err)
			}
			e.done = make(chan error, 1)
			j.mu.Lock()
			j.requeue([]entry{e}) // as the writer does
			j.mu.Unlock()
			commit(t, j, Record{Type: TypeLifecycle})
			endsOnce(t, j, "c")
		})
	}
}
