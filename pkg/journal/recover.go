package journal

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// moveAside renames a broken file. A file of that name is never
// overwritten. Where the system has links the file keeps its own name too, until
// another one takes it: no moment is without a log.
func moveAside(path string, now time.Time, replaced bool) (string, error) {
	base := path + ".broken-" + now.UTC().Format("20060102T150405Z")
	to := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			if replaced && os.Link(path, to) == nil {
				return to, nil
			}
			return to, os.Rename(path, to)
		} else if err != nil {
			return "", err
		}
		to = base + "-" + strconv.Itoa(n)
	}
}

// A start looks at as many of the newest records before anything is written, for at
// most that long; the rest of the chain it checks while the host works.
const (
	tailRecords = 256
	tailTimeout = time.Second
)

// checkEnd returns what is wrong with the end of the chain: records that have
// changed, and records that the checkpoint knows of and that are not there.
func checkEnd(db *bbolt.DB, saved chainHead) error {
	return guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			if tx.Bucket(bucketRecords) == nil {
				return nil
			}
			problem := brokenTail(tx)
			if problem == "" {
				_, problem = saved.missing(tx)
			}
			if key := tx.Bucket(bucketMeta).Get(keyBroken); problem == "" {
				problem = string(key)
			}
			if problem == "" {
				return nil
			}
			return errors.New(problem)
		})
	})
}

// brokenTail checks the chain's last records, the newest first.
func brokenTail(tx *bbolt.Tx) (problem string) {
	started := time.Now()
	c := tx.Bucket(bucketRecords).Cursor()
	key, value := c.Last()
	for n := 0; len(key) == 8 && n < tailRecords && time.Since(started) < tailTimeout; n++ {
		before, prior := c.Prev()
		if len(prior) < len(digest{}) || seqOf(before) != seqOf(key)-1 {
			break // the anchor, or a gap: Verify looks at them
		}
		if _, wrong := open(key, value, seqOf(key), digest(prior[:len(digest{})])); wrong != "" {
			problem = brokenAt(seqOf(key), wrong)
		}
		key, value = before, prior
	}
	return problem
}

func brokenAt(seq uint64, problem string) string { return fmt.Sprintf("record %d: %s", seq, problem) }

// recoverFrom writes what Open found and closes the intents that were left
// open. They are never run again: what became of them is unknown.
func (j *Journal) recoverFrom(found *Damage) error {
	var records []Record
	if found != nil {
		data, err := json.Marshal(found)
		if err != nil {
			return fault.From(err)
		}
		records = append(records, Record{Type: TypeRecovered, Data: data})
	}
	open, err := j.OpenIntents()
	if err != nil {
		return err
	}
	for _, intent := range open {
		data, err := json.Marshal(map[string]any{"outcome": "unknown", "intent_seq": intent.Seq})
		if err != nil {
			return fault.From(err)
		}
		records = append(records, Record{
			Type: TypeInterrupted, SessionID: intent.SessionID, CallID: intent.CallID,
			ParentID: intent.ParentID, Name: intent.Name, Data: data,
		})
	}
	if len(records) == 0 {
		j.checkpoint.save(j.end())
		return nil
	}
	err = j.Commit(context.Background(), records...)
	if fault.Is(err, fault.JournalUnavailable) {
		// The disk is full: what was written can be read meanwhile, and nothing that
		// acts gets its intent before these are written too.
		return j.Append(context.Background(), records...)
	}
	return err
}

// end returns the last record on disk.
func (j *Journal) end() (h chainHead) {
	_ = j.view(func(tx *bbolt.Tx) (err error) {
		h.seq, h.hash, err = head(tx)
		return err
	})
	return h
}

// openSeqs lists the sequence numbers of open intents in order.
func openSeqs(tx *bbolt.Tx) ([]uint64, error) {
	var seqs []uint64
	err := tx.Bucket(bucketOpen).ForEach(func(callID, value []byte) error {
		if len(value) != 8 {
			return errors.New("the index of open intents is broken")
		}
		seqs = append(seqs, binary.BigEndian.Uint64(value))
		return nil
	})
	slices.SortFunc(seqs, cmp.Compare)
	return seqs, err
}
