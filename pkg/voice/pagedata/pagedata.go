// Package pagedata seals what a page says, for a model that reads it beside the host's own words.
//
// Rules of this package:
//   - Whoever wrote the page cannot know the mark of a seal: it is made of 96 random bits
//     each time.
//   - What looks like a mark inside is replaced, so that nothing in the page ends a seal.
package pagedata

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
)

// markBytes is the length of a seal's mark: 96 bits.
const markBytes = 12

// lookAlike matches the beginning of a tag of the seal's name, also where JSON escapes the bracket.
var lookAlike = regexp.MustCompile(`(?i)(?:<|&lt;|\\u003c|＜|\\uff1c)[\s\p{Cf}]*/?[\s\p{Cf}]*page[\s\p{Cf}_-]*data\b[^<>]{0,80}>?`)

// Seal returns the text between <page_data id="…"> and </page_data id="…"> with a mark of its own.
func Seal(text string) string {
	mark := make([]byte, markBytes)
	_, _ = rand.Read(mark) // it never fails
	id := `page_data id="` + hex.EncodeToString(mark) + `"`
	return "<" + id + ">\n" + lookAlike.ReplaceAllString(text, "[tag]") + "\n</" + id + ">"
}

// sealed matches a text with a seal in it; what stands between its tags has no other.
var sealed = regexp.MustCompile(`(?s)^(.*?)<page_data id="[0-9a-f]{24}">\n(.*?)\n</page_data id="[0-9a-f]{24}">(.*)$`)

// Split returns what stands before the first seal of a text, in it and after it; false without one.
func Split(text string) (before, inside, after string, ok bool) {
	found := sealed.FindStringSubmatch(text)
	if found == nil {
		return "", "", "", false
	}
	return found[1], found[2], found[3], true
}
