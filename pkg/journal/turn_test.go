package journal

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestReadersTakeTurns(t *testing.T) {
	// Ensure that whoever reads waits for its turn, that the many readings of one client come one after the other and so delay another client's by one at most, and that a reading whose caller has gone is not begun.
	path := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, path, Options{})
	commit(t, j, Record{Type: TypeLifecycle}, Record{Type: TypeLifecycle})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := ReadFile(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	synctest.Test(t, func(t *testing.T) {
		r.turns = NewTurns() // of this test's own goroutines
		release, err := r.Turn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []string
		note := func(name string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, name)
		}
		read := func(ctx context.Context, name string) {
			err := r.scanBackwards(ctx, Filter{}, newestFirst, func(_, _ []byte) bool { note(name); return false })
			if err != nil {
				note(name + " " + string(fault.From(err).Code))
			}
		}
		many := NewTurns().Bind(t.Context())
		for range 50 {
			go read(many, "many")
		}
		synctest.Wait()
		emptied, cancel := context.WithCancel(many)
		go read(emptied, "emptied")
		go read(NewTurns().Bind(t.Context()), "one")
		synctest.Wait()
		cancel()
		synctest.Wait()
		if len(order) != 1 || order[0] != "emptied cancelled" {
			t.Fatalf("while nobody's turn came: %v", order)
		}
		release()
		synctest.Wait()
		if len(order) != 52 || order[2] != "one" {
			t.Errorf("in this order: %v", order)
		}
	})
}

func TestReadingEndsWithItsCaller(t *testing.T) {
	// Ensure that a reading of many records is cut a few records after its caller has gone, whatever it looks for.
	j := openTest(t, Options{})
	commit(t, j, ofMany(3000)...)
	for name, read := range map[string]func(context.Context) error{
		"scan":      func(ctx context.Context) error { _, err := j.Scan(ctx, Filter{TabID: 7}, 0, 0); return err },
		"start":     func(ctx context.Context) error { _, err := j.Start(ctx, Filter{TabID: 7}, 1); return err },
		"newest":    func(ctx context.Context) error { _, _, err := j.Newest(ctx, "nobody", 1); return err },
		"verify":    func(ctx context.Context) error { _, err := j.Verify(ctx); return err },
		"sessions":  func(ctx context.Context) error { _, err := j.SessionIDs(ctx); return err },
		"backwards": func(ctx context.Context) error { return j.Backwards(ctx, Filter{}, func(Record) bool { return true }) },
	} {
		if err := read(&leaving{Context: t.Context(), after: 2}); !fault.Is(err, fault.Cancelled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	seen := 0
	ctx, cancel := context.WithCancel(t.Context())
	err := j.Backwards(ctx, Filter{}, func(Record) bool {
		if seen++; seen == 10 {
			cancel()
		}
		return true
	})
	if !fault.Is(err, fault.Cancelled) || seen > contextCheckEvery {
		t.Errorf("%d records were looked at: %v", seen, err)
	}
}

// leaving is a context that ends when it has been asked a few times.
type leaving struct {
	context.Context
	after int
}

func (l *leaving) Err() error {
	if l.after--; l.after < 0 {
		return context.Canceled
	}
	return nil
}

// ofMany makes records of more sessions than a summary names.
func ofMany(n int) []Record {
	records := make([]Record, n)
	for i := range records {
		records[i] = Record{Type: TypeLifecycle, SessionID: fmt.Sprint("s", i%70), Data: []byte(`{"tab_id":8}`)}
	}
	return records
}
