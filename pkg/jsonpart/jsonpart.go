// Package jsonpart walks JSON texts whose shape is not known, and knows of each
// part where it stands.
//
// Rules of this package:
//   - A missing part is a part too, so that a finding can name where it should
//     stand. Null counts as missing, as the authors of maps mean it.
//   - A reader gives a zero value for any other shape than its own and fails
//     never: real maps have prose in place of objects.
//   - Names are compared letter by letter, which the fields of a struct are not.
//   - The text is strict JSON: pkg/strictjson has read it.
package jsonpart

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Part is a part of a JSON text with its place, a JSON pointer.
type Part struct {
	Pointer string
	Raw     json.RawMessage
}

// Member is one member of an object.
type Member struct {
	Name string
	Part
}

var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// Escape writes a member's name as a token of a JSON pointer.
func Escape(name string) string { return escape.Replace(name) }

// Key is the last token of the part's pointer as a member's name.
func (p Part) Key() string {
	return unescape.Replace(p.Pointer[strings.LastIndexByte(p.Pointer, '/')+1:])
}

// Absent tells whether there is nothing, or null.
func (p Part) Absent() bool { return len(p.Raw) == 0 || string(p.Raw) == "null" }

// IsObject tells whether the part is an object.
func (p Part) IsObject() bool { return p.begins('{') }

// IsArray tells whether the part is an array.
func (p Part) IsArray() bool { return p.begins('[') }

// IsString tells whether the part is a string.
func (p Part) IsString() bool { return p.begins('"') }

func (p Part) begins(with byte) bool { return len(p.Raw) > 0 && p.Raw[0] == with }

// Get walks into members of objects.
func (p Part) Get(names ...string) Part {
	for _, name := range names {
		p = p.Object().Get(name)
	}
	return p
}

// Object is an opened object: its text is read once for many members.
type Object struct {
	Part
	Members []Member // in the order of the text
}

// Object opens an object; any other part is one without members.
func (p Part) Object() Object {
	o := Object{Part: p}
	if !p.IsObject() {
		return o
	}
	d := jsontext.NewDecoder(bytes.NewReader(p.Raw))
	for _, err := d.ReadToken(); err == nil && d.PeekKind() == '"'; {
		var name jsontext.Token
		var value jsontext.Value
		if name, err = d.ReadToken(); err != nil {
			break
		}
		key := name.String() // before the next read, which reuses the memory
		if value, err = d.ReadValue(); err == nil {
			o.Members = append(o.Members, Member{key, o.child(key, bytes.Clone(value))})
		}
	}
	return o
}

// Get gives a member.
func (o Object) Get(name string) Part {
	for _, m := range o.Members {
		if m.Name == name {
			return m.Part
		}
	}
	return o.child(name, nil)
}

func (p Part) child(name string, raw json.RawMessage) Part {
	return Part{p.Pointer + "/" + Escape(name), raw}
}

// Members gives the members of an object in the order of the text.
func (p Part) Members() []Member { return p.Object().Members }

// Elements gives the elements of an array; nil for any other part.
func (p Part) Elements() []Part {
	var raws []json.RawMessage
	if !p.IsArray() || json.Unmarshal(p.Raw, &raws) != nil {
		return nil
	}
	parts := make([]Part, len(raws))
	for i, raw := range raws {
		parts[i] = p.child(strconv.Itoa(i), raw)
	}
	return parts
}

// At gives an element of an array.
func (p Part) At(index int) Part {
	if elements := p.Elements(); index >= 0 && index < len(elements) {
		return elements[index]
	}
	return p.child(strconv.Itoa(index), nil)
}

// Step follows one token of a JSON pointer.
func (p Part) Step(token string) Part {
	if index, err := strconv.Atoi(token); err == nil && index >= 0 && p.IsArray() {
		return p.At(index)
	}
	return p.Get(unescape.Replace(token))
}

// Find follows a JSON pointer below the part.
func (p Part) Find(pointer string) Part {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		p = p.Step(token)
	}
	return p
}

// Walk visits the part and all below it.
func (p Part) Walk(visit func(Part)) {
	visit(p)
	for _, member := range p.Members() {
		member.Walk(visit)
	}
	for _, element := range p.Elements() {
		element.Walk(visit)
	}
}

// Text gives a string.
func (p Part) Text() string {
	var s string
	if !p.IsString() || json.Unmarshal(p.Raw, &s) != nil {
		return ""
	}
	return s
}

// Strings gives a string, or the strings of an array.
func (p Part) Strings() []Part {
	parts := p.Elements()
	if p.IsString() {
		parts = []Part{p}
	}
	var all []Part
	for _, e := range parts {
		if e.IsString() {
			all = append(all, e)
		}
	}
	return all
}

// Texts reads a string or an array of strings, trimmed; blank ones are left out.
func (p Part) Texts() []string {
	var texts []string
	for _, e := range p.Strings() {
		if s := strings.TrimSpace(e.Text()); s != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

// Names reads an array whose elements are names or objects with a name, each
// once.
func (p Part) Names() []string {
	var names []string
	for _, e := range p.Elements() {
		name := e.Text()
		if name == "" {
			name = e.Get("name").Text()
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Boolean gives nil for anything but true and false.
func (p Part) Boolean() *bool {
	switch string(p.Raw) {
	case "true", "false":
		b := string(p.Raw) == "true"
		return &b
	}
	return nil
}

// Integer gives nil for anything but a whole number from 0 to 1e9.
func (p Part) Integer() *int {
	var n *float64
	if json.Unmarshal(p.Raw, &n) != nil || n == nil || *n < 0 || *n > 1e9 || *n != math.Trunc(*n) {
		return nil
	}
	i := int(*n)
	return &i
}
