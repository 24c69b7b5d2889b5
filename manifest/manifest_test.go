package manifest_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
)

func TestExtensionID(t *testing.T) {
	// Ensure that the pinned id is what a browser derives from the pinned key.
	key, err := base64.StdEncoding.DecodeString(manifest.ExtensionKey)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(key)
	id := strings.Map(func(digit rune) rune {
		if digit >= 'a' {
			return digit - 'a' + 'k'
		}
		return digit - '0' + 'a'
	}, hex.EncodeToString(sum[:16]))
	if id != manifest.ExtensionID {
		t.Errorf("the key's id is %s, not %s", id, manifest.ExtensionID)
	}
}

func TestExtensionHasTheKey(t *testing.T) {
	// Ensure that the extension in this repository is the one that the host serves.
	text, err := os.ReadFile(filepath.Join("..", "extension", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var extension struct{ Key string }
	if err := json.Unmarshal(text, &extension); err != nil {
		t.Fatal(err)
	}
	if extension.Key != manifest.ExtensionKey {
		t.Errorf("extension/manifest.json has another key: %s", extension.Key)
	}
}

func TestOnlyRecordsAreEmbedded(t *testing.T) {
	// Ensure that the dictionary holds the files of the folder's records, all of them and nothing else: a page for readers beside them is not part of it.
	files, err := filepath.Glob(filepath.Join("primitives", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	records := manifest.Primitives()
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(records[name]) != string(text) {
			t.Errorf("%s is not embedded as it is", name)
		}
	}
	if len(records) != len(files) {
		t.Errorf("%d records from %d files", len(records), len(files))
	}
	if _, err := manifest.Files.ReadFile("primitives/README.md"); err == nil {
		t.Error("the page for readers is embedded")
	}
}

func TestDictionaryHash(t *testing.T) {
	// Ensure that the hash is the same every time and that the extension was generated from this very dictionary.
	hash := manifest.DictionaryHash()
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(hash) || hash != manifest.DictionaryHash() {
		t.Fatalf("hash %q", hash)
	}
	text, err := os.ReadFile(filepath.Join("..", "extension", "src", "contract.ts"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), hash) {
		t.Error("extension/src/contract.ts is of another dictionary: run go run ./scripts/generate")
	}
}

func TestBrowsers(t *testing.T) {
	// Ensure that each browser of the table has a name, a label, programs and a place on every platform, each its own.
	text, err := manifest.Files.ReadFile("native-messaging/browsers.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Browsers []struct {
			Name, Label, Linux, Darwin, Windows string
			Programs                            []string
		}
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	owner := map[string]string{}
	for _, b := range table.Browsers {
		for _, value := range append([]string{b.Name, b.Label, b.Linux, b.Darwin, b.Windows}, b.Programs...) {
			if other := owner[value]; value == "" || other != "" && other != b.Name {
				t.Errorf("%s: %q is empty or of %q too", b.Name, value, other)
			}
			owner[value] = b.Name
		}
		if len(b.Programs) == 0 || filepath.IsAbs(b.Linux) || filepath.IsAbs(b.Darwin) {
			t.Errorf("%s cannot be found: %+v", b.Name, b)
		}
	}
	if len(table.Browsers) == 0 {
		t.Error("no browser at all")
	}
}
