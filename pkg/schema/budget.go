package schema

// maxChecks is the maximum number of applications of schemas for one document. The
// validator needs about a microsecond for each.
const maxChecks = 1_000_000

// withinBudget reports whether validating the document stays within maxChecks. It
// counts how often each schema would apply to each value without applying it:
// schemas for the same value are counted together, so counting takes no longer than
// document times schema.
func withinBudget(root *node, document any) bool {
	budget := maxChecks
	return countApplications(map[*node]int{root: 1}, document, &budget)
}

func countApplications(applied map[*node]int, value any, budget *int) bool {
	all := map[*node]int{}
	for n, times := range applied {
		if !applyInPlace(n, times, all, budget) {
			return false
		}
	}
	switch value := value.(type) {
	case []any:
		next := map[*node]int{}
		for n, times := range all {
			for _, child := range n.items {
				next[child] += times
			}
		}
		for _, element := range value {
			if len(next) > 0 && !countApplications(next, element, budget) {
				return false
			}
		}
	case map[string]any:
		for key, member := range value {
			next := map[*node]int{}
			for n, times := range all {
				if child, ok := n.named[key]; ok {
					next[child] += times
				}
				for _, child := range n.members {
					next[child] += times
				}
			}
			if len(next) > 0 && !countApplications(next, member, budget) {
				return false
			}
		}
	}
	return true
}

// applyInPlace counts a schema and those that it applies to the same value. Compiling
// rejects loops; the budget bounds schemas that multiply.
func applyInPlace(n *node, times int, all map[*node]int, budget *int) bool {
	*budget -= times
	if *budget < 0 {
		return false
	}
	all[n] += times
	for _, child := range n.sameValue() {
		if !applyInPlace(child, times, all, budget) {
			return false
		}
	}
	return true
}
