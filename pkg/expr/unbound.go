package expr

import (
	"slices"
)

// Unbound returns the names of the variables and functions that an expression reads and that
// neither it nor the language has, without their $, in the order of the expression. Reading one
// gives nothing; calling one fails.
func Unbound(source string) ([]string, error) {
	tree, ok, err := sourceTree(source)
	if !ok {
		return nil, err
	}
	var v variables
	v.node(tree)
	var unbound []string
	for _, name := range v.read {
		if _, standard := root.Lookup(name); !standard && !slices.Contains(v.bound, name) && !slices.Contains(unbound, name) {
			unbound = append(unbound, name)
		}
	}
	return unbound, nil
}

// variables are those of an expression. What is bound anywhere counts as bound everywhere: in
// doubt a name is good.
type variables struct{ read, bound []string }

func (v *variables) node(n node) {
	if n.IsNil() {
		return
	}
	switch n.kind() {
	case "variable":
		if name := n.text(); name != "" && name != "$" {
			v.read = append(v.read, name)
		}
	case "lambda":
		for _, argument := range n.list("Arguments") {
			v.bound = append(v.bound, argument.text())
		}
	}
	if n.kind() == "bind" || n.is("binary", ":=") {
		v.bound = append(v.bound, n.child("Left").text())
	}
	for _, name := range []string{"Focus", "Index"} {
		if f := n.field(name); f.IsValid() && f.String() != "" {
			v.bound = append(v.bound, f.String())
		}
	}
	for _, name := range []string{"Condition", "Then", "Else", "Procedure", "Body", "Left", "Right", "Expression", "Pattern", "Update", "Delete"} {
		v.node(n.child(name))
	}
	for _, name := range []string{"Steps", "Arguments", "Expressions", "LHS"} {
		for _, child := range n.list(name) {
			v.node(child)
		}
	}
	for _, child := range slices.Concat(n.terms(), n.pairs()) {
		v.node(child)
	}
}
