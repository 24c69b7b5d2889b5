package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

const receiptsPage = `<!doctype html><title>Receipts</title><h1>Receipts</h1><button id=new onclick="fetch('/new', {method: 'POST'})">Draft</button> <button id=old onclick="fetch('/old', {method: 'POST'})">Old receipts</button>
<label>Receipt <input id=file type=file onchange="this.files[0].text().then(body => fetch('/uploaded', {method: 'POST', body})).then(() => said.textContent = 'Stored')"></label> <a id=terms href=/terms target=_blank>Terms</a><p id=said role=status></p>`

func TestRecordFromThePopup(t *testing.T) {
	// Ensure that the popup begins, gives up and ends a recording and says what became of it, that what is done during a pause is not in it, that what is pressed is what it was at the press, that a chosen file becomes an input whose name and content are nowhere in the map, that a page which opens in a tab of its own is told, and that the action then does it with another file.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": receiptsPage, "/terms": `<title>Terms</title>`})
	b := home.Open(t, url)
	r := &recorder{t, home, b, pageAt(t, b, url+"/")}
	lunch, dinner := uploadable(t, home, "lunch.txt", "for lunch.txt"), uploadable(t, home, "dinner.txt", "for dinner.txt")
	popup := extensionPage(t, b)
	popup.settled()
	popup.presses("record-start")
	popup.says("record-state", "steps: 0")
	popup.presses("record-cancel")
	popup.says("record-state", "given up")
	popup.presses("record-start")
	popup.says("record-state", "steps: 0")
	r.doc.until("the mark is shown", markShown)
	x, y := r.doc.middle(`document.getElementById("new")`)
	r.doc.pointer(input.DispatchMouseEventTypeMouseMoved, x, y, 0)
	eval[bool](r.doc, `new Promise(rested => requestIdleCallback(() => requestIdleCallback(() => rested(true), {timeout: 300}), {timeout: 300}))`)
	eval[bool](r.doc, `(document.getElementById("new").textContent = "New receipt", true)`) // what it was called while the pointer rested there is not what is pressed
	r.doc.mouseAt(x, y)
	r.steps(1)
	r.presses("Pause")
	popup.says("record-state", "Paused")
	r.doc.mouse(`old`)
	harness.Until(t, "the page answers to the hand", func() bool { return len(received(rec, "POST", "/old")) == 1 })
	r.presses("Go on")
	popup.says("record-state", "Recording")
	r.steps(1)
	r.chooses(`file`, lunch)
	r.steps(2)
	r.doc.until("the page has it", `said.textContent === "Stored"`)
	r.doc.mouse(`terms`)
	r.steps(3)
	terms := harness.AwaitTargets(t, b, "the other tab", func(all []*target.Info) (target.ID, bool) {
		i := slices.IndexFunc(all, func(info *target.Info) bool { return strings.HasSuffix(info.URL, "/terms") })
		return all[max(i, 0)].TargetID, i >= 0
	})
	if _, err := cdp.Call(t.Context(), b.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: terms}); err != nil {
		t.Fatal(err)
	}
	r.doc.bringToFront()
	popup = extensionPage(t, b) // the other one may still be about the tab that was in front
	popup.settled()
	popup.says("record-state", "steps: 3")
	popup.presses("record-done")
	popup.says("record-state", "Stored as ")
	sentences := popup.text("record-sentences")
	if !strings.Contains(sentences, "New receipt") || !strings.Contains(sentences, "upload") || strings.ContainsAny(sentences, "*") || strings.Contains(sentences, "Old") {
		t.Errorf("it does: %s", sentences)
	}
	var list struct {
		Actions []struct {
			Name        string
			Unproven    bool
			InputSchema struct {
				Properties map[string]json.RawMessage
			} `json:"input_schema"`
		}
	}
	harness.Must(t, home.Call(t, "actions.site", `{"mode":"list"}`), &list)
	if len(list.Actions) != 1 || !list.Actions[0].Unproven || len(list.Actions[0].InputSchema.Properties) != 1 {
		t.Fatalf("the page has %+v", list.Actions)
	}
	made := list.Actions[0]
	popup.says("record-state", "Stored as "+made.Name)
	wantNowhere(t, home, "lunch.txt")
	for of := range made.InputSchema.Properties {
		harness.Must(t, home.SiteCall(t, made.Name, fmt.Sprintf(`{%q:%q}`, of, dinner)), nil)
	}
	harness.Until(t, "the other file is there", func() bool {
		return slices.ContainsFunc(rec.All(), func(r sites.Request) bool { return r.Path == "/uploaded" && r.Body == "for dinner.txt" })
	})
	if pressed, old := len(received(rec, "POST", "/new")), len(received(rec, "POST", "/old")); pressed != 2 || old != 1 {
		t.Errorf("New receipt was pressed %d times, Old receipts %d times", pressed, old)
	}
}

// beginTelling is begin with what the terminal tells on the way in a file.
func (r *recorder) beginTelling(name, told string) <-chan harness.Result {
	r.Helper()
	file, err := os.Create(told)
	if err != nil {
		r.Fatal(err)
	}
	var out bytes.Buffer
	cmd := r.home.Command(r.Context(), "record", name, "--json", "--wait", "20s")
	cmd.Stdout, cmd.Stderr = &out, file
	done := make(chan harness.Result, 1)
	go func() {
		err := errors.Join(cmd.Run(), file.Close())
		if err != nil {
			r.Errorf("record: %v", err)
		}
		done <- harness.Result{Stdout: out.String(), Exit: cmd.ProcessState.ExitCode()}
	}()
	r.doc.until("the mark is shown", markShown)
	return done
}

// chooses has the browser's own dialog choose a file.
func (r *recorder) chooses(js, path string) {
	r.Helper()
	field := do(r.doc, runtime.Evaluate, runtime.EvaluateParams{Expression: js})
	do(r.doc, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{path}, ObjectID: field.Result.ObjectID})
}

func TestRecordedActionIsTriedAtOnce(t *testing.T) {
	// Ensure that a Done of which nothing can be made says why in the mark and in the terminal, and loses nothing; that the next one stores the action; and that the popup leads to a page which shows it and runs it once, with other inputs, without its text having been read.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": orderPage})
	b := home.Open(t, url)
	r := &recorder{t, home, b, pageAt(t, b, url+"/")}
	told := filepath.Join(t.TempDir(), "told")
	done := r.beginTelling("shop.order", told)
	r.types(r.doc, `f.elements.name`, "Ada Lovelace")
	r.types(r.doc, `f.code`, "hunter2hunter2")
	r.doc.mouse(`document.querySelector("button")`)
	r.steps(3)
	ordered(t, rec, "Ada Lovelace")
	taken := home.Map(t, "private", "localhost", "taken", `{"protocol":"actions.json","version":1,"tools":[{"name":"shop.order","description":"d","x_actions":{"static_output":1}}]}`)
	harness.Until(t, "the page has an action of the name", func() bool {
		return strings.Contains(home.Run(t, "site", "list", "--json").Stdout, "shop.order")
	})
	r.presses("Done")
	harness.Until(t, "the mark says why", func() bool {
		return strings.Contains(drawnText(t, r.doc), "the page has an action shop.order already")
	})
	harness.Until(t, "the terminal says why", func() bool {
		text, err := os.ReadFile(told)
		return err == nil && strings.Count(string(text), "the page has an action shop.order already") == 1
	})
	r.steps(3)
	picture(t, r.doc, "record-failed", nil)
	size(t, r.doc, 380, 600)
	r.doc.until("the whole mark is in a narrow window", `(box => box.left >= 0 && box.right <= 380 && box.height > 60)(`+recordMark+`.getBoundingClientRect())`)
	picture(t, r.doc, "record-failed-narrow", nil)
	if err := os.Remove(taken); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the name is free", func() bool {
		return !strings.Contains(home.Run(t, "site", "list", "--json").Stdout, "shop.order")
	})
	r.presses("Done")
	text := r.stored(<-done, "name", "code")
	if strings.Contains(text, "Lovelace") || strings.Contains(text, "hunter2") {
		t.Errorf("stored: %s", text)
	}

	popup := openPopup(t, b)
	popup.says("record-state", "Stored as shop.order.")
	popup.presses("record-try")
	page := savePage(t, b)
	page.says("who", "Recorded by hand")
	page.says("sentences", "type name into Name")
	page.says("may", "act on the page")
	page.says("saved", "shop.order")
	if eval[bool](page, `document.getElementById("naming").checkVisibility()`) {
		t.Error("it can be saved once more")
	}
	page.replaces(`[data-input="name"]`, "Bea Stone")
	page.replaces(`[data-input="code"]`, "0ther-secret")
	page.presses("run")
	page.says("outcome", "It has run well")
	ordered(t, rec, "Bea Stone", "0ther-secret")
	for _, v := range page.violations() {
		t.Error(v)
	}
	look(t, page, "recorded-proven", 320, 720)
	if list := home.Run(t, "site", "list", "--json"); strings.Contains(list.Stdout, `"unproven":true`) {
		t.Errorf("it is listed as %s", list.Stdout)
	}
}
