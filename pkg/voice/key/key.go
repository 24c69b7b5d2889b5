// Package key keeps the key of the voice provider.
//
// Rules of this package:
//   - The key is read from the environment, then from the system's keychain, then
//     from a file that only its owner may read; [Set] stores it in the keychain, or
//     in the file if there is no keychain. A program that lives in one folder
//     (ACTIONS_HOST_HOME) keeps the key there and uses no keychain.
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
)

// Environment is the variable that holds a key.
const Environment = "ACTIONS_HOST_OPENAI_API_KEY"

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
	user    = "openai-api-key"
	maxKey  = 512
)

// keychainTimeout bounds a keychain access, which may wait for a person or for a service
// that is not running.
const keychainTimeout = 3 * time.Second

// Get returns the key and its source. Without one the fault is voice_key_missing.
func Get() (key string, from Source, err error) {
	if key = strings.TrimSpace(os.Getenv(Environment)); key != "" {
		return key, FromEnvironment, nil
	}
	if key, err = withTimeout(func() (string, error) { return keyring.Get(service, user) }); err == nil && key != "" {
		return key, FromKeychain, nil
	}
	text, err := readPrivate(file())
	if err != nil {
		return "", NoSource, err
	}
	if key = strings.TrimSpace(text); key != "" {
		return key, FromFile, nil
	}
	return "", NoSource, fault.New(fault.VoiceKeyMissing, "no key of the voice service is set")
}

// Set stores the key and returns where.
func Set(key string) (Source, error) {
	key = strings.TrimSpace(key)
	if key == "" || len(key) > maxKey || strings.ContainsAny(key, " \t\r\n") {
		return NoSource, fault.New(fault.InvalidInput, "that is not a key: it must be one word of at most %d characters", maxKey).
			WithNextStep("Copy the key from the account page of the voice service and set it again.")
	}
	if _, err := withTimeout(func() (string, error) { return "", keyring.Set(service, user, key) }); err == nil {
		return FromKeychain, ignoreNotExist(os.Remove(file()))
	}
	if err := paths.MakePrivate(filepath.Dir(file())); err != nil {
		return NoSource, err
	}
	if err := writePrivate(file(), key); err != nil {
		return NoSource, fault.Wrap(err, fault.StorageUnavailable, "the key cannot be stored in %s", file())
	}
	return FromFile, nil
}

// Remove deletes the stored key; one in the environment is not ours to remove.
// On a system without a keychain only the file is removed.
func Remove() error {
	_, _ = withTimeout(func() (string, error) { return "", keyring.Delete(service, user) })
	if _, from, _ := Get(); from == FromKeychain {
		return fault.New(fault.StorageUnavailable, "the keychain did not let the key go")
	}
	return ignoreNotExist(os.Remove(file()))
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
	for _, known := range []string{"sk-proj-", "sk-"} {
		if strings.HasPrefix(key, known) {
			head = known + "…"
			break
		}
	}
	return head + key[len(key)-4:]
}

func file() string { return filepath.Join(paths.Data(), "openai-api-key") }

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
			WithNextStep("Run chmod 600 on it, or actions-host key set.")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fault.Wrap(err, fault.StorageUnavailable, "the key file %s cannot be read", name)
	}
	return string(text), nil
}

// writePrivate replaces the file atomically, so that it never holds half a key.
func writePrivate(name, text string) error {
	temporary, err := os.CreateTemp(filepath.Dir(name), ".key-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = temporary.WriteString(text + "\n")
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
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
