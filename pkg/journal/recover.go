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
	"strings"
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

// tailRecords is how many of the last records a start checks: those that the last
// transactions have written.
const tailRecords = 256

// checkTail adds to what was found wrong with the file what is wrong with the end
// of the chain: records that the checkpoint knows of and that are not there, and
// records that have changed.
func (j *Journal) checkTail(saved chainHead, found *Damage) (*Damage, error) {
	if found != nil && found.broken {
		return found, nil // it names all that is missing
	}
	var problems []string
	if found != nil {
		problems = append(problems, found.Problem)
	}
	err := j.view(func(tx *bbolt.Tx) error {
		if problem := brokenTail(tx); problem != "" {
			problems = append(problems, problem)
		} else if _, problem := saved.missing(tx); problem != "" {
			problems = append(problems, problem)
		}
		return nil
	})
	if len(problems) == 0 || err != nil {
		return nil, err
	}
	return &Damage{Problem: strings.Join(problems, "; ")}, nil
}

// brokenTail checks the chain's last records, back to where an earlier start has
// recorded damage.
func brokenTail(tx *bbolt.Tx) (problem string) {
	c := tx.Bucket(bucketRecords).Cursor()
	key, value := c.Last()
	for n := 0; len(key) == 8 && n < tailRecords; n++ {
		if h, ok := peek(value); ok && string(h.kind) == TypeRecovered {
			break
		}
		before, prior := c.Prev()
		if len(prior) < len(digest{}) || seqOf(before) != seqOf(key)-1 {
			break // the anchor, or a gap: Verify looks at them
		}
		if _, _, wrong := open(key, value, seqOf(key), digest(prior[:len(digest{})])); wrong != "" {
			problem = fmt.Sprintf("record %d: %s", seqOf(key), wrong)
		}
		key, value = before, prior
	}
	return problem
}

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
	return j.Commit(context.Background(), records...)
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
