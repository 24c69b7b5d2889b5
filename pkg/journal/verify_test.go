package journal

import (
	"bytes"
	"fmt"
	"testing"

	"go.etcd.io/bbolt"
)

// Ensure Verify names the first record that was changed, removed, swapped,
// added or cut, and an index of open intents that does not agree.
func TestTampering(t *testing.T) {
	get := func(b *bbolt.Bucket, seq uint64) []byte { return bytes.Clone(b.Get(seqKey(seq))) }
	tests := []struct {
		name   string
		change func(records, open *bbolt.Bucket) error
		bad    uint64
	}{
		{"changed", func(b, _ *bbolt.Bucket) error {
			return b.Put(seqKey(5), bytes.Replace(get(b, 5), []byte(`"n5"`), []byte(`"n6"`), 1))
		}, 5},
		{"changed with its hash", func(b, _ *bbolt.Bucket) error {
			value, _ := seal(5, []byte(`"at":"2026-01-01T00:00:00Z","type":"lifecycle"}`), digest(get(b, 4)[:32]))
			return b.Put(seqKey(5), value)
		}, 6},
		{"removed", func(b, _ *bbolt.Bucket) error { return b.Delete(seqKey(5)) }, 5},
		{"first removed", func(b, _ *bbolt.Bucket) error { return b.Delete(seqKey(1)) }, 1},
		{"swapped", func(b, _ *bbolt.Bucket) error {
			five, six := get(b, 5), get(b, 6)
			if err := b.Put(seqKey(5), six); err != nil {
				return err
			}
			return b.Put(seqKey(6), five)
		}, 5},
		{"added", func(b, _ *bbolt.Bucket) error { return b.Put(seqKey(12), get(b, 10)) }, 11},
		{"cut", func(b, _ *bbolt.Bucket) error { return b.Put(seqKey(5), get(b, 5)[:20]) }, 5},
		{"foreign key", func(b, _ *bbolt.Bucket) error { return b.Put([]byte("zz"), nil) }, 11},
		{"index lost", func(_, o *bbolt.Bucket) error { return o.Delete([]byte("call")) }, 10},
		{"index of another record", func(_, o *bbolt.Bucket) error { return o.Put([]byte("call"), seqKey(3)) }, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := openTest(t, Options{})
			for i := range 9 {
				commit(t, j, Record{Type: TypeLifecycle, Name: fmt.Sprint("n", i+1)})
			}
			commit(t, j, Record{Type: TypeIntent, CallID: "call"})
			verified(t, &j.Reader)
			err := j.Bolt().Update(func(tx *bbolt.Tx) error { return tt.change(tx.Bucket(bucketRecords), tx.Bucket(bucketOpen)) })
			if err != nil {
				t.Fatal(err)
			}
			report, err := j.Verify(t.Context())
			if err != nil || report.OK || report.Bad != tt.bad || report.Problem == "" {
				t.Errorf("report %+v, %v; want %d", report, err, tt.bad)
			}
			// A broken record does not hide the others.
			if records, err := j.Read(0, 0); err != nil || len(records) < 8 {
				t.Errorf("%d records, %v", len(records), err)
			}
		})
	}
}

// Ensure a chain longer than one chunk of Verify is checked as a whole.
func TestVerifyLong(t *testing.T) {
	j := openTest(t, Options{})
	records := make([]Record, scanRecords+10)
	for i := range records {
		records[i] = Record{Type: TypeLifecycle}
	}
	commit(t, j, records...)
	if report := verified(t, &j.Reader); report.Records != len(records) {
		t.Errorf("report %+v", report)
	}
}
