package jsonnode

import (
	"bytes"
	"maps"
	"slices"
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
	offsets := offsetsOf(text, wanted)
	places := make(map[int]Position, len(pointers)) // by offset
	for _, pointer := range pointers {
		places[nearest(offsets, pointer)] = Position{}
	}
	// In the order of the text, so that a text of one line is counted through once.
	last, at := 0, Position{1, 1}
	for _, offset := range slices.Sorted(maps.Keys(places)) {
		at = at.after(text[last:offset])
		last, places[offset] = offset, at
	}
	positions := make(map[string]Position, len(pointers))
	for _, pointer := range pointers {
		positions[pointer] = places[nearest(offsets, pointer)]
	}
	return positions
}

// nearest returns the offset of a pointer, or of its nearest ancestor that has one.
func nearest(offsets map[string]int, pointer string) int {
	offset, found := offsets[pointer]
	for ; !found && pointer != ""; offset, found = offsets[pointer] {
		pointer = parent(pointer)
	}
	return offset
}

// PositionAt returns the place of an offset.
func PositionAt(text []byte, offset int) Position {
	return Position{1, 1}.after(text[:min(max(offset, 0), len(text))])
}

// after returns the place that follows a text which begins at the position.
func (p Position) after(text []byte) Position {
	if end := bytes.LastIndexByte(text, '\n'); end >= 0 {
		p.Line, p.Column = p.Line+bytes.Count(text[:end+1], []byte("\n")), 1
		text = text[end+1:]
	}
	p.Column += utf8.RuneCount(text)
	return p
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
