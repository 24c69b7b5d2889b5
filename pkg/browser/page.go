package browser

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser/snapshot"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// Handlers runs the primitives that need the browser. Tabs is updated from each answer.
type Handlers struct {
	Browser *Browser
	Tabs    *tabs.Registry
	// Profile describes the browser profile in the list of claimed tabs.
	Profile Profile
	// ClaimOpened is the user's setting that tabs which browser.open_tab opens are
	// handed over.
	ClaimOpened bool
	closing     sync.Mutex // held while a tab is being closed
	// KnownPrimitives lists the page primitives that the extension has; another version of
	// it may lack some.
	KnownPrimitives []string

	// UploadFolders are those whose files locator.upload_file may upload.
	UploadFolders []string

	// ShowsActions reports whether the user wants to see in the page what is done there; nil: no.
	ShowsActions func() bool

	snapshots snapshot.Store
	submits   submitHistory
	copied    copiedText
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
			"text.type":                     h.textType,
			"clipboard.read":                h.clipboardRead,
			"clipboard.write":               h.clipboardWrite,
			"clipboard.copy":                h.clipboardCopy,
			"clipboard.paste":               h.clipboardPaste,
			"page.wait_for":                 h.pageWaitFor,
			"browser.screenshot":            h.screenshot,
			"browser.navigate":              h.navigate,
			"browser.open_tab":              h.openTab,
			"browser.close_tab":             h.closeTab,
			"browser.dismiss_dialog":        h.dismissDialog,
			"overlay.menu.show":             h.menuShow,
			"page.snapshot":                 h.snapshot,
			"browser.claimed_tabs.list":     h.claimedTabsList,
			"browser.claimed_tabs.activate": h.claimedTabsActivate,
			"browser.run_javascript":        h.runJavaScript,
			"debug.run_javascript":          h.runJavaScript,
		},
	}
	maps.Copy(registry.Named, h.actions())
	return registry
}

// page relays a primitive to the content script. A read that lost its document
// to a navigation is simply read again in the new one, within its deadline.
func (h *Handlers) page(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	return h.inPage(ctx, c, c.Record.Name, c.Arguments)
}

// inPage runs a page primitive, which may be an internal one, as a part of the
// call: in the same document and for the same origins.
func (h *Handlers) inPage(ctx context.Context, c primitive.Call, name string, args json.RawMessage) (json.RawMessage, error) {
	output, _, err := h.inDocument(ctx, c, "", name, args)
	return output, err
}

// inDocument is inPage in the one document of the tab that the id names, and
// where it is empty in the document to which the arguments lead. It returns the id
// of the frame's document in which it ran, empty for the tab's own: the next
// part of the call can name it.
func (h *Handlers) inDocument(ctx context.Context, c primitive.Call, id, name string, args json.RawMessage) (json.RawMessage, string, error) {
	ran, err := h.runIn(ctx, c, id, name, args)
	return ran.Output, ran.DocumentID, err
}

// runIn is inDocument with the worker's full output.
func (h *Handlers) runIn(ctx context.Context, c primitive.Call, id, name string, args json.RawMessage) (protocol.ActionCallOutput, error) {
	if !slices.Contains(h.KnownPrimitives, name) {
		return protocol.ActionCallOutput{}, fault.New(fault.CapabilityUnavailable, "the extension in this browser does not know %s", name).
			WithNextStep("Update the extension and restart the browser, or use another primitive.").WithDispatched(fault.NotDispatched)
	}
	for {
		out, err := h.Browser.Page(ctx, protocol.ActionCall{
			CallID: c.ID, Name: name, Arguments: args,
			TabID: c.TabID, RuntimeID: c.RuntimeID, Origin: c.Origin, FrameOrigins: c.FrameOrigins, DocumentID: id,
			Acts: c.Record.Acts(), Shown: c.Shown,
		})
		if err == nil {
			h.Tabs.SetRuntime(c.TabID, out.RuntimeID)
			return out, nil
		}
		again := fault.Is(err, fault.RuntimeReplaced) && !c.Record.Acts() && c.RuntimeID == "" && id == "" && ctx.Err() == nil
		if !again {
			return protocol.ActionCallOutput{}, h.withNearest(ctx, c, err)
		}
	}
}
