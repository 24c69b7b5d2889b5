package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

const saveURL = manifest.ExtensionURL + "save.html"

// savePage returns the page that saves an action, which a button has opened.
func savePage(t *testing.T, b *launch.Browser) document {
	t.Helper()
	id := harness.AwaitTargets(t, b, "the page that saves opens", func(all []*target.Info) (target.ID, bool) {
		for _, info := range all {
			if info.Type == "page" && strings.HasPrefix(info.URL, saveURL) {
				return info.TargetID, true
			}
		}
		return "", false
	})
	page := attach(t, b, id)
	page.until("the page has loaded", `document.readyState === "complete"`)
	return page
}

// presses brings a button into view and presses it with the mouse.
func (d document) presses(id string) {
	d.t.Helper()
	js := `document.getElementById(` + strconv.Quote(id) + `)`
	d.until("there is a button "+id, `(b => !!b && b.checkVisibility() && !b.disabled)(`+js+`)`)
	eval[bool](d, `(`+js+`.scrollIntoView({block: "center"}), true)`)
	d.mouse(js)
}

// replaces types into a field in place of what it holds.
func (d document) replaces(selector, text string) {
	d.t.Helper()
	eval[bool](d, `(f => (f.focus(), f.select(), true))(document.querySelector(`+strconv.Quote(selector)+`))`)
	do(d, input.InsertText, input.InsertTextParams{Text: text})
}

const orderPage = `<!doctype html><html lang=en><title>Shop</title><form id=f><label>Name <input name=name></label><label>Code <input type=password name=code></label><button>Order</button></form>
<p role=status id=s></p><script>f.onsubmit = async e => { e.preventDefault(); const name = f.name.value
await fetch("/ordered", {method: "POST", body: JSON.stringify({name, code: f.code.value})}); s.textContent = "Thank you, " + name }</script>`

// orderOnce orders by primitives, as an agent would.
func orderOnce(t *testing.T, home *harness.Home) {
	t.Helper()
	harness.Must(t, home.Call(t, "locator.fill", `{"locator":{"label":"Name"},"text":"Ada Lovelace"}`), nil)
	harness.Must(t, home.Call(t, "locator.fill", `{"locator":{"label":"Code"},"text":"hunter2hunter2"}`), nil)
	harness.Must(t, home.Call(t, "locator.click", `{"locator":{"role":"button","name":"Order"}}`), nil)
	harness.Must(t, home.Call(t, "locator.wait_for", `{"locator":{"selector":"#s","text_contains":"Ada Lovelace"},"timeout_ms":5000}`), nil)
	harness.Must(t, home.Call(t, "locator.text_content", `{"locator":{"selector":"#s"}}`), nil)
}

// ordered waits until the shop's server has got an order with the words.
func ordered(t *testing.T, rec *sites.Recorder, words ...string) {
	t.Helper()
	harness.Until(t, "the shop has an order of "+strings.Join(words, ", "), func() bool {
		return slices.ContainsFunc(rec.All(), func(r sites.Request) bool {
			return r.Path == "/ordered" && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(r.Body, w) })
		})
	})
}

func TestSaveActionInTheBrowser(t *testing.T) {
	// Ensure that the popup's button makes an action of what was done in the tab: the page shows it in sentences without what was typed, stores it when the user presses so, and runs it with other inputs after the approval that is asked for there. A page's script presses nothing, a name that is taken is told, and a replaced map stays beside the new one.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": orderPage})
	b := home.Open(t, url)
	toolbar := openPopup(t, b)
	toolbar.settled()
	toolbar.presses("save-action")
	page := savePage(t, b)
	page.says("wrong", "nothing was done in this tab yet")
	page.says("wrong", "Let an agent do the job")

	orderOnce(t, home)
	ordered(t, rec, "Ada Lovelace", "hunter2hunter2")
	page.bringToFront()
	page.presses("again")
	page.says("sentences", "type name into Name")
	page.says("sentences", "click Order")
	page.says("may", "act on the page")
	page.says("who", "Terminal")
	if text := eval[string](page, `document.body.textContent`); strings.Contains(text, "Lovelace") || strings.Contains(text, "hunter2") {
		t.Errorf("the page shows what was typed: %s", text)
	}
	eval[bool](page, `(document.getElementById("save").click(), true)`)
	page.replaces("#name", "no name")
	page.presses("save")
	page.says("name-wrong", "cannot be the name of an action")
	page.until("the name has the focus", `document.activeElement?.id === "name"`)
	folder := filepath.Join(home.Dir, "storage", "scopes", "private", "sites", "localhost")
	if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
		t.Errorf("something was stored before anybody pressed: %v", entries)
	}
	page.replaces("#name", "shop.order")
	page.presses("save")
	page.says("saved", "Saved as shop.order")
	file := filepath.Join(folder, "shop-order", "actions.json")
	first, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(first), "Lovelace") || strings.Contains(string(first), "hunter2") {
		t.Fatalf("%v\n%s", err, first)
	}

	if kinds := eval[string](page, `[...document.querySelectorAll("[data-input]")].map(i => i.dataset.input + ":" + i.type).join()`); kinds != "name:text,code:password" {
		t.Errorf("the fields are %s", kinds)
	}
	page.presses("run")
	page.until("an input that is missing is told", `document.getElementById("input-0-wrong").textContent !== "" && document.activeElement.dataset.input === "name"`)
	home.Policy(t, `{"ask_effects":["input"]}`)
	page.replaces(`[data-input="name"]`, "Bea Stone")
	page.replaces(`[data-input="code"]`, "0ther-secret")
	page.presses("run")
	allow := `[...document.querySelectorAll(".answers button")].find(b => b.textContent === "Allow once")`
	page.until("it asks", `(b => !!b && !b.disabled)(`+allow+`)`)
	page.mouse(allow)
	page.says("outcome", "It has run well")
	page.says("output", "Thank you, Bea Stone")
	ordered(t, rec, "Bea Stone", "0ther-secret")
	if list := home.Run(t, "site", "list", "--json"); strings.Contains(list.Stdout, `"unproven":true`) || !strings.Contains(list.Stdout, "shop.order") {
		t.Errorf("it is listed as %s", list.Stdout)
	}
	if log := home.Run(t, "log", "dump", "--json"); strings.Contains(log.Stdout, "0ther-secret") {
		t.Error("the secret is in the log")
	}

	for _, v := range page.violations() {
		t.Error(v)
	}
	eval[bool](page, `(document.querySelector("details").open = true)`)
	look(t, page, "save-proven", 320, 720)

	// The name is taken, by what was saved here, and the trial was not what was done last.
	page.presses("save")
	page.says("name-wrong", "the page has an action shop.order already")
	edited := append(first, '\n')
	if err := os.WriteFile(file, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	page.presses("replace")
	page.says("saved", "Saved as shop.order")
	page.until("the button that is left has the focus", `document.activeElement?.id === "save"`)
	if last, err := os.ReadFile(filepath.Join(filepath.Dir(file), "actions.last.json")); err != nil || string(last) != string(edited) {
		t.Errorf("%v: the last version is %s", err, last)
	}
}
