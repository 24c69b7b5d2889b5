// Package redact is the one place that knows what is secret and what is written
// in its stead: in the log, in recordings, and in what a model or a person reads.
//
// Rules of this package:
//   - It works by rules: a secret that no rule names stays.
//   - A [Mark] or a measure stands for a secret. Whether there was one, and how
//     long it was, may be known.
//   - No input makes it panic, and what it returns for JSON is JSON.
package redact

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

const (
	// Mark is what a secret is replaced by.
	Mark = "[redacted]"

	// MaxJSON is the longest JSON text that is examined.
	MaxJSON = 128 << 10

	// secretsCount is the member in which a snapshot says how many secrets it
	// left out: its name tells of secrets, its number of none.
	secretsCount = "secrets_redacted"
)

// JSON returns a compact copy of a JSON text without secrets: values of members
// whose name suggests one (password, token, authorization …), keys and tokens
// within strings, user names, passwords and secret parameters of URLs. Data
// URLs and base64 payloads become {"redacted":…,"bytes":n}. JSON within strings
// is treated alike. A text that is not JSON becomes {"invalid_json":"…"}; a value
// at its beginning is treated alike. Rules
// find only what they name: a secret in plain prose stays. Of a text longer than
// [MaxJSON] only the size is kept.
func JSON(data json.RawMessage) json.RawMessage {
	if len(data) == 0 {
		return nil
	}
	if len(data) > MaxJSON {
		return Truncated(len(data), nil)
	}
	// Most records hold nothing like a secret and are written as they are.
	var compact bytes.Buffer
	compact.Grow(len(data))
	if json.Compact(&compact, data) == nil && clean(compact.Bytes()) {
		return compact.Bytes()
	}
	value, rest, err := jsonnode.DecodeFirst(data)
	if err == nil && len(rest) == 0 {
		return Encode(redactValue(value))
	}
	text := string(data)
	switch value.(type) {
	case map[string]any, []any:
		text = string(Encode(redactValue(value))) + string(rest)
	}
	return Encode(map[string]any{"invalid_json": Text(text)})
}

// redactValue works on what encoding/json decodes to and may change it.
func redactValue(value any) any {
	switch v := value.(type) {
	case string:
		return String(v)
	case json.Number:
		if card(v.String()) {
			return Mark
		}
	case []any:
		for i := range v {
			v[i] = redactValue(v[i])
		}
	case map[string]any:
		secret := DescribesSecret(v)
		for name, member := range v {
			if _, number := member.(json.Number); number && name == secretsCount {
				continue
			}
			if SecretName(name) || secret && name == "value" {
				v[name] = hide(member)
			} else {
				v[name] = redactValue(member)
			}
		}
	}
	return value
}

// hide replaces a secret. Whether there was one (null, true, false) may be
// known, what it was may not; one that was measured already stays its length.
func hide(value any) any {
	switch v := value.(type) {
	case nil, bool:
		return value
	case map[string]any:
		if _, number := v["length"].(json.Number); number && len(v) == 1 {
			return value
		}
	}
	return Mark
}

// DescribesSecret reports whether an object has the form in which fields, headers
// and cookies are listed, and names a secret: {"name":"password","value":"…"}.
func DescribesSecret(object map[string]any) bool {
	for name, member := range object {
		if text, ok := member.(string); ok && describes(name) && SecretName(text) {
			return true
		}
	}
	return false
}

func describes(name string) bool {
	switch name {
	case "name", "type", "label", "key", "field", "id", "autocomplete", "placeholder":
		return true
	}
	return false
}

// String returns what replaces a string of a JSON text, which is treated as a
// whole before secrets are looked for in it: a string, or an object that
// stands for binary data.
func String(text string) any {
	if payload := binaryPayload(text); payload != nil {
		return payload
	}
	if len(text) > 1 && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text)) {
		return string(JSON(json.RawMessage(text)))
	}
	return Text(text)
}

// Truncation stands for a JSON text of which only the head is kept.
type Truncation struct {
	Truncated bool   `json:"truncated"`
	Bytes     int    `json:"bytes"`
	Head      string `json:"head"`
}

// Truncated returns the truncation of a JSON text of size bytes.
func Truncated(size int, head []byte) json.RawMessage {
	// A character that the cut has split is left out.
	for len(head) > 0 && !utf8.Valid(head[max(0, len(head)-utf8.UTFMax):]) && !utf8.Valid(head) {
		head = head[:len(head)-1]
	}
	return Encode(Truncation{true, size, string(head)})
}

// Encode returns JSON without the escapes that only HTML needs.
func Encode(value any) json.RawMessage {
	text, err := jsonnode.Encode(value)
	if err != nil {
		// Decoded JSON and plain structs always encode; if not, nothing of the
		// data may be written unseen.
		return json.RawMessage(`{"redacted":"unencodable"}`)
	}
	return text
}
