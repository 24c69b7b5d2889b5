package journal

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
)

// sampleData is what a typical outcome holds; with the other members a stored
// record of it takes about 512 bytes.
var sampleData = json.RawMessage(`{"output":{"value":{"ok":true,"matches":[{"text":"Add a card","visible":true,"rect":{"x":10,"y":20,"width":80,"height":24}},{"text":"Save","visible":true,"rect":{"x":120,"y":20,"width":64,"height":24}}]}},"meta":{"duration_ms":12,"tab":{"tab_id":1481234567,"runtime_id":"r-8f31c2","url":"https://example.test/board/7"}}}`)

// BenchmarkCommit is one caller committing groups of records; compare with
// BenchmarkBbolt at the same group size.
func BenchmarkCommit(b *testing.B) {
	for _, group := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(group), func(b *testing.B) {
			j := openTest(b, Options{})
			records := make([]Record, group)
			for b.Loop() {
				for i := range records {
					records[i] = Record{SessionID: "mcp-1", Type: TypeLifecycle, CallID: "c-000001", Name: "pointer.click", Data: sampleData}
				}
				if err := j.Commit(context.Background(), records...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(group*b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkBbolt writes the same bytes without redaction, chain or queue.
func BenchmarkBbolt(b *testing.B) {
	value := make([]byte, 512)
	for _, group := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(group), func(b *testing.B) {
			db, err := bbolt.Open(filepath.Join(b.TempDir(), "raw.db"), 0o600, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			seq := uint64(0)
			for b.Loop() {
				err := db.Update(func(tx *bbolt.Tx) error {
					bucket, err := tx.CreateBucketIfNotExists([]byte("raw"))
					for range group {
						if err != nil {
							return err
						}
						seq++
						err = bucket.Put(binary.BigEndian.AppendUint64(nil, seq), value)
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(group*b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkConcurrentCommit is many callers committing one record each: their
// records share syncs.
func BenchmarkConcurrentCommit(b *testing.B) {
	j := openTest(b, Options{})
	b.SetParallelism(50)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := j.Commit(context.Background(), Record{Type: TypeLifecycle, Name: "pointer.click", Data: sampleData}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkOpen opens a log of 20,000 records.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "journal.db")
	j, err := Open(path, Options{})
	if err != nil {
		b.Fatal(err)
	}
	for range 200 {
		records := make([]Record, 100)
		for i := range records {
			records[i] = Record{Type: TypeLifecycle, Data: sampleData}
		}
		if err := j.Commit(context.Background(), records...); err != nil {
			b.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		j, err := Open(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		j.Close()
	}
}
