package journal

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// bbolt trusts every page number and every offset in its file: a flipped bit
// can send it into an endless loop, end the process by a fault in another
// goroutine, or let it overwrite a live page. checkPages therefore reads the
// structure first, with bounds. The layout is bbolt's format version 2; all
// numbers have the machine's byte order.
const (
	pageHeader   = 16 // id u64, flags u16, count u16, overflow u32
	elementSize  = 16 // of branch and leaf pages
	bucketHeader = 16 // root page u64, sequence u64; root 0 is followed by an inline page
	metaSize     = 64

	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagFreelist = 0x10
	flagBucket   = 0x01 // of a leaf element

	boltMagic   = 0xED0CDAED
	boltVersion = 2
	maxDepth    = 32 // a tree that deep would hold more pages than any disk
)

var order = binary.NativeEndian

// checkPages checks that each page of the file at path is reachable exactly
// once or free, and that keys are in order. The warning is set when one of
// the two meta pages is invalid: bbolt then goes back by one transaction.
func checkPages(path string) (warning string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	m, warning, err := readMeta(file, info.Size())
	if err != nil {
		return "", err
	}
	if m.pages < 4 || m.pages > uint64(info.Size())/m.pageSize {
		return "", fmt.Errorf("the file has %d bytes, fewer than its %d pages need", info.Size(), m.pages)
	}
	c := &pageChecker{file: file, meta: m, seen: make([]bool, m.pages)}
	c.seen[0], c.seen[1] = true, true
	if err := c.freelist(); err != nil {
		return "", err
	}
	if err := c.tree(m.root, nil, nil, 0); err != nil {
		return "", err
	}
	for id, seen := range c.seen {
		if !seen {
			return "", fmt.Errorf("page %d is neither used nor free", id)
		}
	}
	return warning, nil
}

// pageChecker walks the file by reading it, not by mapping it: a file that is
// shorter than its header claims must be an error and not a signal to the process.
type pageChecker struct {
	file io.ReaderAt
	meta meta
	seen []bool               // by page; a second visit is an error, so that every walk ends
	bufs [maxDepth + 1][]byte // one a level, used again by the next page of the level
}

// page reads a page with its overflow and marks it as used.
func (c *pageChecker) page(id uint64, level int) ([]byte, error) {
	if id < 2 || id >= c.meta.pages {
		return nil, fmt.Errorf("page %d does not exist", id)
	}
	if level > maxDepth {
		return nil, fmt.Errorf("the tree above page %d is too deep", id)
	}
	var head [pageHeader]byte
	at := int64(id * c.meta.pageSize)
	if _, err := c.file.ReadAt(head[:], at); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	overflow := uint64(order.Uint32(head[12:]))
	if order.Uint64(head[:]) != id || overflow >= c.meta.pages-id {
		return nil, fmt.Errorf("page %d has a broken header", id)
	}
	for i := id; i <= id+overflow; i++ {
		if err := c.mark(i); err != nil {
			return nil, err
		}
	}
	size := int((overflow + 1) * c.meta.pageSize)
	if cap(c.bufs[level]) < size {
		c.bufs[level] = make([]byte, size)
	}
	b := c.bufs[level][:size]
	if _, err := c.file.ReadAt(b, at); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	return b, nil
}

// mark notes that a page is used or free; it can be only one of both, once.
func (c *pageChecker) mark(id uint64) error {
	if id < 2 || id >= c.meta.pages || c.seen[id] {
		return fmt.Errorf("page %d is used twice or does not exist", id)
	}
	c.seen[id] = true
	return nil
}

// freelist marks the free pages. One that is in use as well would be overwritten
// by the next transaction.
func (c *pageChecker) freelist() error {
	b, err := c.page(c.meta.freelist, 0)
	if err != nil {
		return err
	}
	if order.Uint16(b[8:]) != flagFreelist {
		return fmt.Errorf("page %d is not the list of free pages", c.meta.freelist)
	}
	ids, count := b[pageHeader:], uint64(order.Uint16(b[10:]))
	if count == 0xFFFF { // too many for the header
		count, ids = order.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids)/8) {
		return fmt.Errorf("the list of free pages is cut off")
	}
	before := uint64(0)
	for ; count > 0; count, ids = count-1, ids[8:] {
		id := order.Uint64(ids)
		if id <= before {
			return fmt.Errorf("the list of free pages is not in order")
		}
		if err := c.mark(id); err != nil {
			return err
		}
		before = id
	}
	return nil
}

// tree checks the page and all below it. Its keys must be at least min and
// below max; nil means no bound.
func (c *pageChecker) tree(id uint64, min, max []byte, level int) error {
	b, err := c.page(id, level)
	if err != nil {
		return err
	}
	elements, err := c.elements(b, id, min, max)
	if err != nil {
		return err
	}
	for i, e := range elements {
		if e.value == nil {
			upper := max
			if i+1 < len(elements) {
				upper = elements[i+1].key
			}
			if err := c.tree(e.child, e.key, upper, level+1); err != nil {
				return err
			}
			continue
		}
		if !e.bucket {
			continue
		}
		if err := c.bucket(e.value, id, level); err != nil {
			return err
		}
	}
	return nil
}

// bucket checks a bucket by the value that its parent keeps for it. A small
// bucket without buckets of its own is within that value.
func (c *pageChecker) bucket(value []byte, parent uint64, level int) error {
	if len(value) < bucketHeader {
		return fmt.Errorf("a bucket in page %d is cut off", parent)
	}
	if root := order.Uint64(value); root != 0 {
		return c.tree(root, nil, nil, level+1)
	}
	inline := value[bucketHeader:]
	if len(inline) < pageHeader || order.Uint64(inline) != 0 || order.Uint16(inline[8:]) != flagLeaf {
		return fmt.Errorf("an inline bucket in page %d is broken", parent)
	}
	elements, err := c.elements(inline, parent, nil, nil)
	for _, e := range elements {
		if e.bucket {
			return fmt.Errorf("an inline bucket in page %d holds a bucket", parent)
		}
	}
	return err
}
