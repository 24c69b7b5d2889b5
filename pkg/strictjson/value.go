package strictjson

import (
	"bytes"
	"encoding/json"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Value is a JSON value in the form that [Canonical] returns. Only this package makes
// one, so that whoever takes a Value need not check it again. The zero Value is absent.
type Value struct{ text json.RawMessage }

// Parse returns the value of data, checked as [Canonical] does.
func Parse(data []byte, lim Limits) (Value, error) {
	text, err := Canonical(data, lim)
	return Value{text}, err
}

// Empty returns the object without members.
func Empty() Value { return Value{json.RawMessage("{}")} }

// IsZero reports whether the value is absent.
func (v Value) IsZero() bool { return v.text == nil }

// Raw returns the text, nil for the zero Value. It must not be changed.
func (v Value) Raw() json.RawMessage { return slices.Clip(v.text) }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return len(v.text) > 0 && v.text[0] == '{' }

// Get returns a member of an object, the zero Value if there is none.
func (v Value) Get(name string) Value {
	if !v.mentions(name) {
		return Value{}
	}
	return Value{jsonnode.Node{Raw: v.text}.Object().Get(name).Raw}
}

// mentions reports whether there may be a member of the name. A canonical text has one
// spelling of it.
func (v Value) mentions(name string) bool {
	quoted, _ := jsontext.AppendQuote(nil, name)
	return bytes.Contains(v.text, quoted)
}

// Without returns an object without the members of these names, the others in their
// order; any other value as it is.
func (v Value) Without(names ...string) Value {
	if !v.IsObject() || !slices.ContainsFunc(names, v.mentions) {
		return v
	}
	members := jsonnode.Node{Raw: v.text}.Members()
	return Value{jsonnode.Join(slices.DeleteFunc(members, func(m jsonnode.Member) bool { return slices.Contains(names, m.Name) }))}
}

// Decode stores the value in target as the function [Decode] does, without checking it
// again.
func (v Value) Decode(target any) error { return unmarshal(v.text, target, true) }

// MarshalJSON returns the text.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.text == nil {
		return []byte("null"), nil
	}
	return v.text, nil
}

// UnmarshalJSON checks the text with the default limits.
func (v *Value) UnmarshalJSON(data []byte) (err error) {
	*v, err = Parse(data, Limits{})
	return err
}

// checkedValues stores the text of a document that was checked as a whole.
var checkedValues = jsonv2.UnmarshalFromFunc(func(in *jsontext.Decoder, v *Value) error {
	text, err := in.ReadValue()
	*v = Value{json.RawMessage(text.Clone())}
	return err
})
