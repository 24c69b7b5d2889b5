package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// popupURL is the address of the popup, as a document of its own and in the
// browser's toolbar alike.
const popupURL = manifest.ExtensionURL + "popup.html"

// document is a page that a test looks into from outside.
type document struct {
	t  *testing.T
	at *harness.Attached
}

// targets returns everything that the browser shows, tabs included.
func targets(t *testing.T, b *launch.Browser) []*target.Info {
	t.Helper()
	return harness.Targets(t, b)
}

func attach(t *testing.T, b *launch.Browser, id target.ID) document {
	t.Helper()
	return document{t, harness.Attach(t, b, id)}
}

// do sends one command to the document's target.
func do[P, R any](d document, command cdp.Command[P, R], params P) R {
	d.t.Helper()
	result, err := cdp.Call(d.t.Context(), d.at, command, params)
	if err != nil {
		d.t.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

// pageAt attaches to the page that shows the address.
func pageAt(t *testing.T, b *launch.Browser, url string) document {
	t.Helper()
	return pageWhere(t, b, url, func(at string) bool { return at == url })
}

// pageUnder is the page whose address begins with the prefix.
func pageUnder(t *testing.T, b *launch.Browser, prefix string) document {
	t.Helper()
	return pageWhere(t, b, prefix, func(at string) bool { return strings.HasPrefix(at, prefix) })
}

func pageWhere(t *testing.T, b *launch.Browser, wanted string, shows func(url string) bool) document {
	t.Helper()
	for _, info := range targets(t, b) {
		if info.Type == "page" && shows(info.URL) {
			return attach(t, b, info.TargetID)
		}
	}
	t.Fatalf("no page shows %s", wanted)
	return document{}
}

// extensionPage opens a page behind the others that has the extension's APIs.
func extensionPage(t *testing.T, b *launch.Browser) document {
	t.Helper()
	page := openPage(t, b, popupURL, true)
	page.says("versions", "Extension")
	return page
}

// openPage opens a page and waits until it has loaded.
func openPage(t *testing.T, b *launch.Browser, url string, background bool) document {
	t.Helper()
	made, err := cdp.Call(t.Context(), b.Session(), target.CreateTarget, target.CreateTargetParams{URL: url, Background: &background})
	if err != nil {
		t.Fatal(err)
	}
	page := attach(t, b, made.TargetID)
	page.loaded(url)
	return page
}

// openPopup clicks the extension's button in the toolbar, with the first tab in
// front.
func openPopup(t *testing.T, b *launch.Browser) document {
	t.Helper()
	before := map[target.ID]bool{}
	all := targets(t, b)
	for _, info := range all {
		before[info.TargetID] = true
	}
	tab := livingTab(all)
	_, err := cdp.Call(t.Context(), b.Session(), extensions.TriggerAction, extensions.TriggerActionParams{
		ID: manifest.ExtensionID, TargetID: string(tab),
	})
	if err != nil {
		t.Fatal(err)
	}
	popup := attach(t, b, harness.AwaitTargets(t, b, "the popup opens", func(all []*target.Info) (target.ID, bool) {
		for _, info := range all {
			if info.Type == "page" && info.URL == popupURL && !before[info.TargetID] {
				return info.TargetID, true
			}
		}
		return "", false
	}))
	popup.loaded(popupURL)
	return popup
}

// settled waits until the popup of a connected browser has drawn all its sections: one
// that comes later moves what stands below it away from under the pointer.
func (d document) settled() {
	d.t.Helper()
	for _, id := range []string{"agent-state", "mode"} {
		d.until("#"+id+" is shown", fmt.Sprintf(`%s !== ""`, textOf(id)))
	}
	d.until("a tab that is handed over can be recorded", `document.getElementById("show-pane").hidden || !document.getElementById("record").hidden`)
}

// livingTab returns the first tab that shows a page; a blank one only if no other does.
// A tab that is just being closed, which a shared browser lists for a moment after the
// pages of the test before, would end the browser: Extensions.triggerAction of Chromium
// 156 does not check that the tab still has a window.
func livingTab(all []*target.Info) (tab target.ID) {
	shown := map[string]bool{}
	for _, info := range all {
		if info.Type == "page" && info.URL != popupURL {
			shown[info.URL] = true
		}
	}
	for _, info := range all {
		if info.Type != "tab" || !shown[info.URL] {
			continue
		}
		if info.URL != "about:blank" {
			return info.TargetID
		}
		tab = info.TargetID
	}
	return tab
}

// loaded waits until the address of a new page has taken the place of the empty
// document, whose end would fail what is evaluated in it.
func (d document) loaded(url string) {
	d.t.Helper()
	d.until(url+" is loaded", fmt.Sprintf(`document.readyState === "complete" && location.href === %q`, url))
}

// eval returns the value of an expression in the document. One that was just going
// when it was asked gives none: then the next document is.
func eval[T any](d document, js string) T {
	d.t.Helper()
	return harness.Eval[T](d.t, d.at, js)
}

// text is what an element of the popup says; nothing while it is hidden.
func (d document) text(id string) string {
	d.t.Helper()
	return eval[string](d, textOf(id))
}

func textOf(id string) string {
	return fmt.Sprintf(`(e => e?.checkVisibility() ? e.innerText : "")(document.getElementById(%q))`, id)
}

// says waits until an element of the popup has the text in it.
func (d document) says(id, want string) {
	d.t.Helper()
	d.untilElse(fmt.Sprintf("#%s says %q", id, want), fmt.Sprintf("%s.includes(%q)", textOf(id), want), func() string {
		return fmt.Sprintf("it says %q", d.text(id))
	})
}

// until waits until the expression holds in the document, which may just be
// going to the next one.
func (d document) until(what, js string) {
	d.t.Helper()
	d.untilElse(what, js, func() string { return "" })
}

// untilElse is until, which tells more where it waits in vain.
func (d document) untilElse(what, js string, more func() string) {
	d.t.Helper()
	if err := harness.AwaitIn(d.t.Context(), d.at, js); err != nil {
		d.t.Fatalf("it did not happen: %s: %v; %s", what, err, more())
	}
}

// clickable is where the middle of an element is that can be clicked, once it can be.
const clickable = `(e => {
	if (!e || e.disabled || !e.checkVisibility()) return [];
	e.scrollIntoViewIfNeeded();
	const r = e.getBoundingClientRect();
	return r.width > 0 ? [r.left + r.width / 2, r.top + r.height / 2] : [];
})(document.querySelector(%q))`

// click clicks the element like a person, as soon as it can be clicked.
func (d document) click(selector string) {
	d.t.Helper()
	for clicked := false; !clicked; clicked = d.tries(selector) {
		d.until(selector+" can be clicked", fmt.Sprintf(clickable+".length === 2", selector))
	}
}

// tries clicks the element if it can be clicked now, and reports whether it was pressed: for
// loops, in which a click may take away what the next one would wait for. Where it is and
// what is pressed are two steps, between which the page may draw it anew or move it; a
// person then sees that it was not pressed.
func (d document) tries(selector string) bool {
	d.t.Helper()
	at := eval[[]float64](d, fmt.Sprintf(`(at => {
		globalThis.pressedByTest = at.length < 2;
		if (at.length === 2) document.querySelector(%q).addEventListener("pointerdown", () => { globalThis.pressedByTest = true; }, {once: true, capture: true});
		return at;
	})(%s)`, selector, fmt.Sprintf(clickable, selector)))
	if len(at) < 2 {
		return false
	}
	d.mouseAt(at[0], at[1])
	ctx, cancel := context.WithTimeout(d.t.Context(), harness.Scaled(unanswered))
	defer cancel()
	pressed, err := launch.Evaluate[*bool](ctx, d.at, `globalThis.pressedByTest`)
	return err != nil || pressed == nil || *pressed // the press may have taken the document away
}

// mouse clicks the middle of the element that the expression returns, like a person.
func (d document) mouse(js string) {
	d.t.Helper()
	d.mouseAt(d.middle(js))
}

// middle returns the middle of the element that the expression returns.
func (d document) middle(js string) (x, y float64) {
	d.t.Helper()
	at := eval[[2]float64](d, `(r => [r.left + r.width / 2, r.top + r.height / 2])(`+js+`.getBoundingClientRect())`)
	return at[0], at[1]
}

// unanswered is what an event may take whose frame goes away under it, as that of a
// button that closes it does: the browser never answers for it.
const unanswered = 2 * time.Second

// mouseAt clicks a point of the document.
func (d document) mouseAt(x, y float64) {
	d.t.Helper()
	for _, kind := range []input.DispatchMouseEventType{
		input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased,
	} {
		ctx, cancel := context.WithTimeout(d.t.Context(), harness.Scaled(unanswered))
		_, err := cdp.Call(ctx, d.at, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1,
		})
		cancel()
		if err != nil && ctx.Err() == nil && !launch.IsDocumentGone(err) {
			d.t.Fatal(err)
		}
	}
}

// key presses and releases a key, where the focus is.
func (d document) key(name, code string, number int64, text string, modifiers int64) {
	d.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		do(d, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: kind, Key: name, Code: code, WindowsVirtualKeyCode: number, Text: text, Modifiers: modifiers,
		})
		text = ""
	}
}

// frameAt finds the only frame of the extension's own at the address.
func frameAt(all []*target.Info, url string) (target.ID, bool) {
	var ids []target.ID
	for _, info := range all {
		if info.Type == "iframe" && info.URL == url {
			ids = append(ids, info.TargetID)
		}
	}
	if len(ids) != 1 {
		return "", false
	}
	return ids[0], true
}

// inFrame attaches to the one frame at the address, as soon as it is there and
// the extension's own. One that is just going, with the page before, is left.
func inFrame(t *testing.T, b *launch.Browser, url string) document {
	t.Helper()
	for {
		id := harness.AwaitTargets(t, b, "one frame shows "+url, func(all []*target.Info) (target.ID, bool) { return frameAt(all, url) })
		at, err := harness.AttachTo(t, b, id)
		if err == nil {
			err = harness.AwaitIn(t.Context(), at, `document.body?.classList.contains("owned")`)
		}
		if err == nil {
			return document{t, at}
		}
		var going *launch.Error
		if !launch.IsDocumentGone(err) && !errors.As(err, &going) || t.Context().Err() != nil {
			t.Fatalf("no frame of the extension's own shows %s: %v", strings.TrimPrefix(url, "chrome-extension://"), err)
		}
	}
}
