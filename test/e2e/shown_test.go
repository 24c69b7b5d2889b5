package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png" // decodes the screenshots
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/test/harness"
)

// shownHost is the element that shows actions; what is in it no page script can read.
const shownHost = `document.querySelector("[data-actions-json-attachment=actions-json-shown]")`

// noteShown notes that an action was shown, which goes by itself before a slow
// machine may look.
const noteShown = `(document.addEventListener("toggle", e => { if (e.newState === "open") window.shown = true; }, true), true)`

// showActions turns the showing on, which a browser without a window leaves off.
func showActions(t *testing.T, options document) {
	t.Helper()
	options.enabled("#show_actions")
	options.click("#show_actions")
	options.says("saved", "Saved")
}

func TestActionsAreShown(t *testing.T) {
	// Ensure that an action is visible in the page when the user wants it, that it takes no click, can be neither read nor found by the page or by primitives, is in no screenshot of an agent's, and goes by itself; and that without the setting nothing is put into the page.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": `<title>Shop</title><body style="background:#fff;font:16px sans-serif"><h1>Tea</h1><p><button id=b style="margin:80px 200px" onclick="fetch('/clicked?trusted='+event.isTrusted,{method:'POST'})">More</button>`})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	const click = `{"locator":{"selector":"#b"}}`
	harness.Must(t, home.Call(t, "locator.click", click), nil)
	if eval[bool](doc, `!!`+shownHost) {
		t.Fatal("something is shown that nobody asked for")
	}
	showActions(t, ownPage(t, b, optionsURL))
	doc.bringToFront()
	before := screenshot(t, home)
	eval[bool](doc, `(window.added = [], new MutationObserver(rs => rs.forEach(r => added.push(...r.addedNodes))).observe(document, {subtree: true, childList: true, attributes: true}), true)`)
	eval[bool](doc, noteShown)
	harness.Must(t, home.Call(t, "locator.click", click), nil)
	harness.Until(t, "the action is shown", func() bool { return eval[bool](doc, `window.shown === true`) })
	picture(t, doc, "shown-click", nil)
	got := eval[string](doc, `(() => {
		const host = `+shownHost+`, at = document.getElementById("b").getBoundingClientRect();
		return [host.shadowRoot, host.childNodes.length, host.textContent, getComputedStyle(host).pointerEvents, host.ariaHidden,
			document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2).id, added.filter(n => n.dataset?.actionsJsonAttachment !== "actions-json-work").length].join("|");
	})()`)
	if got != "|0||none|true|b|1" {
		t.Errorf("the page sees %s", got)
	}
	if after := screenshot(t, home); !bytes.Equal(pixels(t, before), pixels(t, after)) {
		t.Error("an agent's screenshot has what is shown to the user")
	}
	if eval[bool](doc, shownHost+`.matches(":popover-open")`) {
		t.Error("it is still there after a screenshot")
	}

	started := time.Now()
	harness.Must(t, home.Call(t, "locator.click", click), nil)
	harness.Must(t, home.Call(t, "locator.click", click), nil)
	snapshot := home.Call(t, "page.snapshot", `{}`)
	harness.Must(t, snapshot, nil)
	if strings.Contains(strings.ToLower(string(snapshot.Output)), "\"click") || !strings.Contains(string(snapshot.Output), "More") {
		t.Errorf("the snapshot: %s", snapshot.Output)
	}
	harness.Until(t, "it goes by itself", func() bool { return !eval[bool](doc, shownHost+`.matches(":popover-open")`) })
	t.Logf("gone %v after the first click", time.Since(started).Round(time.Millisecond))
	harness.Until(t, "the clicks arrive", func() bool { return len(received(rec, "POST", "/clicked")) >= 4 })
	if clicks := received(rec, "POST", "/clicked"); len(clicks) != 4 {
		t.Errorf("%d clicks arrived", len(clicks))
	}
}

func TestStoredActionIsShown(t *testing.T) {
	// Ensure that a stored action is shown over a modal dialog of the page; its picture, with the action's own name, is for people.
	t.Parallel()
	home := harness.NewHome(t)
	home.Map(t, "public", harness.Site(t), "shop", `{"protocol":"actions.json","version":1,"tools":[{"name":"cart.add_two_boxes","description":"Add.","input_schema":{"type":"object"},
		"workflow":{"version":1,"expression_language":"jsonata","output":"done","steps":[{"id":"click","primitive":"locator.click","args":{"locator":{"selector":"#in"}}}]}}]}`)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title><body style="background:#eef"><h1>Tea</h1><dialog id=d style="width:300px;height:160px"><p>Add two boxes?</p><button id=in>Add them</button></dialog><script>d.showModal()</script>`})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	showActions(t, ownPage(t, b, optionsURL))
	doc.bringToFront()
	eval[bool](doc, noteShown)
	harness.Must(t, home.SiteCall(t, "cart.add_two_boxes", `{}`), nil)
	harness.Until(t, "the action is shown", func() bool { return eval[bool](doc, `window.shown === true`) })
	eval[bool](doc, `new Promise(moved => setTimeout(() => moved(true), 300))`)
	picture(t, doc, "shown-action", nil)
}

// screenshot is what an agent gets of the tab.
func screenshot(t *testing.T, home *harness.Home) []byte {
	t.Helper()
	var out shot
	harness.Must(t, home.Call(t, "browser.screenshot", `{"format":"png"}`), &out)
	return decodePicture(t, out.picture)
}

// decodePicture returns the bytes of a picture, a data URL.
func decodePicture(t *testing.T, url string) []byte {
	t.Helper()
	_, text, _ := strings.Cut(url, ",")
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// pixels are a picture's colours, whatever its encoding.
func pixels(t *testing.T, raw []byte) []byte {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(fmt.Sprintf("%T %v", img, img))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
