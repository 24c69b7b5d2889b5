package schema

import "math"

const (
	// maxChecks is the maximum number of applications of schemas for one document. The
	// validator needs about a microsecond for each.
	maxChecks = 1_000_000
	// maxSearch is the maximum work of all searches in the texts of one document: instructions of the
	// regular expressions times bytes. One takes up to 15 ns; those of usual patterns take a hundredth.
	maxSearch = 1_000_000_000
)

// formatSize returns the work for each byte of a text that has the format.
func formatSize(format string) int {
	if format == "regex" {
		return 1_000_000 // the text is compiled: \pL{1000} takes a tenth of a second
	}
	return 10
}

// markCounted sets counted in n and in what it leads to, which is no loop.
func markCounted(n *node) bool {
	n.counted = n.pattern+n.format+n.keys > 0
	for child := range n.children() {
		n.counted = markCounted(child) || n.counted
	}
	return n.counted
}

// budget is what is left for one document.
type budget struct {
	checks, search int
	exceeded       string // the keyword for which it was not enough
}

// exceeds returns the keyword for which validating the document takes more than maxChecks or
// maxSearch, "" for none. It counts how often each schema would apply to each value without
// applying it: schemas for the same value are counted together, so counting takes no longer than
// document times schema.
func (s *Schema) exceeds(document any) (keyword string) {
	if !s.root.counted {
		return ""
	}
	b := budget{checks: math.MaxInt, search: maxSearch}
	if s.explodes { // else a larger document may have more
		b.checks = maxChecks
	}
	b.count(map[*node]int{s.root: 1}, document)
	return b.exceeded
}

func (b *budget) count(applied map[*node]int, value any) bool {
	all := map[*node]int{}
	for n, times := range applied {
		if !b.applyInPlace(n, times, all) {
			return false
		}
	}
	if len(all) == 0 {
		return true
	}
	next := map[*node]int{}
	add := func(child *node, times int) {
		if child.counted {
			next[child] += times
		}
	}
	switch value := value.(type) {
	case string:
		for n, times := range all {
			if !b.searchText("pattern", times, n.pattern*len(value)) || !b.searchText("format", times, n.format*len(value)) {
				return false
			}
		}
	case []any:
		for n, times := range all {
			for _, child := range n.items {
				add(child, times)
			}
		}
		for _, element := range value {
			if len(next) == 0 {
				break
			}
			if !b.count(next, element) {
				return false
			}
		}
	case map[string]any:
		for key, member := range value {
			clear(next)
			for n, times := range all {
				// To compile an instruction takes as long as to search a hundred bytes by it.
				if !b.searchText("patternProperties", times, n.keys*(len(key)+100)) {
					return false
				}
				for _, child := range n.names {
					add(child, times)
				}
			}
			if len(next) > 0 && !b.count(next, key) {
				return false
			}
			clear(next)
			for n, times := range all {
				if child, ok := n.named[key]; ok {
					add(child, times)
				}
				for _, child := range n.members {
					add(child, times)
				}
			}
			if len(next) > 0 && !b.count(next, member) {
				return false
			}
		}
	}
	return true
}

// searchText deducts times searches of work each, and reports whether they fit.
func (b *budget) searchText(keyword string, times, work int) bool {
	if work > 0 && times > b.search/work {
		b.exceeded = keyword
		return false
	}
	b.search -= times * work
	return true
}

// applyInPlace counts a schema and those that it applies to the same value. Compiling
// rejects loops; the budget bounds schemas that multiply.
func (b *budget) applyInPlace(n *node, times int, all map[*node]int) bool {
	if !n.counted {
		return true
	}
	b.checks -= times
	if b.checks < 0 {
		b.exceeded = "$ref"
		return false
	}
	all[n] += times
	for _, child := range n.sameValue() {
		if !b.applyInPlace(child, times, all) {
			return false
		}
	}
	return true
}
