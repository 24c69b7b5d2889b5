package journal

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/origin"
)

// bucketBlocks holds a summary of each full run of blockSize records:
// number of the run (8 bytes, big endian): checksum, JSON of a block. Whoever
// looks for a time, a session or a site passes over the runs that cannot hold it. A
// run without a summary, or with a broken one, is read.
var bucketBlocks = []byte("journal_blocks")

const (
	blockBits = 8
	blockSize = 1 << blockBits
	// maxBlockSessions and maxBlockOrigins bound a summary; a run of more sessions or
	// origins names none of them and is read whichever is looked for.
	maxBlockSessions = 64
	maxBlockOrigins  = 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// block sums up a run of records.
type block struct {
	Earliest time.Time `json:"earliest"` // clocks go back: not always the first one's
	Latest   time.Time `json:"latest"`
	Sessions []string  `json:"sessions,omitzero"` // sorted
	Many     bool      `json:"many,omitzero"`     // too many to name
	// Origins are those of the addresses in the records' data, sorted; nil where they are not
	// known: there are too many, or an older version wrote the summary.
	Origins []string `json:"origins"`

	count int
	// places are the beginnings of addresses that were read already.
	places      map[string]bool
	manyOrigins bool
}

// add adds a stored record, of which this is the head.
func (b *block) add(h recordHead, value []byte) {
	if b.count == 0 {
		b.Earliest, b.Latest, b.Origins, b.places = h.at, h.at, []string{}, map[string]bool{}
	}
	if h.at.Before(b.Earliest) {
		b.Earliest = h.at
	}
	if h.at.After(b.Latest) {
		b.Latest = h.at
	}
	b.count++
	b.addPlaces(value)
	session := string(h.session)
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

// addPlaces adds the origins of the addresses in a stored record.
func (b *block) addPlaces(value []byte) {
	for place := range places(value) {
		if b.manyOrigins {
			return
		}
		if b.places[string(place)] {
			continue
		}
		b.places[string(place)] = true
		at, err := origin.Parse(string(place))
		if err != nil {
			continue // no filter finds it
		}
		i, known := slices.BinarySearch(b.Origins, at.String())
		switch {
		case known:
		case len(b.Origins) == maxBlockOrigins:
			b.Origins, b.manyOrigins = nil, true
		default:
			b.Origins = slices.Insert(b.Origins, i, at.String())
		}
	}
}

// equal compares what is stored; origins only where both know them.
func (b *block) equal(other *block) bool {
	return b.Earliest.Equal(other.Earliest) && b.Latest.Equal(other.Latest) && b.Many == other.Many && slices.Equal(b.Sessions, other.Sessions) &&
		(b.Origins == nil || other.Origins == nil || slices.Equal(b.Origins, other.Origins))
}

// mayMatch reports whether the matcher can select a record of the run.
func (b *block) mayMatch(m *matcher) bool {
	if !m.Since.IsZero() && b.Latest.Before(m.Since) || !m.Until.IsZero() && !b.Earliest.Before(m.Until) {
		return false
	}
	if m.Session != "" && !b.Many {
		if _, found := slices.BinarySearch(b.Sessions, m.Session); !found {
			return false
		}
	}
	// The site of a failed call may be that of its intent, in an earlier run.
	return m.Origin == "" || m.Failed || b.Origins == nil || slices.ContainsFunc(b.Origins, m.matchesOrigin)
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
		b.add(h, value)
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
	return blocks.Put(seqKey(number), withChecksum(raw))
}

// withChecksum returns the text with its checksum before it.
func withChecksum(raw []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, crc32.Checksum(raw, castagnoli)), raw...)
}

// cutChecksum returns the text of withChecksum; nil where the checksum is another one.
func cutChecksum(value []byte) []byte {
	if len(value) < 4 || binary.BigEndian.Uint32(value) != crc32.Checksum(value[4:], castagnoli) {
		return nil
	}
	return value[4:]
}

// blockAt returns the summary of a run, nil where there is no valid one.
func blockAt(tx *bbolt.Tx, number uint64) *block {
	blocks := tx.Bucket(bucketBlocks)
	if blocks == nil {
		return nil
	}
	var b block
	if json.Unmarshal(cutChecksum(blocks.Get(seqKey(number))), &b) != nil {
		return nil
	}
	return &b
}

// dropBlocks removes the summaries and tallies of runs that have no record any more.
func dropBlocks(tx *bbolt.Tx, removed uint64) error {
	for _, name := range [][]byte{bucketBlocks, bucketTallies} {
		bucket := tx.Bucket(name)
		if bucket == nil {
			continue
		}
		var emptied [][]byte
		c := bucket.Cursor()
		for key, _ := c.First(); len(key) == 8 && lastOfBlock(binary.BigEndian.Uint64(key)) <= removed; key, _ = c.Next() {
			emptied = append(emptied, slices.Clone(key))
		}
		for _, key := range emptied {
			if err := bucket.Delete(key); err != nil {
				return err
			}
		}
	}
	return nil
}
