package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

var (
	attributeTest = pattern(`^\s*(?:[\w*-]*\|)?[\w-]+\s*(?:[~|^$*]?=\s*(?:"[^"]*"|'[^']*'|-?[A-Za-z_\x{80}-\x{10FFFF}][\w\x{80}-\x{10FFFF}-]*|--[\w-]*)\s*[iIsS]?\s*)?$`)
	digitName     = pattern(`[#.]\d`)
	// foreign are pseudo-classes of libraries, which no browser has.
	foreign = pattern(`:(contains|has-text|text|text-is|text-matches|eq|gt|lt|first|last|visible|hidden|nth-match|button|checkbox|radio|submit|parent)(?:\(|$|[\s:.\[>+~])`)
)

// checkSelectors reports CSS that no browser parses, wherever the map has a literal selector.
func (l *linter) checkSelectors() {
	for i := range l.tools {
		for _, key := range []string{"workflow", "target"} {
			l.selectorsIn(l.tools[i].Get(key))
		}
	}
	for _, section := range []string{"state_projections", "attachments"} {
		l.selectorsIn(l.root.Get(section))
	}
}

func (l *linter) selectorsIn(n jsonnode.Node) {
	n.Walk(func(inner jsonnode.Node) {
		if !inner.IsString() || !namesSelector(inner.Pointer) || strings.Contains(inner.Text(), "{%") {
			return
		}
		if wrong := brokenSelector(inner.Text()); wrong != "" {
			l.add("invalid_selector", inner, "%q is no CSS selector: %s", inner.Text(), wrong)
		}
	})
}

// namesSelector reports whether the last member of a pointer is a selector, or a list of them.
func namesSelector(pointer string) bool {
	tokens := strings.Split(pointer, "/")
	last := tokens[len(tokens)-1]
	if strings.Trim(last, "0123456789") == "" && len(tokens) > 1 {
		return slices.Contains([]string{"selectors", "fallback_selectors"}, tokens[len(tokens)-2])
	}
	return last == "selector" || strings.HasSuffix(last, "_selector")
}

// brokenSelector returns why no browser parses a selector; empty where one may.
func brokenSelector(selector string) string {
	outside, tests, wrong := takeApart(selector)
	switch {
	case wrong != "":
		return wrong
	case strings.TrimSpace(selector) == "":
		return "it is empty"
	case strings.Contains(selector, `\`): // an escape may be anything
		return ""
	}
	for _, test := range tests {
		if !attributeTest().MatchString(test) {
			return fmt.Sprintf("[%s] names no attribute, or its value needs quotes", test)
		}
	}
	if found := digitName().FindString(outside); found != "" {
		return fmt.Sprintf("a name cannot begin with a digit, as after %q", found[:1])
	}
	if found := foreign().FindStringSubmatch(outside); found != nil {
		return fmt.Sprintf(":%s is no pseudo-class of CSS", found[1])
	}
	for part := range strings.SplitSeq(outside, ",") {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
			return "nothing stands beside a comma"
		case strings.ContainsAny(part[:1], ">+~"):
			return fmt.Sprintf("it begins with %q", part[:1])
		case strings.ContainsAny(part[len(part)-1:], ">+~"):
			return fmt.Sprintf("it ends with %q", part[len(part)-1:])
		}
	}
	return ""
}

// takeApart returns a selector without what stands in brackets, and the tests of attributes.
func takeApart(selector string) (outside string, tests []string, wrong string) {
	var open []rune
	var out, test strings.Builder
	quote, escaped := rune(0), false
	for _, c := range selector {
		inTest := len(open) > 0 && open[len(open)-1] == ']'
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
		case c == '(':
			open = append(open, ')')
			if len(open) == 1 {
				out.WriteString("(")
			}
			continue
		case c == '[':
			open = append(open, ']')
			if len(open) == 1 {
				out.WriteString("[]")
			}
			continue
		case c == ')' || c == ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return "", nil, fmt.Sprintf("%q closes nothing", string(c))
			}
			open = open[:len(open)-1]
			if c == ']' {
				tests = append(tests, test.String())
				test.Reset()
			} else if len(open) == 0 {
				out.WriteString(")")
			}
			continue
		}
		if inTest {
			test.WriteRune(c)
		} else if len(open) == 0 {
			out.WriteRune(c)
		}
	}
	switch {
	case quote != 0:
		return "", nil, "a quote is not closed"
	case len(open) > 0:
		return "", nil, fmt.Sprintf("%q is missing", string(open[len(open)-1]))
	}
	return out.String(), tests, ""
}
