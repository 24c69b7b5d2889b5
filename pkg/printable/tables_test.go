package printable

import (
	"testing"
	"unicode"
)

func TestHidden(t *testing.T) {
	// Ensure that the short way agrees with the tables of all characters, and that no width is less than what stands for the character.
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) &&
			!joins(r) && !selects(r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
		if Hidden(r) != want {
			t.Errorf("%U is hidden: %t", r, !want)
		}
		if text := Escape(string(r)); len([]rune(text)) > Width(r) {
			t.Errorf("%U has the width %d and is shown as %s", r, Width(r), text)
		}
	}
}
