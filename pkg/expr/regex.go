package expr

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// maxProgram is the maximum number of instructions of a compiled regular expression.
const maxProgram = 5000

// pattern is a compiled regular expression and the size of its program, which
// bounds the time of a search.
type pattern struct {
	*regexp.Regexp
	program int
}

// patterns caches compiled regular expressions by flags and source.
var patterns = cache[*pattern]{limit: 1 << 20}

// regex checks a regular expression of the source and translates it for RE2.
func (r *rewriter) regex(n node) {
	source, flags := n.text(), ""
	if i := strings.LastIndexByte(source, '/'); i >= 0 && strings.Trim(source[i+1:], "gimsux") == "" {
		source, flags = source[:i], source[i+1:]
	}
	translated := translate(source)
	if _, err := compilePattern(translated, flags); err != nil {
		r.err = fault.New(fault.InvalidExpression,
			"the regular expression /%s/ at position %d cannot be used: %v", source, n.field("Pos").Int(), err)
		return
	}
	n.field("Value").SetString(translated + "/" + flags)
}

// compilePattern compiles a translated regular expression.
func compilePattern(source, flags string) (*pattern, error) {
	inline := ""
	for _, flag := range "ims" {
		if strings.ContainsRune(flags, flag) {
			inline += string(flag)
		}
	}
	if inline != "" {
		source = "(?" + inline + ")" + source
	}
	return patterns.get(source, func() (*pattern, error) {
		tree, err := syntax.Parse(source, syntax.Perl)
		if err != nil {
			return nil, explain(err)
		}
		program := schema.ProgramSize(tree)
		if program > maxProgram {
			return nil, fmt.Errorf("it is too large: about %d steps, the limit is %d", program, maxProgram)
		}
		re, err := regexp.Compile(source)
		if err != nil {
			return nil, explain(err)
		}
		return &pattern{Regexp: re, program: program}, nil
	})
}

// explain returns a clearer error for syntax that RE2 does not support.
func explain(err error) error {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case strings.HasPrefix(e.Expr, "(?=") || strings.HasPrefix(e.Expr, "(?!") || strings.HasPrefix(e.Expr, "(?<"):
		return errors.New("lookahead and lookbehind are not supported (the engine is RE2)")
	case e.Code == syntax.ErrInvalidEscape && len(e.Expr) > 1 && (e.Expr[1] >= '1' && e.Expr[1] <= '9' || e.Expr[1] == 'k'):
		return errors.New("backreferences are not supported (the engine is RE2)")
	case e.Code == syntax.ErrInvalidRepeatSize:
		return errors.New("more than 1,000 repetitions are not supported (the engine is RE2)")
	}
	return e
}

// cache is a bounded map from sources to their compiled form.
type cache[T any] struct {
	limit   int // bytes of all sources together
	mu      sync.Mutex
	entries map[string]T
	bytes   int
}

// get returns the entry, made by build if it is missing. Errors are not cached.
// A full cache is emptied: one host uses a few hundred sources, so that is rare,
// and cheaper than tracking use.
func (c *cache[T]) get(source string, build func() (T, error)) (T, error) {
	c.mu.Lock()
	entry, ok := c.entries[source]
	c.mu.Unlock()
	if ok {
		return entry, nil
	}
	entry, err := build()
	if err != nil {
		return entry, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || c.bytes+len(source) > c.limit {
		c.entries, c.bytes = map[string]T{}, 0
	}
	if _, ok := c.entries[source]; !ok {
		c.entries[source] = entry
		c.bytes += len(source)
	}
	return entry, nil
}
