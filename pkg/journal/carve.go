package journal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"strconv"
)

// A record is recognized by its form, wherever in the file it is: its key is its
// number, its value begins with its hash and repeats the number. Records below a
// broken page, and those that an older transaction has left in a free page, are
// found that way too; the chain of hashes shows what belongs together.

// carved is a stored record that was found in a file.
type carved struct {
	seq  uint64
	hash digest
	at   int64 // of its value
	size int
	run  int // how many records follow each other from this one on
}

// value reads the stored record.
func (c carved) value(file io.ReaderAt) ([]byte, error) {
	value := make([]byte, c.size)
	_, err := file.ReadAt(value, c.at)
	return value, err
}

// follows reports whether the record is the one that was written after the hash.
func (c carved) follows(file io.ReaderAt, prev digest) bool {
	value, err := c.value(file)
	if err != nil {
		return false
	}
	copy(value, prev[:])
	return sha256.Sum256(value) == c.hash
}

// carve finds all records in a file of so many bytes, by their numbers.
func carve(file io.ReaderAt, size int64, pageSize int64) map[uint64][]carved {
	found := map[uint64][]carved{}
	head := make([]byte, pageHeader)
	for at := int64(0); at+pageHeader <= size; at += pageSize {
		if _, err := file.ReadAt(head, at); err != nil {
			break
		}
		if order.Uint64(head) != uint64(at/pageSize) || order.Uint16(head[8:]) != flagLeaf {
			continue
		}
		page := make([]byte, min((1+int64(order.Uint32(head[12:])))*pageSize, size-at, maxLeaf))
		if _, err := file.ReadAt(page, at); err != nil {
			continue
		}
		carveLeaf(page, at, found, false)
	}
	return found
}

// maxLeaf bounds what is read of one page: a record with its overflow is far
// smaller, and the number of pages may come from a broken header.
const maxLeaf = 4 << 20

func carveLeaf(page []byte, at int64, found map[uint64][]carved, inline bool) {
	for e := range leafElements(page) {
		if e.bucket {
			// A small bucket is within the value of its parent, and holds no other: in a crafted
			// page that does, the same bytes would be gone through without end.
			if !inline && len(e.value) > bucketHeader+pageHeader && order.Uint64(e.value) == 0 {
				carveLeaf(e.value[bucketHeader:], at+int64(e.at)+bucketHeader, found, true)
			}
			continue
		}
		if len(e.key) != 8 || len(e.value) <= sha256.Size {
			continue
		}
		seq := binary.BigEndian.Uint64(e.key)
		text, ok := bytes.CutPrefix(e.value[sha256.Size:], []byte(`{"seq":`))
		if !ok || !bytes.HasPrefix(text, append(strconv.AppendUint(nil, seq, 10), ',')) {
			continue
		}
		c := carved{seq: seq, hash: digest(e.value[:sha256.Size]), at: at + int64(e.at), size: len(e.value)}
		if !slices.ContainsFunc(found[seq], func(other carved) bool { return other.hash == c.hash && other.size == c.size }) {
			found[seq] = append(found[seq], c)
		}
	}
}

// leafElement is a pair of a leaf page with the offset of its value.
type leafElement struct {
	key, value []byte
	at         int
	bucket     bool
}

// leafElements returns the pairs of a leaf page that lie within it.
func leafElements(page []byte) func(func(leafElement) bool) {
	return func(yield func(leafElement) bool) {
		if len(page) < pageHeader {
			return
		}
		for i := range int(order.Uint16(page[10:])) {
			at := pageHeader + i*elementSize
			if at+elementSize > len(page) {
				return
			}
			raw := page[at:]
			pos, ksize, vsize := int64(order.Uint32(raw[4:])), int64(order.Uint32(raw[8:])), int64(order.Uint32(raw[12:]))
			start := int64(at) + pos
			if pos < elementSize || start+ksize+vsize > int64(len(page)) {
				continue
			}
			e := leafElement{key: page[start:][:ksize:ksize], value: page[start+ksize:][:vsize:vsize], at: int(start + ksize), bucket: order.Uint32(raw)&flagBucket != 0}
			if !yield(e) {
				return
			}
		}
	}
}

// chained picks the records that follow each other, in order, from the first one
// after the anchor on. starts are those before which others are missing: their own
// place in the chain cannot be checked. Behind the last one that is known to have
// been written (0: none is) nothing starts: it was never acknowledged.
func chained(file io.ReaderAt, found map[uint64][]carved, after chainHead, last uint64) (chain []carved, starts map[uint64]bool) {
	seqs := slices.Sorted(maps.Keys(found))
	countRuns(file, found, seqs)
	starts = map[uint64]bool{}
	prev := after
	for _, seq := range seqs {
		if seq <= after.seq {
			continue
		}
		candidates, starting := found[seq], seq != prev.seq+1
		if starting && last > 0 && seq > last {
			break
		}
		if !starting { // one that was changed follows nothing
			candidates = slices.DeleteFunc(slices.Clone(candidates), func(c carved) bool { return !c.follows(file, prev.hash) })
		} else if len(candidates) > 1 || len(found[seq+1]) > 0 { // what others follow is as it was written
			candidates = slices.DeleteFunc(slices.Clone(candidates), func(c carved) bool { return c.run == 1 })
		}
		if len(candidates) == 0 {
			continue
		}
		next := slices.MaxFunc(candidates, func(a, b carved) int { return cmp.Compare(a.run, b.run) })
		if starting {
			starts[seq] = true
		}
		chain = append(chain, next)
		prev = chainHead{next.seq, next.hash}
	}
	return chain, starts
}

// countRuns sets the run of each record. Of several with one number, as a
// transaction leaves them that the disk did not take, those are the written ones
// that most others follow.
func countRuns(file io.ReaderAt, found map[uint64][]carved, seqs []uint64) {
	for _, seq := range slices.Backward(seqs) {
		for i := range found[seq] {
			c := &found[seq][i]
			c.run = 1
			for _, next := range found[seq+1] {
				if next.run >= c.run && next.follows(file, c.hash) {
					c.run = next.run + 1
				}
			}
		}
	}
}

// bornOut reports whether the records agree with an anchor: one follows it, or that
// one is missing and others come later. The anchor may be what is broken.
func bornOut(file io.ReaderAt, found map[uint64][]carved, after chainHead) bool {
	next := found[after.seq+1]
	if len(next) == 0 {
		return len(found) == 0 || slices.Max(slices.Collect(maps.Keys(found))) > after.seq
	}
	return slices.ContainsFunc(next, func(c carved) bool { return c.follows(file, after.hash) })
}
