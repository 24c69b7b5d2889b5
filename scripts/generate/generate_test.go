package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/manifest"
)

// inRepository makes the repository's root the current folder, as it is for
// who runs the command.
func inRepository(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
}

// inCopy makes a copy of what the command reads and writes the current folder.
func inCopy(t *testing.T) *contract {
	t.Helper()
	inRepository(t)
	c, err := load("manifest")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"manifest/primitives.schema.json", "manifest/errors.json", "manifest/protocol/messages.schema.json", "manifest/protocol/methods.json", credentialWordsFile}
	for name := range c.files() {
		names = append(names, name)
	}
	for _, l := range c.limits {
		names = append(names, l.file)
	}
	dir := t.TempDir()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return c
}

// mapFormat is the one file of which only a part is generated.
const mapFormat = "manifest/actions.schema.json"

func TestGeneratedFilesAreCurrent(t *testing.T) {
	// Ensure that every generated file of the repository is what manifest/ declares now.
	inRepository(t)
	if err := run(true); err != nil {
		t.Error(err)
	}
}

func TestCheckFindsAChange(t *testing.T) {
	// Ensure that a change of any generated file fails the check, by its name, and that the check itself changes nothing.
	c := inCopy(t)
	if err := run(true); err != nil {
		t.Fatal(err)
	}
	for name := range c.files() {
		if name == mapFormat || c.locales[name] != nil {
			continue // written by hand but for the names, or the labels, in it
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		changed := append(slices.Clone(want), '\n')
		if err := os.WriteFile(name, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(true); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a change of %s gives %v", name, err)
		}
		if got, _ := os.ReadFile(name); string(got) != string(changed) {
			t.Errorf("the check wrote %s", name)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if err := run(true); err == nil {
			t.Errorf("%s is missing and the check passes", name)
		}
		if err := run(false); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(name); string(got) != string(want) {
			t.Errorf("%s was not written as it was", name)
		}
	}
	if err := run(true); err != nil {
		t.Error(err)
	}
}

func TestCheckFindsAChangedDeclaration(t *testing.T) {
	// Ensure that a declaration that nothing was generated from fails the check, and that one which cannot be read is an error.
	inCopy(t)
	for _, row := range []struct{ name, what, old, new string }{
		{"manifest/errors.json", "a new code", `"errors": [`, `"errors": [ {"code": "brand_new", "next_step": "Look."},`},
		{"manifest/errors.json", "not JSON", `{`, ``},
		{credentialWordsFile, "a new word", `"names": {`, `"names": { "xx": ["geheim"],`},
		{credentialWordsFile, "a name that pkg/redact cannot join", `"names": {`, `"names": { "xx": ["a b c d"],`},
		{"manifest/protocol/methods.json", "a method without its type", `"HandshakeResult"`, `"NoSuchType"`},
		{mapFormat, "a primitive that is none", `"page.info"`, `"page.teleport"`},
	} {
		text, err := os.ReadFile(row.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{strings.Replace(string(text), row.old, row.new, 1), string(text)} {
			if err := os.WriteFile(row.name, []byte(version), 0o644); err != nil {
				t.Fatal(err)
			}
			changed := version != string(text)
			if err := run(true); changed == (err == nil) {
				t.Errorf("%s: %s, changed %t: %v", row.name, row.what, changed, err)
			}
		}
	}
}

func TestReleasedCodesStay(t *testing.T) {
	// Ensure that a code which errors.json lost stays in the list of codes, where a test misses it.
	c := inCopy(t)
	lost := c.errors[0].Code
	c.errors = c.errors[1:]
	codes := strings.Fields(string(c.releasedCodes()))
	if len(codes) != len(c.errors)+1 || codes[len(codes)-1] != lost {
		t.Errorf("%s is gone from %v", lost, codes)
	}
}

func TestReferenceIsComplete(t *testing.T) {
	// Ensure that the page for readers has every primitive, with the hint of each of its errors.
	inRepository(t)
	c, err := load("manifest")
	if err != nil {
		t.Fatal(err)
	}
	page := string(c.reference())
	for name, record := range manifest.Primitives() {
		if bytes.Contains(record, []byte(`"internal": true`)) {
			continue // a part of others: nobody can name it
		}
		if !strings.Contains(page, "\n## "+name+"\n") {
			t.Errorf("%s is missing", name)
		}
	}
	for _, p := range c.primitives {
		for _, code := range p.Errors {
			if !strings.Contains(page, "\n- `"+code+"`: ") {
				t.Errorf("%s of %s has no hint", code, p.Name)
			}
		}
	}
}

func TestReferenceOfOne(t *testing.T) {
	// Ensure what the page says of a primitive: its summary, its traits and risks, each argument with name, type and description, the output, the errors.
	record := `{"name":"a.b","summary":"Do it.","capability_class":"portable","route":"page","effect":"input","paced":true,"workflow":false,
		"errors":["broken"],"conformance":["a.b/does it"],"classes":["navigation","state_change"],
		"adapters":{"firefox":{"support":"partial","reason":"Half of it."}},
		"security":{"reads_values":true,"destructive":true,"page_text":true,"note":"It may break."},
		"input_schema":{"type":"object","required":["at"],"properties":{
			"zoom":{"type":["number","null"],"description":"How far."},
			"at":{"$ref":"#/definitions/place"},"to":{"$ref":"#/definitions/place"},
			"list":{"type":"array","maxItems":3,"items":{"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":9}}}},
			"way":{"enum":["fast",2]},"any":{},"text":{"oneOf":[{"type":"string","maxLength":5},{"type":"array","items":{"type":"string"}}]}},
			"definitions":{"place":{"type":"object","description":"Where.","required":["x"],"properties":{"x":{"type":"number"}}}}},
		"output_schema":{"type":"object","required":["done"],"properties":{"done":{"const":true},"box":{"type":"object","properties":{"x":{},"y":{}}}}}}`
	c := &contract{}
	p, err := readPrimitive([]byte(record), func(string) (manifest.Addition, error) { return manifest.Addition{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	c.primitives = []primitive{p}
	if err := json.Unmarshal([]byte(`[{"code":"broken","next_step":"Mend it."}]`), &c.errors); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "reference.md"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimPrefix(string(c.reference()), referenceHead); got != string(want) {
		t.Errorf("(-want +got)\n%s", cmp.Diff(string(want), got))
	}
}
