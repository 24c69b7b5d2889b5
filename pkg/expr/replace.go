package expr

import (
	"strconv"
	"strings"
)

// split is $split(text, string or pattern, limit).
func split(c call) (any, error) {
	text, rest, err := c.textAndPattern("split", 2)
	if err != nil || text == nil {
		return nil, err
	}
	limit, err := limitArg("split", rest, 1, "D3020")
	if err != nil {
		return nil, err
	}
	s := text.(string)
	var chunks []string
	if separator, ok := rest[0].(string); ok {
		if f, _ := c.arg(len(c.args) - len(rest) + 1).(float64); limit > 0 {
			limit = int(min(f, float64(limit))) // JavaScript cuts the fraction off here
		}
		n := strings.Count(s, separator) + 1
		if limit >= 0 {
			n = min(n, limit)
		}
		if err := c.reserveItems(n); err != nil {
			return nil, err
		}
		chunks = strings.SplitN(s, separator, n+1)
		chunks = chunks[:min(len(chunks), n)]
	} else if chunks, err = c.splitPattern(s, rest[0], limit); err != nil {
		return nil, err
	}
	list := make([]any, len(chunks))
	for i, part := range chunks {
		list[i] = part
	}
	return list, nil
}

func (c call) splitPattern(s string, v any, limit int) ([]string, error) {
	p, ok, err := c.pattern(v)
	if err != nil {
		return nil, err
	}
	if !ok && isFunction(v) {
		return nil, evaluationError("T1010", "$split needs a string or a regular expression")
	}
	if !ok {
		return nil, typeError("split", 2)
	}
	if limit == 0 {
		return nil, nil
	}
	found, err := c.findMatches(p, s, limit)
	if err != nil {
		return nil, err
	}
	var chunks []string
	start := 0
	for _, loc := range found {
		chunks = append(chunks, s[start:loc[0]])
		start = loc[1]
	}
	if limit < 0 || len(chunks) < limit {
		chunks = append(chunks, s[start:])
	}
	return chunks, nil
}

// replace is $replace(text, string or pattern, string or function, limit).
func replace(c call) (any, error) {
	text, rest, err := c.textAndPattern("replace", 3)
	if err != nil || text == nil {
		return nil, err
	}
	limit, err := limitArg("replace", rest, 2, "D3011")
	if err != nil {
		return nil, err
	}
	replacement, isText := rest[1].(string)
	if !isText && !isFunction(rest[1]) {
		return nil, typeError("replace", 3)
	}
	s := text.(string)
	if old, ok := rest[0].(string); ok {
		return c.replaceString(s, old, replacement, isText, limit)
	}
	p, ok, err := c.pattern(rest[0])
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, typeError("replace", 2)
	}
	found, err := c.findMatches(p, s, limit)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	at := 0
	for _, loc := range found {
		var substitute string
		if isText {
			substitute, err = c.expand(replacement, s, loc)
		} else {
			substitute, err = c.replaceBy(rest[1], s, loc)
		}
		if err != nil {
			return nil, err
		}
		if err := c.reserveString(out.Len() + loc[0] - at + len(substitute)); err != nil {
			return nil, err
		}
		out.WriteString(s[at:loc[0]])
		out.WriteString(substitute)
		at = loc[1]
	}
	out.WriteString(s[at:])
	return out.String(), nil
}

func (c call) replaceString(s, old, replacement string, isText bool, limit int) (any, error) {
	switch {
	case old == "":
		return nil, evaluationError("D3010", "the second argument of $replace must not be empty")
	case !isText:
		return nil, evaluationError("D3012", "$replace takes a function only together with a regular expression")
	}
	count := strings.Count(s, old)
	if limit >= 0 {
		count = min(count, limit)
	}
	if err := c.reserveString(len(s) + count*(len(replacement)-len(old))); err != nil {
		return nil, err
	}
	return strings.Replace(s, old, replacement, count), nil
}

// replaceBy calls a function of the expression for the substitute.
func (c call) replaceBy(fn any, s string, loc []int) (string, error) {
	result, err := c.apply(fn, matchBetween(s, loc))
	if err != nil {
		return "", err
	}
	text, ok := result.(string)
	if !ok {
		return "", evaluationError("D3012", "the function given to $replace must return a string")
	}
	return text, nil
}

// expand returns a replacement with its references filled in: $0 is the match, $1 the first group, $$ a
// dollar sign. A number takes as many digits as the pattern's groups can have.
func (c call) expand(template, s string, loc []int) (string, error) {
	if !strings.Contains(template, "$") {
		return template, nil
	}
	groups := len(loc)/2 - 1
	var out strings.Builder
	for {
		before, after, found := strings.Cut(template, "$")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		if err := c.Err(); err != nil { // references may write nothing
			return "", err
		}
		if out.Len() > maxString {
			return "", c.reserveString(out.Len())
		}
		switch {
		case strings.HasPrefix(after, "$"):
			out.WriteByte('$')
			template = after[1:]
		case strings.HasPrefix(after, "0"):
			out.WriteString(s[loc[0]:loc[1]])
			template = after[1:]
		default:
			number, digits := groupNumber(after, groups)
			if digits == 0 {
				out.WriteByte('$')
			} else if number >= 1 && number <= groups && loc[2*number] >= 0 {
				out.WriteString(s[loc[2*number]:loc[2*number+1]])
			}
			template = after[digits:]
		}
	}
}

// groupNumber parses the number of a group at the start of text.
func groupNumber(text string, groups int) (number, digits int) {
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' &&
		digits < max(1, len(strconv.Itoa(groups))) {
		digits++
	}
	number, _ = strconv.Atoi(text[:digits])
	if digits > 1 && number > groups {
		digits--
		number, _ = strconv.Atoi(text[:digits])
	}
	return number, digits
}
