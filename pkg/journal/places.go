package journal

import (
	"bytes"
	"iter"
)

// placeMembers are the members of a record's data that a filter compares with its origin.
var placeMembers = [][]byte{[]byte(`"url"`), []byte(`"origin"`)}

// places yields the beginning of each address in a stored record that can be of a site: its scheme, host and
// port. It reads no JSON, which would cost more than the record: members of the same names deeper in the data
// are among them. One that it cannot tell is yielded with the escapes in it.
func places(value []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, name := range placeMembers {
			for rest := value; ; {
				_, after, found := bytes.Cut(rest, name)
				if !found {
					break
				}
				rest = after
				after, isMember := bytes.CutPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(":"))
				text, isText := bytes.CutPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(`"`))
				if isMember && isText && !yield(beginning(text)) {
					return
				}
			}
		}
	}
}

// beginning returns the scheme, host and port of the address with which the text begins.
func beginning(text []byte) []byte {
	text, _, _ = bytes.Cut(text, []byte(`"`))
	scheme, rest, ok := bytes.Cut(text, []byte("://"))
	if !ok {
		return text
	}
	end := bytes.IndexAny(rest, "/?#\\")
	switch {
	case end < 0:
		end = len(rest)
	case rest[end] == '\\': // an escape
		end++
	}
	return text[:len(scheme)+len("://")+end]
}
