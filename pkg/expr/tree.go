package expr

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// EvalTree evaluates every slot in a JSON tree, at any depth, in the order of
// the text; keys are never evaluated. A property whose slot is undefined is
// left out, such an element of an array becomes null, and a tree that is itself
// such a slot becomes nil. Everything else keeps its bytes. The limits apply to
// each slot. An error names the slot in evidence.path, as a.b[0].
func EvalTree(ctx context.Context, tree json.RawMessage, input Value, lim Limits) (json.RawMessage, error) {
	w := newWalker(tree, func(source string) (json.RawMessage, error) {
		e, err := Compile(source)
		if err != nil {
			return nil, err
		}
		v, err := e.Eval(ctx, input, lim)
		return v.JSON(), err
	})
	if err := w.tree(); err != nil {
		return nil, err
	}
	if len(w.out) == 0 {
		return nil, nil
	}
	return w.out, nil
}

// CheckTree parses every slot of a JSON tree without evaluating it. Each error
// names its slot in evidence.path.
func CheckTree(tree json.RawMessage) []error {
	var errs []error
	w := newWalker(tree, func(source string) (json.RawMessage, error) {
		_, err := Compile(source)
		return nil, err
	})
	w.report = func(err error) error {
		errs = append(errs, err)
		return nil
	}
	if err := w.tree(); err != nil {
		errs = append(errs, err) // not JSON
	}
	return errs
}

// walker copies a JSON text and replaces its slots by their results.
type walker struct {
	in   *jsontext.Decoder
	out  []byte
	path []byte // of the value at the decoder's position
	// slot returns the JSON text for a slot, nil for undefined.
	slot func(source string) (json.RawMessage, error)
	// report receives the error of a slot; a returned error ends the walk.
	report func(error) error
}

func newWalker(tree json.RawMessage, slot func(string) (json.RawMessage, error)) *walker {
	return &walker{
		in: jsontext.NewDecoder(bytes.NewReader(tree),
			jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		out:    make([]byte, 0, len(tree)),
		slot:   slot,
		report: func(err error) error { return err },
	}
}

// tree copies the whole text.
func (w *walker) tree() error {
	_, err := w.value()
	return err
}

// value copies the next value. It reports false for an undefined slot, for which
// it writes nothing.
func (w *walker) value() (bool, error) {
	switch w.in.PeekKind() {
	case '{':
		return true, w.object()
	case '[':
		return true, w.array()
	case '"':
		return w.text()
	}
	raw, err := w.in.ReadValue()
	w.out = append(w.out, raw...)
	return true, w.syntax(err)
}

// text copies a string, or the result of the slot that it is.
func (w *walker) text() (bool, error) {
	raw, err := w.in.ReadValue()
	if err != nil {
		return false, w.syntax(err)
	}
	decoded, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		// Invalid UTF-8 was replaced; the strict decoder rejects it earlier.
		decoded = bytes.ToValidUTF8(decoded, []byte("\ufffd"))
	}
	source, isSlot, err := Slot(string(decoded))
	if err == nil && !isSlot {
		w.out = append(w.out, raw...)
		return true, nil
	}
	var result json.RawMessage
	if err == nil {
		result, err = w.slot(source)
	}
	if err != nil {
		return false, w.report(fault.From(err).With("path", string(w.path)))
	}
	w.out = append(w.out, result...)
	return result != nil, nil
}

func (w *walker) object() error {
	if err := w.token(); err != nil {
		return err
	}
	first, at := true, len(w.path)
	for w.in.PeekKind() == '"' {
		before := len(w.out)
		if !first {
			w.out = append(w.out, ',')
		}
		name, err := w.in.ReadValue()
		if err != nil {
			return w.syntax(err)
		}
		w.out = append(append(w.out, name...), ':')
		w.path = w.path[:at]
		if at > 0 {
			w.path = append(w.path, '.')
		}
		w.path, _ = jsontext.AppendUnquote(w.path, name)
		defined, err := w.value()
		if err != nil {
			return err
		}
		if !defined {
			w.out = w.out[:before] // drop the name too
			continue
		}
		first = false
	}
	w.path = w.path[:at]
	return w.token()
}

func (w *walker) array() error {
	if err := w.token(); err != nil {
		return err
	}
	at := len(w.path)
	for i := 0; w.in.PeekKind() != ']'; i++ {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.path = append(strconv.AppendInt(append(w.path[:at], '['), int64(i), 10), ']')
		defined, err := w.value()
		if err != nil {
			return err
		}
		if !defined {
			w.out = append(w.out, "null"...)
		}
	}
	w.path = w.path[:at]
	return w.token()
}

// token copies a bracket.
func (w *walker) token() error {
	t, err := w.in.ReadToken()
	if err != nil {
		return w.syntax(err)
	}
	w.out = append(w.out, byte(t.Kind()))
	return nil
}

func (w *walker) syntax(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(err, fault.InvalidInput, "not a JSON value: %v", err)
}
