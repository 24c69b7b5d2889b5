package jsonnode

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Encode returns the JSON of a value without the escapes that only HTML needs: a
// reader takes it as text, and an address stays as it is.
func Encode(v any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// Decode decodes exactly one value. Its numbers are of type [json.Number], which keeps
// all their digits.
func Decode(text []byte) (any, error) {
	v, rest, err := DecodeFirst(text)
	if err == nil && len(rest) > 0 {
		return nil, errors.New("unexpected data after JSON value")
	}
	return v, err
}

// DecodeFirst decodes the first value as [Decode] does and returns what follows it, for
// those who redact a text that need not be JSON. Of mere white space nothing follows.
func DecodeFirst(text []byte) (v any, rest []byte, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return nil, nil, err
	}
	rest = text[decoder.InputOffset():]
	if len(bytes.TrimLeft(rest, " \t\r\n")) == 0 {
		rest = nil
	}
	return v, rest, nil
}

// Join returns an object with the members in their order.
func Join(members []Member) json.RawMessage {
	text := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			text = append(text, ',')
		}
		text, _ = jsontext.AppendQuote(text, m.Name) // fails only for a name that is not UTF-8, which it mends
		text = append(append(text, ':'), m.Raw...)
	}
	return append(text, '}')
}

// Without returns the text without the value at the pointer, and false if it has none.
// An element of an array becomes an empty object, so that the others keep their indexes.
func Without(text json.RawMessage, pointer string) (json.RawMessage, bool) {
	root, err := Decode(text)
	tokens := slices.Collect(jsontext.Pointer(pointer).Tokens())
	if err != nil || len(tokens) == 0 || !remove(root, tokens) {
		return nil, false
	}
	smaller, err := Encode(root)
	return smaller, err == nil
}

func remove(from any, tokens []string) bool {
	var child any
	switch from := from.(type) {
	case map[string]any:
		member, ok := from[tokens[0]]
		if ok && len(tokens) == 1 {
			delete(from, tokens[0])
		}
		if !ok || len(tokens) == 1 {
			return ok
		}
		child = member
	case []any:
		index, err := strconv.Atoi(tokens[0])
		if err != nil || index < 0 || index >= len(from) {
			return false
		}
		if len(tokens) == 1 {
			from[index] = map[string]any{}
			return true
		}
		child = from[index]
	default:
		return false
	}
	return remove(child, tokens[1:])
}
