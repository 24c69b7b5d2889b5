package truncate

import (
	"testing"
	"unicode/utf8"
)

func TestCuts(t *testing.T) {
	// Ensure that a text which fits stays as it is, that a longer one is cut between characters within its limit, and that only Prefix is silent about it.
	for _, tt := range []struct {
		text                      string
		most                      int
		characters, bytes, prefix string
	}{
		{"", 0, "", "", ""},
		{"tea", 3, "tea", "tea", "tea"},
		{"teas", 3, "te…", "tea…", "tea"},
		{"Tür", 3, "Tür", "Tü…", "Tü"},
		{"Türe", 2, "T…", "T…", "T"},
		{"茶茶茶", 2, "茶…", "…", ""},
		{"茶", 0, "…", "…", ""},
	} {
		if c, b, p := Characters(tt.text, tt.most), Bytes(tt.text, tt.most), Prefix(tt.text, tt.most); c != tt.characters || b != tt.bytes || p != tt.prefix {
			t.Errorf("%q within %d: %q, %q, %q", tt.text, tt.most, c, b, p)
		}
	}
}

func FuzzCuts(f *testing.F) {
	// Ensure that no text, valid or not, is cut beyond its limit or inside a character.
	f.Add("Tür 茶", 4)
	f.Fuzz(func(t *testing.T, text string, most int) {
		if most < 1 || most > 1000 {
			return
		}
		if n := utf8.RuneCountInString(Characters(text, most)); n > most {
			t.Errorf("%d characters within %d", n, most)
		}
		p := Prefix(text, most)
		if len(p) > most || utf8.ValidString(text) && !utf8.ValidString(p) {
			t.Errorf("%q within %d: %q", text, most, p)
		}
	})
}
