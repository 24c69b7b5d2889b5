package journal

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestBackwardsWaitsForWriters(t *testing.T) {
	// Ensure that a visitor may wait for the log to be written, also where the file grows meanwhile, and sees each record once, the newest first.
	j := openTest(t, Options{})
	const count = 3*backwardsChunk + 1
	for range count {
		commit(t, j, Record{Type: TypeHandshake, Data: json.RawMessage(`{}`)})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	large := json.RawMessage(`"` + strings.Repeat("x", 40<<10) + `"`)
	next := uint64(count)
	err := j.Backwards(ctx, Filter{}, func(r Record) bool {
		if r.Seq != next {
			t.Fatalf("record %d in place of %d", r.Seq, next)
		}
		next--
		if next%16 == 0 {
			if err := j.Commit(ctx, Record{Type: TypeHandshake, Data: large}); err != nil {
				t.Fatal(err)
			}
		}
		return true
	})
	if err != nil || next != 0 {
		t.Errorf("%d records are missing, %v", next, err)
	}
}
