// Package pagedata marks what a page says, for a model that reads it beside the host's own words.
//
// Rules of this package:
//   - Whoever wrote the page cannot know the mark: it is made of 96 random bits, one for each
//     answer.
//   - What looks like a mark inside is replaced, so that nothing in the page ends it.
//   - A model reads what stands between the marks, so characters that cannot be seen are
//     written as escapes there, as pkg/printable shows them. JSON stays valid and decodes to
//     the same strings, so that a program which takes a value from it, to fill it in elsewhere,
//     has every character. Answers on the socket are for programs: nothing in them is escaped
//     or replaced.
package pagedata

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/printable"
)

// Untrusted is what an answer that holds words of a page says of itself as its trust.
const Untrusted = "untrusted"

// markBytes is the length of a mark: 96 bits.
const markBytes = 12

// A Mark begins and ends the parts of one answer that come from a page.
type Mark string

// NewMark returns a mark that nobody can know before.
func NewMark() Mark {
	random := make([]byte, markBytes)
	_, _ = rand.Read(random) // it never fails
	return Mark(hex.EncodeToString(random))
}

// Begin returns what stands before a page's words. Quotes would be escaped in JSON, and that again
// where the JSON is a text in JSON.
func (m Mark) Begin() string { return "<page_data id=" + string(m) + ">" }

// End returns what stands behind them.
func (m Mark) End() string { return "</page_data id=" + string(m) + ">" }

// Seal returns the text between <page_data id=…> and </page_data id=…>.
func (m Mark) Seal(text string) string {
	return m.Begin() + "\n" + printable.EscapeLines(withoutMarks(text)) + "\n" + m.End()
}

// Seal seals the text with a mark of its own.
func Seal(text string) string { return NewMark().Seal(text) }

// EndLength is the most that [Close] adds.
const EndLength = len("\n</page_data id=>") + 2*markBytes

// Close returns a text that was cut with the end of the seal that it was cut in, if it was in one.
func Close(text string) string {
	start := strings.LastIndex(text, "<page_data id=")
	if start < 0 {
		return text
	}
	mark, _, whole := strings.Cut(text[start+len("<page_data id="):], ">")
	if !whole {
		return text[:start]
	}
	if end := Mark(mark).End(); len(mark) == 2*markBytes && !strings.Contains(text[start:], end) {
		return text + "\n" + end
	}
	return text
}

// Clean returns JSON as it may stand between marks that are written around it: valid as before,
// and without white space between its tokens, which would be escaped as what cannot be seen.
func Clean(raw []byte) []byte {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) == nil {
		raw = compact.Bytes()
	}
	return []byte(printable.Escape(withoutMarks(string(raw))))
}

// gap matches what may stand between the parts of a tag unseen, also where JSON escapes it.
const gap = `(?:[\s\p{Cf}\p{Mn}_-]|\\u[0-9a-fA-F]{4}|\\[nrtfb])*`

// pattern returns a regular expression that is compiled at its first use: the start of a host
// does not pay for it.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// lookAlike matches the beginning of a tag of the mark's name, also where JSON escapes the
// bracket, and an escaped backslash: what follows that one is no escape.
var lookAlike = pattern(`\\\\|(?i)(?:<|&lt;|\\u003c|＜|\\uff1c)` + gap + `(?:\\?/)?` + gap + `page` + gap + `data\b[^<>"\\]{0,80}>?`)

// withoutMarks replaces what looks like a mark. It cuts nothing of JSON in two.
func withoutMarks(text string) string {
	if !strings.ContainsAny(text, "<＜&") && !strings.Contains(text, `\u`) {
		return text // as most are; the search is slow
	}
	return lookAlike().ReplaceAllStringFunc(text, func(found string) string {
		if found == `\\` {
			return found
		}
		return "[tag]"
	})
}

// sealed matches a text with a seal in it; what stands between its tags has no other.
var sealed = pattern(`(?s)^(.*?)<page_data id=[0-9a-f]{24}>\n(.*?)\n</page_data id=[0-9a-f]{24}>(.*)$`)

// Split returns what stands before the first seal of a text, in it and after it; false without one.
func Split(text string) (before, inside, after string, ok bool) {
	found := sealed().FindStringSubmatch(text)
	if found == nil {
		return "", "", "", false
	}
	return found[1], found[2], found[3], true
}
