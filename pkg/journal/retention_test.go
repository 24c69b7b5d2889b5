package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// Ensure the log stays near its size however much is written, that the rest
// still verifies after a restart, and that sequence numbers go on.
func TestRetentionBySize(t *testing.T) {
	const maxBytes = 256 << 10
	path := filepath.Join(t.TempDir(), "journal.db")
	opt := Options{Retention: Retention{MaxBytes: maxBytes}}
	j := openAt(t, path, opt)
	for range 60 {
		records := make([]Record, 100)
		for i := range records {
			records[i] = Record{Type: TypeLifecycle, Data: sampleData}
		}
		commit(t, j, records...)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = openAt(t, path, opt)
	j.stopWriter(t) // it checks the size when it starts, and would remove more between the looks
	report := verified(t, &j.Reader)
	if report.Last != 6000 || report.First != report.Removed+1 || report.Removed == 0 {
		t.Errorf("report %+v", report)
	}
	if kept := report.Records * 500; kept > 2*maxBytes || kept < maxBytes/2 {
		t.Errorf("about %d bytes are kept", kept)
	}
	if first, err := j.Read(0, 1); err != nil || first[0].Seq != report.First || first[0].Prev == "" {
		t.Errorf("first %+v, %v", first, err)
	}
}

// Ensure that the file takes no more than a fifth above the limit of its records, however much is written.
func TestFileStaysNearItsLimit(t *testing.T) {
	const maxBytes = 16 << 20
	path := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, path, Options{Retention: Retention{MaxBytes: maxBytes}, noSync: true})
	records := make([]Record, 500)
	for i := range records {
		records[i] = Record{Type: TypeLifecycle, Data: sampleData}
	}
	for range 200 {
		commit(t, j, records...)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if file.Size() > maxBytes*12/10 || file.Size() < maxBytes {
		t.Errorf("the file has %d KiB, the limit is %d", file.Size()>>10, maxBytes>>10)
	}
}

// Ensure records above the age go, that the newest stay even when the clock
// jumps ahead, and that an open intent keeps everything behind it.
func TestRetentionByAge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	var clock fakeClock
	clock.set(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	opt := Options{Retention: Retention{MaxAge: time.Hour}, Now: clock.now}
	j := openAt(t, path, opt)
	records := make([]Record, keepNewest+500)
	for i := range records {
		records[i] = Record{Type: TypeLifecycle}
	}
	records[100] = Record{Type: TypeIntent, CallID: "open"}
	commit(t, j, records...)
	clock.set(clock.now().Add(80 * 365 * 24 * time.Hour))

	j.stopWriter(t)
	if report := pruned(t, j); report.First != 101 {
		t.Errorf("with an open intent: %+v", report)
	}
	if err := j.db.Close(); err != nil {
		t.Fatal(err)
	}
	j = openAt(t, path, opt) // closes the intent
	j.stopWriter(t)
	if report := pruned(t, j); report.Records != keepNewest {
		t.Errorf("with a clock that jumped: %+v", report)
	}
}

// stopWriter leaves the file to the test, which calls the writer's parts itself.
func (j *Journal) stopWriter(t *testing.T) {
	t.Helper()
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	close(j.stop)
	<-j.stopped
	t.Cleanup(func() { j.db.Close() })
}

func pruned(t *testing.T, j *Journal) Report {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = j.prune(); err != nil {
			t.Fatal(err)
		}
	}
	return verified(t, &j.Reader)
}

// Ensure Verify and Read keep up with records that go while they work.
func TestRetentionWhileReading(t *testing.T) {
	j := openTest(t, Options{Retention: Retention{MaxBytes: 64 << 10}})
	ctx, cancel := context.WithCancel(context.Background())
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := j.Commit(context.Background(), Record{Type: TypeLifecycle, Name: fmt.Sprint(i), Data: sampleData}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for removed := uint64(0); removed < 500; {
		report := verified(t, &j.Reader)
		removed = report.Removed
		page, err := j.Read(report.First, 10)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(page); i++ {
			if page[i].Seq != page[i-1].Seq+1 || page[i].Prev != page[i-1].Hash {
				t.Fatalf("a gap between %d and %d", page[i-1].Seq, page[i].Seq)
			}
		}
	}
	cancel()
	writer.Wait()
}

func TestVerifyWhileOutcomesGo(t *testing.T) {
	// Ensure that Verify finds nothing wrong where retention removes the outcome of a call between two chunks.
	var clock fakeClock
	clock.set(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	j := openTest(t, Options{Retention: Retention{MaxAge: time.Hour}, Now: clock.now})
	records := make([]Record, scanRecords+100+keepNewest)
	for i := range records {
		records[i] = Record{Type: TypeLifecycle}
	}
	records[scanRecords-10] = Record{Type: TypeIntent, CallID: "call"}
	records[scanRecords+10] = Record{Type: TypeOutcome, CallID: "call"}
	commit(t, j, records...)
	j.stopWriter(t)
	v := verifier{open: map[string]uint64{}}
	chunk := func() bool {
		more := false
		if err := j.viewInTurn(t.Context(), func(tx *bbolt.Tx, p *progress) (err error) {
			more, err = v.chunk(tx, p)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return more
	}
	if !chunk() || len(v.open) != 1 {
		t.Fatalf("after the first chunk: %+v, open %v", v.report, v.open)
	}
	clock.set(clock.now().Add(2 * time.Hour))
	pruned(t, j)
	if more := chunk(); more || v.report.Problem != "" || v.report.Removed <= scanRecords+11 {
		t.Errorf("after the records went: %+v", v.report)
	}
}
