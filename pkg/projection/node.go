package projection

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// node is a part of a declaration with its place. A missing part is a node too,
// so that a fault can name where it should stand.
type node struct {
	pointer string
	raw     json.RawMessage
}

// member is one property of an object.
type member struct {
	name string
	node
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// absent treats null like a missing part, as the authors of maps do.
func (n node) absent() bool { return len(n.raw) == 0 || string(n.raw) == "null" }

// is tells the kind of the value by its first byte: '{', '[' or '"'.
func (n node) is(first byte) bool { return len(n.raw) > 0 && n.raw[0] == first }

// text gives a string, "" for anything else.
func (n node) text() string {
	var s string
	if !n.is('"') || json.Unmarshal(n.raw, &s) != nil {
		return ""
	}
	return s
}

// members gives the properties of an object in their order, nothing for another
// kind of value. The text is strict, so the decoder meets no fault.
func (n node) members() []member {
	if !n.is('{') {
		return nil
	}
	var all []member
	d := jsontext.NewDecoder(bytes.NewReader(n.raw))
	for _, err := d.ReadToken(); err == nil && d.PeekKind() == '"'; {
		var name jsontext.Token
		var value jsontext.Value
		if name, err = d.ReadToken(); err != nil {
			break
		}
		key := name.String()
		if value, err = d.ReadValue(); err == nil {
			at := node{n.pointer + "/" + escapePointer.Replace(key), bytes.Clone(value)}
			all = append(all, member{key, at})
		}
	}
	return all
}

// get gives a property, by its name letter by letter.
func (n node) get(name string) node {
	for _, m := range n.members() {
		if m.name == name {
			return m.node
		}
	}
	return node{pointer: n.pointer + "/" + escapePointer.Replace(name)}
}

// elements gives the elements of an array, nothing for another kind of value.
func (n node) elements() []node {
	var raws []json.RawMessage
	if !n.is('[') || json.Unmarshal(n.raw, &raws) != nil {
		return nil
	}
	nodes := make([]node, len(raws))
	for i, raw := range raws {
		nodes[i] = node{n.pointer + "/" + strconv.Itoa(i), raw}
	}
	return nodes
}
