package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/test/harness"
)

// place is a page that makes it hard for the pane.
type place struct {
	path, policy, html string
	after              string // what the user does there, as JavaScript
}

var places = []place{
	{path: "/rtl", html: `<html dir=rtl lang=ar><title>rtl</title><h1>مرحبا</h1></html>`},
	{path: "/modal", html: `<dialog>modal</dialog>`, after: `document.querySelector("dialog").showModal()`},
	{path: "/popover", html: `<div popover style="width:90vw;height:90vh">above</div>`, after: `document.querySelector("[popover]").showPopover()`},
	{path: "/fullscreen", html: `<div id=all>all</div>`, after: `document.getElementById("all").requestFullscreen()`},
	{path: "/strict", policy: `default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'`, html: `<title>strict</title>`},
	{path: "/clearing", html: `<title>clearing</title><script>new MutationObserver(changes => {
		for (const {addedNodes} of changes) for (const node of addedNodes) if (![document.head, document.body].includes(node)) node.remove();
	}).observe(document.documentElement, {childList: true})</script>`},
}

func TestPanePlaces(t *testing.T) {
	// Ensure that the pane of a tab stands and can be used on pages written from right to left, under modal dialogs, popovers and fullscreen elements, under a strict policy and where the page clears out what it does not know, that it is never printed, and that a sandboxed page, where it cannot run, shows nothing of it and can be clicked there.
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/sandbox" {
			w.Header().Set("Content-Security-Policy", "sandbox allow-scripts")
		}
		for _, p := range places {
			if p.path == r.URL.Path {
				w.Header().Set("Content-Security-Policy", p.policy)
				fmt.Fprint(w, "<!doctype html>"+p.html)
				return
			}
		}
		fmt.Fprint(w, "<!doctype html><title>plain</title>")
	}))
	a := playAgent(t, url)
	a.pane()
	b := a.played.Launched
	doc := pageAt(t, b, url+"/")
	const hit = `(r => document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2) === ` + paneHost + `)(` + paneHost + `.getBoundingClientRect())`
	for _, p := range places {
		eval[bool](doc, fmt.Sprintf(`(location.href = %q, true)`, p.path))
		harness.Until(t, p.path+" has the pane", func() bool {
			return eval[bool](doc, fmt.Sprintf(`location.pathname === %q && %s !== null`, p.path, paneHost))
		})
		inFrame(t, b, paneURL)
		if p.after != "" {
			gesture := true
			do(doc, runtime.Evaluate, runtime.EvaluateParams{Expression: p.after, UserGesture: &gesture})
		}
		harness.Until(t, p.path+": the pane is above all", func() bool { return eval[bool](doc, hit) })
		// The dialog's coming may load the frame anew, and with it what was pressed.
		harness.Until(t, p.path+": the pane's button works", func() bool {
			inFrame(t, b, paneURL).tries("#start-text")
			a.mu.Lock()
			defer a.mu.Unlock()
			return slices.Contains(a.requests, `start {"text_only":true}`)
		})
		media(t, doc, "print")
		if eval[bool](doc, paneHost+`.checkVisibility()`) {
			t.Errorf("%s: the pane is printed", p.path)
		}
		media(t, doc, "")
		a.forget()
		eval[bool](doc, `(document.fullscreenElement && document.exitFullscreen(), true)`)
	}
	eval[bool](doc, `(location.href = "/sandbox", true)`)
	harness.Until(t, "the sandbox has its frame", func() bool { return eval[bool](doc, `location.pathname === "/sandbox" && `+paneHost+` !== null`) })
	if eval[bool](doc, hit+` || `+paneHost+`.checkVisibility({visibilityProperty: true})`) {
		t.Error("the sandboxed page is covered by a pane that cannot run")
	}
}

// media makes the document look as it does on another medium.
func media(t *testing.T, d document, name string) {
	t.Helper()
	do(d, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: name})
}
