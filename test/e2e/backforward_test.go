package e2e

import (
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
