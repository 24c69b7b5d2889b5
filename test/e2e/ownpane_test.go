package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestPaneIsNotThePage(t *testing.T) {
	// Ensure that what the pane loads and says is in no recording of the page, and that the accessibility tree leaves the pane out without a word about a missing frame.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title><button>of the page</button>`})
	b := home.Open(t, url)
	consoleOf(t, home, `{}`)
	harness.Must(t, home.Call(t, "browser.network", `{}`), nil)
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	pane := inFrame(t, b, paneURL)
	pane.until("the pane has loaded", `document.readyState === "complete"`)
	eval[bool](pane, `console.log("said by the pane"), fetch("pane.css").then(r => r.text()).then(() => true)`)
	eval[bool](pageAt(t, b, url+"/"), `console.log("said by the page"), fetch("/asked").then(() => true)`)

	for tool, mark := range map[string]string{"browser.console": "said by the page", "browser.network": "/asked"} {
		var all json.RawMessage
		harness.Until(t, tool+" tells of the page", func() bool {
			harness.Must(t, home.Call(t, tool, `{}`), &all)
			return strings.Contains(string(all), mark)
		})
		if text := string(all); strings.Contains(text, manifest.ExtensionID) || strings.Contains(text, "by the pane") {
			t.Errorf("%s tells of the pane: %s", tool, text)
		}
	}
	var tree struct {
		Outline string
		Missing []any `json:"frames_not_included"`
	}
	harness.Must(t, home.Call(t, "a11y.tree", `{}`), &tree)
	if !strings.Contains(tree.Outline, "of the page") || strings.Contains(tree.Outline, "Iframe") || strings.Contains(tree.Outline, "iframe") || len(tree.Missing) != 0 {
		t.Errorf("missing %v in the tree:\n%s", tree.Missing, tree.Outline)
	}
}
