package expr

import (
	"reflect"
	"strings"

	"github.com/recolabs/gnata"
)

// node is one node of the engine's syntax tree (a pointer). Its type is internal
// to the engine, but its fields are exported, so reflection can reach them.
type node struct{ reflect.Value }

// syntaxTree returns the root of a compiled expression. The engine has no hook for
// its operators, and without one "&" or ".." can fill the memory between two
// checks; go.mod pins the version, so the field exists, and TestOperatorsAreBounded
// fails without it.
func syntaxTree(e *gnata.Expression) node {
	field := reflect.ValueOf(e).Elem().FieldByName("ast")
	return node{reflect.NewAt(field.Type().Elem(), field.UnsafePointer())}
}

// sourceTree returns the syntax tree of an expression as it is written; ok is false for one that
// is empty or does not compile.
func sourceTree(source string) (tree node, ok bool, err error) {
	if strings.TrimSpace(source) == "" {
		return node{}, false, nil
	}
	if _, err := Compile(source); err != nil {
		return node{}, false, err
	}
	compiled, err := parse(source) // anew: the compiled tree holds our operators
	if err != nil {
		return node{}, false, err
	}
	return syntaxTree(compiled), true, nil
}

func (n node) field(name string) reflect.Value { return n.Elem().FieldByName(name) }
func (n node) kind() string                    { return n.field("Type").String() }
func (n node) text() string                    { return n.field("Value").String() }
func (n node) is(kind, value string) bool      { return n.kind() == kind && n.text() == value }

// child returns the node in the field, or a nil node.
func (n node) child(name string) node { return node{n.field(name)} }

// list returns the nodes in the field.
func (n node) list(name string) []node {
	f := n.field(name)
	nodes := make([]node, f.Len())
	for i := range nodes {
		nodes[i] = node{f.Index(i)}
	}
	return nodes
}

// terms returns the expressions that a node's value is sorted by.
func (n node) terms() (list []node) {
	terms := n.field("Terms")
	for i := range terms.Len() {
		list = append(list, node{terms.Index(i).FieldByName("Expression")})
	}
	return list
}

// pairs returns the names and values that a node's value is grouped by.
func (n node) pairs() (list []node) {
	if n.field("Group").IsNil() {
		return nil
	}
	pairs := n.field("Group").Elem().FieldByName("Pairs")
	for i := range pairs.Len() {
		list = append(list, node{pairs.Index(i).Index(0)}, node{pairs.Index(i).Index(1)})
	}
	return list
}

func (n node) setList(name string, nodes ...node) {
	list := reflect.MakeSlice(n.field(name).Type(), 0, len(nodes))
	for _, child := range nodes {
		list = reflect.Append(list, child.Value)
	}
	n.field(name).Set(list)
}

// newNode returns an empty node of the kind at the same position.
func (n node) newNode(kind, value string) node {
	f := node{reflect.New(n.Elem().Type())}
	f.field("Type").SetString(kind)
	f.field("Value").SetString(value)
	f.field("Pos").Set(n.field("Pos"))
	return f
}

// clone returns a shallow copy of the node.
func (n node) clone() node {
	c := node{reflect.New(n.Elem().Type())}
	c.Elem().Set(n.Elem())
	return c
}

// replaceWithCall turns the node, in place, into a call of one of our functions.
func (n node) replaceWithCall(name string, args ...node) {
	c := n.newNode("function", "")
	c.field("Procedure").Set(n.newNode("variable", name).Value)
	c.setList("Arguments", args...)
	// The engine looks for "%" in Expressions but not in Arguments.
	c.setList("Expressions", args...)
	c.field("KeepArray").Set(n.field("KeepArray"))
	n.Elem().Set(c.Elem())
}

// wrapSizeCheck turns the node, in place, into a call that checks the size of its value.
func (n node) wrapSizeCheck() { n.replaceWithCall(opCheckSize, n.clone()) }

// block returns a node that evaluates the nodes and returns the last value.
func (n node) block(expressions ...node) node {
	b := n.newNode("block", "")
	b.setList("Expressions", expressions...)
	return b
}
