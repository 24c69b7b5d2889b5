package expr

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// maxDepth bounds how deep the parts of an expression may be nested. The engine
// recurses over them, and up to 100 times more in a recursive function.
const maxDepth = 1000

// rewriter puts our bounded operators into a syntax tree.
type rewriter struct {
	depth int
	err   error
}

// visit rewrites the node and what is below it. It tells whether the node's
// value may be bigger than its parts without having been weighed; the caller
// then weighs it or passes the answer on.
func (r *rewriter) visit(n node) (heavy bool) {
	if n.IsNil() || r.err != nil {
		return false
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxDepth {
		r.err = fault.New(fault.InvalidExpression,
			"the expression is nested deeper than %d levels", maxDepth)
		return false
	}
	n.regroup()
	heavy = r.visitKind(n)
	if group := n.field("Group"); !group.IsNil() {
		pairs := group.Elem().FieldByName("Pairs")
		for i := range pairs.Len() {
			r.light(node{pairs.Index(i).Index(0)})
			r.light(node{pairs.Index(i).Index(1)})
		}
		heavy = true
	}
	return heavy
}

// light visits a node whose value must be weighed if it is heavy.
func (r *rewriter) light(n node) {
	if r.visit(n) {
		n.weigh()
	}
}

func (r *rewriter) visitKind(n node) (heavy bool) {
	switch n.kind() {
	case "path":
		return r.path(n)
	case "binary", "apply":
		return r.binary(n)
	case "unary":
		return r.unary(n)
	case "regex":
		r.regex(n)
	case "descendant":
		n.guardDescent()
		return true
	case "block":
		expressions := n.list("Expressions")
		if len(expressions) == 1 {
			// The engine treats a block around one path as that path.
			return r.visit(expressions[0])
		}
		r.each(expressions)
	case "sort":
		heavy = r.visit(n.child("Left"))
		terms := n.field("Terms")
		for i := range terms.Len() {
			r.light(node{terms.Index(i).FieldByName("Expression")})
		}
		return heavy
	case "function", "partial":
		r.light(n.child("Procedure"))
		r.each(n.list("Arguments"))
		n.setList("Expressions", n.list("Arguments")...) // see becomeCall
	case "lambda":
		r.light(n.child("Body"))
	case "transform":
		r.each([]node{n.child("Pattern"), n.child("Update"), n.child("Delete")})
		inner := n.copied()
		inner.becomeCall(opTransform, inner.copied())
		n.Elem().Set(n.block(inner).Elem()) // "~>" would take a call for its own
	default: // condition, bind and the leaves
		r.each([]node{n.child("Condition"), n.child("Then"), n.child("Else"), n.child("Right")})
	}
	return false
}

func (r *rewriter) each(nodes []node) {
	for _, n := range nodes {
		r.light(n)
	}
}

func (r *rewriter) binary(n node) (heavy bool) {
	switch n.text() {
	case "&":
		operands := r.operands(n)
		r.each(operands)
		n.becomeCall(opConcat, operands...)
	case "..":
		r.each([]node{n.child("Left"), n.child("Right")})
		n.becomeCall(opRange, n.child("Left"), n.child("Right"))
	case "[":
		if descends(n) {
			r.predicates(n)
			n.guardDescent()
			return true
		}
		r.light(n.child("Right"))
		return r.visit(n.child("Left"))
	case "~>":
		r.light(n.child("Left"))
		right := n.child("Right")
		if called := withoutPredicates(right); called.kind() == "function" {
			// jsonata-js passes over predicates of the called function.
			n.field("Right").Set(called.Value)
			right = called
		}
		before := right.kind()
		if r.visit(right) {
			right.weigh()
		}
		if right.kind() == "function" && before != "function" {
			// One of our operators: "~>" would take it for a call to complete.
			right.Elem().Set(right.block(right.copied()).Elem())
		}
	default:
		r.each([]node{n.child("Left"), n.child("Right")})
	}
	return false
}

// withoutPredicates gives a of a[…][…].
func withoutPredicates(n node) node {
	for n.is("binary", "[") {
		n = n.child("Left")
	}
	return n
}

// operands gives a, b, c and d of a & b & c & d: as one call they are joined
// once, and a long chain is not nested deeply.
func (r *rewriter) operands(n node) []node {
	var reversed []node
	for n.is("binary", "&") && n.field("Group").IsNil() {
		reversed = append(reversed, n.child("Right"))
		n = n.child("Left")
	}
	reversed = append(reversed, n)
	slices.Reverse(reversed)
	return reversed
}

// unary weighs what a constructor makes, once for nested constructors.
func (r *rewriter) unary(n node) (heavy bool) {
	r.light(n.child("Expression"))
	for _, field := range []string{"Expressions", "LHS"} {
		for _, part := range n.list(field) {
			r.visit(part) // the whole is weighed
		}
	}
	return n.text() != "-"
}
