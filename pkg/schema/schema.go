// Package schema compiles JSON Schemas of drafts 4, 6 and 7 and checks
// documents against them.
//
// Rules of this package:
//   - A schema is supported in full or rejected: a constraint that the validator
//     would skip is an error when compiling, not a hole later. Our own schemas
//     keep to the three drafts; [CompileNewer] is for those of others.
//   - Nothing is fetched or read. Only references within the schema are followed.
//   - The validator gets a rebuilt schema that holds nothing but checked
//     keywords, because the library also acts on other text.
//   - Compile once; a compiled Schema is immutable and safe for concurrent use.
//   - Neither a schema nor a document can make it panic, hang or exhaust memory.
package schema

import (
	"encoding/json"

	"github.com/xeipuuv/gojsonschema"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Limits on the text of a schema.
const (
	maxSchemaBytes = 1 << 20
	maxSchemaDepth = 100
)

// Schema is a compiled JSON Schema.
type Schema struct {
	compiled *gojsonschema.Schema
	root     *node
	explodes bool // the work can grow faster than the document
}

// Compile parses and compiles the text of a schema. Without "$schema" it accepts the
// keywords of drafts 4, 6 and 7 together. Errors are *fault.Error with the
// code invalid_arguments; evidence.pointer is the JSON pointer of the fault
// within the schema.
func Compile(text json.RawMessage) (*Schema, error) { return compileText(text, false) }

// CompileNewer is Compile for schemas of other authors, which may be of newer drafts:
// without "$schema" it also accepts prefixItems, and items beside it for the elements
// that follow.
func CompileNewer(text json.RawMessage) (*Schema, error) { return compileText(text, true) }

func compileText(text json.RawMessage, newer bool) (*Schema, error) {
	strict, err := strictjson.Canonical(text, strictjson.Limits{MaxBytes: maxSchemaBytes, MaxDepth: maxSchemaDepth})
	if err != nil {
		cause := fault.From(err)
		e := fault.Wrap(err, fault.InvalidArguments, "the schema is not acceptable JSON: %s", cause.Message)
		e.Evidence = cause.Evidence
		if _, located := e.Evidence["pointer"]; !located {
			return nil, e.With("pointer", "")
		}
		return nil, e
	}
	document, err := jsonnode.Decode(strict)
	if err != nil {
		return nil, invalid("", "the schema cannot be read: %v", err)
	}
	checked, err := check(document, newer)
	if err != nil {
		return nil, err
	}
	compiled, err := compile(checked)
	if err != nil {
		return nil, invalid("", "the schema does not compile: %v", err)
	}
	s := &Schema{compiled: compiled, root: checked.root, explodes: checked.mayExplode()}
	if s.explodes {
		for _, n := range checked.nodes {
			n.counted = true
		}
	} else {
		markCounted(s.root)
	}
	return s, nil
}

// MustCompile is Compile for schemas that are part of the program. It panics on
// an error.
func MustCompile(text string) *Schema {
	s, err := Compile(json.RawMessage(text))
	if err != nil {
		panic("schema: " + err.Error())
	}
	return s
}

// compile compiles the rebuilt schema with the validator. check has verified every
// shape; the recover is for unknown cases, since the library asserts types unchecked
// and is no longer maintained.
func compile(checked *checked) (compiled *gojsonschema.Schema, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			compiled, err = nil, fault.New(fault.InternalError, "the validator failed: %v", reason)
		}
	}()
	loader := gojsonschema.NewSchemaLoader()
	loader.AutoDetect = false
	loader.Draft = checked.draft
	return loader.Compile(offline{gojsonschema.NewRawLoader(checked.root.rebuilt)})
}

// offline is a loader that cannot load other documents: even if a reference passed
// the checks, the library could not fetch it.
type offline struct{ gojsonschema.JSONLoader }

// LoaderFactory implements gojsonschema.JSONLoader.
func (o offline) LoaderFactory() gojsonschema.JSONLoaderFactory { return o }

// New implements gojsonschema.JSONLoaderFactory.
func (o offline) New(source string) gojsonschema.JSONLoader {
	return unloadable{gojsonschema.NewStringLoader(source)}
}

type unloadable struct{ gojsonschema.JSONLoader }

// LoadJSON implements gojsonschema.JSONLoader.
func (u unloadable) LoadJSON() (any, error) {
	return nil, fault.New(fault.InvalidArguments, "a schema outside of this one is never loaded")
}

// invalid returns an error of the schema at the pointer. Both may hold names and
// patterns of the schema's author, which can be long.
func invalid(pointer, format string, args ...any) *fault.Error {
	e := fault.New(fault.InvalidArguments, format, args...)
	e.Message = short(e.Message, maxMessage)
	return e.With("pointer", short(pointer, maxPointer))
}

// below returns the JSON pointer of a member or element.
func below(pointer, token string) string { return pointer + "/" + jsonnode.Escape(token) }
