package actionmap

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// node is a part of a map with its place. A missing part is a node too, so
// that rules can name where it should stand.
type node struct {
	pointer string
	raw     json.RawMessage
}

var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")
)

func (n node) get(key string) node {
	return node{n.pointer + "/" + pointerEscape.Replace(key), member(n.raw, key)}
}

func (n node) at(index int) node {
	elements, _ := array(n.raw)
	at := node{pointer: n.pointer + "/" + strconv.Itoa(index)}
	if index < len(elements) {
		at.raw = elements[index]
	}
	return at
}

// find follows a JSON pointer below the node.
func (n node) find(pointer string) node {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		index, err := strconv.Atoi(token)
		if err == nil && n.isArray() {
			n = n.at(index)
		} else {
			n = n.get(pointerUnescape.Replace(token))
		}
	}
	return n
}

// elements gives the elements of an array, and nothing for another shape.
func (n node) elements() []node {
	raws, _ := array(n.raw)
	nodes := make([]node, len(raws))
	for i, raw := range raws {
		nodes[i] = node{n.pointer + "/" + strconv.Itoa(i), raw}
	}
	return nodes
}

// namedNode is one member of an object.
type namedNode struct {
	name string
	node
}

// members gives the members of an object by name, so that findings keep their
// order from run to run.
func (n node) members() []namedNode {
	object, _ := object(n.raw)
	nodes := make([]namedNode, 0, len(object))
	for key, raw := range object {
		nodes = append(nodes, namedNode{key, node{n.pointer + "/" + pointerEscape.Replace(key), raw}})
	}
	slices.SortFunc(nodes, func(a, b namedNode) int { return strings.Compare(a.name, b.name) })
	return nodes
}

func (n node) text() string   { return str(n.raw) }
func (n node) absent() bool   { return absent(n.raw) }
func (n node) isObject() bool { return len(n.raw) > 0 && n.raw[0] == '{' }
func (n node) isArray() bool  { return len(n.raw) > 0 && n.raw[0] == '[' }
func (n node) isString() bool { return len(n.raw) > 0 && n.raw[0] == '"' }
