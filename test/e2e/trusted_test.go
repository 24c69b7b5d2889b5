package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// field is a page whose one field has the focus and tells its server how long
// its value is, never what it is.
const field = `<title>field</title><input id=i type=%s autofocus><script>
	i.focus(); i.oninput = () => fetch('/length?' + [...i.value].length)</script>`

// asked reports whether a server got a request for the target, a path with its
// query.
func asked(rec *sites.Recorder, target string) bool {
	return slices.Contains(received(rec, "GET", "/"), target)
}

// wantNowhere fails the test when the text is in the log or in a file of the
// host's state.
func wantNowhere(t *testing.T, home *harness.Home, text string) {
	t.Helper()
	if dump := home.Run(t, "log", "dump", "--json"); dump.Exit != 0 || strings.Contains(dump.Stdout, text) {
		t.Errorf("exit %d, or the log holds %q", dump.Exit, text)
	}
	files := 0
	err := filepath.WalkDir(filepath.Join(home.Dir, "state"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(text)) {
			t.Errorf("%s holds %q", filepath.Base(path), text)
		}
		files++
		return err
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files of state, %v", files, err)
	}
}

func TestTrustedInput(t *testing.T) {
	// Ensure that trusted keys stay on the origin that they were meant for, that they are kept out of the log unless they only name a key, and that a key whose press leaves the page is let go of.
	t.Parallel()
	home := harness.Shared(t)
	other, away := pages(t, map[string]string{
		"/": fmt.Sprintf(field, "text"), "/length": "ok",
		"/landed": `<title>landed</title><input id=i autofocus><script>
			i.focus(); onkeydown = e => fetch(['/key', e.key, e.repeat, e.shiftKey].join('-'))</script>`,
	})
	other = foreign(t, other)
	url, rec := pages(t, map[string]string{
		"/": `<title>start</title>`, "/length": "ok",
		"/leaves": fmt.Sprintf(`<title>leaves</title><input id=i autofocus><script>
			i.focus(); addEventListener('keydown', () => { location.href = %q }, {once: true})</script>`, other+"/"),
		"/password": fmt.Sprintf(field, "password"),
		"/form": fmt.Sprintf(`<title>form</title><form action=%q><input id=i name=q value=tea autofocus></form>
			<script>i.focus()</script>`, other+"/landed"),
	})
	home.Open(t, url+"/")
	visit := func(t *testing.T, path string) {
		t.Helper()
		harness.Must(t, home.Call(t, "browser.navigate", `{"url":"`+url+path+`"}`), nil)
	}

	t.Run("a page that leaves at the first key", func(t *testing.T) {
		// Ensure that the text does not follow the tab to another origin, that the call does not claim to have typed it, and that nothing is typed again there. A key that was sent while the browser changed the page may still land: one, not the rest.
		visit(t, "/leaves")
		e := home.Call(t, "text.type", `{"trusted":true,"text":"X`+strings.Repeat("abcdefghij", 200)+`"}`)
		if e.OK {
			t.Fatalf("ok: %s", e.Output)
		}
		if e.Error.Retryable || e.Error.Dispatched == fault.NotDispatched || e.Error.NextStep == "" {
			t.Errorf("keys were pressed, and the error says %+v", e.Error)
		}
		harness.Until(t, "the other page is there", func() bool { return asked(away, "/") })
		var value struct{ Value string }
		harness.Must(t, home.Call(t, "locator.value", `{"locator":{"selector":"#i"}}`), &value)
		if len(value.Value) > 1 || strings.Contains(value.Value, "X") {
			t.Errorf("the other origin got %q", value.Value)
		}
	})
	t.Run("a secret", func(t *testing.T) {
		// Ensure that neither a text nor a single character that trusted keys type is kept: nobody knows what field has the focus.
		visit(t, "/password")
		const password, sign = "correct-Horse-7-battery", "𝄞"
		harness.Must(t, home.Call(t, "text.type", `{"trusted":true,"text":"`+password+`"}`), nil)
		harness.Must(t, home.Call(t, "keyboard.press", `{"trusted":true,"key":"`+sign+`"}`), nil)
		harness.Until(t, "all of it is in the field", func() bool {
			return asked(rec, fmt.Sprintf("/length?%d", len(password)+1))
		})
		wantNowhere(t, home, password)
		wantNowhere(t, home, sign)
	})
	t.Run("a form of another origin", func(t *testing.T) {
		// Ensure that Enter submits it although the key is let go of on the next page, that the next press is a new one, and that the log says which key it was.
		visit(t, "/form")
		harness.Must(t, home.Call(t, "keyboard.press", `{"trusted":true,"key":"Enter"}`), nil)
		harness.Until(t, "the form arrives", func() bool { return len(received(away, "GET", "/landed")) > 0 })
		harness.Until(t, "the tab is there", func() bool {
			var info struct{ Title string }
			e := home.Call(t, "page.info", `{}`)
			return e.OK && json.Unmarshal(e.Output, &info) == nil && info.Title == "landed"
		})
		harness.Must(t, home.Call(t, "keyboard.press", `{"trusted":true,"key":"Enter"}`), nil)
		harness.Until(t, "the next key arrives as a new press", func() bool { return asked(away, "/key-Enter-false-false") })

		named := 0
		for _, r := range records(t, home) {
			if r.Name == "keyboard.press" && r.Type == journal.TypeOutcome && strings.Contains(string(r.Data), `Enter"`) {
				named++
			}
		}
		if named != 2 {
			t.Errorf("%d records name the key", named)
		}
		wantClosed(t, home)
	})
}
