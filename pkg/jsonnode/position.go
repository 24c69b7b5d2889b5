package jsonnode

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Position is a place in a text, both numbers from 1.
type Position struct{ Line, Column int }

// Positions returns the places of the values at the pointers. A pointer to a missing node
// gets that of its nearest existing ancestor.
func Positions(text []byte, pointers []string) map[string]Position {
	wanted := map[string]bool{"": true}
	for _, pointer := range pointers {
		// Ancestors count too: a missing member has no position of its own.
		for ; pointer != "" && !wanted[pointer]; pointer = parent(pointer) {
			wanted[pointer] = true
		}
	}
	offsets, lines := offsetsOf(text, wanted), linesOf(text)
	positions := make(map[string]Position, len(pointers))
	for _, pointer := range pointers {
		at := pointer
		offset, found := offsets[at]
		for ; !found && at != ""; offset, found = offsets[at] {
			at = parent(at)
		}
		positions[pointer] = lines.position(text, offset)
	}
	return positions
}

// PositionAt returns the place of an offset.
func PositionAt(text []byte, offset int) Position { return linesOf(text).position(text, offset) }

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

// position returns the place of an offset.
func (l lineStarts) position(text []byte, offset int) Position {
	offset = min(max(offset, 0), len(text))
	line := 1
	for low, high := 0, len(l); low < high; {
		middle := (low + high) / 2
		if l[middle] > offset {
			high = middle
		} else {
			line, low = middle+1, middle+1
		}
	}
	return Position{line, utf8.RuneCount(text[l[line-1]:offset]) + 1}
}
