package journal

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	"go.etcd.io/bbolt"
)

// salvaged is what can be read of a broken file.
type salvaged struct {
	file    *os.File
	records []carved
	starts  map[uint64]bool // records before which others are missing
	after   chainHead       // what retention removed
	saved   chainHead       // by the checkpoint beside the file
	buckets []*bucketCopy   // those of other packages
	lost    []string        // what else cannot be read
}

// bucketCopy is a bucket of another package, as far as it can be read.
type bucketCopy struct {
	name     []byte
	sequence uint64
	pairs    [][2][]byte
	buckets  []*bucketCopy
}

// journalBuckets are the buckets that are made anew from the records.
var journalBuckets = [][]byte{bucketRecords, bucketOpen, bucketMeta, bucketBlocks, bucketTallies}

// salvage reads what can be read of a broken file.
func salvage(path string) (*salvaged, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	s := &salvaged{file: file}
	pageSize := uint64(os.Getpagesize())
	// Where the newest transaction's root is broken, the one before still has
	// almost everything.
	for _, m := range metasOf(file, info.Size()) {
		pageSize = m.pageSize
		m.pages = min(m.pages, uint64(info.Size())/m.pageSize)
		w := treeReader{pageChecker: pageChecker{file: file, meta: m, seen: make([]bool, m.pages)}, s: s}
		if w.root() || len(s.buckets) > 0 {
			break
		}
	}
	s.saved, _ = readCheckpoint(path) // a broken one names nothing that is missing
	found := carve(file, info.Size(), int64(pageSize))
	if !bornOut(file, found, s.after) {
		s.after = chainHead{}
	}
	s.records, s.starts = chained(file, found, s.after, s.saved.seq)
	return s, nil
}

// treeReader reads buckets by the tree of pages and passes over what is broken.
type treeReader struct {
	pageChecker
	s *salvaged
}

// root reads the buckets of all packages; false where a part is broken.
func (w *treeReader) root() (whole bool) {
	all := &bucketCopy{}
	w.s.buckets, w.s.lost = nil, nil
	if whole = w.readBranch(all, w.meta.root, 0); !whole {
		w.s.lost = append(w.s.lost, "other things that the file held")
	}
	for _, b := range all.buckets {
		if !slices.ContainsFunc(journalBuckets, func(name []byte) bool { return string(name) == string(b.name) }) {
			w.s.buckets = append(w.s.buckets, b)
		}
	}
	return whole
}

// readBranch reads the pages of a bucket below one of them; false where one is broken.
func (w *treeReader) readBranch(b *bucketCopy, id uint64, level int) (whole bool) {
	page, err := w.page(id, level)
	if err != nil {
		return false
	}
	elements, err := w.elements(slices.Clone(page), id, nil, nil)
	if err != nil {
		return false
	}
	whole = true
	for _, e := range elements {
		switch {
		case e.value == nil:
			whole = w.readBranch(b, e.child, level+1) && whole
		case e.bucket:
			whole = w.bucket(b, e, level) && whole
		default:
			b.pairs = append(b.pairs, [2][]byte{e.key, e.value})
		}
	}
	return whole
}

// bucket reads a bucket within another one. The journal's own are found by their
// records; only the anchor of retention is stored nowhere else.
func (w *treeReader) bucket(b *bucketCopy, e element, level int) (whole bool) {
	if len(e.value) < bucketHeader {
		return false
	}
	inner := &bucketCopy{name: e.key, sequence: order.Uint64(e.value[8:])}
	b.buckets = append(b.buckets, inner)
	top := b.name == nil
	if top && string(e.key) != string(bucketMeta) && slices.ContainsFunc(journalBuckets, func(name []byte) bool { return string(name) == string(e.key) }) {
		return true
	}
	if root := order.Uint64(e.value); root != 0 {
		whole = w.readBranch(inner, root, level+1)
	} else {
		whole = true
		for p := range leafElements(e.value[bucketHeader:]) {
			inner.pairs = append(inner.pairs, [2][]byte{p.key, p.value})
		}
	}
	if top && string(e.key) == string(bucketMeta) {
		w.s.readAnchor(inner)
	} else if top && !whole {
		w.s.lost = append(w.s.lost, fmt.Sprintf("a part of %s", e.key))
		return true // it is named
	}
	return whole
}

// readAnchor reads the number and the hash of the last record that retention
// removed.
func (s *salvaged) readAnchor(b *bucketCopy) {
	for _, pair := range b.pairs {
		if string(pair[0]) == string(keyAnchor) && len(pair[1]) == 8+len(digest{}) {
			s.after = chainHead{binary.BigEndian.Uint64(pair[1]), digest(pair[1][8:])}
		}
	}
}

// damage returns the problem of the file and what is missing of it.
func (s *salvaged) damage(problem string) *Damage {
	d := &Damage{Problem: problem, Kept: len(s.records), Lost: s.lost, broken: true}
	before := s.after.seq
	for _, r := range s.records {
		if r.seq != before+1 {
			d.Missing = append(d.Missing, [2]uint64{before + 1, r.seq - 1})
		}
		before = r.seq
	}
	if s.saved.seq > before {
		d.Missing = append(d.Missing, [2]uint64{before + 1, s.saved.seq})
	}
	return d
}

// empty reports whether there is nothing to go on with.
func (s *salvaged) empty() bool { return len(s.records) == 0 && len(s.buckets) == 0 }

// copyTo writes what can be read into a new database.
func (s *salvaged) copyTo(db *bbolt.DB) error {
	if err := db.Update(func(tx *bbolt.Tx) error {
		for _, b := range s.buckets {
			if !b.copyTo(tx) {
				s.lost = append(s.lost, fmt.Sprintf("a part of %s", b.name))
			}
		}
		return s.startChain(tx)
	}); err != nil {
		return err
	}
	for chunk := range slices.Chunk(s.records, pruneChunk) {
		if err := db.Update(func(tx *bbolt.Tx) error { return s.copyRecords(tx, chunk) }); err != nil {
			return err
		}
	}
	return nil
}

// startChain makes the journal's buckets and notes where its chain begins and is
// broken.
func (s *salvaged) startChain(tx *bbolt.Tx) error {
	for _, name := range [][]byte{bucketRecords, bucketOpen, bucketMeta} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	meta := tx.Bucket(bucketMeta)
	if s.after.seq > 0 {
		if err := meta.Put(keyAnchor, slices.Concat(seqKey(s.after.seq), s.after.hash[:])); err != nil {
			return err
		}
	}
	for seq := range s.starts {
		if err := meta.Put(startKey(seq), []byte{1}); err != nil {
			return err
		}
	}
	return nil
}

func (s *salvaged) copyRecords(tx *bbolt.Tx, chunk []carved) error {
	records, open := tx.Bucket(bucketRecords), tx.Bucket(bucketOpen)
	records.FillPercent = fillPercent
	for _, c := range chunk {
		value, err := c.value(s.file)
		if err != nil {
			return err
		}
		if err := records.Put(seqKey(c.seq), value); err != nil {
			return err
		}
		h, _ := peek(value)
		if err := updateOpenIndex(open, preparedRecord{kind: string(h.kind), callID: string(h.callID)}, c.seq); err != nil {
			return err
		}
		if c.seq == lastOfBlock(blockOf(c.seq)) {
			if err := summarize(tx, blockOf(c.seq)); err != nil {
				return err
			}
		}
	}
	return nil
}

// creator is a transaction or a bucket.
type creator interface {
	CreateBucketIfNotExists(name []byte) (*bbolt.Bucket, error)
}

// copyTo writes the bucket and reports whether all of it could be: a key that no
// database accepts was never a valid one.
func (b *bucketCopy) copyTo(parent creator) (whole bool) {
	bucket, err := parent.CreateBucketIfNotExists(b.name)
	if err != nil || bucket.SetSequence(b.sequence) != nil {
		return false
	}
	whole = true
	for _, pair := range b.pairs {
		whole = bucket.Put(pair[0], pair[1]) == nil && whole
	}
	for _, inner := range b.buckets {
		whole = inner.copyTo(bucket) && whole
	}
	return whole
}

// startKey marks, in the bucket of the chain, a record before which others are
// missing.
func startKey(seq uint64) []byte { return append([]byte("start"), seqKey(seq)...) }

// startsAnew reports whether the chain begins anew with a record.
func startsAnew(tx *bbolt.Tx, seq uint64) bool {
	return tx.Bucket(bucketMeta).Get(startKey(seq)) != nil
}
