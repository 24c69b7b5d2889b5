// Package expr evaluates the JSONata expressions of maps with limits, through
// the one engine github.com/recolabs/gnata.
//
// Rules of this package:
//   - An expression has the result that jsonata-js has, or a clear error. Known gaps:
//     regular expressions are RE2 (no lookaround, no backreference: a parse
//     error that says so) and recursion ends at 100 levels.
//   - Undefined and null are two values; objects keep the order of their keys.
//   - Every evaluation has a deadline and limits on memory, input and output.
//     The call returns at the deadline at the latest; work still running then
//     ends by itself, and the number of such evaluations is limited.
//   - $eval, $random, $now, $millis and $shuffle fail whatever name they are
//     called by. A string that merely contains "$now(" is allowed.
//   - An Expression and a Value can be used by many goroutines at once.
package expr

import (
	"context"
	"errors"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/recolabs/gnata"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// maxSource is the maximum length of an expression, in bytes.
const maxSource = 16 << 10

// Expression is a compiled expression.
type Expression struct {
	compiled *gnata.Expression
}

// expressions caches compiled expressions by source.
var expressions = cache[*Expression]{limit: 1 << 20}

// Compile parses an expression of at most 16 KB. The error is
// invalid_expression; its message has the reason and the position.
func Compile(source string) (*Expression, error) {
	if len(source) > maxSource {
		return nil, fault.New(fault.InvalidExpression,
			"the expression has %d bytes, the limit is %d", len(source), maxSource)
	}
	return expressions.get(source, func() (*Expression, error) { return compile(source) })
}

func compile(source string) (e *Expression, err error) {
	defer func() {
		if r := recover(); r != nil { // a defect of the parser must not stop the host
			e, err = nil, fault.New(fault.InvalidExpression, "the expression cannot be parsed: %v", r)
		}
	}()
	compiled, err := parse(source)
	if err != nil {
		return nil, err
	}
	r := rewriter{}
	r.rewriteChecked(syntaxTree(compiled))
	if r.err != nil {
		return nil, r.err
	}
	return &Expression{compiled: compiled}, nil
}

func parse(source string) (*gnata.Expression, error) {
	compiled, err := gnata.Compile(source)
	if repaired, ok := repairDivision(source); err != nil && ok {
		if again, failed := gnata.Compile(repaired); failed == nil {
			compiled, err = again, nil
		}
	}
	if err != nil {
		return nil, syntaxFault(source, err)
	}
	return compiled, nil
}

// syntaxFault returns the parser's error with a position. The parser has none, but
// it reads from the left, so the error is at the end of the shortest prefix of the
// source that fails in the same way.
func syntaxFault(source string, err error) error {
	end := len(source)
	if !strings.Contains(err.Error(), `"EOF"`) { // else something is missing at the end
		end = sort.Search(len(source), func(n int) bool {
			_, same := gnata.Compile(source[:n])
			return same != nil && same.Error() == err.Error()
		})
	}
	position := utf8.RuneCountInString(source[:end])
	return fault.Wrap(err, fault.InvalidExpression, "the expression cannot be parsed at position %d: %s",
		position, strings.TrimPrefix(err.Error(), "JSONata error ")).With("position", position)
}

// run evaluates the expression in the calling goroutine and returns the JSON
// text of the result, nil for undefined.
func (e *Expression) run(ctx context.Context, input Value, lim bounds) (text []byte, err error) {
	defer func() {
		if r := recover(); r != nil { // a defect of the engine must not stop the host
			err = fault.New(fault.ExpressionEvaluationFailed, "the expression cannot be evaluated: %v", r)
		}
	}()
	result, err := e.compiled.EvalWithCustomFuncs(newMeter(ctx, input.size, lim), input.v, root)
	if err != nil {
		return nil, err
	}
	if result == nil || isFunction(result) {
		return nil, nil
	}
	w := writer{max: lim.MaxOutputBytes}
	err = w.value(result, 0)
	if errors.Is(err, errTooLong) || err == nil && len(w.buf) > lim.MaxOutputBytes {
		return nil, fault.New(fault.ExpressionOutputTooLarge,
			"the result is longer than %d bytes of JSON", lim.MaxOutputBytes)
	}
	return w.buf, err
}
