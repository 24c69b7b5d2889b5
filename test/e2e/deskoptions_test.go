package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/test/harness"
)

// choose puts files, or a folder, into a file input as the browser's own dialog does.
func (d document) choose(id string, names ...string) {
	d.t.Helper()
	found := do(d, runtime.Evaluate, runtime.EvaluateParams{Expression: fmt.Sprintf(`document.getElementById(%q)`, id)})
	do(d, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: names, ObjectID: found.Result.ObjectID})
}

const teaMap = `{"protocol":"actions.json","version":1,"tools":[{"name":"tea.read","description":"Read.","input_schema":{"type":"object"},
	"workflow":{"version":1,"expression_language":"jsonata","output":"{% steps.a.output.title %}","steps":[{"id":"a","primitive":"page.info","args":{}}]}}]}`

func TestOptionsImport(t *testing.T) {
	// Ensure that a folder and a bundle come into the host's storage and work, that a bundle which is none, holds a broken map or leaves the folder is refused with the reason and changes nothing, and that a broken map is shown with its error.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	b := home.Open(t, url)
	options := ownPage(t, b, optionsURL)
	stored := filepath.Join(home.Dir, "storage")
	options.says("storage-path", stored)

	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return full
	}
	write("mine/scopes/public/sites/localhost/tea/actions.json", teaMap)
	write("mine/scopes/public/sites/localhost/tea/notes.md", "Grüße 🍵\n"+strings.Repeat("ü🍵", 400_000)) // several parts
	write("mine/scopes/public/sites/localhost/tea/logo.png", "\x89PNG\xff\xfe")
	write("mine/.git/config", "[core]")
	options.choose("folder-files", filepath.Join(dir, "mine"))
	options.says("import-result", "Files: 2, written: 2, left as they were: 0. Left out: scopes/public/sites/localhost/tea/logo.png")
	eval[bool](options, `(document.getElementById("maps").open = true)`)
	options.says("maps-list", "localhost / tea")
	options.says("maps-list", "Actions: 1")
	if e := home.SiteCall(t, "tea.read", `{}`); !e.OK || string(e.Output) != `"Tea"` {
		t.Fatalf("the imported action gave %s %v", e.Output, e.Error)
	}
	if notes, err := os.ReadFile(filepath.Join(stored, "scopes/public/sites/localhost/tea/notes.md")); err != nil || len(notes) != len("Grüße 🍵\n")+400_000*6 {
		t.Fatalf("the notes have %d bytes: %v", len(notes), err)
	}

	bundle := func(name string, entries ...object) string {
		t.Helper()
		text, err := json.Marshal(object{"protocol": "actions.json.storage.bundle", "version": 1, "entries": entries})
		if err != nil {
			t.Fatal(err)
		}
		return write(name, string(text))
	}
	now := time.Now().UnixMilli()
	good := object{"path": "scopes/public/sites/localhost/green/actions.json", "content": strings.ReplaceAll(teaMap, "tea.read", "green.read"), "modified_at_ms": now}
	options.choose("bundle-file", bundle("good.json", good))
	options.says("import-result", "Files: 1, written: 1")
	harness.Must(t, home.SiteCall(t, "green.read", `{}`), nil)

	before := home.Run(t, "storage", "list", "--json").Stdout
	for name, c := range map[string]struct{ file, want string }{
		"none":   {write("none.json", `{"protocol":"something.else"}`), "actions.json.storage.bundle"},
		"cut":    {write("cut.json", `{"protocol":"actions.json.storage.bundle","entr`), "cannot be read"},
		"binary": {write("binary.json", "\xff\xfe\x00"), "not text"},
		"leaves": {bundle("leaves.json", good, object{"path": "../../etc/passwd", "content": "x"}), "not safe"},
		"map":    {bundle("map.json", object{"path": "scopes/public/sites/localhost/new/actions.json", "content": "{}", "modified_at_ms": now}), "does not load"},
	} {
		options.choose("bundle-file", c.file)
		options.says("import-wrong", c.want)
		options.says("import-wrong", "Nothing was changed.")
		if after := home.Run(t, "storage", "list", "--json").Stdout; after != before {
			t.Errorf("%s: the storage is another one: %s", name, after)
		}
	}

	home.Map(t, "public", "localhost", "broken", `{"protocol":"actions.json","tools":7}`)
	options = ownPage(t, b, optionsURL)
	options.says("storage-summary", "with errors")
	eval[bool](options, `(document.getElementById("maps").open = true)`)
	options.says("maps-list", "localhost / broken")
	if n := eval[int](options, `document.querySelectorAll("#maps-list li:first-child .wrong").length`); n == 0 {
		t.Error("the broken map does not come first with its error")
	}
}

func TestOptionsOfAllAgents(t *testing.T) {
	// Ensure that pacing and showing are saved by the host, that a wrong pace is refused at its field, and that the pace holds for every session.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title><button id=b>Go</button>`})
	b := home.Open(t, url)
	options := ownPage(t, b, optionsURL)
	options.enabled("#pacing_ms")
	set := func(value string) {
		t.Helper()
		eval[bool](options, fmt.Sprintf(`(e => (e.value = %q, e.dispatchEvent(new Event("change")), true))(document.getElementById("pacing_ms"))`, value))
	}
	set("20000")
	harness.Until(t, "the field says so", func() bool { return options.text("pacing_ms-wrong") != "" })
	set("3000") // more than two calls take on a busy machine
	options.says("saved", "Saved")
	click := func() dispatch.Envelope {
		e := home.Call(t, "locator.click", `{"locator":{"selector":"#b"}}`)
		harness.Must(t, e, nil)
		return e
	}
	click()
	if e := click(); e.Meta.RateLimitWaitMS == 0 && e.Meta.DurationMS < 100 {
		t.Errorf("the second click did not wait: %+v", e.Meta)
	}
}
