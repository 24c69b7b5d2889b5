package schema

// maxChecks is how many times schemas may be applied for one document. The
// validator needs a microsecond or so for each.
const maxChecks = 1_000_000

// affordable tells whether validating the document stays within maxChecks. It
// counts how often each schema would apply to each value without applying it:
// schemas that meet in one value are counted together, so the counting itself
// takes no longer than document times schema.
func affordable(root *node, document any) bool {
	left := maxChecks
	return spend(map[*node]int{root: 1}, document, &left)
}

func spend(applied map[*node]int, value any, left *int) bool {
	all := map[*node]int{}
	for n, times := range applied {
		if !spread(n, times, all, left) {
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
			if len(next) > 0 && !spend(next, element, left) {
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
			if len(next) > 0 && !spend(next, member, left) {
				return false
			}
		}
	}
	return true
}

// spread counts a schema and those it applies to the same value. Loops were
// refused when compiling; the budget ends what merely multiplies.
func spread(n *node, times int, all map[*node]int, left *int) bool {
	*left -= times
	if *left < 0 {
		return false
	}
	all[n] += times
	for _, child := range n.sameValue() {
		if !spread(child, times, all, left) {
			return false
		}
	}
	return true
}
