package strictjson

import (
	"errors"
	"io"
	"reflect"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// maxPointer is the maximum length of a pointer in the evidence: a name may be megabytes long.
const maxPointer = 200

func invalid(format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidMessage, format, args...)
}

// syntaxFault returns the error for a text that the tokenizer rejected. offset is
// its position, used when the error has none.
func syntaxFault(err error, offset int64) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		if errors.Is(err, io.EOF) {
			return fault.Wrap(io.ErrUnexpectedEOF, fault.InvalidMessage, "the message holds no JSON value").With("offset", offset)
		}
		return fault.Wrap(err, fault.InvalidMessage, "the message cannot be read as JSON").With("offset", offset)
	}
	var e *fault.Error
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e = fault.Wrap(err, fault.InvalidMessage, "the member name %q stands twice in one object", truncate.Bytes(syntax.JSONPointer.LastToken(), maxPointer))
	case errors.Is(err, io.ErrUnexpectedEOF):
		e = fault.Wrap(err, fault.InvalidMessage, "the message ends before its JSON value is complete")
	default:
		// The library's reason names at most the offending characters.
		e = fault.Wrap(err, fault.InvalidMessage, "the message is not strict JSON: %v", syntax.Err)
	}
	return e.With("offset", syntax.ByteOffset).With("pointer", truncate.Bytes(string(syntax.JSONPointer), maxPointer))
}

// shapeFault returns the error for a strict document that does not fit the Go type.
// It does not quote the value, which may be a secret.
func shapeFault(err error) error {
	var semantic *jsonv2.SemanticError
	if !errors.As(err, &semantic) {
		return fault.Wrap(err, fault.InvalidMessage, "the message does not have the expected shape")
	}
	pointer := truncate.Bytes(string(semantic.JSONPointer), maxPointer)
	var e *fault.Error
	switch {
	case errors.Is(err, jsonv2.ErrUnknownName):
		e = fault.Wrap(err, fault.InvalidMessage, "the member %q is unknown; names are exact, also in case", pointer)
	case semantic.JSONKind != 0 && semantic.GoType != nil:
		e = fault.Wrap(err, fault.InvalidMessage, "%s does not fit at %q, which takes %s", describeKind(semantic.JSONKind), pointer, expected(semantic.GoType))
	default:
		e = fault.Wrap(err, fault.InvalidMessage, "the value at %q does not have the expected shape", pointer)
	}
	return e.With("pointer", pointer)
}

func describeKind(kind jsontext.Kind) string {
	switch kind {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindTrue, jsontext.KindFalse:
		return "a boolean"
	case jsontext.KindString:
		return "this string"
	case jsontext.KindNumber:
		return "this number"
	case jsontext.KindBeginArray:
		return "this array"
	default:
		return "this object"
	}
}

// expected describes in JSON's terms what a Go type accepts.
func expected(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "an integer of type " + t.Kind().String()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "an integer from zero of type " + t.Kind().String()
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		if t.Name() == "Number" {
			return "a number"
		}
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	default:
		return "an object"
	}
}
