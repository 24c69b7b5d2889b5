// Package jsonnode walks JSON values of unknown shape and keeps the JSON pointer
// of each node.
//
// Rules of this package:
//   - A missing value is a node too, so that a finding can name where it should
//     be. Null counts as missing, as the authors of maps mean it.
//   - A reader returns the zero value for any shape but its own and never fails:
//     real maps have prose in place of objects.
//   - Names are compared exactly, unlike the fields of a struct.
//   - The text is strict JSON: pkg/strictjson has read it.
package jsonnode

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Node is a JSON value, or its absence, and the JSON pointer to it.
type Node struct {
	Pointer string
	Raw     json.RawMessage
}

// Member is one member of an object.
type Member struct {
	Name string
	Node
}

// escape does what [jsontext.Pointer.AppendToken] does, mostly without allocating.
var escape = strings.NewReplacer("~", "~0", "/", "~1")

// Escape returns a member's name as a token of a JSON pointer.
func Escape(name string) string { return escape.Replace(name) }

// Key returns the last token of the node's pointer as a member's name.
func (n Node) Key() string { return jsontext.Pointer(n.Pointer).LastToken() }

// Absent reports whether the value is missing or null.
func (n Node) Absent() bool { return len(n.Raw) == 0 || string(n.Raw) == "null" }

// IsObject reports whether the node is an object.
func (n Node) IsObject() bool { return n.begins('{') }

// IsArray reports whether the node is an array.
func (n Node) IsArray() bool { return n.begins('[') }

// IsString reports whether the node is a string.
func (n Node) IsString() bool { return n.begins('"') }

func (n Node) begins(with byte) bool { return len(n.Raw) > 0 && n.Raw[0] == with }

// Get follows the names of members down through objects.
func (n Node) Get(names ...string) Node {
	for _, name := range names {
		n = n.Object().Get(name)
	}
	return n
}

// Object is a decoded object: its text is read once for many members.
type Object struct {
	Node
	Members []Member // in the order of the text
}

// Object decodes an object; any other node becomes one without members.
func (n Node) Object() Object {
	o := Object{Node: n}
	if !n.IsObject() {
		return o
	}
	// That its names are unique was checked when the text was read.
	d := jsontext.NewDecoder(bytes.NewReader(n.Raw), jsontext.AllowDuplicateNames(true))
	for _, err := d.ReadToken(); err == nil && d.PeekKind() == '"'; {
		var name jsontext.Token
		var value jsontext.Value
		if name, err = d.ReadToken(); err != nil {
			break
		}
		key := name.String() // before the next read, which reuses the memory
		if value, err = d.ReadValue(); err == nil {
			end := int(d.InputOffset()) // the decoder reuses the memory of value
			o.Members = append(o.Members, Member{key, o.child(key, n.Raw[end-len(value):end:end])})
		}
	}
	return o
}

// Get returns a member, and follows further names down as [Node.Get] does.
func (o Object) Get(name string, below ...string) Node {
	for _, m := range o.Members {
		if m.Name == name {
			return m.Node.Get(below...)
		}
	}
	return o.child(name, nil).Get(below...)
}

func (n Node) child(name string, raw json.RawMessage) Node {
	return Node{n.Pointer + "/" + Escape(name), raw}
}

// Members returns the members of an object in the order of the text.
func (n Node) Members() []Member { return n.Object().Members }

// Elements returns the elements of an array, or nil for any other node.
func (n Node) Elements() []Node {
	var raws []json.RawMessage
	if !n.IsArray() || json.Unmarshal(n.Raw, &raws) != nil {
		return nil
	}
	nodes := make([]Node, len(raws))
	for i, raw := range raws {
		nodes[i] = n.child(strconv.Itoa(i), raw)
	}
	return nodes
}

// At returns an element of an array.
func (n Node) At(index int) Node {
	if elements := n.Elements(); index >= 0 && index < len(elements) {
		return elements[index]
	}
	return n.child(strconv.Itoa(index), nil)
}

// Find follows a JSON pointer relative to the node.
func (n Node) Find(pointer string) Node {
	for token := range jsontext.Pointer(pointer).Tokens() {
		if index, err := strconv.Atoi(token); err == nil && index >= 0 && n.IsArray() {
			n = n.At(index)
		} else {
			n = n.Get(token)
		}
	}
	return n
}

// Walk visits the node and all its descendants.
func (n Node) Walk(visit func(Node)) {
	visit(n)
	for _, member := range n.Members() {
		member.Walk(visit)
	}
	for _, element := range n.Elements() {
		element.Walk(visit)
	}
}

// Text returns the value of a string.
func (n Node) Text() string {
	var s string
	if !n.IsString() || json.Unmarshal(n.Raw, &s) != nil {
		return ""
	}
	return s
}

// Strings returns the node itself if it is a string, or the strings of an array.
func (n Node) Strings() []Node {
	nodes := n.Elements()
	if n.IsString() {
		nodes = []Node{n}
	}
	var all []Node
	for _, e := range nodes {
		if e.IsString() {
			all = append(all, e)
		}
	}
	return all
}

// Texts returns a string or an array of strings, trimmed and without blank ones.
func (n Node) Texts() []string {
	var texts []string
	for _, e := range n.Strings() {
		if s := strings.TrimSpace(e.Text()); s != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

// Names returns the distinct names in an array whose elements are names or
// objects with a name.
func (n Node) Names() []string {
	var names []string
	for _, e := range n.Elements() {
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

// Boolean returns nil for anything but true and false.
func (n Node) Boolean() *bool {
	switch string(n.Raw) {
	case "true", "false":
		b := string(n.Raw) == "true"
		return &b
	}
	return nil
}

// Integer returns nil for anything but an integer from 0 to 1e9.
func (n Node) Integer() *int {
	var f *float64
	if json.Unmarshal(n.Raw, &f) != nil || f == nil || *f < 0 || *f > 1e9 || *f != math.Trunc(*f) {
		return nil
	}
	i := int(*f)
	return &i
}
