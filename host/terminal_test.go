package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// hostile are texts of strangers that a terminal would obey.
var hostile = map[string]string{
	"clear the screen":   "a\x1b[2J\x1b[Hb",
	"set the title":      "a\x1b]0;root@bank\ab",
	"C1":                 "a\u009b2J\u0085\u0090b",
	"delete, backspace":  "a\x7f\b\b\rb\x00",
	"bidi embedding":     "a\u202eexe.txt\u202c\u202ab",
	"bidi isolate":       "a\u2066b\u2067c\u2068d\u2069",
	"bidi marks":         "a\u200eb\u200fc\u061cd",
	"zero width":         "a\u200bb\u2060c\ufeffd",
	"tags":               "a\U000e0041\U000e007fb",
	"after a backslash":  "a\\\x7f\\\\\u009bb",
	"beside other signs": "日本\x1b[1m𝄞é",
}

// obeyed returns the first character in the text that may steer a terminal.
func obeyed(text string) (rune, bool) {
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
		case r < 0x20, 0x7f <= r && r <= 0x9f, strings.ContainsRune("\u061c\u200b\u200e\u200f\u2060\ufeff", r),
			0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069, 0xe0000 <= r && r <= 0xe007f:
			return r, true
		}
	}
	return 0, false
}

func TestTerminal(t *testing.T) {
	// Ensure that no character of a stranger's text steers the terminal, that JSON stays valid and decodes to the same strings, and that it does not matter how the text is cut into writes.
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			var line bytes.Buffer
			a := &app{stdout: &terminal{out: &line}, json: true}
			a.printJSON(map[string]string{text: text})
			var got map[string]string
			if err := json.Unmarshal(line.Bytes(), &got); err != nil {
				t.Fatalf("%q: %v", line.String(), err)
			}
			if diff := cmp.Diff(map[string]string{text: text}, got); diff != "" {
				t.Error(diff)
			}
			var whole, cut bytes.Buffer
			if n, err := (&terminal{out: &whole}).Write([]byte(text)); n != len(text) || err != nil {
				t.Fatalf("%d of %d bytes, %v", n, len(text), err)
			}
			pieces := &terminal{out: &cut}
			for i := range len(text) {
				if _, err := pieces.Write([]byte{text[i]}); err != nil {
					t.Fatal(err)
				}
			}
			if cut.String() != whole.String() {
				t.Errorf("%q at once, %q in pieces", whole.String(), cut.String())
			}
			for _, out := range []string{line.String(), whole.String()} {
				if r, bad := obeyed(out); bad {
					t.Errorf("%U is in %q", r, out)
				}
			}
		})
	}
	var raw bytes.Buffer
	if _, err := (&terminal{out: &raw}).Write([]byte("a\x9b2Jb\xff\n")); err != nil || raw.String() != `a\ufffd2Jb\ufffd`+"\n" {
		t.Errorf("bytes that are no text gave %q, %v", raw.String(), err)
	}
	var plain bytes.Buffer
	const harmless = "✓ naïve\t日本 𝄞 می\u200cخواهم \\u001b\n"
	if _, err := (&terminal{out: &plain}).Write([]byte(harmless)); err != nil || plain.String() != harmless {
		t.Errorf("harmless text became %q, %v", plain.String(), err)
	}
}

func TestPlain(t *testing.T) {
	// Ensure that what goes to a terminal as it is holds nothing that it may take for a command.
	for b := range 256 {
		if got, want := plain([]byte{byte(b)}) == 1, b < 0x80 && !commands(rune(b)); got != want {
			t.Errorf("%#x is plain: %v", b, got)
		}
	}
}

func TestCommandsWriteSafely(t *testing.T) {
	// Ensure that what a command prints, to both streams and for people too, goes through the terminal's guard.
	for _, asJSON := range []bool{false, true} {
		var out, errs bytes.Buffer
		args := []string{"validate", "none\x1b[2J\u202e"}
		if asJSON {
			args = append(args, "--json")
		}
		if code := runCommand(context.Background(), args, &out, &errs); code == 0 {
			t.Error("a file that is not there went well")
		}
		for _, text := range []string{out.String(), errs.String()} {
			if r, bad := obeyed(text); bad {
				t.Errorf("%U is in %q", r, text)
			}
		}
		if !strings.Contains(out.String()+errs.String(), `\u001b[2J`) {
			t.Errorf("nothing tells what was typed: %q, %q", out.String(), errs.String())
		}
	}
	for _, text := range hostile {
		raw, err := json.Marshal(map[string]string{"title": text})
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		a := &app{stdout: &terminal{out: &out}, stderr: &terminal{out: &errs}}
		if err := a.printEnvelope(dispatch.Envelope{OK: true, Output: raw}); err != nil {
			t.Fatal(err)
		}
		// The failure itself is exit status 1, which is looked at elsewhere.
		_ = a.printEnvelope(dispatch.Envelope{Error: fault.New(fault.TargetNotFound, "%s", text).With("title", text)})
		for _, printed := range []string{out.String(), errs.String()} {
			if r, bad := obeyed(printed); bad {
				t.Errorf("%U is in %q", r, printed)
			}
		}
	}
}

func TestShownEvidence(t *testing.T) {
	// Ensure that a person is not given all that a page may say in an error, and is told how to see it.
	var out bytes.Buffer
	a := &app{stdout: &out, stderr: &out}
	e := dispatch.Envelope{Error: fault.New(fault.PageToolFailed, "it failed").With("exception", strings.Repeat("é", 5000))}
	if err := a.printEnvelope(e); err == nil {
		t.Error("a failed call is no failure")
	}
	if text := out.String(); len(text) > 3*maxEvidence || !strings.Contains(text, "--json shows all") {
		t.Errorf("%d bytes: %.200s", len(text), text)
	}
	out.Reset()
	_ = a.printEnvelope(dispatch.Envelope{Error: fault.New(fault.PageToolFailed, "it failed").With("name", "pay")})
	if text := out.String(); !strings.Contains(text, `"name":"pay"`) || strings.Contains(text, "--json") {
		t.Errorf("%s", text)
	}
}
