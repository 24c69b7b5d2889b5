package browsers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/browsers"
)

// policiesOf reads Chromium's policies on a platform that has these files of them.
func policiesOf(t *testing.T, files map[string]string) browsers.Policies {
	t.Helper()
	platform := browsers.Platform{OS: "linux", Root: t.TempDir()}
	folder := filepath.Join(platform.Root, "etc", "chromium", "policies", "managed")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, known := platform.Policies(browser(t, "chromium"))
	if !known || p.Place != folder {
		t.Errorf("known %t, in %s", known, p.Place)
	}
	return p
}

func TestPolicies(t *testing.T) {
	// Ensure that policies of several files are merged as the browser does it, the last file by name first, whatever the names end with, and that what a browser reads beyond JSON is read.
	for name, row := range map[string]struct {
		files map[string]string
		want  map[string]any
	}{
		"none":           {nil, map[string]any{}},
		"last by name":   {map[string]string{"10.json": `{"A":1,"B":1}`, "9.json": `{"A":2}`, ".hidden": `{"C":3}`}, map[string]any{"A": 2.0, "B": 1.0, "C": 3.0}},
		"any name":       {map[string]string{"x.bak": `{"A":1}`}, map[string]any{"A": 1.0}},
		"commas behind":  {map[string]string{"x": `{"A":["b",],"C":"],}",}`}, map[string]any{"A": []any{"b"}, "C": "],}"}},
		"comments":       {map[string]string{"x": "// one \"\n{/* two */\"A\": \"// /* no\" // three\n}"}, map[string]any{"A": "// /* no"}},
		"byte order":     {map[string]string{"x": "\ufeff{\"A\":true}"}, map[string]any{"A": true}},
		"twice the same": {map[string]string{"x": `{"A":1,"A":2}`}, map[string]any{"A": 2.0}},
		"escaped quotes": {map[string]string{"x": `{"A":"\\\",}"}`}, map[string]any{"A": `\",}`}},
	} {
		if p := policiesOf(t, row.files); !reflect.DeepEqual(p.Values, row.want) || len(p.Unread) > 0 {
			t.Errorf("%s: %v, unread %q", name, p.Values, p.Unread)
		}
	}
}

func TestUnreadPolicies(t *testing.T) {
	// Ensure that a file that cannot be read or is not a JSON object is named, while the other files count.
	for _, broken := range []string{`{`, ``, `[]`, `null`, `{"A":1,,}`, `{"A":1} x`, `{"A":"`, `/* `, strings.Repeat("[", 100_000)} {
		p := policiesOf(t, map[string]string{"a.json": `{"A":1}`, "b.json": broken})
		if p.Values["A"] != 1.0 || len(p.Unread) != 1 || !strings.Contains(p.Unread[0], "b.json") {
			t.Errorf("%.20q: %v, unread %q", broken, p.Values, p.Unread)
		}
	}
	platform := browsers.Platform{OS: "linux", Root: t.TempDir()}
	folder := filepath.Join(platform.Root, "etc", "opt", "edge", "policies", "managed")
	if err := os.MkdirAll(filepath.Join(folder, "a-folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(folder, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(folder, "device")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "big"), make([]byte, 5<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, _ := platform.Policies(browser(t, "edge")); len(p.Values) != 0 || len(p.Unread) != 3 {
		t.Errorf("%v, unread %q", p.Values, p.Unread)
	}
	platform.Root = filepath.Join(folder, "big")
	if p, _ := platform.Policies(browser(t, "edge")); len(p.Unread) != 1 {
		t.Errorf("a folder that cannot be read: %q", p.Unread)
	}
}

func TestPlacesOfPolicies(t *testing.T) {
	// Ensure that each browser has a place for policies where they are read.
	all, err := browsers.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		if !strings.HasPrefix(b.LinuxPolicies, "/etc/") || !strings.HasPrefix(b.RegistryPolicies, `Software\Policies\`) {
			t.Errorf("%s: %q, %q", b.Name, b.LinuxPolicies, b.RegistryPolicies)
		}
	}
}

func TestPoliciesUnknown(t *testing.T) {
	// Ensure that a system whose policies cannot be read is distinguished from one without policies.
	if p, known := (browsers.Platform{OS: "darwin", Root: t.TempDir()}).Policies(browser(t, "chrome")); known {
		t.Errorf("%+v", p)
	}
}

func FuzzPolicies(f *testing.F) {
	// Ensure that a file of policies never does harm, and that one of plain JSON is read as such.
	for _, seed := range []string{`{"A":[1,"x"],"B":{"C":"//"}}`, "{\"A\":1,}//", `{"A":"\\"`, "/*/", `{"A":"\"/*"}`, "\ufeff{}", `[1,2`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := policiesOf(t, map[string]string{"x": text})
		var plain map[string]any
		if err := json.Unmarshal([]byte(text), &plain); err == nil && plain != nil && !reflect.DeepEqual(p.Values, plain) {
			t.Errorf("%q is read as %v", text, p.Values)
		}
	})
}
