package key_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"github.com/zalando/go-keyring"

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
	if gone, err := key.Remove(key.OpenAI); err != nil || !gone {
		t.Fatal(gone, err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("the file is still there")
	}
}

func TestKeychain(t *testing.T) {
	// Ensure that the key that was set last is used, also where the keychain did not answer then, and that none counts as removed while the keychain may hold it.
	t.Setenv(paths.EnvHome, "")
	t.Setenv(key.Environment(key.OpenAI), "")
	t.Cleanup(xdg.Reload) // after the variable is back
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	xdg.Reload()
	silent := errors.New("no session bus")
	want := func(secret string, source key.Source) {
		t.Helper()
		if got, from, _ := key.Get(key.OpenAI); got != secret || from != source {
			t.Errorf("got %q from the %s, want %q from the %s", got, from, secret, source)
		}
	}
	set := func(secret string) {
		t.Helper()
		if _, err := key.Set(key.OpenAI, secret); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(all bool) {
		t.Helper()
		if gone, err := key.Remove(key.OpenAI); gone != all || err != nil {
			t.Errorf("gone is %t, %v", gone, err)
		}
	}
	keyring.MockInitWithError(silent)
	set("newer")
	keyring.MockInit()
	if err := keyring.Set("actions-host", "openai-api-key", "older"); err != nil {
		t.Fatal(err)
	}
	want("newer", key.FromFile)
	set("newest")
	want("newest", key.FromKeychain)
	remove(true)
	want("", key.NoSource)
	remove(true)

	keyring.MockInitWithError(silent)
	set("other")
	t.Setenv(key.Environment(key.OpenAI), "environment")
	remove(false)
	t.Setenv(key.Environment(key.OpenAI), "")
	want("", key.NoSource)
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
