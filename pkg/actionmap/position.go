package actionmap

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Locate sets line and column of each finding from its pointer into the checked
// text. A pointer to a missing node gets the position of its nearest existing
// ancestor. Findings that already have a line keep it.
func Locate(text []byte, findings []Finding) {
	wanted := map[string]bool{"": true}
	for _, f := range findings {
		if f.Line > 0 {
			continue
		}
		// Ancestors count too: a missing member has no position of its own.
		for pointer := f.Pointer; pointer != "" && !wanted[pointer]; pointer = parent(pointer) {
			wanted[pointer] = true
		}
	}
	if len(findings) == 0 {
		return
	}
	offsets := offsetsOf(text, wanted)
	lines := linesOf(text)
	for i := range findings {
		f := &findings[i]
		if f.Line > 0 {
			continue
		}
		pointer := f.Pointer
		offset, found := offsets[pointer]
		for ; !found && pointer != ""; offset, found = offsets[pointer] {
			pointer = parent(pointer)
		}
		f.Line, f.Column = lines.position(text, offset)
	}
}

// parent returns a pointer without its last token.
func parent(pointer string) string { return pointer[:max(0, strings.LastIndexByte(pointer, '/'))] }

// offsetsOf returns the offsets of the values of the wanted pointers. For an invalid
// text it returns those before the error.
func offsetsOf(text []byte, wanted map[string]bool) map[string]int {
	offsets := make(map[string]int, len(wanted))
	deepest := 0 // building the pointer of every token of a deep text takes quadratic time
	for pointer := range wanted {
		deepest = max(deepest, strings.Count(pointer, "/"))
	}
	in := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		start := int(in.InputOffset())
		token, err := in.ReadToken()
		if err != nil {
			return offsets
		}
		kind := token.Kind()
		if kind == jsontext.KindEndObject || kind == jsontext.KindEndArray {
			continue
		}
		// A bracket is one level deeper than the value that it begins.
		if in.StackDepth() > deepest+1 {
			continue
		}
		// A member's name has the pointer of its value: the value comes later and
		// overwrites it.
		if pointer := string(in.StackPointer()); wanted[pointer] {
			offsets[pointer] = start + len(text[start:]) - len(bytes.TrimLeft(text[start:], " \t\r\n,:"))
		}
	}
}

// lineStarts holds the offsets at which lines begin.
type lineStarts []int

func linesOf(text []byte) lineStarts {
	starts := lineStarts{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// position returns line and column of an offset, both from 1.
func (l lineStarts) position(text []byte, offset int) (line, column int) {
	offset = min(max(offset, 0), len(text))
	line = 1
	for low, high := 0, len(l); low < high; {
		middle := (low + high) / 2
		if l[middle] > offset {
			high = middle
		} else {
			line, low = middle+1, middle+1
		}
	}
	return line, utf8.RuneCount(text[l[line-1]:offset]) + 1
}
