package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// model is what a log should hold, as a list.
type model struct {
	records []Record // without times, data and hashes; retention may have removed the first ones
	written uint64   // the last number that was ever given
	calls   int
}

func (m *model) add(r Record) {
	m.written++
	r.Seq = m.written
	m.records = append(m.records, r)
}

// open lists the intents without an outcome, in order.
func (m *model) open() (open []Record) {
	for _, r := range m.records {
		switch r.Type {
		case TypeIntent:
			open = append(open, r)
		case TypeOutcome, TypeInterrupted:
			open = slices.DeleteFunc(open, func(o Record) bool { return o.CallID == r.CallID })
		}
	}
	return open
}

// reopened adds what a start writes.
func (m *model) reopened() {
	if len(m.records) > 0 && m.records[len(m.records)-1].Seq < m.written || len(m.records) == 0 && m.written > 0 {
		m.add(Record{Type: TypeRecovered})
	}
	for _, o := range m.open() {
		m.add(Record{Type: TypeInterrupted, CallID: o.CallID, Name: o.Name})
	}
}

// draw draws the next records of callers.
func (m *model) draw(t *rapid.T) (records []Record) {
	for range rapid.IntRange(1, 4).Draw(t, "records") {
		r := Record{Type: rapid.SampledFrom([]string{TypeIntent, TypeIntent, TypeOutcome, TypeLifecycle}).Draw(t, "type"), Name: "page.info"}
		switch open := m.open(); {
		case r.Type == TypeOutcome && len(open) > 0:
			r.CallID = rapid.SampledFrom(open).Draw(t, "call").CallID
		case r.Type != TypeLifecycle:
			m.calls++
			r.CallID = fmt.Sprint("c", m.calls)
		}
		m.add(r)
		r.Data = []byte(fmt.Sprintf(`{"text":"%0*d"}`, rapid.IntRange(1, 400).Draw(t, "size"), 0))
		records = append(records, r)
	}
	return records
}

// agree compares the log with the model, whose beginning retention may have removed, and
// drops that beginning.
func (m *model) agree(t *rapid.T, r *Reader) {
	report, err := r.Verify(context.Background())
	if err != nil || !report.OK || report.Doubt != "" {
		t.Fatalf("verify: %+v, %v", report, err)
	}
	got, err := r.Read(0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	removed := len(m.records) - len(got)
	if removed < 0 || removed > 0 && len(got) == 0 {
		t.Fatalf("the records are %v, want %v; %+v", numbers(got), numbers(m.records), report)
	}
	if open := m.open(); len(open) > 0 && slices.ContainsFunc(m.records[:removed], func(r Record) bool { return r.Seq >= open[0].Seq }) {
		t.Fatalf("retention has removed the intent %d, which is open", open[0].Seq)
	}
	m.records = m.records[removed:]
	for i, want := range m.records {
		if g := (Record{Seq: got[i].Seq, Type: got[i].Type, CallID: got[i].CallID, Name: got[i].Name}); g.Seq != want.Seq || g.Type != want.Type || g.CallID != want.CallID || g.Name != want.Name {
			t.Fatalf("the record is %+v, want %+v", g, want)
		}
	}
	intents, err := r.OpenIntents()
	if open := m.open(); err != nil || !slices.EqualFunc(intents, open, func(a, b Record) bool { return a.Seq == b.Seq && a.CallID == b.CallID }) {
		t.Fatalf("open are %+v, %v, want %+v", intents, err, open)
	}
}

func numbers(records []Record) (all []uint64) {
	for _, r := range records {
		all = append(all, r.Seq)
	}
	return all
}

func TestAgainstModel(t *testing.T) {
	// Ensure that whatever is committed and appended, over starts, kills, retention and ends that are cut off, the log holds the same as a list does: each record once under its own number, in order, open intents closed at the next start.
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		own, err := os.MkdirTemp(folder, "log")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(own, "journal.db")
		m := &model{}
		var j *Journal
		open := func() {
			if j, err = Open(path, Options{Retention: Retention{MaxBytes: 4 << 10}, noSync: true}); err != nil {
				t.Fatal(err)
			}
			m.reopened()
		}
		type copied struct {
			file    []byte
			records []Record
		}
		var older copied
		closed := func() {
			m.agree(t, &j.Reader)
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
		}
		file := func() []byte {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		replace := func(text []byte) {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		open()
		defer func() { j.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"commit": func(t *rapid.T) {
				if err := j.Commit(context.Background(), m.draw(t)...); err != nil {
					t.Fatal(err)
				}
			},
			"append": func(t *rapid.T) {
				for range rapid.IntRange(1, 3).Draw(t, "times") {
					if err := j.Append(context.Background(), m.draw(t)...); err != nil {
						t.Fatal(err)
					}
				}
				if err := j.Commit(context.Background()); err != nil {
					t.Fatal(err)
				}
			},
			"start again": func(*rapid.T) { closed(); open() },
			"copy": func(*rapid.T) {
				closed()
				older = copied{file(), slices.Clone(m.records)}
				open()
			},
			"cut": func(t *rapid.T) {
				if older.file == nil {
					t.Skip("there is no older file")
				}
				closed()
				replace(older.file)
				m.records = slices.Clone(older.records)
				open()
			},
			"": func(t *rapid.T) { m.agree(t, &j.Reader) },
		})
	})
}
