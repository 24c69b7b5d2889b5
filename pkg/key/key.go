// Package key keeps the keys of the services whose models the user pays for, one a provider.
//
// Rules of this package:
//   - The key is read from the environment, then from a file that only its owner may
//     read, then from the system's keychain. [Set] stores it in the keychain and removes
//     the file, or in the file if the keychain does not answer: a file that is there is
//     newer. A program that lives in one folder (ACTIONS_HOST_HOME) keeps the key there
//     and uses no keychain.
//   - It leaves this package only as the return value of [Get]: never in an error,
//     a log or a text; [Mask] is what people see.
package key

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// OpenAI is the provider whose key the voice uses too.
const OpenAI = "openai"

// Valid reports whether a provider may have this name, which is part of a variable's and of a
// file's: a small letter, then small letters, digits and hyphens.
func Valid(provider string) bool {
	return len(provider) > 0 && len(provider) <= 32 && provider[0] >= 'a' && provider[0] <= 'z' &&
		strings.Trim(provider, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Environment returns the variable that holds the provider's key.
func Environment(provider string) string {
	return "ACTIONS_HOST_" + strings.ToUpper(strings.ReplaceAll(provider, "-", "_")) + "_API_KEY"
}

// Source is where a key was found.
type Source string

// The sources of a key.
const (
	FromEnvironment Source = "environment"
	FromKeychain    Source = "keychain"
	FromFile        Source = "file"
	NoSource        Source = "none"
)

const (
	service = "actions-host"
	maxKey  = 512
)

// keychainTimeout bounds a keychain access, which may wait for a person or for a service
// that is not running.
const keychainTimeout = 3 * time.Second

// Get returns the provider's key and its source. Without one the fault is model_key_missing.
func Get(provider string) (key string, from Source, err error) {
	if !Valid(provider) {
		return "", NoSource, unknownProvider(provider)
	}
	if key = strings.TrimSpace(os.Getenv(Environment(provider))); key != "" {
		return key, FromEnvironment, nil
	}
	text, err := readPrivate(File(provider))
	if err != nil {
		return "", NoSource, err
	}
	if key = strings.TrimSpace(text); key != "" {
		return key, FromFile, nil
	}
	if key, err = fromKeychain(provider); err == nil && key != "" {
		return key, FromKeychain, nil
	}
	return "", NoSource, fault.New(fault.ModelKeyMissing, "no key of %s is set", provider).
		WithNextStep("Run actions-host key set --provider " + provider + ", or set " + Environment(provider) + ".")
}

// Set stores the provider's key and returns where.
func Set(provider, key string) (Source, error) {
	if !Valid(provider) {
		return NoSource, unknownProvider(provider)
	}
	key = strings.TrimSpace(key)
	if key == "" || len(key) > maxKey || strings.ContainsAny(key, " \t\r\n") {
		return NoSource, fault.New(fault.InvalidInput, "that is not a key: it must be one word of at most %d characters", maxKey).
			WithNextStep("Copy the key from the account page of the service and set it again.")
	}
	if _, err := withTimeout(func() (string, error) { return "", keyring.Set(service, user(provider), key) }); err == nil {
		return FromKeychain, ignoreNotExist(os.Remove(File(provider)))
	}
	if err := paths.MakePrivate(filepath.Dir(File(provider))); err != nil {
		return NoSource, err
	}
	if err := wholefile.Replace(File(provider), []byte(key+"\n"), 0o600); err != nil {
		return NoSource, fault.Wrap(err, fault.StorageUnavailable, "the key cannot be stored in %s", File(provider))
	}
	return FromFile, nil
}

// Remove deletes the provider's stored key; one in the environment is not ours to remove. It
// reports whether all of it is gone: a keychain that does not answer may still hold a key.
func Remove(provider string) (gone bool, err error) {
	if !Valid(provider) {
		return false, unknownProvider(provider)
	}
	if err := ignoreNotExist(os.Remove(File(provider))); err != nil {
		return false, err
	}
	if os.Getenv(paths.EnvHome) != "" {
		return true, nil
	}
	_, err = withTimeout(func() (string, error) { return "", keyring.Delete(service, user(provider)) })
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		return true, nil
	}
	if left, err := fromKeychain(provider); err == nil && left != "" {
		return false, fault.New(fault.StorageUnavailable, "the keychain did not let the key go")
	}
	return false, nil
}

func fromKeychain(provider string) (string, error) {
	return withTimeout(func() (string, error) { return keyring.Get(service, user(provider)) })
}

// Mask returns a key as people may see it.
func Mask(key string) string {
	switch {
	case key == "":
		return ""
	case len(key) < 12:
		return "configured"
	}
	head := "…"
	for _, known := range []string{"sk-proj-", "sk-ant-", "sk-"} {
		if strings.HasPrefix(key, known) {
			head = known + "…"
			break
		}
	}
	return head + key[len(key)-4:]
}

func user(provider string) string { return provider + "-api-key" }

// File returns the file that holds the provider's key where there is no keychain.
func File(provider string) string { return filepath.Join(paths.Data(), user(provider)) }

func unknownProvider(provider string) error {
	return fault.New(fault.InvalidInput, "%.40q is not a provider's name", provider).
		WithNextStep("actions-host models list shows the providers.")
}

// readPrivate reads a file that nobody else may read; a missing one is empty.
func readPrivate(name string) (string, error) {
	info, err := os.Stat(name)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fault.Wrap(err, fault.StorageUnavailable, "the key file %s cannot be read", name)
	}
	if paths.OpenToOthers(info) {
		return "", fault.New(fault.StorageUnavailable, "the key file %s can be read by others (mode %o); it is not used", name, info.Mode().Perm()).
			WithNextStep("Run chmod 600 on it, or actions-host key set --provider with its name.")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fault.Wrap(err, fault.StorageUnavailable, "the key file %s cannot be read", name)
	}
	return string(text), nil
}

var errNoKeychain = errors.New("the keychain does not answer")

// withTimeout runs a keychain access with a timeout: it may block for ever.
func withTimeout(ask func() (string, error)) (string, error) {
	if os.Getenv(paths.EnvHome) != "" {
		return "", errNoKeychain
	}
	type answer struct {
		key string
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		key, err := ask()
		answers <- answer{key, err}
	}()
	select {
	case a := <-answers:
		return a.key, a.err
	case <-time.After(keychainTimeout):
		return "", errNoKeychain
	}
}

func ignoreNotExist(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
