package expr

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// maxNesting is the maximum nesting of a value, so that no walk over it can
// exhaust the stack.
const maxNesting = 10_000

// Value is a JSON value or undefined. It is immutable and cheap to copy; the zero Value is undefined. Objects keep the order of their
// members, numbers are IEEE doubles as in JavaScript.
type Value struct {
	// v is the engine's representation: nil is undefined, engine.null is null, an
	// object is the engine's ordered map, an array []any, a number float64.
	v any
	// size is the length of the JSON text, or slightly more.
	size int
}

// Undefined returns the value of a path that selects nothing. It is not null.
func Undefined() Value { return Value{} }

// Null returns the JSON null.
func Null() Value { return Value{v: engine.null, size: 4} }

// Bool returns a JSON boolean.
func Bool(b bool) Value { return Value{v: b, size: 5} }

// Number returns a JSON number. NaN and the infinities become null in JSON, as in
// JavaScript.
func Number(f float64) Value { return Value{v: f, size: 24} }

// String returns a JSON string.
func String(s string) Value { return Value{v: s, size: len(s) + 2} }

// Member is one property of an object.
type Member struct {
	Name  string
	Value Value
}

// Object returns an object with the members in their order; undefined members are left
// out, a repeated name takes the last value.
func Object(members ...Member) Value {
	o := engine.newObject()
	size := 2
	for _, m := range members {
		if m.Value.IsUndefined() {
			continue
		}
		o.Set(m.Name, m.Value.v)
		size += len(m.Name) + 4 + m.Value.size
	}
	return Value{v: o, size: size}
}

// Decode parses one JSON text, which the caller has already checked to be strict.
// The error is invalid_input: not JSON, or nested deeper than 10,000 levels.
func Decode(data json.RawMessage) (Value, error) {
	d := jsontext.NewDecoder(bytes.NewReader(data),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := decodeNext(d)
	if err == nil {
		if _, end := d.ReadToken(); !errors.Is(end, io.EOF) {
			err = errors.New("unexpected data after the value")
		}
	}
	if err != nil {
		return Value{}, fault.Wrap(err, fault.InvalidInput, "not a JSON value: %v", err)
	}
	return Value{v: v, size: len(data)}, nil
}

// decodeNext reads the next value. The decoder itself rejects a depth above
// 10,000, which bounds the recursion.
func decodeNext(d *jsontext.Decoder) (any, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case '{':
		o := engine.newObject()
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			key := name.String()
			member, err := decodeNext(d)
			if err != nil {
				return nil, err
			}
			o.Set(key, member)
		}
		_, err = d.ReadToken()
		return o, err
	case '[':
		list := []any{}
		for d.PeekKind() != ']' {
			element, err := decodeNext(d)
			if err != nil {
				return nil, err
			}
			list = append(list, element)
		}
		_, err = d.ReadToken()
		return list, err
	case 'n':
		return engine.null, nil
	case 't', 'f':
		return t.Bool(), nil
	case '0':
		return t.Float() // beyond the range of a double is an error
	default:
		return t.String(), nil
	}
}

// IsUndefined reports whether the value is undefined.
func (v Value) IsUndefined() bool { return v.v == nil }

// Truthy reports whether the value is truthy in JavaScript: false, 0, NaN, "", null and undefined are
// false. An empty array or object is true, unlike in JSONata.
func (v Value) Truthy() bool {
	switch x := v.v.(type) {
	case nil:
		return false
	case bool:
		return x
	case float64:
		return x != 0 && !math.IsNaN(x)
	case string:
		return x != ""
	default:
		return x != engine.null
	}
}

// Items returns the elements if the value is an array.
func (v Value) Items() ([]Value, bool) {
	list, ok := v.v.([]any)
	if !ok {
		return nil, false
	}
	items := make([]Value, len(list))
	for i, element := range list {
		// The exact size would need a walk; the share of the whole is enough
		// for the limit on an input.
		items[i] = Value{v: element, size: v.size / len(list)}
	}
	return items, true
}

// JSON returns the JSON text, nil for undefined.
func (v Value) JSON() json.RawMessage {
	if v.IsUndefined() {
		return nil
	}
	// Decode or a constructor has made every Value, so writing it without a
	// limit cannot fail.
	w := writer{buf: make([]byte, 0, min(v.size, 1<<20))}
	_ = w.value(v.v, 0)
	return w.buf
}
