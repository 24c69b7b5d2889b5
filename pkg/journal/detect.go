package journal

import "strings"

// SecretName reports whether a member, parameter or label names a secret, such
// as access_token or "Security code". The log hides the values of such names.
func SecretName(name string) bool { return secretName(name) }

// HoldsKey reports whether a text holds what looks like a key or a token of a
// known kind, whatever surrounds it. It is stricter than what the log hides
// by: sk-loading-spinner is a name, and keys have digits in them.
func HoldsKey(text string) bool {
	if !suspicious([]byte(text)) {
		return false
	}
	for _, found := range keys.FindAllString(text, -1) {
		if strings.HasPrefix(found, "-----BEGIN") || strings.ContainsAny(found, "0123456789") {
			return true
		}
	}
	return false
}

// RedactText returns the text without the secrets that the log would hide in it.
func RedactText(text string) string { return redactText(text) }
