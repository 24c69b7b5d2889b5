package journal

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// finding is what a recovered record tells about the file that Open found.
type finding struct {
	Problem string `json:"problem"`
	MovedTo string `json:"moved_to,omitempty"` // file name of the broken file, in the same folder
}

// moveAside renames a broken file. A file of that name is never overwritten.
func moveAside(path string, now time.Time) (string, error) {
	base := path + ".broken-" + now.UTC().Format("20060102T150405Z")
	to := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, os.Rename(path, to)
		} else if err != nil {
			return "", err
		}
		to = base + "-" + strconv.Itoa(n)
	}
}

// recoverFrom writes what Open found and closes the intents that were left
// open. They are never run again: what became of them is unknown.
func (j *Journal) recoverFrom(found *finding) error {
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
