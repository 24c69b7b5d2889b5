package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/dom"

	"github.com/actionsjson/actions-host/test/harness"
)

// drawnText returns the text of the page as the browser draws it, closed shadow roots included.
func drawnText(t *testing.T, doc document) string {
	t.Helper()
	all := do(doc, dom.GetDocument, dom.GetDocumentParams{Depth: new(int64(-1)), Pierce: new(true)})
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLabels(t *testing.T) {
	// Ensure that the mark in the page and the popup name the action and its target in the language of the browser, and that the words of a page are never more than text there.
	t.Parallel()
	for language, want := range map[string]string{"en": "Click <i>More</i>", "de": "<i>More</i> anklicken"} {
		t.Run(language, func(t *testing.T) {
			home := harness.NewHome(t)
			url, _ := pages(t, map[string]string{"/": `<title>Shop</title><button style="margin:80px">&lt;i>More&lt;/i></button>`})
			b := home.OpenWith(t, []string{"LANGUAGE=" + language}, nil, url)
			doc := pageAt(t, b, url+"/")
			options := ownPage(t, b, optionsURL)
			if has := eval[string](options, `chrome.i18n.getMessage("@@ui_locale")`); !strings.HasPrefix(has, language) {
				t.Skipf("this browser has only %s", has)
			}
			options.enabled("#show_actions")
			options.click("#show_actions")
			options.until("the setting is kept", `document.getElementById("saved")?.textContent !== ""`)
			doc.bringToFront()
			eval[bool](doc, noteShown)
			harness.Must(t, home.Call(t, "locator.click", `{"locator":{"name":"<i>More</i>"}}`), nil)
			harness.Until(t, "the action is shown", func() bool { return eval[bool](doc, `window.shown === true`) })
			quoted, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			if text := drawnText(t, doc); !strings.Contains(text, fmt.Sprintf(`"nodeValue":%s`, quoted)) {
				t.Errorf("the mark does not read %s: %s", want, text)
			}
			popup := openPopup(t, b)
			popup.says("activity-list", want)
		})
	}
}
