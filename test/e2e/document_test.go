package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/launch/drive"
	"github.com/actionsjson/actions-host/test/harness"
)

// popupURL is the address of the popup, as a document of its own and in the
// browser's toolbar alike.
const popupURL = "chrome-extension://" + manifest.ExtensionID + "/popup.html"

// document is a page that a test looks into from outside.
type document struct {
	t   *testing.T
	ctx context.Context
}

// targets gives everything that the browser shows, tabs included.
func targets(t *testing.T, b *launch.Browser) []*target.Info {
	t.Helper()
	found, err := cdp.Call(t.Context(), b.Session(), target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{}}})
	if err != nil {
		t.Fatal(err)
	}
	return found.TargetInfos
}

func attach(t *testing.T, b *launch.Browser, id target.ID) document {
	t.Helper()
	ctx, cancel := drive.Attach(b, id)
	t.Cleanup(cancel)
	// The first run binds the page's events to this very context.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return document{t, ctx}
}

// extensionPage opens a page behind the others that has the extension's APIs.
func extensionPage(t *testing.T, b *launch.Browser) document {
	t.Helper()
	background := true
	made, err := cdp.Call(t.Context(), b.Session(), target.CreateTarget, target.CreateTargetParams{URL: popupURL, Background: &background})
	if err != nil {
		t.Fatal(err)
	}
	page := attach(t, b, made.TargetID)
	page.loaded(popupURL)
	page.says("versions", "Extension")
	return page
}

// openPopup clicks the extension's button in the toolbar, with the first tab in
// front.
func openPopup(t *testing.T, b *launch.Browser) document {
	t.Helper()
	var before []target.ID
	var tab target.ID
	for _, info := range targets(t, b) {
		before = append(before, info.TargetID)
		if info.Type == "tab" && info.URL != popupURL && tab == "" {
			tab = info.TargetID
		}
	}
	_, err := cdp.Call(t.Context(), b.Session(), extensions.TriggerAction, extensions.TriggerActionParams{
		ID: manifest.ExtensionID, TargetID: string(tab),
	})
	if err != nil {
		t.Fatal(err)
	}
	var popup target.ID
	harness.Until(t, "the popup opens", func() bool {
		for _, info := range targets(t, b) {
			if info.Type == "page" && info.URL == popupURL && !slices.Contains(before, info.TargetID) {
				popup = info.TargetID
			}
		}
		return popup != ""
	})
	return attach(t, b, popup)
}

// loaded waits until the address of a new page has taken the place of the empty
// document, whose end would fail what is evaluated in it.
func (d document) loaded(url string) {
	d.t.Helper()
	harness.Until(d.t, url+" is loaded", func() bool {
		loaded, err := chromedp.Run(d.ctx, chromedp.Evaluate[bool](fmt.Sprintf(`document.readyState === "complete" && location.href === %q`, url)))
		return err == nil && loaded
	})
}

// eval gives the value of an expression in the document. One that was just going
// when it was asked gives none: then the next document is.
func eval[T any](d document, js string) T {
	d.t.Helper()
	run, cancel := context.WithTimeout(d.ctx, harness.Patience)
	defer cancel()
	for {
		value, err := chromedp.Run(run, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
		if err == nil {
			return value
		}
		if !strings.Contains(err.Error(), "Inspected target navigated or closed") {
			d.t.Fatalf("%s: %v", js, err)
		}
	}
}

// text is what an element of the popup says; nothing while it is hidden.
func (d document) text(id string) string {
	d.t.Helper()
	return eval[string](d, fmt.Sprintf(`(e => e?.checkVisibility() ? e.innerText : "")(document.getElementById(%q))`, id))
}

// says waits until an element of the popup has the text in it.
func (d document) says(id, want string) {
	d.t.Helper()
	last := ""
	for end := time.Now().Add(harness.Patience); time.Now().Before(end); {
		// The popup's own timer is awaited, as only it draws anew.
		if last = d.text(id); strings.Contains(last, want) {
			return
		}
		eval[bool](d, `new Promise(done => setTimeout(() => done(true), 20))`)
	}
	d.t.Fatalf("#%s says %q, not %q", id, last, want)
}

// until waits until the expression holds in the document, which may just be
// going to the next one.
func (d document) until(what, js string) {
	d.t.Helper()
	harness.Until(d.t, what, func() bool {
		run, cancel := context.WithTimeout(d.ctx, harness.Patience)
		defer cancel()
		holds, err := chromedp.Run(run, chromedp.Evaluate[bool](js, chromedp.EvalAwaitPromise))
		return err == nil && holds
	})
}

// click clicks the element like a person, as soon as it can be clicked.
func (d document) click(selector string) {
	d.t.Helper()
	harness.Until(d.t, selector+" can be clicked", func() bool { return d.tries(selector) })
}

// tries clicks the element if it can be clicked now, and tells whether it did: for
// loops, in which a click may take away what the next one would wait for. Where it
// is and what is pressed are two steps, between which the page may draw it anew.
func (d document) tries(selector string) bool {
	d.t.Helper()
	at := eval[[]float64](d, fmt.Sprintf(`(e => {
		if (!e || e.disabled || !e.checkVisibility()) return [];
		e.scrollIntoViewIfNeeded();
		const r = e.getBoundingClientRect();
		return r.width > 0 ? [r.left + r.width / 2, r.top + r.height / 2] : [];
	})(document.querySelector(%q))`, selector))
	if len(at) == 2 {
		d.mouseAt(at[0], at[1])
	}
	return len(at) == 2
}
