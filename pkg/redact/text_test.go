package redact

import (
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	// Ensure what is exported for checks finds keys and names of secrets, and
	// not class names and prose that only look alike.
	for text, want := range map[string]bool{
		"use sk-proj4abcdefgh1234": true, "ghp_0123456789abcdef": true, "-----BEGIN RSA PRIVATE KEY-----": true,
		".sk-loading-spinner": false, "token := steps.x.output": false, "the cookie banner": false, "": false,
	} {
		if got := HoldsKey(text); got != want {
			t.Errorf("HoldsKey(%q) is %v", text, got)
		}
	}
	for name, want := range map[string]bool{"accessToken": true, "api_key": true, "tokenizer": false, "name": false} {
		if got := SecretName(name); got != want {
			t.Errorf("SecretName(%q) is %v", name, got)
		}
	}
}

func TestNestedParameters(t *testing.T) {
	// Ensure that each text is gone through so many times only, however many names its values hold: once for each name, these never end.
	const size = 48 << 10
	for unit, end := range map[string]string{"#a=": "%253D", "?a=": "%253D", `#a=\`: "%253D", `?a=\"`: "%253D", `?a="?b='`: "%253D", "#a%3D": "#b=%3D", "#a%253D": "#b=%253D"} {
		text := strings.Repeat(unit, size/len(unit)) + end
		if got := Text(text); got != text {
			t.Errorf("%s… became %.100q…", unit, got)
		}
	}
	unit := "token=x;"
	if got, want := Text(strings.Repeat(unit, size/len(unit))), strings.Repeat("token=[redacted];", size/len(unit)); got != want {
		t.Errorf("%s… became %.100q…", unit, got)
	}
	// Ensure that a value within another still counts, also one in quotes that ends later.
	for text, want := range map[string]string{
		"#a=#b=%2Fx%3Ftoken%3Dabc":            "#a=[redacted]",
		`#a=#b="%2Fx %3Ftoken%3Dabc" c`:       `#a=#b=[redacted] c`,
		"?a=?b=%253D&c=%2Fx%253Ftoken%253Dab": "?a=?b=%253D&c=[redacted]",
		`token=\x;a=b c;token=d;e=f`:          "token=[redacted] c;token=[redacted];e=f",
		"?a=%3D?token=abc":                    "?a=[redacted]",
		"?c=token=%3Bk%3Dabc":                 "?c=[redacted]",
	} {
		if got := Text(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}
