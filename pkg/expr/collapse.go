package expr

import "slices"

// Collapse is a place in the value of an expression that has a list for several elements, a
// single value for one and nothing for none: JSONata keeps a list only where it is asked to, by
// [ … ], path[] or $append([], …).
type Collapse struct {
	Member  []string // members of the objects that the expression makes, down to the place
	Path    []string // that is followed, from the root; nil where a function such as $map makes the list
	Selects bool     // a filter chooses among the elements, or the path goes on by what is no name
}

// collapsing are the functions whose lists collapse.
var collapsing = []string{"map", "filter", "each", "keys"}

// Collapses returns the places of an expression that may collapse, in its order; none for an
// empty one. Whether the elements of a path are lists at all is for the caller to know. What
// is bound to a variable or taken by its number is not among them.
func Collapses(source string) ([]Collapse, error) {
	tree, ok, err := sourceTree(source)
	if !ok {
		return nil, err
	}
	var c collapses
	c.value(tree, nil)
	return c.found, nil
}

type collapses struct{ found []Collapse }

// value follows what the expression may give.
func (c *collapses) value(n node, member []string) {
	switch {
	case n.IsNil():
	case n.is("unary", "{"):
		pairs := n.list("LHS")
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i].kind() == "string" {
				c.value(pairs[i+1], append(slices.Clone(member), pairs[i].text()))
			}
		}
	case n.kind() == "sort":
		c.value(n.child("Left"), member)
	case n.kind() == "condition":
		c.value(n.child("Then"), member)
		c.value(n.child("Else"), member)
	case n.kind() == "block":
		if list := n.list("Expressions"); len(list) > 0 {
			c.value(list[len(list)-1], member)
		}
	case n.kind() == "function":
		if procedure := n.child("Procedure"); procedure.kind() == "variable" && slices.Contains(collapsing, procedure.text()) && !keepsArray(n) {
			c.found = append(c.found, Collapse{Member: member})
		}
	case n.kind() == "path":
		c.path(n, n.list("Steps"), member)
	case n.kind() == "name" || n.is("binary", "["):
		c.path(n, []node{n}, member)
	}
}

// path adds a path unless it is asked to keep its list or takes one element by its number.
func (c *collapses) path(n node, steps []node, member []string) {
	found := Collapse{Member: member}
	named := true
	for i, step := range steps {
		for ; step.is("binary", "["); step = step.child("Left") {
			// A negative number is a unary minus in front of one.
			if filter := step.child("Right"); filter.kind() == "number" || filter.is("unary", "-") || keepsArray(step) {
				return
			}
			found.Selects = true
		}
		switch {
		case keepsArray(step) || i == len(steps)-1 && step.is("unary", "["):
			return
		case named && step.kind() == "name":
			found.Path = append(found.Path, step.text())
		case i == 0 && step.is("variable", "$"):
		case len(found.Path) == 0:
			return // does not start at the root
		default:
			found.Selects, named = true, false
		}
	}
	if len(found.Path) > 0 && !keepsArray(n) {
		c.found = append(c.found, found)
	}
}

func keepsArray(n node) bool {
	return n.field("KeepArray").Bool() || n.field("KeepSingletonArray").Bool()
}
