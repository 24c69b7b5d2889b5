package browser

import (
	_ "embed" // the functions that look at fields
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// FieldFunction is the JavaScript function that tells of elements whether what stands in them
// is a secret. It takes the values of [FieldArguments] and then the elements.
//
//go:embed field.js
var FieldFunction string

//go:embed open_fields.js
var openFieldsFunction string

// FieldArguments returns the first arguments of [FieldFunction], which encode to JSON.
func FieldArguments() []any {
	return []any{manifest.SecretEvent, manifest.SecretAutocomplete, manifest.CredentialPatterns}
}

// OpenFields returns the JavaScript expression for the list of a document's fields, so many at
// most, whose text may be seen in a picture.
func OpenFields(limit int) (string, error) {
	known, err := json.Marshal(FieldArguments())
	if err != nil {
		return "", fault.Wrap(err, fault.InternalError, "an argument cannot be written: %v", err)
	}
	return fmt.Sprintf("(%s)(%s, %s, %d)", openFieldsFunction, FieldFunction, known, limit), nil
}
