package printable_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/printable"
)

func TestEscape(t *testing.T) {
	// Ensure that what nobody sees is written as an escape, and that the signs that scripts and emoji are written with stay where they belong.
	for text, want := range map[string]string{
		"Tea 3 < 4, é, 日本, 𝄞":    "Tea 3 < 4, é, 日本, 𝄞",
		"a\x1b[2J\x00\n\tb":      `a\u001b[2J\u0000\u000a\u0009b`,
		"\x7f\u0085\u2028\u2029": `\u007f\u0085\u2028\u2029`,
		"a\u202eb\u2066c\u200fd": `a\u202eb\u2066c\u200fd`,
		"a\u200bb\u2060c\ufeffd": `a\u200bb\u2060c\ufeffd`,
		"a\u2063b\u3164c\u115fd": `a\u2063b\u3164c\u115fd`,
		"x\U000e0041\U000e007f":  `x\udb40\udc41\udb40\udc7f`,
		"می\u200cخواهم":          "می\u200cخواهم",
		"👨\u200d👩\u200d👧":        "👨\u200d👩\u200d👧",
		"Donau\u00addampf":       "Donau\u00addampf",
		"a\u200cb\u200dc":        `a\u200cb\u200dc`,
		"م\u200c\u200d\u200cم":   `م\u200c\u200d\u200cم`,
		"a\u00ad\u00adb":         `a\u00ad\u00adb`,
		"❤\ufe0f 1\ufe0f":        "❤\ufe0f 1\ufe0f",
		"葛\U000e0100":            "葛\U000e0100",
		"😀\ufe0f\ufe01\ufe02":    "😀\ufe0f" + `\ufe01\ufe02`,
		"a\U000e0101b\ufe00":     `a\udb40\udd01b\ufe00`,
		"\u0600١":                "\u0600١",
		"a\xffb":                 "a\ufffdb",
	} {
		if got := printable.Escape(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if got := printable.EscapeLines("a\n\tb\r\u200b"); got != "a\n\tb"+`\u000d\u200b` {
		t.Errorf("lines are shown as %q", got)
	}
}

func FuzzEscape(f *testing.F) {
	for _, text := range []string{"a\u200bb", "\U000e0041", "\xef\xbf", "م\u200c\u200d", "\\\u007f"} {
		f.Add(text)
	}
	// Ensure that nothing that commands or hides is left, that it is shown once only, and that a program which decodes JSON gets the very text.
	f.Fuzz(func(t *testing.T, text string) {
		shown := printable.Escape(text)
		if at := strings.IndexFunc(shown, printable.Hidden); at >= 0 || !utf8.ValidString(shown) {
			t.Errorf("%q is shown as %q", text, shown)
		}
		if again := printable.Escape(shown); again != shown {
			t.Errorf("%q is shown as %q, and that as %q", text, shown, again)
		}
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var before, after string
		if err := json.Unmarshal(encoded, &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(printable.Escape(string(encoded))), &after); err != nil || before != after {
			t.Errorf("%q is decoded as %q, %v", before, after, err)
		}
	})
}
