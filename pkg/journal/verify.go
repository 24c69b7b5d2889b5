package journal

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

// Report is the result of Verify.
type Report struct {
	OK      bool   `json:"ok"`
	First   uint64 `json:"first"` // first and last sequence number looked at; 0 for an empty log
	Last    uint64 `json:"last"`
	Records int    `json:"records"`
	Removed uint64 `json:"removed,omitzero"` // retention has removed the records up to this number
	Bad     uint64 `json:"bad,omitzero"`     // first sequence number where the chain breaks
	Problem string `json:"problem,omitzero"`
	// Doubt is why what was written last may be missing although the chain is sound.
	Doubt string `json:"doubt,omitzero"`
	// Gaps are records that were lost with a broken file, first and last of each
	// run; the log went on without them and recorded it.
	Gaps [][2]uint64 `json:"gaps,omitzero"`
	// Recovered are the records of damage found at a start.
	Recovered []Record `json:"recovered,omitzero"`
}

// Verify walks the whole chain: a sequence without gaps, each hash over the one
// before and the record's bytes, and an index of open intents that agrees with
// the records, and the end that the checkpoint beside the file names. A
// problem in the log is not an error but is in the report; an error means that
// the file could not be read.
func (r *Reader) Verify(ctx context.Context) (Report, error) {
	saved, doubt := readCheckpoint(r.path)
	report, err := r.verify(ctx, saved)
	if doubt != nil && report.Doubt == "" {
		report.Doubt = doubt.Error()
	}
	return report, err
}

// verify is Verify with the end that a checkpoint names, zero for none.
func (r *Reader) verify(ctx context.Context, saved chainHead) (Report, error) {
	v := verifier{open: map[string]uint64{}, checkpoint: saved}
	for more := true; more; {
		err := r.viewInTurn(ctx, func(tx *bbolt.Tx, p *progress) (err error) {
			more, err = v.chunk(tx, p)
			return err
		})
		if err != nil {
			return v.report, err
		}
	}
	if d := r.damage; d != nil && d.Broken() {
		v.report.Bad, v.report.Problem = max(d.firstMissing(), 1), "the file is broken: "+d.String()
	} else if d != nil {
		v.report.Doubt = d.Problem
	}
	v.report.OK = v.report.Problem == ""
	return v.report, nil
}

type verifier struct {
	report     Report
	checkpoint chainHead         // by the checkpoint
	hash       digest            // of the record before next
	next       uint64            // 0 before the first chunk
	open       map[string]uint64 // call id to sequence number, by the records
	run        block             // of the records since the start of a run
}

// chunk checks the next records and reports whether there are more.
func (v *verifier) chunk(tx *bbolt.Tx, p *progress) (more bool, err error) {
	removed, hash, err := anchor(tx)
	if err != nil {
		return false, err
	}
	// At the beginning, and when retention removed records since the chunk
	// before, the chain starts at the anchor: all calls before it have ended.
	if v.next <= removed {
		clear(v.open)
		v.run = block{}
		v.next, v.hash = removed+1, hash
	}
	v.report.Removed = removed

	c := tx.Bucket(bucketRecords).Cursor()
	key, value := c.First()
	if v.report.Records > 0 {
		key, value = c.Seek(seqKey(v.next))
	}
	for ; key != nil; key, value = c.Next() {
		if p.visited == scanRecords {
			return true, nil
		}
		if err := p.visit(); err != nil {
			return false, err
		}
		if seq := seqOf(key); seq > v.next && startsAnew(tx, seq) {
			v.startAt(seq)
		}
		if problem := v.verify(tx, key, value); problem != "" {
			v.report.Bad, v.report.Problem = v.next, problem
			return false, nil
		}
		v.next++
	}
	v.compareIndex(tx)
	if from, problem := v.checkpoint.missing(tx); problem != "" && v.report.Problem == "" {
		v.report.Bad, v.report.Problem = from, problem
	}
	return false, nil
}

// verify checks the record at v.next and returns what is wrong with it.
func (v *verifier) verify(tx *bbolt.Tx, key, value []byte) (problem string) {
	h, problem := open(key, value, v.next, v.hash)
	if problem == problemHash && startsAnew(tx, v.next) {
		problem = ""
	}
	if problem != "" {
		return problem
	}
	v.count(key, value, h)
	if !v.agrees(tx, h, value) {
		return "the index of times, sessions and sites does not agree with the records"
	}
	v.hash = digest(value[:len(v.hash)])
	return ""
}

// startAt goes on at a record before which others were lost with a broken file.
func (v *verifier) startAt(seq uint64) {
	v.report.Gaps = append(v.report.Gaps, [2]uint64{v.next, seq - 1})
	v.next, v.run = seq, block{}
}

func (v *verifier) count(key, value []byte, h recordHead) {
	if v.report.Records == 0 {
		v.report.First = v.next
	}
	v.report.Records++
	v.report.Last = v.next
	switch string(h.kind) {
	case TypeIntent:
		v.open[string(h.callID)] = v.next
	case TypeOutcome, TypeInterrupted:
		delete(v.open, string(h.callID))
	case TypeRecovered:
		v.report.Recovered = append(v.report.Recovered, decode(key, value, v.hash))
	}
}

// agrees reports whether the summary of a run that ends with the record agrees with
// its records. A run whose start was removed, or without a summary, has nothing
// to compare.
func (v *verifier) agrees(tx *bbolt.Tx, h recordHead, value []byte) bool {
	v.run.add(h, value)
	number := blockOf(v.next)
	if v.next != lastOfBlock(number) {
		return true
	}
	run := v.run
	v.run = block{}
	stored := blockAt(tx, number)
	whole := run.count == blockSize || number == 0 && run.count == blockSize-1
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
