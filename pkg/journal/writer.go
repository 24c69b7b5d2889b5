package journal

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/redact"
)

// fillPercent of the records' pages: keys only grow, so that a page that was
// split stays as it is and room for later keys would be wasted.
const fillPercent = 0.9

// preparedRecord is one record of an entry, ready to be written, except for its place in the chain.
type preparedRecord struct {
	tail         []byte
	kind, callID string
}

// entry holds the records of one Append or Commit.
type entry struct {
	records []preparedRecord
	done    chan error // nil after Append
	late    bool       // the outcome of a call, whose Commit has failed
}

// prepare redacts and encodes in the caller's goroutine, so that the writer has
// little left to do between two syncs.
func (j *Journal) prepare(records ...Record) (entry, error) {
	e := entry{records: make([]preparedRecord, len(records))}
	for i, r := range records {
		if r.At.IsZero() {
			r.At = j.opt.Now()
		}
		r.Data = redact.JSON(r.Data)
		tail, err := encodeTail(r)
		if err != nil {
			return entry{}, err
		}
		e.records[i] = preparedRecord{tail: tail, kind: r.Type, callID: r.CallID}
	}
	return e, nil
}

// run is the writer.
func (j *Journal) run() {
	defer close(j.stopped)
	// A page of the mapped file that cannot be read is a fault of this group,
	// not the end of the host.
	debug.SetPanicOnFault(true)

	timer := time.NewTimer(0) // fired at once, to begin with a timer that is not running
	<-timer.C
	armed := false
	var lastCheck time.Time // when retention was last looked at; the first group causes the first look
	unchecked := int64(0)   // bytes written since
	for {
		select {
		case <-j.relaxed:
			if !armed {
				timer.Reset(AppendDelay)
				armed = true
			}
			continue
		case <-j.urgent:
		case <-timer.C:
			armed = false
		case <-j.stop:
			j.flush()
			return
		}
		written, waiting := j.flush()
		if waiting && !armed {
			timer.Reset(retryDelay)
			armed = true
		}
		unchecked += written
		if unchecked >= j.opt.Retention.checkBytes() || time.Since(lastCheck) >= retentionInterval {
			lastCheck, unchecked = time.Now(), 0
			// Retention that fails now is tried again later; the group that
			// needed the room has already got its own answer.
			for more := true; more; {
				more, _ = j.prune()
				written, _ := j.flush()
				unchecked += written
			}
		}
	}
}

// flush writes the queue as one group and answers its callers. It
// reports how many bytes were written and whether appended ones still wait.
func (j *Journal) flush() (written int64, waiting bool) {
	j.mu.Lock()
	group := j.queue
	j.queue, j.queued = nil, 0
	last := j.last
	j.mu.Unlock()
	if len(group) == 0 {
		return 0, false
	}
	var err error
	// A Commit without records needs no transaction: what was appended before is
	// on disk or in this group.
	if slices.ContainsFunc(group, func(e entry) bool { return len(e.records) > 0 }) {
		var written chainHead
		if written, err = j.write(group); err == nil {
			last = written.seq
			j.checkpoint.save(written) // before it is acknowledged
		}
	}

	j.mu.Lock()
	if err == nil {
		j.last = last
		close(j.changed)
		j.changed = make(chan struct{})
	} else {
		j.requeue(group)
	}
	waiting = j.queued > 0
	j.mu.Unlock()

	// Callers are answered last, when Wait and Read already see their records.
	for _, e := range group {
		for _, r := range e.records {
			written += int64(len(r.tail))
		}
		if e.done != nil {
			e.done <- err
		}
	}
	return written, waiting
}

// requeue puts appended records back before what has arrived since. Committed
// ones are not: their callers learn that they were not written. Outcomes are, too: an
// intent that stays open holds retention up, and the next start would call it interrupted.
func (j *Journal) requeue(group []entry) {
	var keep []entry
	for _, e := range group {
		if e.done != nil && len(e.records) == 1 && e.records[0].kind == TypeOutcome {
			e.done, e.late = nil, true
		}
		if e.done == nil {
			keep = append(keep, e)
		}
	}
	j.queue = append(keep, j.queue...)
	j.queued += len(keep)
}

// write stores a group in one transaction and returns the head of the chain.
func (j *Journal) write(group []entry) (last chainHead, err error) {
	err = guard(func() error {
		return j.db.Update(func(tx *bbolt.Tx) error {
			records, open := tx.Bucket(bucketRecords), tx.Bucket(bucketOpen)
			records.FillPercent = fillPercent
			// The head of the chain is read from the transaction, never kept
			// in memory: after a failed sync the content of the file is unknown.
			seq, hash, err := head(tx)
			if err != nil {
				return err
			}
			if seq < j.missing {
				seq = j.missing
				if err := tx.Bucket(bucketMeta).Put(startKey(seq+1), []byte{1}); err != nil {
					return err
				}
			}
			for _, e := range group {
				for _, r := range e.records {
					if e.late && open.Get([]byte(r.callID)) == nil {
						continue // what failed may have reached the disk: a call ends once
					}
					seq++
					var value []byte
					value, hash = seal(seq, r.tail, hash)
					if err := records.Put(seqKey(seq), value); err != nil {
						return err
					}
					if err := updateOpenIndex(open, r, seq); err != nil {
						return err
					}
					if seq == lastOfBlock(blockOf(seq)) {
						if err := errors.Join(summarize(tx, blockOf(seq)), writeTally(tx, blockOf(seq), j.opt.Tally)); err != nil {
							return err
						}
					}
				}
			}
			last = chainHead{seq, hash}
			return nil
		})
	})
	if err != nil {
		return chainHead{}, fault.Wrap(err, fault.JournalUnavailable, "the journal could not be written: %v", err)
	}
	return last, nil
}

// updateOpenIndex updates the bucket of open intents: call id to sequence number.
func updateOpenIndex(open *bbolt.Bucket, r preparedRecord, seq uint64) error {
	switch r.kind {
	case TypeIntent:
		return open.Put([]byte(r.callID), seqKey(seq))
	case TypeOutcome, TypeInterrupted:
		return open.Delete([]byte(r.callID))
	}
	return nil
}

// guard runs f and turns a panic, also one by an unreadable page, into an error:
// bbolt panics on pages that it does not understand.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the file is broken: %v", cause)
		}
	}()
	return f()
}

var errNoBuckets = errors.New("the file is not a journal: its buckets are missing")
