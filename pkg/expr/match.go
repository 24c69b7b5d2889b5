package expr

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxSearch bounds the work of one search: instructions of the pattern times
// bytes of the text. RE2 cannot be interrupted in a search.
const maxSearch = 200_000_000

// typeError returns the language's error for an argument of the wrong type.
func typeError(name string, argument int) error {
	return evaluationError("T0410", "argument "+strconv.Itoa(argument)+" of function $"+name+" has the wrong type")
}

// checkSearchCost rejects a search that could take too long.
func (p *pattern) checkSearchCost(text string) error {
	if p.program*len(text) > maxSearch {
		return tooLarge("a regular expression of %d steps over %d characters takes too long", p.program, len(text))
	}
	return nil
}

// maxMatches is the maximum number of matches of one search.
const maxMatches = 100_000

// findMatches returns up to limit matches of the pattern, or all if limit is
// negative. It searches for more and more of them, so that the deadline is checked
// in between; the repeated work is at most a third.
func (c call) findMatches(p *pattern, text string, limit int) ([][]int, error) {
	if err := p.checkSearchCost(text); err != nil {
		return nil, err
	}
	for n := 1; ; n *= 4 {
		n = min(n, maxMatches+1)
		if limit >= 0 {
			n = min(n, limit)
		}
		found := p.FindAllStringSubmatchIndex(text, n)
		if err := c.check(); err != nil {
			return nil, err
		}
		if err := c.reserveItems(len(found) * (p.NumSubexp() + 1)); err != nil {
			return nil, err
		}
		switch {
		case len(found) > maxMatches:
			return nil, tooLarge("a regular expression has more than %d matches", maxMatches)
		case len(found) < n || n == limit:
			return rejectEmptyMatches(found, text)
		}
	}
}

// rejectEmptyMatches rejects empty matches: after one, jsonata-js looks for the
// next match at the same position. Only at the end of the text there is no next.
func rejectEmptyMatches(found [][]int, text string) ([][]int, error) {
	for i, loc := range found {
		if i > 0 && found[i-1][1] >= len(text) {
			return found[:i], nil
		}
		if loc[0] == loc[1] && (i > 0 || loc[1] < len(text)) {
			return nil, evaluationError("D1004", "the regular expression matches a text of no length")
		}
	}
	return found, nil
}

// pattern returns the compiled pattern if v is a regular expression. The engine
// represents one by a plain Go map, the only such value that an expression can have.
func (c call) pattern(v any) (*pattern, bool, error) {
	m, ok := v.(map[string]any)
	source, isSource := m["pattern"].(string)
	flags, _ := m["flags"].(string)
	if !ok || !isSource {
		return nil, false, nil
	}
	p, err := compilePattern(source, flags)
	return p, true, err
}

// textAndPattern returns the arguments (text, pattern, …); the text defaults to
// the context item.
func (c call) textAndPattern(name string, usual int) (text any, rest []any, err error) {
	args := c.args
	if len(args) < usual {
		if _, ok := c.focus.(string); !ok || len(args) < usual-1 {
			return nil, nil, typeError(name, len(args))
		}
		args = append([]any{c.focus}, args...)
	}
	text = args[0]
	if _, ok := text.(string); !ok && text != nil {
		return nil, nil, typeError(name, 1)
	}
	return text, args[1:], nil
}

// limitArg returns an optional count, or -1 if it is absent. A fraction is rounded up.
func limitArg(name string, args []any, i int, negative string) (int, error) {
	if i >= len(args) || args[i] == nil {
		return -1, nil
	}
	f, ok := args[i].(float64)
	if !ok {
		return 0, typeError(name, i+2)
	}
	if f < 0 {
		return 0, evaluationError(negative, "the limit of $"+name+" must not be negative")
	}
	return int(min(math.Ceil(f), math.MaxInt32)), nil
}

// contains is $contains(text, string or pattern).
func contains(c call) (any, error) {
	text, rest, err := c.textAndPattern("contains", 2)
	if err != nil || text == nil || rest[0] == nil {
		return nil, err
	}
	if s, ok := rest[0].(string); ok {
		return strings.Contains(text.(string), s), nil
	}
	p, ok, err := c.pattern(rest[0])
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, typeError("contains", 2)
	}
	if err := p.checkSearchCost(text.(string)); err != nil {
		return nil, err
	}
	return p.MatchString(text.(string)), nil
}

// match is $match(text, pattern, limit).
func match(c call) (any, error) {
	text, rest, err := c.textAndPattern("match", 2)
	if err != nil || text == nil {
		return nil, err
	}
	limit, err := limitArg("match", rest, 1, "D3040")
	if err != nil {
		return nil, err
	}
	p, ok, err := c.pattern(rest[0])
	if err != nil {
		return nil, err
	}
	if !ok && isFunction(rest[0]) {
		return c.original(c.args) // a matcher written in the language
	}
	if !ok {
		return nil, typeError("match", 2)
	}
	s := text.(string)
	found, err := c.findMatches(p, s, limit)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	list := make([]any, 0, len(found))
	units, at := 0, 0
	for _, loc := range found {
		units += utf16Length(s[at:loc[0]])
		at = loc[0]
		list = append(list, matchObject(s, loc, Member{"index", Number(float64(units))}))
	}
	if len(list) == 1 {
		return list[0], nil // a sequence of one is its element
	}
	return list, c.checkSize(list)
}

// matchObject returns the object for a match; position holds its offsets.
func matchObject(s string, loc []int, position ...Member) any {
	groups := []any{}
	for i := 2; i+1 < len(loc); i += 2 {
		if loc[i] < 0 {
			groups = append(groups, nil) // a group that did not match
			continue
		}
		groups = append(groups, s[loc[i]:loc[i+1]])
	}
	members := append([]Member{{"match", String(s[loc[0]:loc[1]])}}, position...)
	return Object(append(members, Member{"groups", Value{v: groups}})...).v
}

// matchBetween returns the object for a match with its start and end.
func matchBetween(s string, loc []int) any {
	start := utf16Length(s[:loc[0]])
	end := start + utf16Length(s[loc[0]:loc[1]])
	return matchObject(s, loc, Member{"start", Number(float64(start))}, Member{"end", Number(float64(end))})
}

// utf16Length returns the length in UTF-16 code units, as JavaScript counts.
func utf16Length(s string) int {
	n := utf8.RuneCountInString(s)
	for i := range len(s) {
		if s[i] >= 0xf0 { // the first byte of a code point above U+FFFF
			n++
		}
	}
	return n
}
