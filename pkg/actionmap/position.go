package actionmap

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Locate sets line and column of each finding from its pointer, in the text
// that was checked. A pointer to what is not there gets the place of the
// nearest part above it. Findings that have a line already keep it.
func Locate(text []byte, findings []Finding) {
	wanted := map[string]bool{"": true}
	for _, f := range findings {
		if f.Line > 0 {
			continue
		}
		// All parts above count too: a missing member has no place of its own.
		for pointer := f.Pointer; pointer != "" && !wanted[pointer]; pointer = above(pointer) {
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
			pointer = above(pointer)
		}
		f.Line, f.Column = lines.position(text, offset)
	}
}

// above cuts the last token of a pointer.
func above(pointer string) string { return pointer[:max(0, strings.LastIndexByte(pointer, '/'))] }

// offsetsOf finds where the values of the wanted pointers begin. A text that
// breaks off gives what stands before the fault.
func offsetsOf(text []byte, wanted map[string]bool) map[string]int {
	offsets := make(map[string]int, len(wanted))
	deepest := 0 // naming the place of every token of a deep text takes quadratic time
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
		// A bracket stands one level deeper than the value that it begins.
		if in.StackDepth() > deepest+1 {
			continue
		}
		// A member's name has the pointer of its value: the value comes later and
		// is the one that is kept.
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

// position gives line and column of an offset, both from 1.
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
