package lint

import (
	"strings"
)

// reference is a path in an expression that starts at the root of what the
// expression's context: steps.find.output.text is {"steps", "find", "output", "text"}.
type reference struct {
	path  []string
	open  bool // continues in a way that is not followed: a wildcard, a block
	inner bool // is in a filter or a step of a path, where the root is $$
	root  bool // is written with $$
}

// is reports whether the reference begins with the parts.
func (r reference) is(path ...string) bool {
	if len(r.path) < len(path) {
		return false
	}
	for i, part := range path {
		if r.path[i] != part {
			return false
		}
	}
	return true
}

// token is a piece of an expression: a name, an operator, or a value.
type token struct {
	kind kind
	text string
}

type kind int

const (
	kindName     kind = iota // a field, also in backticks
	kindVariable             // $name, $ and $$
	kindValue                // a string, a number, a regular expression
	kindPunct
)

// lexer recognises as much of JSONata as is needed to find names. A text that it
// cannot tokenize does not compile either, which is another finding.
var lexer = pattern(`^(?:` +
	`(?P<space>\s+|/\*[\s\S]*?\*/)` +
	"|`(?P<quoted>[^`]*)`" +
	`|(?P<value>"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)` +
	`|(?P<variable>\$\$|\$\w*)` +
	`|(?P<name>[\pL_][\pL\pN_]*)` +
	`|(?P<punct>:=|\.\.|~>|!=|<=|>=|\*\*|\?:|\?\?|[\s\S]))`)

// regexLiteral is a regular expression, which may hold / in a class.
var regexLiteral = pattern(`^/(?:[^/\\\[\r\n]|\\.|\[(?:[^\]\\\r\n]|\\.)*\])+/[a-z]*`)

// tokens returns the tokens of an expression.
func tokens(source string) (list []token) {
	for source != "" {
		if source[0] == '/' && !operand(list) && !strings.HasPrefix(source, "/*") {
			if literal := regexLiteral().FindString(source); literal != "" {
				list = append(list, token{kindValue, literal})
				source = source[len(literal):]
				continue
			}
		}
		m := lexer().FindStringSubmatch(source)
		switch {
		case m == nil:
			return list
		case strings.HasPrefix(m[0], "`"):
			list = append(list, token{kindName, m[2]})
		case m[3] != "":
			list = append(list, token{kindValue, m[3]})
		case m[4] != "":
			list = append(list, token{kindVariable, m[4]})
		case m[5] != "" && operand(list) && (m[5] == "and" || m[5] == "or" || m[5] == "in"):
			list = append(list, token{kindPunct, m[5]})
		case m[5] != "":
			list = append(list, token{kindName, m[5]})
		case m[6] != "":
			list = append(list, token{kindPunct, m[6]})
		}
		source = source[len(m[0]):]
	}
	return list
}

// operand reports whether the last token ends a value, so that / divides, [
// filters and "and" is an operator.
func operand(list []token) bool {
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	return last.kind != kindPunct || last.text == ")" || last.text == "]" || last.text == "}"
}

// references returns the paths of an expression, in its order.
func references(source string) []reference {
	s := scanner{list: tokens(source)}
	s.scan(len(s.list), false)
	return s.found
}

type scanner struct {
	list  []token
	at    int
	found []reference
}

func (s *scanner) peek(text string) bool {
	return s.at < len(s.list) && s.list[s.at].kind == kindPunct && s.list[s.at].text == text
}

// scan reads up to the end or an unmatched closing bracket.
func (s *scanner) scan(end int, inner bool) {
	for s.at < end {
		t := s.list[s.at]
		switch {
		case t.kind == kindName:
			s.path(inner, false)
		case t.kind == kindVariable && t.text == "$$":
			s.at++
			if s.peek(".") && s.at+1 < end && s.list[s.at+1].kind == kindName {
				s.at++
				s.path(inner, true)
			}
		case t.kind == kindPunct && strings.Contains("([{", t.text):
			// After an operand a bracket filters it; after a dot a block or an
			// object is evaluated for each of its elements.
			before := s.list[:s.at]
			dotted := len(before) > 0 && before[len(before)-1] == token{kindPunct, "."}
			s.at++
			s.scan(end, inner || dotted || t.text == "[" && operand(before))
			s.at++ // the closing bracket
		case t.kind == kindPunct && strings.Contains(")]}", t.text):
			return
		case t.kind == kindPunct && t.text == ".":
			s.at++
			if s.at < end && s.list[s.at].kind == kindName {
				s.at++ // a field of what is no path, such as $x.field
			}
		default:
			s.at++
		}
	}
}

// path parses one path with its filters.
func (s *scanner) path(inner, root bool) {
	r := reference{path: []string{s.list[s.at].text}, inner: inner, root: root}
	s.at++
	at := len(s.found)
	s.found = append(s.found, r) // in the order of the text: filters come after
	for {
		switch {
		case s.peek("["):
			s.at++
			s.scan(len(s.list), true)
			s.at++
		case s.peek(".") && s.at+1 < len(s.list) && s.list[s.at+1].kind == kindName:
			r.path = append(r.path, s.list[s.at+1].text)
			s.at += 2
		default:
			r.open = s.peek(".")
			s.found[at] = r
			return
		}
	}
}
