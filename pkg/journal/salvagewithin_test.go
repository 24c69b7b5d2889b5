package journal

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

func TestBrokenPageWithin(t *testing.T) {
	// Ensure that of a log with a broken page in the middle, in its tree or among the grants what stands before and after it is kept, and that the chain is sound but for a gap that is named.
	const count = 300
	b := written(t, count)
	t.Run("records", func(t *testing.T) {
		b := written(t, count)
		b.damage(t, zero(b.pageOf(t, 150), os.Getpagesize()))
		check(t, b, count, func(d *Damage) bool {
			return len(d.Missing) == 1 && d.Missing[0][0] <= 150 && 150 <= d.Missing[0][1] && d.Kept > count-40
		})
		j := openAt(t, b.path, Options{})
		report := verified(t, &j.Reader)
		if len(report.Gaps) != 1 || report.Gaps[0][0] > 150 || report.Gaps[0][1] < 150 {
			t.Errorf("verify: %+v", report)
		}
		// A change behind the gap is found all the same.
		err := j.Bolt().Update(func(tx *bbolt.Tx) error {
			value := bytes.Clone(tx.Bucket(bucketRecords).Get(seqKey(250)))
			return tx.Bucket(bucketRecords).Put(seqKey(250), bytes.Replace(value, []byte(`"n250"`), []byte(`"n251"`), 1))
		})
		if report, verr := j.Verify(t.Context()); err != nil || verr != nil || report.OK || report.Bad != 250 {
			t.Errorf("verify: %+v, %v, %v", report, err, verr)
		}
	})
	t.Run("the tree's root", func(t *testing.T) {
		m := metasOf(bytes.NewReader(b.text), int64(len(b.text)))[0]
		b.damage(t, zero(int(m.root)*os.Getpagesize(), os.Getpagesize()))
		d := readBroken(t, b)
		if d.Kept != count || len(d.Missing) != 0 {
			t.Errorf("%d records were kept: %s", d.Kept, d)
		}
	})
	t.Run("grants", func(t *testing.T) {
		at := bytes.Index(b.text, []byte("grant100"))
		b.damage(t, zero(at/os.Getpagesize()*os.Getpagesize(), os.Getpagesize()))
		d := readBroken(t, b)
		if d.Kept != count || !slices.Equal(d.Lost, []string{"a part of grants"}) {
			t.Errorf("%d records were kept: %s", d.Kept, d)
		}
	})
}

func TestBrokenTexts(t *testing.T) {
	// Ensure that where the last page keeps its form and its records are no longer what they were, a reader gets those in their places as damaged, verify names the first of them, and the next start says so, once.
	const count = 60
	for name, change := range map[string]func(page []byte){
		"half of it": func(page []byte) { clear(page[len(page)/2:]) },
		"a bit": func(page []byte) {
			at := bytes.Index(page, []byte(`"n60"`))
			page[at+2] ^= 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := written(t, count)
			at := b.pageOf(t, count)
			b.damage(t, func(text []byte) []byte { change(text[at : at+os.Getpagesize()]); return text })
			r, err := ReadFile(b.path, 0)
			if err != nil {
				t.Fatal(err)
			}
			report, err := r.Verify(t.Context())
			if err != nil || report.OK || report.Bad < count-20 {
				t.Errorf("verify: %+v, %v", report, err)
			}
			if got := all(t, r); len(got) != count || name != "a bit" && got[report.Bad-1].Type != TypeDamaged {
				t.Errorf("%d records, %d is %+v", len(got), report.Bad, got[report.Bad-1])
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				j := openAt(t, b.path, Options{})
				recovered := slices.DeleteFunc(all(t, &j.Reader), func(r Record) bool { return r.Type != TypeRecovered })
				if len(recovered) != 1 || !strings.Contains(string(recovered[0].Data), fmt.Sprint("record ", report.Bad)) {
					t.Errorf("the start says %+v", recovered)
				}
				commit(t, j, Record{Type: TypeLifecycle})
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
