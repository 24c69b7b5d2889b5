package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
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
		carveLeaf(page, at, found)
	}
	return found
}

// maxLeaf bounds what is read of one page: a record with its overflow is far
// smaller, and the number of pages may come from a broken header.
const maxLeaf = 4 << 20

func carveLeaf(page []byte, at int64, found map[uint64][]carved) {
	for e := range leafElements(page) {
		if e.bucket {
			// A small bucket is within the value of its parent.
			if len(e.value) > bucketHeader+pageHeader && order.Uint64(e.value) == 0 {
				carveLeaf(e.value[bucketHeader:], at+int64(e.at)+bucketHeader, found)
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
	starts = map[uint64]bool{}
	seqs := make([]uint64, 0, len(found))
	for seq := range found {
		if seq > after.seq {
			seqs = append(seqs, seq)
		}
	}
	slices.Sort(seqs)
	prev := after
	for _, seq := range seqs {
		next, ok := carved{}, false
		if seq == prev.seq+1 {
			next, ok = following(file, found[seq], prev.hash)
		}
		if !ok && last > 0 && seq > last {
			break
		}
		if !ok {
			if next, ok = beginning(file, found[seq], found[seq+1]); !ok {
				continue
			}
			starts[seq] = true
		}
		chain = append(chain, next)
		prev = chainHead{next.seq, next.hash}
	}
	return chain, starts
}

func following(file io.ReaderAt, candidates []carved, prev digest) (carved, bool) {
	for _, c := range candidates {
		if c.follows(file, prev) {
			return c, true
		}
	}
	return carved{}, false
}

// beginning picks the record that others follow, or the only one there is where
// none follow.
func beginning(file io.ReaderAt, candidates, next []carved) (carved, bool) {
	for _, c := range candidates {
		if _, ok := following(file, next, c.hash); ok {
			return c, true
		}
	}
	if len(candidates) == 1 && len(next) == 0 {
		return candidates[0], true
	}
	return carved{}, false
}
