package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// sound is the state of a host that has ended, whose copies are damaged.
type sound struct {
	files   map[string][]byte // of the state's folder, by name
	text    []byte            // of the database
	records map[uint64]journal.Record
	live    []int // where its pages of each kind begin
	free    []int
	meta    []int
}

func TestDamaged(t *testing.T) {
	// Ensure that a host whose database was damaged while none ran starts and answers, that each record is there as it was written or is named as missing, and that a log which is not whole says so.
	home := harness.NewHome(t)
	s := newSound(t, home)
	size := os.Getpagesize()
	for _, d := range []struct {
		name   string
		change func(text []byte) []byte
	}{
		{"bit flipped in a meta page", func(text []byte) []byte { return flip(text, s.meta[rand.IntN(2)], 80) }}, // the bytes that a meta page uses
		{"bit flipped in a live page", func(text []byte) []byte { return flip(text, pick(s.live), size) }},
		{"bit flipped in a free page", func(text []byte) []byte { return flip(text, pick(s.free), size) }},
		{"page zeroed", func(text []byte) []byte {
			at := pick(append(s.meta, s.live...))
			clear(text[at : at+size])
			return text
		}},
		{"file cut", func(text []byte) []byte { return text[:rand.IntN(len(text))] }},
	} {
		inject(t, "database: "+d.name, 4, 200, func(r *row) bool {
			return s.survives(t, r, home, d.change(bytes.Clone(s.text)))
		}).judge(t)
	}
}

func pick(pages []int) int { return pages[rand.IntN(len(pages))] }

func flip(text []byte, at, used int) []byte {
	text[at+rand.IntN(used)] ^= 1 << rand.IntN(8)
	return text
}

// newSound returns the state of a host that has made some calls and has ended.
func newSound(t *testing.T, home *harness.Home) *sound {
	t.Helper()
	l := harness.NewLedger()
	r := &row{name: "before the damage", limit: harness.Patience}
	p := home.Ready(t, &fakes.Browser{Page: page}, shop)
	c := home.Dial(t)
	for range 150 {
		if e, err := r.call(c, l, click(1)); err != nil || !e.OK {
			t.Fatal(err, e.Error)
		}
	}
	hangUp(t, p)
	s := &sound{files: map[string][]byte{}, records: map[uint64]journal.Record{}}
	for _, record := range home.Records(t) {
		s.records[record.Seq] = record
	}
	s.findPages(t, home.Database())
	names, err := filepath.Glob(filepath.Join(filepath.Dir(home.Database()), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s.files[filepath.Base(name)] = text
	}
	s.text = s.files[filepath.Base(home.Database())]
	return s
}

func (s *sound) findPages(t *testing.T, path string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, PreLoadFreelist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		for id := 0; ; id++ {
			page, err := tx.Page(id)
			if err != nil || page == nil {
				return err
			}
			at := id * db.Info().PageSize
			switch page.Type {
			case "meta":
				s.meta = append(s.meta, at)
			case "free":
				s.free = append(s.free, at)
			default:
				s.live = append(s.live, at)
				id += page.OverflowCount
			}
		}
	})
	if err != nil || len(s.meta) != 2 || len(s.live) == 0 || len(s.free) == 0 {
		t.Fatalf("pages: %d, %d, %d, %v", len(s.meta), len(s.live), len(s.free), err)
	}
}

// survives starts a host on a damaged database, has it answer, and reports whether the
// damage was found.
func (s *sound) survives(t *testing.T, r *row, home *harness.Home, text []byte) (reached bool) {
	l := harness.NewLedger()
	s.write(t, home, text)
	began := time.Now()
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop)
	r.goodCall(t, home, l, began)
	hangUp(t, p)
	saw(l, b.Calls())
	all, report, err := harness.ReadLog(home.Database())
	if err != nil {
		r.lost = append(r.lost, fmt.Sprintf("the log cannot be read: %v", err))
		return true
	}
	r.compare(l, all)
	s.compare(t, r, all, report)
	return !report.OK || report.Doubt != "" || len(report.Recovered) > 0
}

func (s *sound) write(t *testing.T, home *harness.Home, text []byte) {
	t.Helper()
	forget(t, home)
	state := filepath.Dir(home.Database())
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range s.files {
		if name == filepath.Base(home.Database()) {
			content = text
		}
		if err := os.WriteFile(filepath.Join(state, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// compare counts a record as lost that is gone, or is another one, and is neither named
// as missing nor stands where verifying finds the chain broken.
func (s *sound) compare(t *testing.T, r *row, all []journal.Record, report journal.Report) {
	kept := map[string]bool{}
	for _, record := range all {
		kept[record.Hash+string(record.Data)] = true
	}
	missing := report.Gaps
	for _, record := range report.Recovered {
		var found journal.Damage
		if err := json.Unmarshal(record.Data, &found); err != nil {
			t.Error(err)
		}
		missing = append(missing, found.Missing...)
	}
	for seq, want := range s.records {
		if kept[want.Hash+string(want.Data)] || !report.OK && report.Bad <= seq {
			continue
		}
		if !slices.ContainsFunc(missing, func(run [2]uint64) bool { return run[0] <= seq && seq <= run[1] }) {
			r.lost = append(r.lost, fmt.Sprintf("record %d is gone and not named: %+v", seq, report))
		}
	}
}
