package draft

import (
	"strings"
	"testing"
)

func TestStable(t *testing.T) {
	// Ensure that what an author chose is used and what a build or a framework made is not.
	for _, name := range []string{"q", "contact-form", "user[name]", "address1", "search_box", "billing.street", "line-two", "email", "signupForm"} {
		if !stable(name) {
			t.Errorf("%s is refused", name)
		}
	}
	for _, name := range []string{"", ":r7:", "ember1234", "mat-input-0", "radix-2", "react-select-3-input", "a1b2c3d4e5", "field_17", "x8fk2Lm", "9lives", "a b", "__next\"", strings.Repeat("a", 61), "deadbeefcafe"} {
		if stable(name) {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestSlug(t *testing.T) {
	// Ensure that a label becomes a part of a name, or nothing where it has no Latin letter to begin with.
	for label, want := range map[string]string{
		"Search the teas": "search_the_teas", "E-mail *": "e_mail", "  Your name: ": "your_name", "検索": "", "2nd line": "", "Größe": "gr_e", "": "", "null": "null_value",
		strings.Repeat("word ", 20): "word_word_word_word_word_word_word_word",
	} {
		if got := slug(label); got != want {
			t.Errorf("%q gives %q, want %q", label, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	// Ensure that a text cannot leave the CSS string it stands in.
	if got, ok := quote(`say "tea" \ now`); !ok || got != `"say \"tea\" \\ now"` {
		t.Errorf("got %s", got)
	}
	for _, s := range []string{"", "two\nlines", strings.Repeat("x", 200)} {
		if _, ok := quote(s); ok {
			t.Errorf("%q is taken", s)
		}
	}
}

func FuzzSlug(f *testing.F) {
	// Ensure that whatever a page calls something gives a valid part of a name or nothing.
	f.Add("Search the teas")
	f.Add("\x00İ½_ 9")
	f.Fuzz(func(t *testing.T, label string) {
		if s := slug(label); s != "" && !siteName.MatchString(s) {
			t.Errorf("%q gives %q", label, s)
		}
		line(label)
	})
}
