package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// longString is the length from which a string of base64 digits counts as
// binary data.
const longString = 1024

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
