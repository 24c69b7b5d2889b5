package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Ensure that of 200 random flips of one bit none makes the host panic, and that
// each is noticed: the file is moved aside and all but one page of it goes on,
// Verify names a record, the new start says that a transaction may be missing, or
// all records are what they were.
func TestBitFlips(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "journal.db")
	j := openAt(t, path, Options{Retention: Retention{MaxBytes: 40 << 10}})
	for i := range 60 { // many transactions, so that there are free pages; retention leaves an anchor
		commit(t, j, Record{Type: TypeLifecycle, Data: sampleData}, Record{Type: TypeIntent, CallID: "open"},
			Record{Type: TypeLifecycle, Data: bytes.Repeat([]byte("1"), 50*(i+1))})
		if err := j.Append(context.Background(), Record{Type: TypeOutcome, CallID: "open"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := ReadFile(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	want := all(t, reader)
	if report := verified(t, reader); report.Removed == 0 {
		t.Error("retention removed nothing: the anchor is not tested")
	}
	reader.Close()

	noticed := map[string]int{}
	flips := 200
	if testing.Short() {
		flips = 50
	}
	for n := range flips {
		flipped := bytes.Clone(sound)
		bit := rand.IntN(8 * len(flipped))
		if n%4 == 0 { // the first pages hold what all else hangs on
			bit = rand.IntN(8 * 4 * os.Getpagesize())
		}
		flipped[bit/8] ^= 1 << (bit % 8)
		here := filepath.Join(folder, "flip", "journal.db")
		os.RemoveAll(filepath.Dir(here))
		if err := errors.Join(os.MkdirAll(filepath.Dir(here), 0o700), os.WriteFile(here, flipped, 0o600)); err != nil {
			t.Fatal(err)
		}
		how, err := afterFlip(here, want)
		if err != nil {
			t.Errorf("bit %d of byte %d: %v", bit%8, bit/8, err)
		}
		noticed[how]++
	}
	t.Logf("200 flips: %v", noticed)
}

func afterFlip(path string, want []Record) (string, error) {
	j, err := Open(path, Options{})
	if err != nil {
		return "", err
	}
	defer j.Close()
	report, err := j.Verify(context.Background())
	if err != nil {
		return "", err
	}
	if !report.OK {
		if report.Bad == 0 {
			return "", errors.New("the report names no sequence number")
		}
		return "named", nil
	}
	// What Open found is in the log.
	got, err := j.Read(0, len(want)+10)
	if err != nil || len(got) == 0 {
		return "", errors.Join(err, errors.New("no records"))
	}
	for _, r := range got {
		switch {
		case r.Type == TypeRecovered && strings.Contains(string(r.Data), "moved_to"):
			return "moved aside", afterMove(got, want)
		case r.Type == TypeRecovered:
			return "meta page", nil
		}
	}
	if !reflect.DeepEqual(got, want) {
		return "", errors.New("the records are different and nobody noticed")
	}
	// Writing on must not step on what was read: a page wrongly called free
	// would be overwritten now.
	for range 20 {
		if err := j.Commit(context.Background(), Record{Type: TypeLifecycle, Data: sampleData}); err != nil {
			return "", err
		}
	}
	if report, err := j.Verify(context.Background()); err != nil || !report.OK {
		return "", fmt.Errorf("damaged by later writing: %+v, %v", report, err)
	}
	return "harmless", nil
}

// afterMove reports whether the log lost more than what stood in one page.
func afterMove(got, want []Record) error {
	kept := map[string]bool{}
	for _, r := range got {
		kept[r.Hash] = true
	}
	lost := 0
	for _, r := range want {
		if !kept[r.Hash] {
			lost++
		}
	}
	if lost > os.Getpagesize()/100 { // a record takes more than that
		return fmt.Errorf("%d of %d records are lost", lost, len(want))
	}
	return nil
}

// Ensure no change to a file makes opening, reading or writing panic or hang,
// and that what the page check lets pass can be used.
func FuzzOpen(f *testing.F) {
	folder := f.TempDir()
	path := filepath.Join(folder, "journal.db")
	j := openAt(f, path, Options{})
	for range 30 {
		commit(f, j, Record{Type: TypeLifecycle, Data: sampleData}, Record{Type: TypeLifecycle, Data: sampleData})
	}
	if err := j.Close(); err != nil {
		f.Fatal(err)
	}
	sound, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), []byte{1}, uint32(0))
	f.Add(uint32(2*os.Getpagesize()+8), []byte{1, 0, 255, 255}, uint32(0))
	f.Add(uint32(3*os.Getpagesize()+16), []byte{255, 255, 255, 255}, uint32(100))
	f.Fuzz(func(t *testing.T, at uint32, patch []byte, cut uint32) {
		broken := bytes.Clone(sound)
		copy(broken[int(at)%len(broken):], patch)
		broken = broken[:len(broken)-int(cut)%len(broken)]
		here := filepath.Join(t.TempDir(), "journal.db")
		if err := os.WriteFile(here, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := Open(here, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		if _, err := j.Verify(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Read(0, 0); err != nil {
			t.Fatal(err)
		}
		if err := j.Commit(context.Background(), Record{Type: TypeLifecycle}); err != nil {
			t.Fatal(err)
		}
	})
}
