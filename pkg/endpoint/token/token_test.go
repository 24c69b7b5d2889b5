package token_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/endpoint/token"
	"github.com/actionsjson/actions-host/pkg/fault"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func TestTokens(t *testing.T) {
	// Ensure that several tokens are good at a time until each is removed, that nothing on disk is a token, and that only the owner reads what is there.
	store := token.Store{Folder: filepath.Join(t.TempDir(), "data", "tokens")}
	if ok, err := store.Check(""); ok || err != nil {
		t.Errorf("without any token: %v %v", ok, err)
	}
	var secrets []string
	var made []token.Token
	for i := range 3 {
		m, secret, err := store.New(noon.Add(time.Duration(i) * time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^[0-9a-f]{48}$`).MatchString(secret) {
			t.Errorf("token %q", secret)
		}
		made, secrets = append(made, m), append(secrets, secret)
	}
	all, err := store.List()
	if err != nil || len(all) != 3 || all[0] != made[0] || all[2] != made[2] {
		t.Errorf("%+v %v, want %+v", all, err, made)
	}
	for _, secret := range secrets {
		if ok, err := store.Check(secret); !ok || err != nil {
			t.Errorf("a good token: %v %v", ok, err)
		}
	}
	for _, wrong := range []string{"", "x", secrets[0][1:], secrets[0] + "0", strings.ToUpper(secrets[0]), made[0].ID} {
		if ok, err := store.Check(wrong); ok || err != nil {
			t.Errorf("%q: %v %v", wrong, ok, err)
		}
	}
	checkFolder(t, store, secrets)
	if err := store.Remove(made[1].ID); err != nil {
		t.Fatal(err)
	}
	for i, secret := range secrets {
		if ok, _ := store.Check(secret); ok != (i != 1) {
			t.Errorf("token %d after the second was removed: %v", i, ok)
		}
	}
	for _, id := range []string{made[1].ID, "", "..", "../tokens", "zzzzzzzz"} {
		if err := store.Remove(id); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("remove %q: %v", id, err)
		}
	}
}

// checkFolder looks at each file of the store.
func checkFolder(t *testing.T, store token.Store, secrets []string) {
	t.Helper()
	info, err := os.Stat(store.Folder)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder %v %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(store.Folder)
	if err != nil || len(entries) != len(secrets) {
		t.Fatalf("%v %v", entries, err)
	}
	for _, entry := range entries {
		name := filepath.Join(store.Folder, entry.Name())
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s holds a token", name)
			}
		}
	}
}

func TestUntrustedFiles(t *testing.T) {
	// Ensure that a token file which others can read, or which is damaged, is an error that names it, and that other files count for nothing.
	store := token.Store{Folder: filepath.Join(t.TempDir(), "tokens")}
	m, secret, err := store.New(noon)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(store.Folder, m.ID+".json")
	if err := os.WriteFile(filepath.Join(store.Folder, "notes.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if ok, err := store.Check(secret); !ok || err != nil {
		t.Errorf("beside another file: %v %v", ok, err)
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	if ok, err := store.Check(secret); ok || !fault.Is(err, fault.StorageUnavailable) || !strings.Contains(err.Error(), name) {
		t.Errorf("open to others: %v %v", ok, err)
	}
	for _, text := range []string{"", "{}", `{"created":"2026-11-24T12:00:00Z","sha256":"00"}`, `{"created":"2026-11-24T12:00:00Z","sha256":"zz","sha256":"zz"}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := store.List(); !fault.Is(err, fault.StorageUnavailable) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAtOnce(t *testing.T) {
	// Ensure that tokens which are made and removed at once do not lose each other, and that there is a limit.
	store := token.Store{Folder: filepath.Join(t.TempDir(), "tokens")}
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			kept, _, err := store.New(noon)
			gone, _, failed := store.New(noon)
			if err != nil || failed != nil || store.Remove(gone.ID) != nil {
				t.Errorf("%v %v %v", kept, err, failed)
			}
		})
	}
	wait.Wait()
	if all, err := store.List(); err != nil || len(all) != 20 {
		t.Errorf("%d tokens, %v", len(all), err)
	}
	for range 44 {
		if _, _, err := store.New(noon); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := store.New(noon); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("one too many: %v", err)
	}
}
