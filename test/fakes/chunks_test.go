package fakes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

func TestParts(t *testing.T) {
	// Ensure that the fake puts parts together as the extension does: both replay the same messages.
	paths, err := filepath.Glob("../../manifest/fixtures/parts/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	type refusal struct {
		ID   int    `json:"id"`
		Code string `json:"code"`
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var f struct {
				Why         string `json:"why"`
				MaxBytes    int    `json:"max_bytes"`
				MaxMessages int    `json:"max_messages"`
				Steps       []struct {
					Part    protocol.MessagePart `json:"part"`
					Message *string              `json:"message"`
					Refused []refusal            `json:"refused"`
				} `json:"steps"`
			}
			if err := strictjson.Decode(text, &f, strictjson.Limits{}); err != nil {
				t.Fatal(err)
			}
			parts := Chunks{MaxBytes: f.MaxBytes, MaxMessages: f.MaxMessages}
			for i, step := range f.Steps {
				message, whole, refused := parts.Add(step.Part)
				if whole != (step.Message != nil) || whole && message != *step.Message {
					t.Errorf("step %d gave %q, %v (%s)", i, message, whole, f.Why)
				}
				var got []refusal
				for _, r := range refused {
					got = append(got, refusal{r.ID, r.Error.Code})
				}
				if diff := cmp.Diff(step.Refused, got); diff != "" {
					t.Errorf("step %d (%s):\n%s", i, f.Why, diff)
				}
			}
		})
	}
}

func FuzzCutAndJoin(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","params":"\"\\ä€😀"}`, uint16(20), byte(1))
	f.Add("\x00\x1f\u2028", uint16(0), byte(2))
	f.Add(strings.Repeat(`"`, 9000), uint16(4000), byte(0))
	f.Add(strings.Repeat("\x01", 9000), uint16(4000), byte(0))
	// Ensure that any text arrives as it was, in frames within the limit, also between the parts of another.
	f.Fuzz(func(t *testing.T, text string, room uint16, other byte) {
		if text == "" || !utf8.ValidString(text) {
			return
		}
		limit := 160 + int(room)
		cut, second := nativemsg.Split(1, []byte(text), limit), nativemsg.Split(2, []byte(text+"!"), limit)
		parts := Chunks{MaxBytes: 1 << 20, MaxMessages: 2}
		var got []string
		add := func(frame []byte) {
			if len(frame) > limit {
				t.Fatalf("a frame of %d bytes, the limit is %d", len(frame), limit)
			}
			var part protocol.MessagePart
			if err := strictjson.Decode(frame, &part, strictjson.Limits{}); err != nil {
				t.Fatalf("%s: %v", frame, err)
			}
			message, whole, refused := parts.Add(part)
			if refused != nil {
				t.Fatalf("refused %+v", refused)
			}
			if whole {
				got = append(got, message)
			}
		}
		for i := 0; !cut.Done() || !second.Done(); i++ {
			next := cut
			if cut.Done() || !second.Done() && i%(int(other)+2) == 0 {
				next = second
			}
			add(next.Next())
		}
		if len(got) != 2 || got[0] != text && got[1] != text {
			t.Fatalf("%q arrived as %q", text, got)
		}
	})
}

func FuzzParts(f *testing.F) {
	seed, err := json.Marshal([]protocol.MessagePart{{ID: 1, Total: 2, Data: "a"}, {ID: 1, Index: 1, Total: 2, Data: "b"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	// Ensure that no run of parts holds more than the bounds, and that what is whole has all its parts.
	f.Fuzz(func(t *testing.T, text []byte) {
		var run []protocol.MessagePart
		if strictjson.Decode(text, &run, strictjson.Limits{}) != nil {
			return
		}
		parts := Chunks{MaxBytes: 10, MaxMessages: 2}
		for _, part := range run {
			message, whole, _ := parts.Add(part)
			held := 0
			for _, m := range parts.messages {
				held += m.bytes
			}
			if held != parts.bytes || held > 10 || len(parts.messages) > 2 || len(message) > 10 || whole && part.Index+1 != part.Total {
				t.Fatalf("after %+v: %d bytes of %d in %d messages, %q %v", part, held, parts.bytes, len(parts.messages), message, whole)
			}
		}
	})
}
