package journal

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// bucketBlocks holds a summary of each full run of blockSize records:
// number of the run (8 bytes, big endian): checksum, JSON of a block. Whoever
// looks for a time or a session passes over the runs that cannot hold it. A
// run without a summary, or with a broken one, is read.
var bucketBlocks = []byte("journal_blocks")

const (
	blockBits = 8
	blockSize = 1 << blockBits
	// maxBlockSessions bounds a summary; a run of more sessions names none and
	// is read whichever session is looked for.
	maxBlockSessions = 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// block sums up a run of records.
type block struct {
	Earliest time.Time `json:"earliest"` // clocks go back: not always the first one's
	Latest   time.Time `json:"latest"`
	Sessions []string  `json:"sessions,omitzero"` // sorted
	Many     bool      `json:"many,omitzero"`     // too many to name

	count int
}

func (b *block) add(at time.Time, session string) {
	if b.count == 0 || at.Before(b.Earliest) {
		b.Earliest = at
	}
	if b.count == 0 || at.After(b.Latest) {
		b.Latest = at
	}
	b.count++
	if session == "" || b.Many {
		return
	}
	i, known := slices.BinarySearch(b.Sessions, session)
	switch {
	case known:
	case len(b.Sessions) == maxBlockSessions:
		b.Sessions, b.Many = nil, true
	default:
		b.Sessions = slices.Insert(b.Sessions, i, session)
	}
}

// equal compares what is stored.
func (b *block) equal(other *block) bool {
	return b.Earliest.Equal(other.Earliest) && b.Latest.Equal(other.Latest) && b.Many == other.Many && slices.Equal(b.Sessions, other.Sessions)
}

// mayMatch reports whether the filter can select a record of the run.
func (b *block) mayMatch(f Filter) bool {
	if !f.Since.IsZero() && b.Latest.Before(f.Since) || !f.Until.IsZero() && !b.Earliest.Before(f.Until) {
		return false
	}
	if f.Session == "" || b.Many {
		return true
	}
	_, found := slices.BinarySearch(b.Sessions, f.Session)
	return found
}

func blockOf(seq uint64) uint64 { return seq >> blockBits }

// lastOfBlock is the last sequence number of a run.
func lastOfBlock(number uint64) uint64 { return (number+1)<<blockBits - 1 }

// summarize writes the summary of a run that is complete now. A run with a
// record that cannot be read gets none.
func summarize(tx *bbolt.Tx, number uint64) error {
	var b block
	c := tx.Bucket(bucketRecords).Cursor()
	for key, value := c.Seek(seqKey(number << blockBits)); len(key) == 8 && blockOf(binary.BigEndian.Uint64(key)) == number; key, value = c.Next() {
		h, ok := peek(value)
		if !ok {
			return nil
		}
		b.add(h.at, string(h.session))
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return err
	}
	blocks, err := tx.CreateBucketIfNotExists(bucketBlocks)
	if err != nil {
		return err
	}
	blocks.FillPercent = fillPercent
	return blocks.Put(seqKey(number), append(binary.BigEndian.AppendUint32(nil, crc32.Checksum(raw, castagnoli)), raw...))
}

// blockAt returns the summary of a run, nil where there is no valid one.
func blockAt(tx *bbolt.Tx, number uint64) *block {
	blocks := tx.Bucket(bucketBlocks)
	if blocks == nil {
		return nil
	}
	value := blocks.Get(seqKey(number))
	if len(value) < 4 || binary.BigEndian.Uint32(value) != crc32.Checksum(value[4:], castagnoli) {
		return nil
	}
	var b block
	if json.Unmarshal(value[4:], &b) != nil {
		return nil
	}
	return &b
}

// dropBlocks removes the summaries of runs that have no record any more.
func dropBlocks(tx *bbolt.Tx, removed uint64) error {
	blocks := tx.Bucket(bucketBlocks)
	if blocks == nil {
		return nil
	}
	var emptied [][]byte
	c := blocks.Cursor()
	for key, _ := c.First(); len(key) == 8 && lastOfBlock(binary.BigEndian.Uint64(key)) <= removed; key, _ = c.Next() {
		emptied = append(emptied, slices.Clone(key))
	}
	for _, key := range emptied {
		if err := blocks.Delete(key); err != nil {
			return err
		}
	}
	return nil
}
