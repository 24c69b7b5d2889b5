package registry

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// maxRelaxed bounds how many parts of a schema are set aside before the rest of
// it is not understood either.
const maxRelaxed = 30

// Check validates arguments against the tool's input schema, as far as the schema is supported:
// unchecked lists the JSON pointers of its parts that were set aside, "" standing for all of
// it. The browser itself checks nothing.
func (t Tool) Check(args json.RawMessage) (violations []schema.Violation, unchecked []string) {
	if t.SchemaLeftOut {
		return nil, []string{""}
	}
	compiled, unchecked := compile(t.Schema())
	if compiled == nil {
		return nil, []string{""}
	}
	return compiled.Validate(args), unchecked
}

// compile removes what the validator does not support, one part after the other, until it
// accepts the rest.
func compile(text json.RawMessage) (*schema.Schema, []string) {
	unchecked := []string{}
	for range maxRelaxed {
		compiled, err := schema.CompileNewer(text)
		if err == nil {
			slices.Sort(unchecked)
			return compiled, unchecked
		}
		pointer, _ := fault.From(err).Evidence["pointer"].(string)
		smaller, ok := jsonnode.Without(text, pointer)
		if !ok {
			return nil, nil
		}
		text = smaller
		unchecked = append(unchecked, pointer)
	}
	return nil, nil
}
