package lint

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// node is a decoded part of a map with its JSON pointer. A part that is not
// there is a node with the value nil, as null is.
type node struct {
	pointer string
	value   any
}

var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// get walks into members of objects.
func (n node) get(keys ...string) node {
	for _, key := range keys {
		object, _ := n.value.(map[string]any)
		n = node{n.pointer + "/" + escape.Replace(key), object[key]}
	}
	return n
}

// elements gives the elements of an array, and nothing for another value.
func (n node) elements() []node {
	list, _ := n.value.([]any)
	nodes := make([]node, len(list))
	for i, value := range list {
		nodes[i] = node{n.pointer + "/" + strconv.Itoa(i), value}
	}
	return nodes
}

// named is a member of an object.
type named struct {
	name string
	node
}

// members gives the members of an object by name.
func (n node) members() []named {
	object, _ := n.value.(map[string]any)
	nodes := make([]named, 0, len(object))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		nodes = append(nodes, named{key, n.get(key)})
	}
	return nodes
}

// step follows one token of a pointer.
func (n node) step(token string) node {
	if i, ok := index(token); ok {
		if list := n.elements(); i < len(list) {
			return list[i]
		}
	}
	return n.get(unescape.Replace(token))
}

// index reads a pointer's token as the index of an array.
func index(token string) (int, bool) {
	i, err := strconv.Atoi(token)
	return i, err == nil && i >= 0
}

func (n node) text() string   { s, _ := n.value.(string); return s }
func (n node) absent() bool   { return n.value == nil }
func (n node) isString() bool { _, ok := n.value.(string); return ok }
func (n node) isObject() bool { _, ok := n.value.(map[string]any); return ok }

// strings gives a string, or the strings of an array.
func (n node) strings() []node {
	if n.isString() {
		return []node{n}
	}
	return slices.DeleteFunc(n.elements(), func(e node) bool { return !e.isString() })
}

// walk visits the node and all below it, members by name.
func (n node) walk(visit func(node)) {
	visit(n)
	for _, member := range n.members() {
		member.walk(visit)
	}
	for _, element := range n.elements() {
		element.walk(visit)
	}
}
