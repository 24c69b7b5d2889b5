// Package strictjson is the only decoder of JSON from outside: from the browser, a
// client, a map or a file.
//
// Rules of this package:
//   - Text that two parsers could read differently is rejected: invalid UTF-8,
//     lone surrogates, duplicate member names, control characters in names,
//     anything after the value.
//   - Size and depth are limited before they can cost memory or stack.
//   - Names are compared exactly; "METHOD" is not "method".
//   - Only the re-encoded form is passed on, so that no later parser sees the
//     sender's spelling. Numbers keep their digits and members their order.
//   - A [Value] is the proof of these checks: only this package can make one.
//   - Errors are *fault.Error with the code invalid_message and quote names,
//     never values.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"unicode"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// Defaults of [Limits].
const (
	DefaultMaxBytes = 64 << 20 // the largest message a browser can send
	DefaultMaxDepth = 200
)

// Limits bounds a document. A field that is not positive has its default.
type Limits struct {
	MaxBytes int // size of the text in bytes
	MaxDepth int // nesting of objects and arrays; a document without any has depth 0
}

func (l Limits) withDefaults() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = DefaultMaxDepth
	}
	return l
}

// Canonical checks that data is exactly one strict JSON value and returns it in
// compact form with minimally escaped strings. The result shares no memory with
// data; Canonical of it returns the same bytes.
func Canonical(data []byte, lim Limits) (json.RawMessage, error) {
	lim = lim.withDefaults()
	if len(data) > lim.MaxBytes {
		return nil, invalid("the message has %d bytes; %d are allowed", len(data), lim.MaxBytes).
			With("max_bytes", lim.MaxBytes)
	}
	text, err := jsontext.AppendFormat(make([]byte, 0, len(data)), data)
	if err == nil && sound(text, lim.MaxDepth) {
		return text, nil
	}
	return canonicalByToken(data, lim)
}

// canonicalByToken is Canonical for a text in which something is wrong: it finds the place.
func canonicalByToken(data []byte, lim Limits) (json.RawMessage, error) {
	in := jsontext.NewDecoder(bytes.NewBuffer(data))
	// The decoder rejects duplicates; checking again would only cost time.
	var text bytes.Buffer
	text.Grow(len(data) + 1) // the compact form is never longer; 1 for the encoder's newline
	out := jsontext.NewEncoder(&text, jsontext.AllowDuplicateNames(true))
	for {
		token, err := in.ReadToken()
		if err != nil {
			return nil, syntaxFault(err, in.InputOffset())
		}
		switch token.Kind() {
		case jsontext.KindBeginObject, jsontext.KindBeginArray:
			if in.StackDepth() > lim.MaxDepth {
				return nil, invalid("the message is nested deeper than %d levels", lim.MaxDepth).
					With("max_depth", lim.MaxDepth).With("offset", in.InputOffset())
			}
		case jsontext.KindString:
			if err := checkName(in, token); err != nil {
				return nil, err
			}
		}
		if err := out.WriteToken(token); err != nil {
			return nil, syntaxFault(err, in.InputOffset())
		}
		if in.StackDepth() == 0 {
			break
		}
	}
	if _, err := in.ReadToken(); err != io.EOF {
		return nil, invalid("unexpected data after the value; a message is exactly one JSON value").
			With("offset", in.InputOffset())
	}
	return json.RawMessage(bytes.TrimSuffix(text.Bytes(), []byte("\n"))), nil
}

// checkName rejects a member name with a control character in it. Such names
// look alike in a log, and some parsers end a name at its NUL.
func checkName(in *jsontext.Decoder, token jsontext.Token) error {
	kind, read := in.StackIndex(in.StackDepth())
	if kind != jsontext.KindBeginObject || read%2 == 0 {
		return nil // a value, or an element of an array
	}
	for _, r := range token.String() {
		if unicode.IsControl(r) {
			return invalid("a member name holds the control character %U", r).
				With("pointer", truncate.Bytes(string(in.StackPointer()), maxPointer)).
				With("offset", in.InputOffset())
		}
	}
	return nil
}

// Decode checks data as Canonical does and stores it in v, a non-nil pointer.
// The shape is closed: a member that v does not declare is rejected, whatever
// its case.
func Decode(data []byte, v any, lim Limits) error {
	return decode(data, v, lim, true)
}

// DecodeOpen is Decode for shapes that may grow: unknown members are skipped.
// They are still checked as Canonical does, and names still differ by case.
func DecodeOpen(data []byte, v any, lim Limits) error {
	return decode(data, v, lim, false)
}

func decode(data []byte, v any, lim Limits, closed bool) error {
	text, err := Canonical(data, lim)
	if err != nil {
		return err
	}
	// From the canonical text, so that a json.RawMessage in v holds no other.
	return unmarshal(text, v, closed)
}

// unmarshal stores a canonical text in v.
func unmarshal(text json.RawMessage, v any, closed bool) error {
	if target := reflect.ValueOf(v); target.Kind() != reflect.Pointer || target.IsNil() {
		return fault.New(fault.InternalError, "a message can only be decoded into a non-nil pointer")
	}
	// That there are no duplicates was checked.
	if err := jsonv2.Unmarshal(text, v, jsonv2.RejectUnknownMembers(closed), jsontext.AllowDuplicateNames(true), unmarshalers); err != nil {
		return shapeFault(err)
	}
	return nil
}

var unmarshalers = jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(exactNumbers, checkedValues))

// exactNumbers lets json.Number fields take a number as encoding/json does; the
// library treats a json.Number as a string.
var exactNumbers = jsonv2.UnmarshalFromFunc(func(in *jsontext.Decoder, n *json.Number) error {
	if in.PeekKind() != jsontext.KindNumber {
		return errNotNumber
	}
	value, err := in.ReadValue()
	*n = json.Number(value)
	return err
})

var errNotNumber = errors.New("not a number")
