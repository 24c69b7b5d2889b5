package lint

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// narrowing are members of a locator that select one match of a selector, or make
// several an error.
var narrowing = []string{"text", "text_contains", "text_equals", "name", "xpath", "nth", "strict", "retarget"}

// unique are elements of which a page has one.
var unique = []string{"html", "body", "head", "title", "main", "h1"}

// checkLocators checks the locators that a step finds or writes to. A primitive that
// reads lists, such as dom.observe, may have a broad selector.
func (l *linter) checkLocators(s *step) {
	args := s.Get("args")
	switch {
	case strings.HasPrefix(s.primitive, "locator."):
		l.checkLocator(args.Get("locator"), false)
	case s.primitive == "text.insert":
		l.checkLocator(args.Get("target"), true)
	}
	l.checkLocator(s.Get("settle_after", "locator"), false)
	l.checkLocator(s.Get("after_each", "args", "locator"), false)
}

// checkTarget checks the tool's target.
func (l *linter) checkTarget(t *tool) { l.checkLocator(t.Get("target"), false) }

// checkLocator checks a locator: a CSS selector, or an object with one.
func (l *linter) checkLocator(locator jsonnode.Node, editable bool) {
	n, at := locator.Object(), locator
	if n.IsObject() {
		at = n.Get("selector")
	}
	selector := at.Text()
	if strings.Contains(selector, "{%") || selector == "" && n.Get("selectors").Absent() {
		return
	}
	alternatives := split(selector, ',')
	for _, key := range []string{"selectors", "fallback_selectors"} {
		for _, more := range n.Get(key).Strings() {
			alternatives = append(alternatives, split(more.Text(), ',')...)
		}
	}
	if container, shared := sharedScope(alternatives); shared {
		l.add("fallbacks_share_a_dead_scope", at, "all %d alternatives stand in %q", len(alternatives), container)
	}
	narrowed := slices.ContainsFunc(narrowing, func(key string) bool { return !n.Get(key).Absent() })
	if narrowed || selector == "" {
		return
	}
	generic := func(attributes ...string) bool {
		return !slices.ContainsFunc(split(selector, ','), func(one string) bool { return !isGeneric(one, attributes) })
	}
	switch {
	case editable && generic("role", "type", "contenteditable"):
		l.add("ambiguous_editable_target", at, "%q names no particular field", selector)
	case !editable && generic("role", "type"):
		l.add("broad_selector", at, "%q names a kind of element, not one element", selector)
	}
}

// split splits a selector at a separator outside of brackets and quotes. That is all
// the CSS that it parses.
func split(selector string, separator rune) (pieces []string) {
	depth, quote, escaped := 0, rune(0), false
	var piece strings.Builder
	for _, c := range selector {
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == separator && depth == 0:
			pieces = append(pieces, strings.TrimSpace(piece.String()))
			piece.Reset()
			continue
		}
		piece.WriteRune(c)
	}
	if last := strings.TrimSpace(piece.String()); last != "" {
		pieces = append(pieces, last)
	}
	return pieces
}

// compounds splits one alternative at its combinators.
func compounds(selector string) []string {
	// split leaves combinators in brackets and quotes alone.
	var list []string
	for _, a := range split(selector, '>') {
		for _, b := range split(a, '+') {
			for _, c := range split(b, '~') {
				list = append(list, split(c, ' ')...)
			}
		}
	}
	return slices.DeleteFunc(list, func(c string) bool { return c == "" })
}

var (
	tagName   = pattern(`^[\w*|-]*`)
	attribute = pattern(`^\[\s*([\w-]+)[^\]]*\]`)
	pseudo    = pattern(`^::?[\w-]+`)
)

// isGeneric reports whether an alternative names elements by their kind only: by
// tags and by attributes that are no more specific than a tag.
func isGeneric(selector string, attributes []string) bool {
	list := compounds(selector)
	for i, compound := range list {
		tag := tagName().FindString(compound)
		if i == len(list)-1 && slices.Contains(unique, strings.ToLower(tag)) {
			return false
		}
		for rest := compound[len(tag):]; rest != ""; {
			if m := attribute().FindStringSubmatch(rest); m != nil && slices.Contains(attributes, strings.ToLower(m[1])) {
				rest = rest[len(m[0]):]
			} else if name := pseudo().FindString(rest); name != "" && !strings.HasPrefix(rest[len(name):], "(") {
				rest = rest[len(name):]
			} else {
				return false // a class, an id, an attribute, or a pseudo-class with an argument
			}
		}
	}
	return len(list) > 0
}

// sharedScope returns the common container of all alternatives.
func sharedScope(alternatives []string) (string, bool) {
	container := ""
	for _, part := range alternatives {
		list := compounds(part)
		if len(list) < 2 || container != "" && list[0] != container {
			return "", false
		}
		container = list[0]
	}
	return container, len(alternatives) > 1 && !slices.Contains(unique, container)
}
