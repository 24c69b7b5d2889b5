package kv

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/database"
)

type note struct {
	Text string `json:"text"`
}

func notes[K int | string](t *testing.T) Bucket[K, note] {
	t.Helper()
	return Bucket[K, note]{DB: database.New(t), Name: "notes", What: "the notes"}
}

func (b Bucket[K, V]) all(t *testing.T) (lines []string) {
	t.Helper()
	if err := b.Each(func(key K, value V) { lines = append(lines, fmt.Sprint(key, value)) }); err != nil {
		t.Fatal(err)
	}
	return lines
}

func (b Bucket[K, V]) raw(t *testing.T, key, value string) {
	t.Helper()
	if err := b.update(func(bucket *bbolt.Bucket) error { return bucket.Put([]byte(key), []byte(value)) }); err != nil {
		t.Fatal(err)
	}
}

func TestBucket(t *testing.T) {
	// Ensure that values come back by their keys and in the order of their numbers, that a bucket that was never written is empty, and that what is deleted is gone.
	b := notes[int](t)
	if _, found, err := b.Get(1); found || err != nil || len(b.all(t)) != 0 {
		t.Fatalf("before the first value: %v, %v", found, err)
	}
	for _, n := range []int{300, 2, 70_000} {
		if err := b.Put(n, note{fmt.Sprint("of ", n)}); err != nil {
			t.Fatal(err)
		}
	}
	if got, found, err := b.Get(300); !found || err != nil || got.Text != "of 300" {
		t.Errorf("%v %v, %v", got, found, err)
	}
	if got := b.all(t); !slices.Equal(got, []string{"2 {of 2}", "300 {of 300}", "70000 {of 70000}"}) {
		t.Errorf("all are %q", got)
	}
	if err := errors.Join(b.Delete(300), b.Delete(4)); err != nil {
		t.Fatal(err)
	}
	if got := b.all(t); !slices.Equal(got, []string{"2 {of 2}", "70000 {of 70000}"}) {
		t.Errorf("left are %q", got)
	}
	if err := b.Retain(func(n int, _ note) bool { return n > 2 }); err != nil || len(b.all(t)) != 1 {
		t.Errorf("retained %q, %v", b.all(t), err)
	}
}

func TestFormat(t *testing.T) {
	// Ensure that keys and values are on the disk what they were before there was this package: numbers as 8 bytes, big endian, and values as encoding/json writes them.
	b := notes[int](t)
	if err := b.Put(258, note{"<a>"}); err != nil {
		t.Fatal(err)
	}
	s := Bucket[string, note](b)
	if got := s.all(t); !slices.Equal(got, []string{"\x00\x00\x00\x00\x00\x00\x01\x02{<a>}"}) {
		t.Errorf("the keys are %q", got)
	}
	err := b.update(func(bucket *bbolt.Bucket) error {
		if got := string(bucket.Get(Int(258))); got != `{"text":"\u003ca\u003e"}` {
			t.Errorf("the value is %s", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnreadable(t *testing.T) {
	// Ensure that a value that cannot be read is an error for who asks for it, the zero value among all, and deleted by Retain, as is a key of another kind.
	b := notes[int](t)
	for key, value := range map[string]string{string(Int(1)): `{"text":"good"}`, string(Int(2)): `{"text":1}`, string(Int(3)): `{"texts":"of another version"}`, "short": `{"text":"a"}`} {
		b.raw(t, key, value)
	}
	if _, found, err := b.Get(2); found || !fault.Is(err, fault.StorageUnavailable) || !strings.HasPrefix(err.Error(), "storage_unavailable: the notes cannot be read: ") {
		t.Errorf("%v, %v", found, err)
	}
	b.Open = true
	if got, found, err := b.Get(3); !found || err != nil || got.Text != "" {
		t.Errorf("of another version: %v %v, %v", got, found, err)
	}
	if _, _, err := b.Get(2); !errors.Is(err, ErrUnreadable) {
		t.Errorf("of another type: %v", err)
	}
	b.Open = false
	if got := b.all(t); !slices.Equal(got, []string{"1 {good}", "2 {}", "3 {}"}) {
		t.Errorf("all are %q", got)
	}
	if err := b.Retain(func(int, note) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if got := Bucket[string, note](b).all(t); len(got) != 1 {
		t.Errorf("retained %q", got)
	}
}

func TestUnavailable(t *testing.T) {
	// Ensure that a database that fails is storage_unavailable with the name of what it holds, and that a fault from within a transaction stays what it is and undoes the changes.
	b := notes[string](t)
	err := b.db().Update(func(tx *bbolt.Tx) error {
		if _, err := tx.CreateBucket([]byte(b.Name)); err != nil {
			return err
		}
		return fault.New(fault.TaskLimitReached, "full")
	})
	if !fault.Is(err, fault.TaskLimitReached) || len(b.all(t)) != 0 {
		t.Errorf("%v, %q", err, b.all(t))
	}
	if err := b.DB.Close(); err != nil {
		t.Fatal(err)
	}
	for verb, err := range map[string]error{"stored": b.Put("a", note{}), "read": b.Each(func(string, note) {})} {
		if want := "storage_unavailable: the notes cannot be " + verb + ": database not open"; err == nil || err.Error() != want || !fault.Is(err, fault.StorageUnavailable) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

func TestEntriesAndBuckets(t *testing.T) {
	// Ensure that only entries with the prefix are listed, and no buckets, that they may be deleted while they are, and that of the buckets to drop those that are missing do no harm.
	db := DB{database.New(t), "it"}
	err := db.Update(func(tx *bbolt.Tx) error {
		root, err := tx.CreateBucket([]byte("root"))
		for _, name := range []string{"ab1", "ab2", "b"} {
			_, failed := root.CreateBucket([]byte("ab" + name))
			err = errors.Join(err, failed, root.Put([]byte(name), []byte("x")))
		}
		for key := range Entries(root, []byte("ab")) {
			err = errors.Join(err, root.Delete(key))
		}
		var left []string
		for key, value := range Entries(root, nil) {
			left = append(left, string(key)+string(value))
		}
		if names := Buckets(root); !slices.Equal(left, []string{"bx"}) || len(names) != 3 {
			t.Errorf("left are %q and the buckets %q", left, names)
		}
		return err
	})
	if err := errors.Join(err, db.DropBuckets([]byte("root"), "abab1", "other", "abb"), db.DropBuckets([]byte("root"))); err != nil {
		t.Fatal(err)
	}
	err = db.View(func(tx *bbolt.Tx) error {
		if names := Buckets(tx.Bucket([]byte("root"))); len(names) != 1 || string(names[0]) != "abab2" {
			t.Errorf("the buckets are %q", names)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWritesNothing(t *testing.T) {
	// Ensure that what changes nothing waits for no disk: buckets that are there, keys that are not, values that are all kept.
	bucket := notes[int](t)
	db := bucket.DB
	if err := bucket.Put(1, note{"one"}); err != nil {
		t.Fatal(err)
	}
	written := func() int64 {
		stats := db.Stats().TxStats
		return stats.GetWrite()
	}
	before := written()
	for name, work := range map[string]func() error{
		"create":              bucket.Create,
		"delete":              func() error { return bucket.Delete(2) },
		"retain":              func() error { return bucket.Retain(func(int, note) bool { return true }) },
		"another's delete":    func() error { return Bucket[int, note]{DB: db, Name: "none"}.Delete(1) },
		"another's retain":    func() error { return Bucket[int, note]{DB: db, Name: "none"}.Retain(nil) },
		"a change of nothing": func() error { return DB{Bolt: db}.Change(func(*bbolt.Tx) (bool, error) { return false, nil }) },
	} {
		if err := work(); err != nil || written() != before {
			t.Errorf("%s: %v, %d writes", name, err, written()-before)
		}
	}
	if err := bucket.Retain(func(int, note) bool { return false }); err != nil || written() == before {
		t.Errorf("a value that is dropped: %v, %d writes", err, written()-before)
	}
	if _, found, err := bucket.Get(1); found || err != nil {
		t.Errorf("it is there: %v, %v", found, err)
	}
}
