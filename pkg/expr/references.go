package expr

import (
	"slices"
)

// Reference is a path in an expression that starts at the root of the expression's
// context: steps.find.output.text is {"steps", "find", "output", "text"}. It ends
// before what is not a name, such as a wildcard.
type Reference struct {
	Path   []string
	Inner  bool // is in a filter or a step of a path, where the root is $$
	Root   bool // is written with $$
	Exists bool // is the argument of $exists
	Absent bool // as in $not($exists(path))
	False  bool // as in path = false
}

// Is reports whether the reference begins with the names.
func (r Reference) Is(path ...string) bool {
	return len(r.Path) >= len(path) && slices.Equal(r.Path[:len(path)], path)
}

// References returns the paths of an expression, in its order; none for an empty one.
func References(source string) ([]Reference, error) {
	tree, ok, err := sourceTree(source)
	if !ok {
		return nil, err
	}
	var f finder
	f.node(tree, false)
	return f.found, nil
}

type finder struct{ found []Reference }

// node finds the paths of a node and of what is below it.
func (f *finder) node(n node, inner bool) {
	if n.IsNil() {
		return
	}
	first := len(f.found)
	switch {
	case n.kind() == "path":
		f.path(n.list("Steps"), inner)
		f.group(n, inner)
		return
	case n.kind() == "name" || n.is("binary", "["):
		f.path([]node{n}, inner)
		return
	}
	for _, name := range []string{"Condition", "Then", "Else", "Procedure"} {
		f.node(n.child(name), inner)
	}
	f.nodes(n.list("Arguments"), inner)
	for _, name := range []string{"Body", "Left", "Right", "Expression", "Pattern", "Update", "Delete"} {
		f.node(n.child(name), inner)
	}
	f.nodes(slices.Concat(n.list("Expressions"), n.list("LHS"), n.terms()), inner)
	f.group(n, inner)
	f.mark(n, first)
}

func (f *finder) nodes(list []node, inner bool) {
	for _, n := range list {
		f.node(n, inner)
	}
}

// group finds the paths of the pairs that a node's value is grouped by.
func (f *finder) group(n node, inner bool) {
	f.nodes(n.pairs(), inner)
}

// mark notes at the first path below a node what the node asks of it.
func (f *finder) mark(n node, first int) {
	if len(f.found) == first {
		return
	}
	operand := func(n node) bool { return n.kind() == "path" || n.kind() == "name" || n.is("binary", "[") }
	called := func(n node, name string) bool {
		return n.kind() == "function" && n.child("Procedure").is("variable", name) && len(n.list("Arguments")) == 1
	}
	r := &f.found[first]
	switch {
	case called(n, "exists"):
		r.Exists = operand(n.list("Arguments")[0])
	case called(n, "not"):
		r.Absent = r.Exists && called(n.list("Arguments")[0], "exists")
	case n.is("binary", "="):
		r.False = operand(n.child("Left")) && n.child("Right").is("value", "false")
	}
}

// path finds one path, followed by those of its filters.
func (f *finder) path(steps []node, inner bool) {
	r, at := Reference{Inner: inner}, -1
	following := true
	for i, step := range steps {
		var filters []node
		for ; step.is("binary", "["); step = step.child("Left") {
			filters = append(filters, step.child("Right"))
		}
		switch {
		case following && step.kind() == "name":
			if r.Path = append(r.Path, step.text()); at < 0 {
				at = len(f.found)
				f.found = append(f.found, r)
			}
			f.found[at].Path = r.Path
			following = step.field("Focus").String()+step.field("Index").String() == ""
		case i == 0 && step.is("variable", "$"):
			r.Root = true
		case step.kind() != "name": // a field of what is no path has no root
			following = false
			f.node(step, inner || i > 0 && (step.kind() == "block" || step.kind() == "unary"))
		}
		for _, filter := range slices.Backward(filters) {
			f.node(filter, true)
		}
	}
}
