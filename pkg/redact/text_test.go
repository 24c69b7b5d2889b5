package redact

import "testing"

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
