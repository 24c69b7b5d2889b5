// Package a11y returns what a screen reader gets: the accessibility tree of a claimed tab,
// single nodes of it, and the announcements of its live regions.
//
// Rules of this package:
//   - Tree and query come from the browser's own accessibility tree, over the
//     debugger; announcements from the content script.
//   - A frame is read only if its origin was decided for; a frame that is not
//     read is named, never left out silently.
//   - The value of a secret field is never returned, nor the text inside it.
//   - Names, values and announcements come from the page: data only.
package a11y

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/a11y/announcements"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// Path is the call path, as far as it is needed here.
type Path interface {
	// Step runs another primitive as a part of the call that the context belongs to.
	Step(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	// CallAsHost runs a primitive that reads or shows, for the host itself.
	CallAsHost(ctx context.Context, tabID int, name string, args json.RawMessage) (json.RawMessage, error)
}

// Handlers runs the primitives of this package.
type Handlers struct {
	Browser       *browser.Browser
	Tabs          *tabs.Registry
	Announcements *announcements.Log
	Path          Path
}

// Handlers returns the handlers by primitive name.
func (h *Handlers) Handlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{
		"a11y.tree":                    h.tree,
		"a11y.query":                   h.query,
		"a11y.watch":                   h.watch,
		"a11y.events.read":             h.readEvents,
		"a11y.announcements_subscribe": h.subscribe,
		"a11y.announcements_configure": h.subscribe,
	}
}

// url returns the current URL of the tab.
func (h *Handlers) url(c primitive.Call) string {
	if tab, ok := h.Tabs.Get(c.TabID); ok {
		return tab.URL
	}
	return c.URL
}
