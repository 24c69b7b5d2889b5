package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

// goesBack goes back to a document of the tab's that the browser has kept, at the address. The document's script has set
// globalThis.kept.
func (d document) goesBack(url string) {
	d.t.Helper()
	eval[bool](d, `(history.back(), true)`)
	d.loaded(url)
	if !eval[bool](d, `globalThis.kept === true`) {
		d.t.Fatal("the browser has loaded the page anew")
	}
}

func TestClicksInKeptDocument(t *testing.T) {
	// Ensure that a document that the browser has kept reports the clicks that lead away from it, each time that the tab comes back to it.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>List</title><a href="/detail" style="display:block">Sencha</a>`, "/detail": `<title>Sencha</title>`})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	eval[bool](doc, `kept = true`)
	for range 4 {
		harness.Must(t, home.Call(t, "locator.click", `{"locator":{"role":"link"}}`), nil)
		doc.loaded(url + "/detail")
		doc.goesBack(url + "/")
	}
}

func TestKeptDocumentMissedTheEnd(t *testing.T) {
	// Ensure that a document that the browser has kept while a call and a recording ended elsewhere in the tab shows neither when the tab comes back to it, and that nothing is learned of what the user types there.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>List</title><input id=field>`, "/detail": `<title>Sencha</title><input id=field>`})
	b := home.Open(t, url)
	own := ownPage(t, b, optionsURL)
	showActions(t, own)
	doc := pageAt(t, b, url+"/")
	doc.bringToFront()
	r := &recorder{t, home, b, doc}
	const shown = `!!` + barHost + `?.matches(":popover-open")`
	leaves := func() {
		t.Helper()
		eval[bool](doc, `(kept = true, location.href = "/detail", true)`)
		doc.loaded(url + "/detail")
	}

	call := background(t, home, "call", "locator.wait_for", `{"locator":{"selector":"#never"},"timeout_ms":4000}`, "--json")
	doc.until("the bar is shown", shown)
	leaves()
	<-call
	doc.until("the bar is gone", `!`+barHost)
	doc.goesBack(url + "/")
	doc.until("the bar is gone here, too", `!`+barHost)

	done := r.begin("tea.find")
	r.types(doc, `field`, "Assam")
	r.steps(1)
	leaves()
	doc.until("the mark is shown", markShown)
	r.presses("Done")
	<-done
	doc.goesBack(url + "/")
	doc.until("the mark is gone here, too", `!`+recordMark)
	r.types(doc, `field`, "Keemun")
	doc.handled()
	if kept := eval[string](own, `chrome.storage.session.get().then(JSON.stringify)`); strings.Contains(kept, "Keemun") || strings.Contains(kept, "Assam") {
		t.Errorf("the extension has kept %s", kept)
	}
}

func TestKeptDocumentMissedTheRelease(t *testing.T) {
	// Ensure that a document that the browser has kept while the user took the tab back shows nothing of the extension's when the tab comes back to it, nor listens to the user in any frame.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>List</title><button>Order</button><iframe src=/frame width=400 height=100></iframe>`, "/frame": `<input id=field style="width:100%;height:100px">`, "/detail": `<title>Sencha</title>`})
	b := home.Open(t, url)
	own := ownPage(t, b, optionsURL)
	doc := pageAt(t, b, url+"/")
	doc.bringToFront()
	r := &recorder{t, home, b, doc}
	done := r.begin("tea.order")
	eval[bool](doc, `(kept = true, location.href = "/detail", true)`)
	doc.loaded(url + "/detail")
	eval[bool](own, fmt.Sprintf(`chrome.runtime.sendMessage({kind: "ui_release", tab_id: %d}).then(() => true)`, b.Tabs[0].TabID))
	<-done
	doc.goesBack(url + "/")
	doc.until("the mark is gone", `!`+recordMark)
	eval[bool](own, `(kinds = [], chrome.runtime.onMessage.addListener(({kind}) => { kinds.push(kind) }), true)`)
	r.types(doc, `document.querySelector("iframe")`, "Assam")
	doc.until("the frame has the text", `frames[0].field.value === "Assam"`)
	doc.mouse(`document.querySelector("button")`)
	doc.handled()
	if kinds := eval[[]string](own, `kinds`); slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(kind, "recorded") }) {
		t.Errorf("the page sent %v", kinds)
	}
}
