package expr

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// maxDepth is the maximum nesting of an expression. The engine recurses over it,
// and up to 100 times more in a recursive function.
const maxDepth = 1000

// rewriter puts our bounded operators into a syntax tree.
type rewriter struct {
	depth int
	err   error
}

// rewrite rewrites the node and its descendants. It reports whether the node's
// value may be bigger than its operands without a check of its size; the caller
// then adds the check or returns the same.
func (r *rewriter) rewrite(n node) (unchecked bool) {
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
	unchecked = r.rewriteKind(n)
	r.rewriteAll(n.pairs())
	return unchecked || !n.field("Group").IsNil()
}

// rewriteChecked rewrites a node and adds the size check that its value needs.
func (r *rewriter) rewriteChecked(n node) {
	if r.rewrite(n) {
		n.wrapSizeCheck()
	}
}

func (r *rewriter) rewriteKind(n node) (unchecked bool) {
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
			return r.rewrite(expressions[0])
		}
		r.rewriteAll(expressions)
	case "sort":
		unchecked = r.rewrite(n.child("Left"))
		r.rewriteAll(n.terms())
		return unchecked
	case "function", "partial":
		r.rewriteChecked(n.child("Procedure"))
		r.rewriteAll(n.list("Arguments"))
		n.setList("Expressions", n.list("Arguments")...) // see replaceWithCall
	case "lambda":
		r.rewriteChecked(n.child("Body"))
	case "transform":
		r.rewriteAll([]node{n.child("Pattern"), n.child("Update"), n.child("Delete")})
		inner := n.clone()
		inner.replaceWithCall(opTransform, inner.clone())
		n.Elem().Set(n.block(inner).Elem()) // "~>" would complete a call
	default: // condition, bind and the leaves
		r.rewriteAll([]node{n.child("Condition"), n.child("Then"), n.child("Else"), n.child("Right")})
	}
	return false
}

func (r *rewriter) rewriteAll(nodes []node) {
	for _, n := range nodes {
		r.rewriteChecked(n)
	}
}

func (r *rewriter) binary(n node) (unchecked bool) {
	switch n.text() {
	case "&":
		operands := r.operands(n)
		r.rewriteAll(operands)
		n.replaceWithCall(opConcat, operands...)
	case "..":
		r.rewriteAll([]node{n.child("Left"), n.child("Right")})
		n.replaceWithCall(opRange, n.child("Left"), n.child("Right"))
	case "[":
		if isDescendant(n) {
			r.rewritePredicates(n)
			n.guardDescent()
			return true
		}
		r.rewriteChecked(n.child("Right"))
		return r.rewrite(n.child("Left"))
	case "~>":
		r.rewriteChecked(n.child("Left"))
		right := n.child("Right")
		if called := withoutPredicates(right); called.kind() == "function" {
			// jsonata-js ignores predicates of the called function.
			n.field("Right").Set(called.Value)
			right = called
		}
		isCall := right.kind() == "function"
		r.rewriteChecked(right)
		if !isCall {
			right.replaceWithCall(opApply, right.clone())
			right.Elem().Set(right.block(right.clone()).Elem()) // "~>" would complete a call
		}
	default:
		r.rewriteAll([]node{n.child("Left"), n.child("Right")})
	}
	return false
}

// withoutPredicates returns the a of a[…][…].
func withoutPredicates(n node) node {
	for n.is("binary", "[") {
		n = n.child("Left")
	}
	return n
}

// operands returns a, b, c and d of a & b & c & d: as one call they are joined
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

// unary checks the size of a constructor's value, once for nested constructors.
func (r *rewriter) unary(n node) (unchecked bool) {
	r.rewriteChecked(n.child("Expression"))
	for _, field := range []string{"Expressions", "LHS"} {
		for _, child := range n.list(field) {
			r.rewrite(child) // the whole is checked
		}
	}
	return n.text() != "-"
}
