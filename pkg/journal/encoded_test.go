package journal

import (
	"crypto/sha256"
	"encoding/json"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// decodedPage reads the records of an encoded page as a client does.
func decodedPage(t *testing.T, text []byte) (records []Record) {
	t.Helper()
	if err := jsonv2.Unmarshal(text, &records, jsonv2.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return records
}

func TestAppendScan(t *testing.T) {
	// Ensure that the text of a page holds the records that the page has, and goes on where that does: of any filter, from any record on, with records removed by retention and with such as need escapes.
	j := openTest(t, Options{Retention: Retention{MaxAge: -1}})
	start := callsOf(t, j)
	commit(t, j, mixed(600)...)
	commit(t, j, Record{SessionID: "a\"\\\n\u2028\x7f\u009b𝄞", Type: TypeClaim, CallID: "é", Name: "<b>", Data: json.RawMessage(`{"a":"\u2028\n"}`)}, Record{Type: TypeClaim})
	for name, f := range map[string]Filter{
		"all": {}, "failed": {Failed: true}, "session": {Session: "mcp:1"}, "site": {Origin: "shop.example.com"}, "since": {Since: start.Add(time.Minute)},
		"failed of a site": {Failed: true, Origin: "other.test"}, "none": {Session: "nobody"},
	} {
		for from, limit := uint64(0), 0; ; limit = 3*limit + 1 {
			want, err := j.Scan(t.Context(), f, from, limit)
			if err != nil {
				t.Fatal(err)
			}
			got, next, last, err := j.AppendScan(t.Context(), []byte("["), f, from, limit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Records, decodedPage(t, append(got, ']')), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s from %d: %s", name, from, diff)
			}
			if next != want.Next || last != want.Last {
				t.Errorf("%s from %d: on at %d of %d, not at %d of %d", name, from, next, last, want.Next, want.Last)
			}
			if from = want.Next; from == 0 {
				break
			}
		}
	}
}

func TestStoredOtherwise(t *testing.T) {
	// Ensure that a stored record that the writer would write in another way is given by what was understood of it, so that no reader refuses the page.
	const at = `"at":"2026-01-01T00:00:00Z"`
	for text, copied := range map[string]bool{
		`{"seq":7,` + at + `,"type":"claim"}`:                                    true,
		`{"seq":7,` + at + `,"type":"claim","data":{"a":1}}`:                     true,
		`{"seq":8,` + at + `,"type":"claim"}`:                                    false,
		`{"seq":07,` + at + `,"type":"claim"}`:                                   false,
		`{"seq":7,"at":"2026-01-01T0:00:00Z","type":"claim"}`:                    false,
		`{"seq":7,"at":"yesterday","type":"claim"}`:                              false,
		`{"seq":7,` + at + `,"type":"claim","type":"claim"}`:                     false,
		`{"seq":7,"type":"claim",` + at + `}`:                                    false,
		`{"seq":7,` + at + `,"type":"claim","more":"x"}`:                         false,
		`{"seq":7,` + at + `,"type":"claim","data":{"a":1},"data":{"a":1}}`:      false,
		`{"seq":7,` + at + `,"type":"claim","data":{"a":1},"hash":"x"}`:          false,
		`{"seq":7,` + at + `,"type":"claim","data":{"a":1`:                       false,
		`{"seq":7,` + at + `,"type":"claim","data":}`:                            false,
		`{"seq":7,` + at + `,"type":"claim"} {}`:                                 false,
		`{"seq":7,` + at + `,"type":"cla` + "\xff" + `im"}`:                      false,
		`{"seq":7,` + at + `,"type":"cla` + "\n" + `im"}`:                        false,
		`{"seq":7,` + at + `,"type":"cla\qim"}`:                                  false,
		`{"seq":7,` + at + `,"type":"claim","name":"\u0041"}`:                    false,
		`{"seq":7,` + strings.Replace(at, "Z", "+01:00", 1) + `,"type":"claim"}`: false,
		``:    false,
		`{`:   false,
		`nil`: false,
	} {
		key, value := seqKey(7), append(make([]byte, sha256.Size), text...)
		if got := asWritten(key, value); got != copied {
			t.Errorf("%s is copied: %v", text, got)
		}
		got := decodedPage(t, append(appendStored([]byte("["), key, value, digest{1}), ']'))
		for i := range got {
			got[i].At = got[i].At.UTC()
		}
		want := decode(key, value, digest{1})
		want.At = want.At.UTC()
		if diff := cmp.Diff([]Record{want}, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}
