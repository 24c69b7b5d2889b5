package expr

// precedence is how strongly the weaker operators bind in the language. The
// engine's parser binds "~>" more strongly, and "??" and "?:" less strongly and
// to the right: it takes a ?? b = c for a ?? (b = c).
var precedence = map[string]int{
	"~>": 40, "?:": 40, "??": 40, "in": 40,
	"=": 40, "!=": 40, "<": 40, "<=": 40, ">": 40, ">=": 40,
	"and": 30, "or": 25, "..": 20,
}

// weak gives the operator of a node that regroup may take apart, "" for others.
// What stands in parentheses is a block, so its grouping is never lost.
func (n node) weak() string {
	if n.IsNil() || n.kind() != "binary" || precedence[n.text()] == 0 || !n.field("Group").IsNil() {
		return ""
	}
	return n.text()
}

// regroup rebuilds, in place, a chain of weak operators as the language groups
// it: by precedence, equal ones from the left.
func (n node) regroup() {
	if n.weak() == "" {
		return
	}
	// a ?? b ? c : d is (a ?? b) ? c : d. The engine's parser leaves the
	// condition in the last operand.
	n.child("Right").regroup()
	if right := n.child("Right"); right.kind() == "condition" {
		left := n.copied()
		left.field("Right").Set(right.field("Condition"))
		left.regroup()
		n.Elem().Set(right.copied().Elem())
		n.field("Condition").Set(left.Value)
		return
	}
	var operands, operators []node
	flatten(n.copied(), &operands, &operators)
	n.Elem().Set(group(&operands, &operators, 0).Elem())
}

// flatten lists the operands and the operators of a chain in their order.
func flatten(n node, operands, operators *[]node) {
	if n.weak() == "" {
		*operands = append(*operands, n)
		return
	}
	flatten(n.child("Left"), operands, operators)
	*operators = append(*operators, n)
	flatten(n.child("Right"), operands, operators)
}

// group takes the front of a chain, as far as its operators bind more strongly
// than the given precedence.
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
		n := operator.copied()
		n.field("Left").Set(left.Value)
		n.field("Right").Set(group(operands, operators, binds).Value)
		left = n
	}
	return left
}
