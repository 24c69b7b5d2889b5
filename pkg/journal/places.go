package journal

import (
	"bytes"
	"iter"
)

// placeMembers begin the members of a record's data that a filter compares with its origin. Data is in the form
// that redaction writes, without spaces and needless escapes.
var placeMembers = [][]byte{[]byte(`"url":"`), []byte(`"origin":"`)}

// places yields the scheme, host and port of each address in a stored record that can be of a site. It reads no
// JSON, which would cost more than the record: members of the same names deeper in the data are among them.
func places(value []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, name := range placeMembers {
			for rest := value; ; {
				_, after, found := bytes.Cut(rest, name)
				if !found {
					break
				}
				if rest = after; !yield(beginning(after)) {
					return
				}
			}
		}
	}
}

// beginning returns the scheme, host and port of the address with which the text begins.
func beginning(text []byte) []byte {
	text, _, _ = bytes.Cut(text, []byte(`"`))
	scheme, rest, _ := bytes.Cut(text, []byte("://"))
	if end := bytes.IndexAny(rest, "/?#\\"); end >= 0 {
		return text[:len(scheme)+len("://")+end]
	}
	return text
}
