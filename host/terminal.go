package main

import (
	"io"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/printable"
)

// terminal writes to a person's terminal. Titles, addresses, page text and maps
// come from strangers: a control character in them could move the cursor, set
// the window's title or turn the reading direction, and so fake what the program
// says. Each one is written as \uXXXX, which inside JSON is the same text.
type terminal struct {
	out  io.Writer
	rest []byte // the start of a character whose end comes with the next write
}

func (t *terminal) Write(p []byte) (int, error) {
	text := append(t.rest, p...)
	safe := make([]byte, 0, len(text))
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 || commands(r) {
			safe = printable.AppendEscape(safe, r)
		} else {
			safe = append(safe, text[:size]...)
		}
		text = text[size:]
	}
	t.rest = append([]byte(nil), text...)
	if _, err := t.out.Write(safe); err != nil {
		return 0, err
	}
	return len(p), nil
}

// commands reports whether a terminal may take the character for a command, or a
// person for what it is not.
func commands(r rune) bool {
	return r != '\n' && r != '\t' && printable.Hidden(r)
}
