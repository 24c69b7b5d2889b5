package key_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/paths"
)

func TestKey(t *testing.T) {
	// Ensure the order of the places, that a stored key can be read by its owner alone and be removed, and that no error holds one.
	home := t.TempDir()
	t.Setenv(paths.EnvHome, home)
	t.Setenv(key.Environment(key.OpenAI), "")
	if _, from, err := key.Get(key.OpenAI); !fault.Is(err, fault.ModelKeyMissing) || from != key.NoSource {
		t.Errorf("without one: %v from %s", err, from)
	}
	for _, bad := range []string{"", "two words", "line\nbreak", strings.Repeat("x", 600)} {
		if _, err := key.Set(key.OpenAI, bad); !fault.Is(err, fault.InvalidInput) || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	if from, err := key.Set(key.OpenAI, "sk-proj-0123456789abcd"); err != nil || from != key.FromFile {
		t.Fatalf("%s, %v", from, err)
	}
	file := filepath.Join(paths.Data(), "openai-api-key")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info.Mode(), err)
	}
	if secret, from, err := key.Get(key.OpenAI); err != nil || secret != "sk-proj-0123456789abcd" || from != key.FromFile {
		t.Errorf("%q from %s, %v", secret, from, err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := key.Get(key.OpenAI); !fault.Is(err, fault.StorageUnavailable) || strings.Contains(err.Error(), "0123") {
		t.Errorf("a file for all to read: %v", err)
	}
	t.Setenv(key.Environment(key.OpenAI), "sk-environment-1")
	if secret, from, _ := key.Get(key.OpenAI); secret != "sk-environment-1" || from != key.FromEnvironment {
		t.Errorf("%q from %s", secret, from)
	}
	t.Setenv(key.Environment(key.OpenAI), "")
	if err := key.Remove(key.OpenAI); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("the file is still there")
	}
}

func TestMask(t *testing.T) {
	// Ensure that a shown key gives away its kind and last four characters at most.
	for secret, want := range map[string]string{
		"": "", "short": "configured", "sk-0123456789abcdef": "sk-…cdef", "sk-proj-0123456789abcdef": "sk-proj-…cdef", "another-kind-of-key": "…-key",
	} {
		if got := key.Mask(secret); got != want {
			t.Errorf("%q is shown as %q", secret, got)
		}
	}
}
