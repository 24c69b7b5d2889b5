package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// regions returns the pages of a file by what they are for.
func regions(t *testing.T, text []byte) map[string][]int {
	t.Helper()
	size := os.Getpagesize()
	file := bytes.NewReader(text)
	m := metasOf(file, int64(len(text)))[0]
	c := pageChecker{file: file, meta: m, seen: make([]bool, m.pages)}
	free := freePages(t, c)
	found := map[string][]int{}
	for id := range int(m.pages) {
		kind := "overflow"
		switch flags := order.Uint16(text[id*size+8:]); {
		case id == int(m.txid%2):
			kind = "meta"
		case id < 2:
			kind = "older meta"
		case slices.Contains(free, uint64(id)) && id != int(m.freelist):
			kind = "free"
		case order.Uint64(text[id*size:]) != uint64(id):
		case flags == flagFreelist:
			kind = "free list"
		case flags == flagBranch:
			kind = "branch"
		case flags == flagLeaf && bytes.Contains(text[id*size:(id+1)*size], []byte(`{"seq":`)):
			kind = "records"
		case flags == flagLeaf:
			kind = "other leaf"
		}
		found[kind] = append(found[kind], id*size)
	}
	return found
}

// damages change a page, of which the first so many bytes are used.
var damages = map[string]func(text []byte, at, used int) []byte{
	"bit": func(text []byte, at, used int) []byte {
		text[at+rand.IntN(used)] ^= 1 << rand.IntN(8)
		return text
	},
	"zeroed": func(text []byte, at, _ int) []byte { clear(text[at : at+os.Getpagesize()]); return text },
	"half": func(text []byte, at, _ int) []byte {
		clear(text[at+os.Getpagesize()/2 : at+os.Getpagesize()])
		return text
	},
	"cut": func(text []byte, at, _ int) []byte { return text[:at+rand.IntN(os.Getpagesize())] },
}

// reach counts what the damages of one kind did.
type reach struct{ tried, reached, aside, lost int }

func TestDamageTable(t *testing.T) {
	// Ensure that whatever is broken in a file, the host starts with a sound log, each acknowledged record is in it as it was written or is named as missing, and what was reached is told; and that what reaches the live pages does, where it is not in their unused bytes.
	b := written(t, 400)
	times := 10
	if testing.Short() {
		times = 3
	}
	table := map[string]*reach{}
	var rows []string
	for region, pages := range regions(t, b.text) {
		for kind, change := range damages {
			row := fmt.Sprintf("%-10s %-6s", region, kind)
			rows, table[row] = append(rows, row), &reach{}
			for range times {
				used := os.Getpagesize()
				if strings.HasSuffix(region, "meta") {
					used = pageHeader + metaSize
				}
				text := change(bytes.Clone(b.text), pages[rand.IntN(len(pages))], used)
				if err := b.survives(t, text, table[row]); err != nil {
					t.Errorf("%s: %v", row, err)
				}
			}
		}
	}
	slices.Sort(rows)
	for _, row := range rows {
		r := table[row]
		t.Logf("%s tried %d, reached %d, set aside %d, records lost at most %d", row, r.tried, r.reached, r.aside, r.lost)
		whole := strings.HasSuffix(row, "zeroed") && !strings.HasPrefix(row, "overflow")
		if free := strings.HasPrefix(row, "free  "); free && !strings.HasSuffix(row, "cut   ") && r.reached > 0 || !free && whole && r.reached < r.tried {
			t.Errorf("%s reached something %d times of %d", row, r.reached, r.tried)
		}
	}
}

// survives starts a host on a damaged file, three times.
func (b *broken) survives(t *testing.T, text []byte, r *reach) error {
	path := filepath.Join(t.TempDir(), "journal.db")
	put(t, path, text)
	put(t, checkpointPath(path), get(t, checkpointPath(b.path)))
	reached, missing := false, [][2]uint64{}
	for start := range 3 {
		j, err := Open(path, Options{checkDelay: time.Nanosecond})
		if err != nil {
			return err
		}
		<-j.checked
		found := j.Damage()
		if found != nil {
			reached, missing = true, append(missing, found.Missing...)
		}
		if found != nil && found.MovedTo != "" {
			r.aside++
		}
		if report, err := j.Verify(t.Context()); err != nil || start == 2 && (!report.OK || report.Doubt != "" || found != nil) {
			return fmt.Errorf("start %d: %+v, %v, %v", start, report, found, err)
		}
		if start == 2 {
			err = b.compare(all(t, &j.Reader), missing, reached, r)
		}
		if closed := j.Close(); err != nil || closed != nil {
			return fmt.Errorf("%v: %v", err, closed)
		}
	}
	r.tried++
	if reached {
		r.reached++
	}
	return nil
}

// compare fails for a record that is lost, or is another one, and is not named.
func (b *broken) compare(got []Record, missing [][2]uint64, reached bool, r *reach) error {
	kept := map[string]Record{}
	for _, record := range got {
		kept[record.Hash] = record
	}
	lost := 0
	for _, want := range b.records {
		if now, ok := kept[want.Hash]; ok && now.Name == want.Name && bytes.Equal(now.Data, want.Data) {
			continue
		}
		lost++
		if !slices.ContainsFunc(missing, func(run [2]uint64) bool { return run[0] <= want.Seq && want.Seq <= run[1] }) {
			return fmt.Errorf("record %d is lost and not named: reached %t, %v", want.Seq, reached, missing)
		}
	}
	r.lost = max(r.lost, lost)
	return nil
}
