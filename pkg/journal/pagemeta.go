package journal

import (
	"fmt"
	"hash/fnv"
	"io"
)

// meta is the content of a meta page.
type meta struct{ pageSize, root, freelist, pages, txid uint64 }

// readMeta returns the valid meta page of the later transaction, which is the one
// that bbolt takes. Transactions write the two in turn, so that a write cut
// short leaves the other one valid.
func readMeta(file io.ReaderAt, size int64) (m meta, warning string, err error) {
	metas := metasOf(file, size)
	switch {
	case len(metas) == 0:
		return meta{}, "", fmt.Errorf("both meta pages are invalid")
	case len(metas) == 1:
		return metas[0], "one of the two meta pages is invalid: the last transaction may be missing, or a part of it", nil
	case metas[0].txid-metas[1].txid != 1:
		return metas[0], fmt.Sprintf("the two meta pages are of the transactions %d and %d: what came between may be missing", metas[1].txid, metas[0].txid), nil
	}
	return metas[0], "", nil
}

// metasOf returns the valid meta pages, that of the later transaction first.
func metasOf(file io.ReaderAt, size int64) []meta {
	first, ok0 := metaAt(file, 0)
	// The second page's place follows from the page size, which a broken first
	// page does not say: then every size that bbolt supports is tried.
	second, ok1 := meta{}, false
	if ok0 {
		second, ok1 = metaAt(file, int64(first.pageSize))
	}
	for at := int64(1024); !ok0 && !ok1 && at <= 1<<24 && at < size; at *= 2 {
		second, ok1 = metaAt(file, at)
	}
	switch {
	case ok0 && ok1 && second.txid > first.txid:
		return []meta{second, first}
	case ok0 && ok1:
		return []meta{first, second}
	case ok0:
		return []meta{first}
	case ok1:
		return []meta{second}
	}
	return nil
}

// metaAt reads a meta page: magic u32, version u32, page size u32, flags u32,
// root bucket (page u64, sequence u64), free list u64, number of pages u64,
// transaction u64, FNV-1a of all that u64.
func metaAt(file io.ReaderAt, at int64) (meta, bool) {
	page := make([]byte, pageHeader+metaSize)
	if _, err := file.ReadAt(page, at); err != nil {
		return meta{}, false
	}
	b := page[pageHeader:]
	sum := fnv.New64a()
	sum.Write(b[:metaSize-8])
	if order.Uint32(b) != boltMagic || order.Uint32(b[4:]) != boltVersion || order.Uint64(b[56:]) != sum.Sum64() {
		return meta{}, false
	}
	m := meta{
		pageSize: uint64(order.Uint32(b[8:])),
		root:     order.Uint64(b[16:]), freelist: order.Uint64(b[32:]), pages: order.Uint64(b[40:]), txid: order.Uint64(b[48:]),
	}
	// A size beyond what bbolt supports has a valid sum only by intent.
	return m, m.pageSize >= 1024 && m.pageSize <= 1<<24
}
