package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"

	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// reloadExtension loads the extension anew, as its user may.
func reloadExtension(t *testing.T, b *launch.Browser) {
	t.Helper()
	if _, err := cdp.Call(t.Context(), b.Session(), extensions.LoadUnpacked, extensions.LoadUnpackedParams{Path: harness.Extension(t)}); err != nil {
		t.Fatal(err)
	}
}

func TestExtensionReloaded(t *testing.T) {
	// Ensure that a page whose content script is an orphan of the extension's earlier life is operated again once its tab is handed over anew (B9).
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": `<title>one</title><button style="position:fixed;left:0;top:0;width:200px;height:100px" onclick="fetch('/click')">b</button>`, "/click": "ok"})
	b := home.Open(t, url)
	harness.Must(t, home.Call(t, "pointer.click", `{"x":50,"y":50}`), nil)
	pid := home.Host(t)
	reloadExtension(t, b)
	page := extensionPage(t, b)
	page.says("connection", "Connected")
	if home.Host(t) == pid {
		t.Fatal("the extension was not reloaded")
	}
	answer := eval[struct{ OK bool }](page, fmt.Sprintf(`chrome.runtime.sendMessage({kind: "ui_claim", tab_id: %d})`, b.Tabs[0].TabID))
	if !answer.OK {
		t.Fatal("the tab cannot be handed over again")
	}
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	harness.Must(t, home.Call(t, "pointer.click", `{"x":50,"y":50}`), nil)
	harness.Until(t, "both clicks arrive", func() bool { return len(received(rec, "GET", "/click")) == 2 })
}
