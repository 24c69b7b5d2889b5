package journal

import (
	"bytes"
	"fmt"
)

// element is one of a page: a child of a branch (value nil) or a pair of a leaf.
type element struct {
	key, value []byte
	child      uint64
	bucket     bool
}

// elements reads what a page holds: for a branch, position u32, key size u32,
// child u64; for a leaf, kind u32, position u32, key size u32, value size u32.
// Positions count from the element itself. Keys out of order would hide records
// from a search without any other sign.
func (c *pageChecker) elements(b []byte, id uint64, min, max []byte) ([]element, error) {
	flags, count := order.Uint16(b[8:]), int(order.Uint16(b[10:]))
	if flags != flagBranch && flags != flagLeaf || flags == flagBranch && count == 0 || pageHeader+count*elementSize > len(b) {
		return nil, fmt.Errorf("page %d has a broken header", id)
	}
	elements := make([]element, count)
	for i := range elements {
		at := uint64(pageHeader + i*elementSize)
		raw := b[at:]
		e, pos, ksize, vsize := &elements[i], uint64(0), uint64(0), uint64(0)
		if flags == flagBranch {
			pos, ksize, e.child = uint64(order.Uint32(raw)), uint64(order.Uint32(raw[4:])), order.Uint64(raw[8:])
		} else {
			kind := order.Uint32(raw)
			pos, ksize, vsize = uint64(order.Uint32(raw[4:])), uint64(order.Uint32(raw[8:])), uint64(order.Uint32(raw[12:]))
			if kind > flagBucket {
				return nil, fmt.Errorf("page %d has an element of an unknown kind", id)
			}
			e.bucket = kind == flagBucket
		}
		if pos < elementSize || at+pos+ksize+vsize > uint64(len(b)) {
			return nil, fmt.Errorf("page %d has an element outside of it", id)
		}
		e.key = b[at+pos:][:ksize:ksize]
		if flags == flagLeaf {
			e.value = b[at+pos+ksize:][:vsize:vsize]
		}
		if i == 0 && min != nil && bytes.Compare(e.key, min) < 0 ||
			i > 0 && bytes.Compare(e.key, elements[i-1].key) <= 0 ||
			max != nil && bytes.Compare(e.key, max) >= 0 {
			return nil, fmt.Errorf("the keys of page %d are not in order", id)
		}
	}
	return elements, nil
}
