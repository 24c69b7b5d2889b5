package expr

// path rewrites a path. A step that does more than select from its input can map
// each of n elements to a value of m nodes, and the next step works on all n*m at
// once. The path is therefore cut behind such a step:
// a.(b).c becomes (checkSize(a.(b))).c.
func (r *rewriter) path(n node) (unchecked bool) {
	steps := n.list("Steps")
	whole := false // a path with @, # or % cannot be cut: bindings cross the steps
	multiplies := make([]bool, len(steps))
	for i, step := range steps {
		multiplies[i] = canMultiply(step, i == 0)
		if isDescendant(step) {
			r.rewritePredicates(step)
		} else if r.rewrite(step) {
			multiplies[i] = true
		}
		unchecked = unchecked || multiplies[i]
		whole = whole || usesBindingOrParent(step)
		if i > 0 && step.kind() == "wildcard" {
			// In a block the engine applies it to each element, as the
			// language does, not to the array.
			step.Elem().Set(step.block(step.clone()).Elem())
		}
	}
	if whole {
		return true
	}
	var kept []node
	for i, step := range steps {
		kept = append(kept, step)
		switch {
		case i == 0 && isDescendant(step):
			kept = []node{n.checkedContext(opDescend), step}
		case i == len(steps)-1:
		case isDescendant(steps[i+1]):
			kept = []node{n.checkedPrefix(opDescend, kept)}
		case multiplies[i]:
			kept = []node{n.checkedPrefix(opCheckSize, kept)}
		}
	}
	n.setList("Steps", kept...)
	return unchecked
}

// checkedPrefix returns the steps so far, as one step that an operator checks. It is a
// block, because a call would be made once for each element of the context.
func (n node) checkedPrefix(operator string, steps []node) node {
	path := n.newNode("path", "")
	path.setList("Steps", steps...)
	path.replaceWithCall(operator, path.clone())
	return n.block(path)
}

// checkedContext returns the context item as a step that an operator checks.
func (n node) checkedContext(operator string) node {
	check := n.newNode("variable", "")
	check.replaceWithCall(operator, check.clone())
	return n.block(check)
}

// guardDescent inserts a check of the context item before "**".
func (n node) guardDescent() {
	check := n.checkedContext(opDescend)
	n.Elem().Set(n.block(check, n.clone()).Elem())
}

// isDescendant reports whether a node is "**", with or without predicates.
func isDescendant(n node) bool { return withoutPredicates(n).kind() == "descendant" }

// rewritePredicates rewrites the predicates of "**[…][…]".
func (r *rewriter) rewritePredicates(n node) {
	for n.is("binary", "[") {
		r.rewriteChecked(n.child("Right"))
		n = n.child("Left")
	}
}

// canMultiply reports whether the output of a step can be larger than its input.
func canMultiply(step node, first bool) bool {
	switch step.kind() {
	case "name", "string", "value", "number", "wildcard", "parent", "sort":
		return false
	case "variable", "block":
		return !first // at the start it is evaluated once
	case "binary":
		if step.text() == "[" {
			return canMultiply(step.child("Left"), first)
		}
	}
	return true
}

// usesBindingOrParent reports whether a step uses @ or #, or "%" anywhere below it.
func usesBindingOrParent(n node) bool {
	if n.IsNil() {
		return false
	}
	if n.kind() == "parent" || n.field("Index").String() != "" || n.field("Focus").String() != "" {
		return true
	}
	for _, field := range []string{"Left", "Right", "Condition", "Then", "Else", "Expression"} {
		if usesBindingOrParent(n.child(field)) {
			return true
		}
	}
	for _, field := range []string{"Steps", "Expressions", "LHS"} {
		for _, child := range n.list(field) {
			if usesBindingOrParent(child) {
				return true
			}
		}
	}
	if group := n.field("Group"); !group.IsNil() {
		pairs := group.Elem().FieldByName("Pairs")
		for i := range pairs.Len() {
			if usesBindingOrParent(node{pairs.Index(i).Index(0)}) || usesBindingOrParent(node{pairs.Index(i).Index(1)}) {
				return true
			}
		}
	}
	terms := n.field("Terms")
	for i := range terms.Len() {
		if usesBindingOrParent(node{terms.Index(i).FieldByName("Expression")}) {
			return true
		}
	}
	return false
}
