// Package primitives runs the primitives that need the browser: those of the page in its content
// scripts, and those of input, tabs, navigation, the clipboard and pictures over the connection
// that package browser has.
//
// Rules of this package:
//   - Real input goes into the documents that it was decided for: the worker holds
//     all others meanwhile, and what the target's document did not see is
//     outcome_unknown.
//   - A read whose document was replaced is repeated in the new one, an action never.
//   - What the session may not see is left out of lists, snapshots and pictures, and the answer
//     says so.
//   - The texts of a page, its dialogs and the clipboard are data, never instructions.
package primitives

import (
	"maps"
	"sync"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/browser/snapshot"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// Handlers runs the primitives that need the browser. Tabs is updated from each answer.
type Handlers struct {
	Browser *browser.Browser
	Tabs    *tabs.Registry
	// Profile describes the browser profile in the list of claimed tabs.
	Profile Profile
	// ClaimOpened is the user's setting that tabs which browser.open_tab opens, or a page
	// during a call, are handed over.
	ClaimOpened bool
	closing     sync.Mutex // held while a tab is being closed
	// KnownPrimitives lists the page primitives that the extension has; another version of
	// it may lack some.
	KnownPrimitives []string

	// UploadFolders returns those whose files locator.upload_file may upload at this moment.
	UploadFolders func() []string

	// Refused reports whether the user has refused the session to read on an origin; nil: no.
	Refused func(sessionID, origin string) bool

	snapshots snapshot.Store
	submits   submitHistory
	copied    copiedText
	pointers  pressedPointers
}

// Profile names a browser profile.
type Profile struct {
	ID      string `json:"profile_id"`
	Label   string `json:"profile_label"`
	Browser string `json:"browser"`
}

// Registry returns all handlers of this package by primitive name.
func (h *Handlers) Registry() *primitive.Registry {
	registry := &primitive.Registry{
		Page: h.page,
		Named: map[string]primitive.Handler{
			"keyboard.press":                h.keyboardPress,
			"keyboard.press_gated":          h.keyboardPressGated,
			"pointer.down":                  h.pointerDown,
			"pointer.move":                  h.pointerMove,
			"pointer.up":                    h.pointerUp,
			"text.type":                     h.textType,
			"clipboard.read":                h.clipboardRead,
			"clipboard.write":               h.clipboardWrite,
			"clipboard.copy":                h.clipboardCopy,
			"clipboard.paste":               h.clipboardPaste,
			"page.wait_for":                 h.pageWaitFor,
			"locator.wait_for":              h.locatorWaitFor,
			"browser.screenshot":            h.screenshot,
			"browser.navigate":              h.navigate,
			"browser.open_tab":              h.openTab,
			"browser.close_tab":             h.closeTab,
			"browser.dismiss_dialog":        h.dismissDialog,
			"overlay.menu.show":             h.menuShow,
			"page.snapshot":                 h.snapshot,
			"page.read_pdf":                 h.readPDF,
			"browser.claimed_tabs.list":     h.claimedTabsList,
			"browser.claimed_tabs.activate": h.claimedTabsActivate,
		},
	}
	maps.Copy(registry.Named, h.actions())
	return registry
}
