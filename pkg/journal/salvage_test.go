package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// broken is a log whose file the tests damage.
type broken struct {
	path    string
	records []Record
	text    []byte
}

// written makes a log of several pages, with an open intent and with what other
// packages keep in its file.
func written(t *testing.T, count int) *broken {
	t.Helper()
	b := &broken{path: filepath.Join(t.TempDir(), "journal.db")}
	j := openAt(t, b.path, Options{Retention: Retention{MaxBytes: -1}})
	for i := range count {
		r := Record{Type: TypeLifecycle, Name: fmt.Sprint("n", i+1), Data: sampleData}
		if i == 2 {
			r = Record{Type: TypeIntent, CallID: "open", Name: "pointer.click"}
		}
		commit(t, j, r)
	}
	err := j.Bolt().Update(func(tx *bbolt.Tx) error {
		grants, err := tx.CreateBucket([]byte("grants"))
		if err != nil {
			return err
		}
		for i := range 200 { // pages of its own
			if err := grants.Put(fmt.Appendf(nil, "grant%03d", i), bytes.Repeat([]byte("g"), 100)); err != nil {
				return err
			}
		}
		tasks, err := tx.CreateBucket([]byte("tasks"))
		if err != nil {
			return err
		}
		queue, err := tasks.CreateBucket([]byte("mcp:a"))
		if err != nil {
			return err
		}
		return errors.Join(queue.SetSequence(7), queue.Put([]byte("k"), []byte("v")), tasks.Put([]byte("browser_session"), []byte("s")))
	})
	if err != nil {
		t.Fatal(err)
	}
	b.records = all(t, &j.Reader)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if b.text, err = os.ReadFile(b.path); err != nil {
		t.Fatal(err)
	}
	return b
}

// pageOf returns where the page begins that holds a record.
func (b *broken) pageOf(t *testing.T, seq uint64) int {
	t.Helper()
	size := int64(os.Getpagesize())
	file := bytes.NewReader(b.text)
	metas := metasOf(file, int64(len(b.text)))
	c := pageChecker{file: file, meta: metas[0], seen: make([]bool, metas[0].pages)}
	for _, one := range carve(file, int64(len(b.text)), size)[seq] {
		if id := uint64(one.at / size); !slices.Contains(freePages(t, c), id) {
			return int(id) * int(size)
		}
	}
	t.Fatalf("record %d is nowhere", seq)
	return 0
}

func freePages(t *testing.T, c pageChecker) (ids []uint64) {
	t.Helper()
	if err := c.freelist(); err != nil {
		t.Fatal(err)
	}
	for id, seen := range c.seen {
		if seen {
			ids = append(ids, uint64(id))
		}
	}
	return ids
}

// damage writes the file with a change.
func (b *broken) damage(t *testing.T, change func([]byte) []byte) {
	t.Helper()
	if err := os.WriteFile(b.path, change(bytes.Clone(b.text)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func zero(from, length int) func([]byte) []byte {
	return func(text []byte) []byte {
		clear(text[from:min(from+length, len(text))])
		return text
	}
}

func cutAt(at int) func([]byte) []byte { return func(text []byte) []byte { return text[:at] } }

func TestBrokenLastPage(t *testing.T) {
	// Ensure that of a log whose last page is broken, or cut off, every record before it is read without a host and is in the log of the host's next start, with the grants and tasks beside it, that both say what is missing, that the broken file is kept, and that the log goes on.
	const count = 60
	page := os.Getpagesize()
	for name, change := range map[string]func(b *broken, at int) func([]byte) []byte{
		"zeros":     func(_ *broken, at int) func([]byte) []byte { return zero(at, page) },
		"no header": func(_ *broken, at int) func([]byte) []byte { return zero(at, 16) },
		"another page": func(b *broken, at int) func([]byte) []byte {
			return func(text []byte) []byte { copy(text[at:], text[3*page:4*page]); return text }
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := written(t, count)
			b.damage(t, change(b, b.pageOf(t, count)))
			check(t, b, count, func(d *Damage) bool {
				return len(d.Missing) == 1 && d.Missing[0][1] == count && d.Missing[0][0] > count-20 && len(d.Lost) == 0
			})
		})
	}
	t.Run("cut", func(t *testing.T) {
		// Of a file that ends too early the records are found that stand before its end.
		b := written(t, count)
		b.damage(t, cutAt(b.pageOf(t, count)))
		d := readBroken(t, b)
		if d.Kept < count-20 {
			t.Errorf("%d records were kept: %s", d.Kept, d)
		}
		j := openAt(t, b.path, Options{})
		verified(t, &j.Reader)
		commit(t, j, Record{Type: TypeLifecycle})
	})
}

// readBroken reads a broken file without a host and returns its damage.
func readBroken(t *testing.T, b *broken) *Damage {
	t.Helper()
	before, err := os.ReadFile(b.path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadFile(b.path, 0)
	if err != nil {
		t.Fatal(err)
	}
	d := r.Damage()
	if d == nil || !d.Broken() || d.Problem == "" || d.MovedTo != "" {
		t.Fatalf("the damage is %+v", d)
	}
	report, err := r.Verify(t.Context())
	if err != nil || report.OK || !strings.Contains(report.Problem, d.Problem) || report.Records != d.Kept {
		t.Errorf("verify: %+v, %v", report, err)
	}
	for _, got := range all(t, r) {
		if want := b.records[got.Seq-1]; got.Hash != want.Hash || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("record %d is not what it was", got.Seq)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(b.path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("reading changed the file: %v", err)
	}
	return d
}

// check reads a broken file, and opens it as a host does.
func check(t *testing.T, b *broken, count int, named func(*Damage) bool) {
	t.Helper()
	d := readBroken(t, b)
	if !named(d) {
		t.Errorf("read without a host: %s %v", d, d.Missing)
	}
	broken, err := os.ReadFile(b.path)
	if err != nil {
		t.Fatal(err)
	}
	j := openAt(t, b.path, Options{})
	records := all(t, &j.Reader)
	kept := map[uint64]Record{}
	for _, r := range records[:d.Kept] {
		kept[r.Seq] = r
	}
	for _, want := range b.records {
		missing := slices.ContainsFunc(d.Missing, func(run [2]uint64) bool { return run[0] <= want.Seq && want.Seq <= run[1] })
		if got := kept[want.Seq]; missing == (got.Hash == want.Hash) {
			t.Errorf("record %d is missing: %t, and in the log: %t", want.Seq, missing, got.Hash == want.Hash)
		}
	}
	var said Damage
	recovered := records[d.Kept]
	if err := json.Unmarshal(recovered.Data, &said); err != nil || recovered.Type != TypeRecovered || !named(&said) || said.Kept != d.Kept {
		t.Errorf("the log says %s %s, %v", recovered.Type, recovered.Data, err)
	}
	if aside, err := os.ReadFile(filepath.Join(filepath.Dir(b.path), said.MovedTo)); err != nil || !bytes.Equal(aside, broken) {
		t.Errorf("the broken file is not kept: %v", err)
	}
	if open := records[len(records)-1]; open.Type != TypeInterrupted || open.CallID != "open" {
		t.Errorf("the open intent is not closed: %+v", open)
	}
	err = j.Bolt().View(func(tx *bbolt.Tx) error {
		grants, queue := tx.Bucket([]byte("grants")), tx.Bucket([]byte("tasks")).Bucket([]byte("mcp:a"))
		if n := grants.Stats().KeyN; n != 200 || len(grants.Get([]byte("grant199"))) != 100 {
			t.Errorf("%d grants are left", n)
		}
		if string(queue.Get([]byte("k"))) != "v" || queue.Sequence() != 7 {
			t.Errorf("the queue is not what it was: %s, %d", queue.Get([]byte("k")), queue.Sequence())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	commit(t, j, Record{Type: TypeLifecycle, Data: sampleData})
	report := verified(t, &j.Reader)
	if len(report.Recovered) != 1 || report.Recovered[0].Seq != recovered.Seq || report.Doubt != "" {
		t.Errorf("verify: %+v", report)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	again := openAt(t, b.path, Options{})
	if more := all(t, &again.Reader); len(more) != len(records)+1 || !reflect.DeepEqual(more[:len(records)], records) {
		t.Errorf("after another start: %d records", len(more))
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCarveNestedBuckets(t *testing.T) {
	// Ensure that a page of buckets within buckets, two over the same bytes at each level, is gone through a few times only; what a small bucket holds is found.
	stored, _ := seal(1, []byte(`"at":"2026-11-20T12:00:00Z","type":"lifecycle"}`), digest{})
	leaf := func(flag uint32, key, value []byte) []byte {
		page := make([]byte, pageHeader+2*elementSize)
		order.PutUint16(page[8:], flagLeaf)
		order.PutUint16(page[10:], 2)
		for i := range 2 {
			at := pageHeader + i*elementSize
			for j, n := range []int{int(flag), len(page) - at, len(key), len(value)} {
				order.PutUint32(page[at+4*j:], uint32(n))
			}
		}
		return slices.Concat(page, key, value)
	}
	bucket := func(page []byte) []byte {
		return leaf(flagBucket, nil, slices.Concat(make([]byte, bucketHeader), page))
	}
	small := leaf(0, seqKey(1), stored)
	for depth, want := range map[int]int{1: 1, 50: 0} {
		page := small
		for range depth {
			page = bucket(page)
		}
		if found := carve(bytes.NewReader(page), int64(len(page)), 4096); len(found[1]) != want {
			t.Errorf("%d buckets: found %v", depth, found)
		}
	}
}
