package draft

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/actionsjson/actions-host/pkg/truncate"
)

// Limits on the content of a map, in entries and characters.
const (
	maxHeadings = 40
	maxLinks    = 60
	maxForms    = 12
	maxButtons  = 8
	maxLoose    = 8 // fields outside of forms
	maxLine     = 120
	maxSlug     = 40
)

// line returns a text of the page as one short line.
func line(s string) string {
	return truncate.Characters(strings.Join(strings.Fields(s), " "), maxLine)
}

// slug returns a label as a part of a name: lower case, words joined by _. It is ""
// for a label that does not begin with a Latin letter.
func slug(label string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(label) {
		switch {
		case r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		if b.Len() == maxSlug {
			break
		}
	}
	s := strings.Trim(b.String(), "_")
	switch {
	case s == "" || !unicode.IsLetter(rune(s[0])):
		return ""
	case s == "true" || s == "false" || s == "null":
		return s + "_value" // in an expression these are values, not names
	}
	return s
}

var (
	word = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.\-\[\]]*$`)
	// generated are the ids that frameworks number and the hashes of builds.
	generated = []*regexp.Regexp{
		regexp.MustCompile(`\d{3,}`),
		regexp.MustCompile(`[-_:]\d+$`),
		regexp.MustCompile(`(?i)^(ember|radix|headlessui|mui|react|yui|gwt|ext|cdk|rc|downshift|aria|uid|id)([-_:][-_:\w]*)?\d`),
		regexp.MustCompile(`(?i)[0-9a-f]{8,}`),
		regexp.MustCompile(`\d[A-Za-z]+\d|[a-z]\d[a-z]+[A-Z]`),
	}
)

// stable reports whether an id or a name looks hand-written.
func stable(name string) bool {
	if name == "" || len(name) > 60 || !word.MatchString(name) {
		return false
	}
	for _, g := range generated {
		if g.MatchString(name) {
			return false
		}
	}
	return true
}

// quote returns a text as a CSS string, and false if it has several lines.
func quote(s string) (string, bool) {
	if s == "" || len(s) > maxLine || strings.ContainsFunc(s, unicode.IsControl) {
		return "", false
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`, true
}
