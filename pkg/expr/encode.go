package expr

import (
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	errTooLong = errors.New("the text is longer than the limit")
	errTooDeep = errors.New("the value is nested deeper than 10,000 levels")
)

// writer encodes the engine's values as JSON like JSON.stringify. It stops as soon
// as the text is longer than max: a value with shared nodes can be exponentially
// longer than the memory it uses.
type writer struct {
	buf []byte
	max int // 0: no limit

	// toString selects the rules of JSONata's $string: functions are "", and
	// numbers have 15 significant digits.
	toString bool
	indent   bool
	level    int
}

// value writes one value; depth is the number of containers around it.
func (w *writer) value(v any, depth int) error {
	if w.max > 0 && len(w.buf) > w.max {
		return errTooLong
	}
	if depth > maxNesting {
		return errTooDeep
	}
	switch x := v.(type) {
	case nil:
		w.buf = append(w.buf, "null"...)
	case bool:
		w.buf = strconv.AppendBool(w.buf, x)
	case float64:
		if w.toString && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return evaluationError("D1001", "a number is out of range")
		}
		w.number(x)
	case string:
		w.text(x)
	case []any:
		return w.array(x, depth)
	case object:
		return w.object(x.Keys(), x.Get, depth)
	default:
		switch {
		case x == engine.null:
			w.buf = append(w.buf, "null"...)
		case isFunction(x) && w.toString:
			w.buf = append(w.buf, `""`...)
		case isFunction(x):
			w.buf = append(w.buf, "null"...)
		default:
			if list, ok := sequence(x); ok {
				return w.array(list, depth)
			}
			if m, ok := x.(map[string]any); ok {
				return w.object(slices.Sorted(maps.Keys(m)), lookupIn(m), depth)
			}
			return errors.New("a value of the engine that has no JSON form: " + reflect.TypeOf(x).String())
		}
	}
	return nil
}

func (w *writer) array(list []any, depth int) error {
	w.buf = append(w.buf, '[')
	w.level++
	for i, element := range list {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.newline()
		if err := w.value(element, depth+1); err != nil {
			return err
		}
	}
	w.level--
	if len(list) > 0 {
		w.newline()
	}
	w.buf = append(w.buf, ']')
	return nil
}

func (w *writer) object(keys []string, get func(string) (any, bool), depth int) error {
	w.buf = append(w.buf, '{')
	w.level++
	first := true
	for _, key := range keys {
		member, _ := get(key)
		if member == nil || isFunction(member) && !w.toString {
			continue
		}
		if !first {
			w.buf = append(w.buf, ',')
		}
		first = false
		w.newline()
		w.text(key)
		w.buf = append(w.buf, ':')
		if w.indent {
			w.buf = append(w.buf, ' ')
		}
		if err := w.value(member, depth+1); err != nil {
			return err
		}
	}
	w.level--
	if !first {
		w.newline()
	}
	w.buf = append(w.buf, '}')
	return nil
}

// newline starts a line of indented text.
func (w *writer) newline() {
	if !w.indent {
		return
	}
	w.buf = append(w.buf, '\n')
	for range w.level {
		w.buf = append(w.buf, "  "...)
	}
}

func (w *writer) text(s string) {
	// The only error is invalid UTF-8, which is replaced as JSON demands.
	w.buf, _ = jsontext.AppendQuote(w.buf, s)
}

// number writes a double as ECMAScript does; a non-finite one is null.
func (w *writer) number(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.buf = append(w.buf, "null"...)
		return
	}
	if w.toString && f != math.Trunc(f) {
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'g', 15, 64), 64)
	}
	w.buf = appendNumber(w.buf, f)
}

// appendNumber writes a finite double in the form of Number.prototype.toString.
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // also for -0
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go writes e-07, ECMAScript e-7.
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}
