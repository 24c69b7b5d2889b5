package journal

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"
)

// imageHeads are the first base64 digits of PNG, JPEG, GIF and WebP.
var imageHeads = []string{"iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR"}

// binaryPayload returns what replaces a string that is one data URL, one image in
// base64 or a long run of base64; nil for any other string.
func binaryPayload(text string) map[string]any {
	if len(text) >= 5 && strings.EqualFold(text[:5], "data:") {
		head, body, ok := strings.Cut(text[5:], ",")
		if !ok {
			return nil
		}
		kind, size := "data", len(body)
		if strings.HasPrefix(strings.ToLower(head), "image/") {
			kind = "image"
		}
		if strings.HasSuffix(strings.ToLower(head), ";base64") {
			size = base64.StdEncoding.DecodedLen(len(body))
		}
		return map[string]any{"redacted": kind, "bytes": size}
	}
	if kind := base64Kind([]byte(text)); kind != "" {
		return map[string]any{"redacted": kind, "bytes": base64.StdEncoding.DecodedLen(len(text))}
	}
	return nil
}

// base64Kind reports whether a text is nothing but base64: an image, or any binary
// data if it is long. Short runs of letters are words.
func base64Kind(text []byte) string {
	kind := ""
	if len(text) >= longString {
		kind = "binary"
	}
	for _, head := range imageHeads {
		if len(text) >= 64 && bytes.HasPrefix(text, []byte(head)) {
			kind = "image"
		}
	}
	if kind == "" || bytes.ContainsFunc(text, notBase64) {
		return ""
	}
	return kind
}

func notBase64(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("+/=-_\r\n", r))
}

// redactAssigned replaces the values of assignments whose name tells of a
// secret, in query strings, forms, headers and code.
func redactAssigned(text string) string {
	var b strings.Builder
	done := 0
	for _, m := range assigned.FindAllStringSubmatchIndex(text, -1) {
		if m[0] < done {
			continue // within a value that is emptied already
		}
		name := text[m[2]:m[3]]
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		if !secretName(name) {
			continue
		}
		end := value.FindStringIndex(text[m[1]:])
		if end == nil {
			continue
		}
		b.WriteString(text[done:m[1]])
		b.WriteString(hidden)
		done = m[1] + end[1]
	}
	b.WriteString(text[done:])
	return b.String()
}
