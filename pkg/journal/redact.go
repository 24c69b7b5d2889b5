package journal

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

const (
	// MaxData is the largest Data of a record in bytes.
	MaxData = 64 << 10
	// maxRedacted bounds what is parsed; more is cut without a look at it, and
	// so without a head.
	maxRedacted = 2 * MaxData
	// maxHead is small enough that the head fits into MaxData even when each
	// byte needs an escape.
	maxHead = 8 << 10
	// longString is the length from which a string of base64 digits counts as
	// binary data.
	longString = 1024

	hidden = "[redacted]"

	// secretsCount is the member in which a snapshot says how many secrets it
	// left out: its name tells of secrets, its number of none.
	secretsCount = "secrets_redacted"
)

// Redact returns a compact copy of a JSON text without secrets: values of members
// whose name suggests one (password, token, authorization …), keys and tokens
// within strings, user names, passwords and secret parameters of URLs. Data
// URLs and base64 payloads become {"redacted":…,"bytes":n}. JSON within strings
// is treated alike. A text that is not JSON becomes {"invalid_json":"…"}. Rules
// find only what they name: a secret in plain prose stays.
func Redact(data json.RawMessage) json.RawMessage {
	if len(data) == 0 {
		return nil
	}
	if len(data) > maxRedacted {
		return truncated(len(data), nil)
	}
	// Most records hold nothing like a secret and are written as they are.
	var compact bytes.Buffer
	compact.Grow(len(data))
	if json.Compact(&compact, data) == nil && clean(compact.Bytes()) {
		return compact.Bytes()
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // numbers keep their digits
	var value any
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return encode(map[string]any{"invalid_json": redactText(string(data))})
	}
	return encode(redactValue(value))
}

// redactValue works on what encoding/json decodes to and may change it.
func redactValue(value any) any {
	switch v := value.(type) {
	case string:
		return redactString(v)
	case []any:
		for i := range v {
			v[i] = redactValue(v[i])
		}
	case map[string]any:
		secret := describesSecret(v)
		for name, member := range v {
			if _, number := member.(json.Number); number && name == secretsCount {
				continue
			}
			if secretName(name) || secret && name == "value" {
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
	return hidden
}

// describesSecret recognises {"name":"password","value":"…"}, the form in which
// fields, headers and cookies are listed.
func describesSecret(object map[string]any) bool {
	for name, member := range object {
		if text, ok := member.(string); ok && describes(name) && secretName(text) {
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

// redactString treats a string as a whole before it looks for secrets in it.
func redactString(text string) any {
	if payload := binaryPayload(text); payload != nil {
		return payload
	}
	if len(text) > 1 && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text)) {
		return string(Redact(json.RawMessage(text)))
	}
	return redactText(text)
}

// capData cuts a text that is larger than a record may be.
func capData(data json.RawMessage) json.RawMessage {
	if len(data) <= MaxData {
		return data
	}
	return truncated(len(data), data[:maxHead])
}

func truncated(size int, head []byte) json.RawMessage {
	// A character that the cut has split is left out.
	for len(head) > 0 && !utf8.Valid(head[max(0, len(head)-utf8.UTFMax):]) && !utf8.Valid(head) {
		head = head[:len(head)-1]
	}
	return encode(struct {
		Truncated bool   `json:"truncated"`
		Bytes     int    `json:"bytes"`
		Head      string `json:"head"`
	}{true, size, string(head)})
}

// encode returns JSON without the escapes that only HTML needs.
func encode(value any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		// Decoded JSON and plain structs always encode; if not, nothing of the
		// data may be written unseen.
		return json.RawMessage(`{"redacted":"unencodable"}`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
