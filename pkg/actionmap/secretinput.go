package actionmap

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/redact"
)

// SecretTexts returns the texts in an action's arguments that are secret: by the name or the
// title of a member, at any depth, or because its schema is writeOnly or of the format password.
// A nil tool knows the names only.
func (t *Tool) SecretTexts(args json.RawMessage) []string {
	if t == nil {
		return secretTexts(args, nil)
	}
	return secretTexts(args, t.InputSchema)
}

func secretTexts(value, schema json.RawMessage) (texts []string) {
	if elements, ok := array(value); ok {
		for _, e := range elements {
			texts = append(texts, secretTexts(e, member(schema, "items"))...)
		}
		return texts
	}
	given, _ := object(value)
	for name, inner := range given {
		of := member(schema, "properties", name)
		if redact.SecretName(name) || redact.SecretName(str(member(of, "title"))) ||
			string(member(of, "writeOnly")) == "true" || str(member(of, "format")) == "password" {
			texts = append(texts, redact.TextsOf(value, name)...)
			continue
		}
		texts = append(texts, secretTexts(inner, of)...)
	}
	return texts
}
