package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// gallery opens a page of the gallery in a browser.
func gallery(t *testing.T, page string) (*harness.Home, *sites.Recorder) {
	t.Helper()
	home := harness.Shared(t, harness.Profile{Settings: `{"allow_code":true}`})
	rec := sites.NewRecorder(nil)
	handler, err := sites.Gallery(rec)
	if err != nil {
		t.Fatal(err)
	}
	home.Open(t, serve(t, handler)+"/"+page)
	return home, rec
}

// ask evaluates an expression in the page's own world.
func ask(t *testing.T, home *harness.Home, js string) string {
	t.Helper()
	source, err := json.Marshal("return " + js)
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Result json.RawMessage }
	harness.Must(t, home.Call(t, "browser.run_javascript", `{"source":`+string(source)+`}`, "--allow-code"), &out)
	return string(out.Result)
}

func TestEditorsTakeText(t *testing.T) {
	// Ensure that rich text editors have the text in their own model, after the focus has left them, by real input and by synthetic events, and that a second filling replaces the first (C8).
	t.Parallel()
	home, _ := gallery(t, "editors.html")
	for _, editor := range []string{"ProseMirror", "Lexical", "Quill"} {
		for _, fidelity := range []string{"auto", "synthetic"} {
			for _, text := range []string{"first words", "other", `two\nlines`, ""} {
				args := fmt.Sprintf(`{"locator":{"selector":"[aria-label=%s]"},"text":"%s","fidelity":%q}`, editor, text, fidelity)
				e := home.Call(t, "locator.fill", args)
				if e.Error != nil {
					t.Errorf("%s %s %q: %v %v", editor, fidelity, text, e.Error, e.Error.Evidence)
					continue
				}
				harness.Must(t, home.Call(t, "locator.click", `{"locator":{"selector":"#elsewhere"}}`), nil)
				got := ask(t, home, fmt.Sprintf("model(%q)", strings.ToLower(editor)))
				// Lines are paragraphs to one and breaks to another.
				if strings.ReplaceAll(got, `\n`, "") != `"`+strings.ReplaceAll(text, `\n`, "")+`"` {
					t.Errorf("%s %s: the model holds %s, want %q: %s", editor, fidelity, got, text, e.Output)
				}
			}
		}
	}
}

func TestControlledFields(t *testing.T) {
	// Ensure that a form of a framework takes values, choices and checks as its own state, tells what it rewrote, and that its dialog in a portal is met before what it covers (C2, C7).
	t.Parallel()
	home, rec := gallery(t, "react.html")
	for _, call := range []struct{ name, args string }{
		{"locator.fill", `{"locator":{"label":"Name"},"text":"Ann"}`},
		{"locator.fill", `{"locator":{"selector":"#price"},"text":"1234567"}`},
		{"locator.select_option", `{"locator":{"selector":"#size"},"label":"Large"}`},
		{"locator.set_checked", `{"locator":{"selector":"#gift"},"checked":true}`},
	} {
		var out struct{ Verified bool }
		if harness.Must(t, home.Call(t, call.name, call.args), &out); !out.Verified {
			t.Errorf("%s %s is not verified", call.name, call.args)
		}
	}
	e := home.Call(t, "locator.fill", `{"locator":{"selector":"#code"},"text":"abcdef"}`)
	if e.Error == nil || e.Error.Code != "value_not_applied" || e.Error.Retryable || e.Error.Evidence["value"] != "ABCD" {
		t.Errorf("a rewritten value: %+v", e.Error)
	}
	harness.Must(t, home.Call(t, "locator.click", `{"locator":{"selector":"#ask"}}`), nil)
	if e := home.Call(t, "locator.click", `{"locator":{"selector":"#gift"},"timeout_ms":200}`); e.Error == nil || e.Error.Code != "target_occluded" || e.Error.Dispatched != "no" {
		t.Errorf("under the dialog: %+v", e.Error)
	}
	harness.Must(t, home.Call(t, "locator.click", `{"locator":{"role":"button","name":"Yes, order"}}`), nil)
	harness.Until(t, "the order to arrive", func() bool { return len(seenAs(rec.All(), "order")) == 1 })
	if got := seenAs(rec.All(), "order")[0]; !strings.Contains(got, `"name":"Ann","code":"ABCD","price":"1,234,567","size":"l","gift":true`) {
		t.Errorf("the server got %s", got)
	}
}

func TestDragAndUpload(t *testing.T) {
	// Ensure that a page's server hears of a real drop with its data, of a sorting by the pointer, and of an uploaded file with its content (C25).
	t.Parallel()
	home, rec := gallery(t, "drag.html")
	defer func() {
		if t.Failed() {
			t.Logf("the server heard of drops %q, orders %q, files %q", seenAs(rec.All(), "drop"), seenAs(rec.All(), "order"), seenAs(rec.All(), "files"))
		}
	}()
	e := home.Call(t, "locator.drag_to", `{"locator":{"selector":"#card"},"to":{"selector":"#to"}}`)
	if e.Error != nil && e.Error.Code == fault.DragFailed { // a browser that has just started may miss the pick-up; it is said, and tried again
		e = home.Call(t, "locator.drag_to", `{"locator":{"selector":"#card"},"to":{"selector":"#to"}}`)
	}
	harness.Must(t, e, nil)
	harness.Must(t, home.Call(t, "locator.drag_to", `{"locator":{"selector":"#a"},"to":{"selector":"#c"}}`), nil)
	path := uploadable(t, home, "list.csv", "tea,3")
	harness.Must(t, home.Call(t, "locator.upload_file", fmt.Sprintf(`{"locator":{"selector":"#file"},"path":%q}`, path)), nil)
	harness.Must(t, home.Call(t, "locator.upload_file", fmt.Sprintf(`{"locator":{"selector":"#to"},"path":%q}`, path)), nil)
	harness.Until(t, "all to arrive", func() bool {
		drops := func(of string) bool {
			return slices.ContainsFunc(seenAs(rec.All(), "drop"), func(body string) bool { return strings.Contains(body, of) })
		}
		return drops(`"data":"card"`) && drops(`"files":["list.csv"]`) && len(seenAs(rec.All(), "order")) == 1 && len(seenAs(rec.All(), "files")) == 1
	})
	if got := seenAs(rec.All(), "order")[0]; strings.Contains(got, `"abc"`) {
		t.Errorf("the order is still %s", got)
	}
	if got := seenAs(rec.All(), "files")[0]; !strings.Contains(got, `[["list.csv",5,"tea,3"]]`) {
		t.Errorf("files %s", got)
	}
}

// seenAs returns what pages of the gallery have told their server under a name, in the
// order in which it was sent.
func seenAs(requests []sites.Request, what string) []string {
	type report struct {
		What string
		Sent struct {
			At     float64
			Number int
		}
		body string
	}
	var found []report
	for _, r := range requests {
		got := report{body: r.Body}
		if json.Unmarshal([]byte(r.Body), &got) == nil && got.What == what {
			found = append(found, got)
		}
	}
	slices.SortStableFunc(found, func(a, b report) int {
		return cmp.Or(cmp.Compare(a.Sent.At, b.Sent.At), cmp.Compare(a.Sent.Number, b.Sent.Number))
	})
	var bodies []string
	for _, got := range found {
		bodies = append(bodies, got.body)
	}
	return bodies
}
