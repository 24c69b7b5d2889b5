package journal

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

// verifyChunk bounds the records of one read transaction.
const verifyChunk = 4096

// Report is the result of Verify.
type Report struct {
	OK      bool   `json:"ok"`
	First   uint64 `json:"first"` // first and last sequence number looked at; 0 for an empty log
	Last    uint64 `json:"last"`
	Records int    `json:"records"`
	Removed uint64 `json:"removed,omitzero"` // retention has removed the records up to this number
	Bad     uint64 `json:"bad,omitzero"`     // first sequence number where the chain breaks
	Problem string `json:"problem,omitzero"`
}

// Verify walks the whole chain: a sequence without gaps, each hash over the one
// before and the record's bytes, and an index of open intents that agrees with
// the records. A problem in the log is no error but stands in the report; an
// error means that the file could not be read. Records that were cut off at the
// end cannot be noticed.
func (r *Reader) Verify() (Report, error) {
	v := verifier{open: map[string]uint64{}}
	for more := true; more; {
		err := r.view(func(tx *bbolt.Tx) (err error) {
			more, err = v.chunk(tx)
			return err
		})
		if err != nil {
			return v.report, err
		}
	}
	v.report.OK = v.report.Problem == ""
	return v.report, nil
}

type verifier struct {
	report Report
	hash   digest            // of the record before next
	next   uint64            // 0 before the first chunk
	open   map[string]uint64 // call id to sequence number, as the records tell it
	run    block             // of the records since the start of a run
}

// chunk checks the next records and tells whether there are more.
func (v *verifier) chunk(tx *bbolt.Tx) (more bool, err error) {
	removed, hash, err := anchor(tx)
	if err != nil {
		return false, err
	}
	// At the beginning, and when retention removed records since the chunk
	// before, the chain starts at the anchor.
	if v.next <= removed {
		v.next, v.hash = removed+1, hash
	}
	v.report.Removed = removed

	c := tx.Bucket(bucketRecords).Cursor()
	key, value := c.First()
	if v.report.Records > 0 {
		key, value = c.Seek(seqKey(v.next))
	}
	for n := 0; key != nil; key, value = c.Next() {
		if n++; n > verifyChunk {
			return true, nil
		}
		record, hash, problem := open(key, value, v.next, v.hash)
		if problem != "" {
			v.report.Bad, v.report.Problem = v.next, problem
			return false, nil
		}
		v.count(record)
		if !v.agrees(tx, record) {
			v.report.Bad, v.report.Problem = v.next, "the index of times and sessions does not agree with the records"
			return false, nil
		}
		v.hash = hash
		v.next++
	}
	v.compareIndex(tx)
	return false, nil
}

func (v *verifier) count(r Record) {
	if v.report.Records == 0 {
		v.report.First = r.Seq
	}
	v.report.Records++
	v.report.Last = r.Seq
	switch r.Type {
	case TypeIntent:
		v.open[r.CallID] = r.Seq
	case TypeOutcome, TypeInterrupted:
		delete(v.open, r.CallID)
	}
}

// agrees tells whether the summary of a run that ends with the record says what
// its records do. A run whose start is gone, or without a summary, has nothing
// to compare.
func (v *verifier) agrees(tx *bbolt.Tx, r Record) bool {
	v.run.add(r.At, r.SessionID)
	if r.Seq != lastOfBlock(blockOf(r.Seq)) {
		return true
	}
	run := v.run
	v.run = block{}
	stored := blockAt(tx, blockOf(r.Seq))
	whole := run.count == blockSize || blockOf(r.Seq) == 0 && run.count == blockSize-1
	return stored == nil || !whole || stored.equal(&run)
}

// compareIndex runs at the end of the chain, in the transaction that saw it.
func (v *verifier) compareIndex(tx *bbolt.Tx) {
	indexed := map[string]uint64{}
	_ = tx.Bucket(bucketOpen).ForEach(func(callID, value []byte) error {
		if len(value) == 8 {
			indexed[string(callID)] = binary.BigEndian.Uint64(value)
		}
		return nil
	})
	if maps.Equal(indexed, v.open) {
		return
	}
	v.report.Bad = v.report.Last
	differ := slices.Collect(maps.Values(v.open))
	for callID, seq := range indexed {
		if v.open[callID] != seq {
			differ = append(differ, seq)
		}
	}
	if len(differ) > 0 {
		v.report.Bad = slices.Min(differ)
	}
	v.report.Problem = fmt.Sprintf("the index of open intents has %d entries, the records have %d", len(indexed), len(v.open))
}
