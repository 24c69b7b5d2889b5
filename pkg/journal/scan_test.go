package journal

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// day is when the records of these tests begin.
var day = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// mixed are records of several sessions, sites, tabs and kinds, a minute apart;
// in their middle the clock goes back by an hour.
func mixed(n int) []Record {
	records := make([]Record, n)
	for i := range records {
		at := day.Add(time.Duration(i) * time.Minute)
		if i > n/2 {
			at = at.Add(-time.Hour)
		}
		session := fmt.Sprintf("mcp:%d", i/300)
		if i%7 == 0 {
			session = "cli"
		}
		records[i] = Record{
			At: at, SessionID: session, Type: TypeOutcome, CallID: fmt.Sprintf("call_%d", i), Name: []string{"locator.click", "text.insert", "actions.site"}[i%3],
			Data: json.RawMessage(fmt.Sprintf(`{"ok":true,"action":"tea.order","tab_id":%d,"url":"https://%s/a?b=%d"}`, i%4+1, []string{"example.com", "shop.example.com", "example.com:8443", "other.test"}[i%4], i)),
		}
	}
	return records
}

// scanned reads all that a filter means, in pages.
func scanned(t testing.TB, r *Reader, f Filter, limit int) (seqs []uint64) {
	t.Helper()
	for from := uint64(1); from != 0; {
		page, err := r.Scan(t.Context(), f, from, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range page.Records {
			seqs = append(seqs, record.Seq)
		}
		from = page.Next
	}
	return seqs
}

// Ensure that Scan gives exactly the records that the filter means, whatever the
// index says of runs of them, with a clock that went back, with records removed
// and without any index; that Start agrees with it; and that Verify knows the index.
func TestScan(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 600 // still more than two blocks of the index
	}
	path := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, path, Options{Retention: Retention{MaxAge: -1, MaxBytes: -1}})
	for _, r := range mixed(n) {
		if err := j.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, j)
	everything := all(t, &j.Reader)
	check := func(t *testing.T, kept []Record) {
		for _, f := range filters() {
			m, err := newMatcher(f)
			if err != nil {
				t.Fatal(err)
			}
			var want []uint64
			for _, r := range kept {
				if meant(m, r) {
					want = append(want, r.Seq)
				}
			}
			for _, limit := range []int{0, 7} {
				if diff := cmp.Diff(want, scanned(t, &j.Reader, f, limit)); diff != "" {
					t.Fatalf("%+v: %s", f, diff)
				}
			}
			for _, count := range []int{1, 10, n * 2} {
				start := uint64(0)
				if len(want) > 0 {
					start = want[max(0, len(want)-count)]
				}
				if got, err := j.Start(t.Context(), f, count); err != nil || got != start {
					t.Fatalf("%+v: the newest %d begin at %d, not %d (%v)", f, count, got, start, err)
				}
			}
		}
		verified(t, &j.Reader)
	}
	t.Run("whole", func(t *testing.T) { check(t, everything) })
	t.Run("an index partly broken", func(t *testing.T) {
		if err := j.db.Update(func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketBlocks).Put(seqKey(3), []byte("no summary"))
		}); err != nil {
			t.Fatal(err)
		}
		check(t, everything)
	})
	t.Run("no index", func(t *testing.T) {
		if err := j.db.Update(func(tx *bbolt.Tx) error { return tx.DeleteBucket(bucketBlocks) }); err != nil {
			t.Fatal(err)
		}
		check(t, everything)
	})
}

// Ensure that retention takes the index along and Scan finds what is kept.
func TestScanAfterRetention(t *testing.T) {
	j := openTest(t, Options{Retention: Retention{MaxAge: -1, MaxBytes: 256 << 10}})
	for range 60 {
		commit(t, j, mixed(100)...)
	}
	j.stopWriter(t)
	report := pruned(t, j)
	if report.Removed == 0 {
		t.Fatal("nothing was removed")
	}
	seqs := scanned(t, &j.Reader, Filter{Session: "cli"}, 0)
	if len(seqs) == 0 || seqs[0] <= report.Removed {
		t.Errorf("the records %v after %d were removed", seqs, report.Removed)
	}
	if err := j.db.View(func(tx *bbolt.Tx) error {
		key, _ := tx.Bucket(bucketBlocks).Cursor().First()
		if string(key) != string(seqKey(blockOf(report.Removed+1))) {
			t.Errorf("the first summary is %x, the first record %d", key, report.First)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// Ensure that Verify names the run whose summary would hide records.
func TestVerifyBlocks(t *testing.T) {
	j := openTest(t, Options{})
	commit(t, j, mixed(600)...)
	verified(t, &j.Reader)
	if err := j.db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketBlocks).Put(seqKey(1), tx.Bucket(bucketBlocks).Get(seqKey(0)))
	}); err != nil {
		t.Fatal(err)
	}
	if report, err := j.Verify(t.Context()); err != nil || report.OK || report.Bad != 2*blockSize-1 {
		t.Errorf("report %+v, %v", report, err)
	}
}

func filters() []Filter {
	at := func(minutes int) time.Time { return day.Add(time.Duration(minutes) * time.Minute) }
	return []Filter{
		{}, {Since: at(1900)}, {Since: at(900), Until: at(1100)}, {Until: at(5)}, {Since: at(1 << 20)}, {Until: day},
		{Session: "cli"}, {Session: "mcp:3"}, {Session: "mcp"}, {Session: "mcp:4", Since: at(1300)},
		{Types: []string{TypeOutcome}}, {Types: []string{TypeIntent, TypeClaim}}, {Name: "locator.*"}, {Name: "tea.ord??"}, {Name: "actions.site", TabID: 2},
		{CallID: "call_77"}, {TabID: 3}, {Origin: "example.com"}, {Origin: "shop.example.com"}, {Origin: "EXAMPLE.com:8443"}, {Origin: "https://example.com"},
		{Origin: "https://*.example.com"}, {Origin: "nowhere.test"}, {Origin: "ample.com"},
	}
}

// meant is the filter in its plainest form.
func meant(m *matcher, r Record) bool {
	var data struct {
		Action string `json:"action"`
		TabID  int    `json:"tab_id"`
		URL    string `json:"url"`
	}
	if json.Unmarshal(r.Data, &data) != nil {
		return false
	}
	f := m.Filter
	return (f.Since.IsZero() || !r.At.Before(f.Since)) && (f.Until.IsZero() || r.At.Before(f.Until)) &&
		(f.Session == "" || r.SessionID == f.Session) && (len(f.Types) == 0 || strings.Contains(strings.Join(f.Types, " "), r.Type)) &&
		(f.Name == "" || m.matchesName(r.Name) || m.matchesName(data.Action)) && (f.CallID == "" || r.CallID == f.CallID) &&
		(f.TabID == 0 || data.TabID == f.TabID) && (f.Origin == "" || m.matchesOrigin(data.URL))
}

func TestFilterRefusals(t *testing.T) {
	// Ensure that a filter which cannot mean anything is refused with what is accepted.
	for name, f := range map[string]Filter{
		"type": {Types: []string{"outcomes"}}, "glob": {Name: "a[b"}, "tab": {TabID: -1},
		"path": {Origin: "example.com/x"}, "scheme": {Origin: "ftp://example.com"}, "words": {Origin: "two words"}, "port": {Origin: "a:b"},
	} {
		err := f.Check()
		if f := fault.From(err); f == nil || f.Code != fault.InvalidArguments || !strings.ContainsAny(f.NextStep, ".,") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := (&Reader{}).Scan(t.Context(), f, 0, 0); err == nil {
			t.Errorf("%s is scanned for", name)
		}
	}
}

func TestSessionIDs(t *testing.T) {
	// Ensure that every session of the log is named, those of the last run too.
	j := openTest(t, Options{})
	commit(t, j, mixed(700)...)
	ids, err := j.SessionIDs(t.Context())
	if diff := cmp.Diff([]string{"cli", "mcp:0", "mcp:1", "mcp:2"}, ids); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// Ensure that a record and its head are read as any JSON decoder reads them, however
// odd their texts are, and that no bytes make the reading panic.
func FuzzPeek(f *testing.F) {
	f.Add("cli", "outcome", "a\"b\\", "locator.click", []byte(`{"seq":1,"at":"2026-01-01T00:00:00Z","type":"x"}`))
	f.Add("", "x", "\n\x00", "\"", []byte(`{"seq":1,"at":"`))
	f.Fuzz(func(t *testing.T, session, kind, call, name string, garbage []byte) {
		if value := append(make([]byte, 32), garbage...); asWritten(seqKey(1), value) {
			if diff := cmp.Diff([]Record{decode(seqKey(1), value, digest{})}, decodedPage(t, append(appendStored([]byte("["), seqKey(1), value, digest{}), ']'))); diff != "" {
				t.Fatal(diff)
			}
		}
		var other Record
		if err := json.Unmarshal(garbage, &other); err == nil {
			got := decode(nil, append(make([]byte, 32), garbage...), digest{})
			got.Seq, got.Prev, got.Hash, other.Prev, other.Hash = other.Seq, "", "", "", ""
			if diff := cmp.Diff(other, got); diff != "" && got.Type != TypeDamaged {
				t.Fatalf("%s is read as\n%s", garbage, diff)
			}
		}
		r := Record{At: time.Unix(rand.Int64N(1<<33), 0).UTC(), SessionID: session, Type: kind, CallID: call, Name: name, Data: json.RawMessage(`{"a":1}`)}
		tail, err := encodeTail(r)
		if err != nil {
			return
		}
		value, _ := seal(1, tail, digest{})
		h, ok := peek(value)
		var want Record
		if err := json.Unmarshal(value[len(digest{}):], &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Data, decode(seqKey(1), value, digest{}).Data); diff != "" {
			t.Fatal(diff)
		}
		if !ok || !h.at.Equal(want.At) || string(h.session) != want.SessionID || string(h.kind) != want.Type || string(h.callID) != want.CallID || string(h.name) != want.Name {
			t.Fatalf("%+v, %v of %s", h, ok, tail)
		}
	})
}

// Ensure that no filter makes the check or the matching panic, and that what the
// check accepts can be used.
func FuzzFilter(f *testing.F) {
	f.Add("outcome", "locator.*", "example.com")
	f.Add("", "a[", "https://*.x")
	f.Add("intent", "[^", "[::1]:80")
	records := mixed(4)
	f.Fuzz(func(t *testing.T, kind, name, place string) {
		filter := Filter{Name: name, Origin: place}
		if kind != "" {
			filter.Types = []string{kind}
		}
		m, err := newMatcher(filter)
		if err != nil {
			if !fault.Is(err, fault.InvalidArguments) {
				t.Fatal(err)
			}
			return
		}
		for i, r := range records {
			tail, err := encodeTail(r)
			if err != nil {
				t.Fatal(err)
			}
			value, _ := seal(uint64(i+1), tail, digest{})
			m.matchRecord(seqKey(uint64(i+1)), value)
		}
	})
}

// BenchmarkScan looks for parts of a log of 100,000 records.
func BenchmarkScan(b *testing.B) {
	const n = 100_000
	j := openTest(b, Options{Retention: Retention{MaxAge: -1, MaxBytes: -1}})
	records := mixed(n)
	for i := range records {
		records[i].Data = append(records[i].Data[:len(records[i].Data)-1], append([]byte(`,"output":`), append(sampleData, '}')...)...)
	}
	for start := 0; start < n; start += 1000 {
		commit(b, j, records[start:start+1000]...)
	}
	read := func(f Filter, from uint64) (count int) {
		for from != 0 {
			page, err := j.Scan(b.Context(), f, from, 0)
			if err != nil {
				b.Fatal(err)
			}
			count, from = count+len(page.Records), page.Next
		}
		return count
	}
	for _, bench := range []struct {
		name   string
		filter Filter
		newest int
	}{
		{"everything", Filter{}, 0},
		{"since", Filter{Since: records[n-1].At.Add(-time.Hour)}, 0},
		{"session", Filter{Session: "mcp:7"}, 0},
		{"limit", Filter{}, 50},
		{"limit of a session", Filter{Session: "mcp:7"}, 50},
		{"limit of a site", Filter{Origin: "shop.example.com"}, 50},
		{"site", Filter{Origin: "shop.example.com"}, 0},
		{"no site", Filter{Origin: "nowhere.test"}, 0},
	} {
		b.Run(bench.name, func(b *testing.B) {
			count := 0
			for b.Loop() {
				from := uint64(1)
				if bench.newest > 0 {
					var err error
					if from, err = j.Start(b.Context(), bench.filter, bench.newest); err != nil {
						b.Fatal(err)
					}
				}
				count = read(bench.filter, from)
			}
			b.ReportMetric(float64(count), "records")
		})
	}
}
