package expr

import (
	"errors"
	"math"
	"reflect"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Names under which rewritten expressions call our operators. None is a valid name
// of a variable, so no expression can call or replace one by itself.
const (
	opConcat    = "&"
	opRange     = ".."
	opCheckSize = "check size"
	opDescend   = "**"
	opTransform = "|..|"
	opApply     = "~>"
)

var operators = map[string]function{
	opConcat:    concat,
	opRange:     rangeOf,
	opCheckSize: sizeChecked,
	opDescend:   descentChecked,
	opTransform: transform,
	opApply:     applied,
}

// sizeChecked returns its argument if it is not too big.
func sizeChecked(c call) (any, error) {
	v := c.arg(0)
	switch v.(type) {
	case string, float64, bool, nil:
		return v, nil
	}
	return v, c.checkSize(v)
}

// descentChecked returns its argument if "**" may be applied to it.
func descentChecked(c call) (any, error) {
	return c.arg(0), c.checkDescent(c.arg(0))
}

// concat is a & b & c.
func concat(c call) (any, error) {
	strs := make([]string, len(c.args))
	total := 0
	for i, arg := range c.args {
		s, err := c.stringOf(arg, false)
		if err != nil {
			return nil, err
		}
		strs[i] = s
		total += len(s)
		if err := c.reserveString(total); err != nil {
			return nil, err
		}
	}
	return strings.Join(strs, ""), nil
}

// stringOf returns $string of the value, "" for undefined.
func (c call) stringOf(v any, indent bool) (string, error) {
	switch x := v.(type) {
	case nil:
		return "", nil
	case string:
		return x, nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return "", evaluationError("D3001", "a number that is out of range has no text form")
		}
	}
	if isFunction(v) {
		return "", nil
	}
	w := writer{toString: true, indent: indent, max: maxString}
	if err := w.value(v, 0); err != nil {
		if errors.Is(err, errTooLong) || errors.Is(err, errTooDeep) {
			err = tooLarge("$string: %v", err)
		}
		return "", err
	}
	return string(w.buf), c.reserve(len(w.buf))
}

// rangeOf is [from .. to].
func rangeOf(c call) (any, error) {
	from, err := integer(c.arg(0), "T2003", "left")
	if err != nil {
		return nil, err
	}
	to, err := integer(c.arg(1), "T2004", "right")
	if err != nil || c.arg(0) == nil || c.arg(1) == nil || from > to {
		return nil, err
	}
	n := to - from + 1
	if n > 10_000_000 { // the language's own limit
		return nil, evaluationError("D2014", "a range must not have more than 10,000,000 elements")
	}
	if err := c.reserveItems(int(n)); err != nil {
		return nil, err
	}
	list := make([]any, int(n))
	for i := range list {
		list[i] = from + float64(i)
	}
	return list, nil
}

func integer(v any, code, side string) (float64, error) {
	f, ok := v.(float64)
	if v != nil && (!ok || f != math.Trunc(f)) {
		return 0, evaluationError(code, "the "+side+" side of the range operator .. must be an integer")
	}
	return f, nil
}

// transform is the function |pattern|update|delete|: it copies the whole value
// it is applied to, so the size of that value and of the result is checked.
func transform(c call) (any, error) {
	fn := reflect.ValueOf(c.arg(0))
	run := fn.Convert(reflect.TypeFor[func([]any, any) (any, error)]()).Interface().(func([]any, any) (any, error))
	m := c.meter
	return functionValue(func(args []any, focus any) (any, error) {
		subject := focus
		if len(args) > 0 {
			subject = args[0]
		}
		if err := m.checkSize(subject); err != nil {
			return nil, err
		}
		result, err := run(args, focus)
		if err != nil {
			return nil, err
		}
		return result, m.checkSize(result)
	}), nil
}

// applied is the right side of a ~> b where it is no call: a regular expression as the function that it is in the
// language, anything else unchanged. The engine would search without a limit, and take an object for a regular
// expression.
func applied(c call) (any, error) {
	v := c.arg(0)
	if _, ok := v.(object); ok {
		return nil, evaluationError("T2006", "the right side of the operator ~> must be a function, got an object")
	}
	p, ok, err := c.pattern(v)
	if !ok || err != nil {
		return v, err
	}
	return functionValue(func(args []any, _ any) (any, error) {
		s, ok := args[0].(string)
		if !ok {
			return nil, nil
		}
		if err := p.checkSearchCost(s); err != nil {
			return nil, err
		}
		loc := p.FindStringSubmatchIndex(s)
		if loc == nil {
			return nil, nil
		}
		return matchBetween(s, loc), nil
	}), nil
}

// evaluationError returns an error that the language defines, with its code.
func evaluationError(code, message string) error {
	return fault.New(fault.ExpressionEvaluationFailed, "%s: %s", code, message).With("jsonata_code", code)
}
