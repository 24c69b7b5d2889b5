package site

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
)

// minSecretWithin is from which length, in bytes, a secret counts within a longer text: shorter
// ones occur in any.
const minSecretWithin = 4

// secrets are the texts of an action's input that no preview shows.
type secrets []string

// secretsOf returns the texts of the inputs whose name says that they are secret, or whose
// schema does: writeOnly, or of the format password.
func (r running) secretsOf() secrets {
	var input map[string]json.RawMessage
	var declared struct {
		Properties map[string]struct {
			WriteOnly bool   `json:"writeOnly"`
			Format    string `json:"format"`
			Title     string `json:"title"`
		} `json:"properties"`
	}
	if json.Unmarshal(r.input, &input) != nil {
		return nil
	}
	_ = json.Unmarshal(r.tool.InputSchema, &declared) // of another shape: only the names count
	var found secrets
	for name := range input {
		of := declared.Properties[name]
		if redact.SecretName(name) || redact.SecretName(of.Title) || of.WriteOnly || of.Format == "password" {
			found = append(found, redact.TextsOf(r.input, name)...)
		}
	}
	found = slices.DeleteFunc(found, func(text string) bool { return strings.TrimSpace(text) == "" })
	for _, text := range found {
		found = append(found, strings.TrimSpace(text), url.QueryEscape(text), url.PathEscape(text))
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(found)
}

// clean returns a value as JSON without the secrets.
func (s secrets) clean(value any) (json.RawMessage, error) {
	raw, err := primitive.Output(value)
	if err != nil || len(s) == 0 {
		return raw, err
	}
	tree, err := jsonnode.Decode(raw)
	if err != nil {
		return nil, err
	}
	return primitive.Output(s.cleaned(tree))
}

func (s secrets) cleaned(value any) any {
	switch v := value.(type) {
	case string:
		return s.text(v)
	case json.Number:
		if slices.Contains(s, v.String()) {
			return redact.Mark
		}
	case []any:
		for i := range v {
			v[i] = s.cleaned(v[i])
		}
	case map[string]any:
		for name, member := range v {
			v[name] = s.cleaned(member)
		}
	}
	return value
}

// text returns a text without the secrets, in whatever case.
func (s secrets) text(text string) string {
	for _, secret := range s {
		if strings.EqualFold(text, secret) {
			return redact.Mark
		}
		if len(secret) < minSecretWithin {
			continue
		}
		text = replaceFold(text, secret)
	}
	return text
}

// replaceFold replaces a secret in whatever case.
func replaceFold(text, secret string) string {
	var b strings.Builder
	for len(text) > 0 {
		if len(text) >= len(secret) && strings.EqualFold(text[:len(secret)], secret) {
			b.WriteString(redact.Mark)
			text = text[len(secret):]
			continue
		}
		_, size := utf8.DecodeRuneInString(text)
		b.WriteString(text[:size])
		text = text[size:]
	}
	return b.String()
}

// steps returns the steps without the secrets in what a question shows of them.
func (s secrets) steps(steps []previewStep) []previewStep {
	for i := range steps {
		steps[i].argument, steps[i].Does = s.text(steps[i].argument), s.text(steps[i].Does)
		for j := range steps[i].Addresses {
			steps[i].Addresses[j] = s.text(steps[i].Addresses[j])
		}
	}
	return steps
}
