package expr

// precedence holds the binding power of the weaker operators in the language. The
// engine's parser binds "~>" more strongly, and "??" and "?:" less strongly and
// to the right: it takes a ?? b = c for a ?? (b = c).
var precedence = map[string]int{
	"~>": 40, "?:": 40, "??": 40, "in": 40,
	"=": 40, "!=": 40, "<": 40, "<=": 40, ">": 40, ">=": 40,
	"and": 30, "or": 25, "..": 20,
}

// looseOperator returns the operator of a node that regroup may take apart, "" for
// others. Parentheses are a block, so their grouping is never lost.
func (n node) looseOperator() string {
	if n.IsNil() || n.kind() != "binary" || precedence[n.text()] == 0 || !n.field("Group").IsNil() {
		return ""
	}
	return n.text()
}

// regroup rebuilds, in place, a chain of weak operators as the language groups
// it: by precedence, equal ones from the left.
func (n node) regroup() {
	if n.looseOperator() == "" {
		return
	}
	// a ?? b ? c : d is (a ?? b) ? c : d. The engine's parser leaves the
	// condition in the last operand.
	n.child("Right").regroup()
	if right := n.child("Right"); right.kind() == "condition" {
		left := n.clone()
		left.field("Right").Set(right.field("Condition"))
		left.regroup()
		n.Elem().Set(right.clone().Elem())
		n.field("Condition").Set(left.Value)
		return
	}
	var operands, operators []node
	flatten(n.clone(), &operands, &operators)
	n.Elem().Set(group(&operands, &operators, 0).Elem())
}

// flatten appends the operands and the operators of a chain in their order.
func flatten(n node, operands, operators *[]node) {
	if n.looseOperator() == "" {
		*operands = append(*operands, n)
		return
	}
	flatten(n.child("Left"), operands, operators)
	*operators = append(*operators, n)
	flatten(n.child("Right"), operands, operators)
}

// group removes the front of a chain, as far as its operators bind more strongly
// than the given precedence, and returns it as one node.
func group(operands, operators *[]node, above int) node {
	left := (*operands)[0]
	*operands = (*operands)[1:]
	for len(*operators) > 0 {
		operator := (*operators)[0]
		binds := precedence[operator.text()]
		if binds <= above {
			break
		}
		*operators = (*operators)[1:]
		n := operator.clone()
		n.field("Left").Set(left.Value)
		n.field("Right").Set(group(operands, operators, binds).Value)
		left = n
	}
	return left
}
