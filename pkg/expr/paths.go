package expr

// path rewrites a path. A step that does not merely look into its input can
// give each of n elements a value of m parts, and the next step works on all
// n*m at once. The path is therefore cut behind such a step:
// a.(b).c becomes (weigh(a.(b))).c.
func (r *rewriter) path(n node) (heavy bool) {
	steps := n.list("Steps")
	whole := false // a path with @, # or % cannot be cut: bindings cross the steps
	multiplies := make([]bool, len(steps))
	for i, step := range steps {
		multiplies[i] = multiplying(step, i == 0)
		if descends(step) {
			r.predicates(step)
		} else if r.visit(step) {
			multiplies[i] = true
		}
		heavy = heavy || multiplies[i]
		whole = whole || bindsOrClimbs(step)
		if i > 0 && step.kind() == "wildcard" {
			// In a block the engine applies it to each element, as the
			// language does, not to the array.
			step.Elem().Set(step.block(step.copied()).Elem())
		}
	}
	if whole {
		return true
	}
	var kept []node
	for i, step := range steps {
		kept = append(kept, step)
		switch {
		case i == 0 && descends(step):
			kept = []node{n.contextFor(opDescend), step}
		case i == len(steps)-1:
		case descends(steps[i+1]):
			kept = []node{n.prefix(opDescend, kept)}
		case multiplies[i]:
			kept = []node{n.prefix(opWeigh, kept)}
		}
	}
	n.setList("Steps", kept...)
	return heavy
}

// prefix gives the steps so far, as one step that an operator checks. It is a
// block, because a call would be made once for each element of the context.
func (n node) prefix(operator string, steps []node) node {
	path := n.fresh("path", "")
	path.setList("Steps", steps...)
	path.becomeCall(operator, path.copied())
	return n.block(path)
}

// contextFor gives the context item as a step that an operator checks.
func (n node) contextFor(operator string) node {
	check := n.fresh("variable", "")
	check.becomeCall(operator, check.copied())
	return n.block(check)
}

// guardDescent puts a check of the context item in front of "**".
func (n node) guardDescent() {
	check := n.contextFor(opDescend)
	n.Elem().Set(n.block(check, n.copied()).Elem())
}

// descends tells whether a node is "**", with or without predicates.
func descends(n node) bool { return withoutPredicates(n).kind() == "descendant" }

// predicates visits the predicates of "**[…][…]".
func (r *rewriter) predicates(n node) {
	for n.is("binary", "[") {
		r.light(n.child("Right"))
		n = n.child("Left")
	}
}

// multiplying tells whether a step can give more than its input holds.
func multiplying(step node, first bool) bool {
	switch step.kind() {
	case "name", "string", "value", "number", "wildcard", "parent", "sort":
		return false
	case "variable", "block":
		return !first // at the start it is evaluated once
	case "binary":
		if step.text() == "[" {
			return multiplying(step.child("Left"), first)
		}
	}
	return true
}

// bindsOrClimbs tells whether a step uses @ or #, or "%" anywhere below it.
func bindsOrClimbs(n node) bool {
	if n.IsNil() {
		return false
	}
	if n.kind() == "parent" || n.field("Index").String() != "" || n.field("Focus").String() != "" {
		return true
	}
	for _, field := range []string{"Left", "Right", "Condition", "Then", "Else", "Expression"} {
		if bindsOrClimbs(n.child(field)) {
			return true
		}
	}
	for _, field := range []string{"Steps", "Expressions", "LHS"} {
		for _, child := range n.list(field) {
			if bindsOrClimbs(child) {
				return true
			}
		}
	}
	if group := n.field("Group"); !group.IsNil() {
		pairs := group.Elem().FieldByName("Pairs")
		for i := range pairs.Len() {
			if bindsOrClimbs(node{pairs.Index(i).Index(0)}) || bindsOrClimbs(node{pairs.Index(i).Index(1)}) {
				return true
			}
		}
	}
	terms := n.field("Terms")
	for i := range terms.Len() {
		if bindsOrClimbs(node{terms.Index(i).FieldByName("Expression")}) {
			return true
		}
	}
	return false
}
