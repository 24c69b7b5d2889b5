package projection

import (
	"reflect"
	"sort"
	"strconv"
)

// identities are the members that identify elements of a list, the most reliable first.
var identities = []string{"id", "key", "name", "title"}

// pair holds the positions of an element in the previous and the current list.
type pair struct{ from, to int }

// lists compares two lists of the same name: element by element if they
// have an identity, else by position.
func (w *walker) lists(path, kind, field string, from, to []any) {
	if name := identity(from, to); name != "" {
		w.identified(path, kind, name, from, to)
	} else {
		w.positional(path, kind, field, from, to)
	}
}

// identity returns the first member that all elements of both lists have and that
// is unique within each.
func identity(from, to []any) string {
	for _, name := range identities {
		if _, ok := indexed(from, name); !ok {
			continue
		}
		if _, ok := indexed(to, name); ok && len(from)+len(to) > 0 {
			return name
		}
	}
	return ""
}

// indexed returns the positions of the elements by the member.
func indexed(list []any, name string) (map[string]int, bool) {
	index := make(map[string]int, len(list))
	for i, element := range list {
		object, _ := element.(map[string]any)
		id := idText(object[name])
		if _, twice := index[id]; id == "" || twice {
			return nil, false
		}
		index[id] = i
	}
	return index, true
}

func (w *walker) identified(path, kind, name string, from, to []any) {
	before, _ := indexed(from, name)
	pairs := make([]pair, len(to)) // by the position in to; from is -1 for a new one
	matched := make([]bool, len(from))
	for i, element := range to {
		object, _ := element.(map[string]any)
		at, ok := before[idText(object[name])]
		if !ok {
			at = -1
		} else {
			matched[at] = true
		}
		pairs[i] = pair{at, i}
	}
	// A name or a title may change: the element at the same position is then the same.
	if len(from) == len(to) && (name == "name" || name == "title") {
		for i, p := range pairs {
			if p.from < 0 && !matched[i] {
				pairs[i].from, matched[i] = i, true
			}
		}
	}
	// Removals come first, with their old position: they have no new one.
	for i, element := range from {
		if !matched[i] {
			w.entity(EntityRemoved, index(path, i), kind, element)
		}
	}
	inOrder := unmoved(pairs)
	for _, p := range pairs {
		at := index(path, p.to)
		if p.from < 0 {
			w.entity(EntityAdded, at, kind, to[p.to])
			continue
		}
		if !inOrder[p.to] {
			w.entity(EntityMoved, at, kind, to[p.to])
			w.changes[len(w.changes)-1].From = index(path, p.from)
		}
		w.compare(at, "", from[p.from], to[p.to])
	}
}

// unmoved returns the elements that kept their order: the longest increasing
// subsequence of previous positions. All others moved, so that dragging one element
// is one move.
func unmoved(pairs []pair) map[int]bool {
	var tails []int // positions in pairs; tails[n] ends the best run of length n+1
	previous := make([]int, len(pairs))
	for i, p := range pairs {
		if p.from < 0 {
			continue
		}
		n := sort.Search(len(tails), func(n int) bool { return pairs[tails[n]].from >= p.from })
		previous[i] = -1
		if n > 0 {
			previous[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	inOrder := map[int]bool{}
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = previous[i] {
			inOrder[i] = true
		}
	}
	return inOrder
}

// positional skips equal elements at both ends and compares the rest in pairs;
// elements without a partner were added or removed.
func (w *walker) positional(path, kind, field string, from, to []any) {
	head := 0
	for head < min(len(from), len(to)) && reflect.DeepEqual(from[head], to[head]) {
		head++
	}
	tail := 0
	for tail < min(len(from), len(to))-head && reflect.DeepEqual(from[len(from)-1-tail], to[len(to)-1-tail]) {
		tail++
	}
	wasEnd, isEnd := len(from)-tail, len(to)-tail
	both := min(wasEnd, isEnd)
	for i := head; i < both; i++ {
		w.compare(index(path, i), field, from[i], to[i])
	}
	for i := both; i < wasEnd; i++ {
		w.entity(EntityRemoved, index(path, i), kind, from[i])
	}
	for i := both; i < isEnd; i++ {
		w.entity(EntityAdded, index(path, i), kind, to[i])
	}
}

func index(path string, i int) string { return path + "/" + strconv.Itoa(i) }
