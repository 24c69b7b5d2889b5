package schema

import (
	"math"
	"regexp/syntax"
)

const (
	// maxChecks is the maximum number of applications of schemas for one document. The
	// validator needs about a microsecond for each.
	maxChecks = 1_000_000
	// maxSearch is the maximum work of all searches in the texts of one document: instructions of the
	// regular expressions times bytes. One takes up to 15 ns; those of usual patterns take a hundredth.
	maxSearch = 1_000_000_000
)

// searchSize returns the work for each byte of a text that the keyword, pattern or format, has searched.
func searchSize(keyword, value string) int {
	switch {
	case keyword == "pattern":
		tree, _ := syntax.Parse(value, syntax.Perl) // checked
		return ProgramSize(tree)
	case value == "regex":
		return 1_000_000 // the text is compiled: \pL{1000} takes a tenth of a second
	}
	return 10
}

// budget is what is left for one document.
type budget struct{ checks, search int }

// exceeds returns the keyword for which validating the document takes more than maxChecks or
// maxSearch, "" for none. It counts how often each schema would apply to each value without
// applying it: schemas for the same value are counted together, so counting takes no longer than
// document times schema.
func (s *Schema) exceeds(document any) (keyword string) {
	if !s.explodes && !s.searches {
		return ""
	}
	b := budget{checks: math.MaxInt, search: maxSearch}
	if s.explodes { // else a larger document may have more
		b.checks = maxChecks
	}
	if b.count(map[*node]int{s.root: 1}, document) {
		return ""
	}
	if b.checks < 0 {
		return "$ref"
	}
	return "pattern"
}

func (b *budget) count(applied map[*node]int, value any) bool {
	all := map[*node]int{}
	for n, times := range applied {
		if !b.applyInPlace(n, times, all) {
			return false
		}
	}
	switch value := value.(type) {
	case string:
		for n, times := range all {
			if !b.searchText(times, n.search*len(value)) {
				return false
			}
		}
	case []any:
		next := map[*node]int{}
		for n, times := range all {
			for _, child := range n.items {
				next[child] += times
			}
		}
		for _, element := range value {
			if len(next) > 0 && !b.count(next, element) {
				return false
			}
		}
	case map[string]any:
		for key, member := range value {
			names, next := map[*node]int{}, map[*node]int{}
			for n, times := range all {
				// To compile an instruction takes as long as to search a hundred bytes by it.
				if !b.searchText(times, n.keys*(len(key)+100)) {
					return false
				}
				for _, child := range n.names {
					names[child] += times
				}
				if child, ok := n.named[key]; ok {
					next[child] += times
				}
				for _, child := range n.members {
					next[child] += times
				}
			}
			if len(names) > 0 && !b.count(names, key) || len(next) > 0 && !b.count(next, member) {
				return false
			}
		}
	}
	return true
}

// searchText counts so many searches of the same work.
func (b *budget) searchText(times, work int) bool {
	if work > 0 && times > b.search/work {
		return false
	}
	b.search -= times * work
	return true
}

// applyInPlace counts a schema and those that it applies to the same value. Compiling
// rejects loops; the budget bounds schemas that multiply.
func (b *budget) applyInPlace(n *node, times int, all map[*node]int) bool {
	b.checks -= times
	if b.checks < 0 {
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
