package browser

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// Handlers runs the primitives that need the browser. Tabs learns from each
// answer where the tab is.
type Handlers struct {
	Browser *Browser
	Tabs    *tabs.Registry
	// Profile describes the browser profile in the list of claimed tabs.
	Profile Profile
	// Known lists the page primitives that the extension has; another version of
	// it may lack some.
	Known []string
}

// Profile names a browser profile.
type Profile struct {
	ID      string `json:"profile_id"`
	Label   string `json:"profile_label"`
	Browser string `json:"browser"`
}

// Registry gives all handlers of this package by primitive name.
func (h *Handlers) Registry() *primitive.Registry {
	return &primitive.Registry{
		Page: h.page,
		Named: map[string]primitive.Handler{
			"keyboard.press":                h.keyboardPress,
			"text.type":                     h.textType,
			"browser.screenshot":            h.screenshot,
			"browser.navigate":              h.navigate,
			"browser.claimed_tabs.list":     h.claimedTabsList,
			"browser.claimed_tabs.activate": h.claimedTabsActivate,
		},
	}
}

// page relays a primitive to the content script. A read that lost its document
// to a navigation is simply read again in the new one, within its deadline.
func (h *Handlers) page(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	return h.inPage(ctx, c, c.Record.Name, c.Arguments)
}

// inPage runs a page primitive, which may be an internal one, as a part of the
// call: in the same document and for the same origins.
func (h *Handlers) inPage(ctx context.Context, c primitive.Call, name string, args json.RawMessage) (json.RawMessage, error) {
	if !slices.Contains(h.Known, name) {
		return nil, fault.New(fault.CapabilityUnavailable, "the extension in this browser does not know %s", name).
			WithNextStep("Update the extension and restart the browser, or use another primitive.").WithDispatched(fault.NotDispatched)
	}
	for {
		out, err := h.Browser.Page(ctx, protocol.ActionCall{
			CallID: c.ID, Name: name, Arguments: args,
			TabID: c.TabID, RuntimeID: c.RuntimeID, Origin: c.Origin, FrameOrigins: c.FrameOrigins,
		})
		if err == nil {
			h.Tabs.SetRuntime(c.TabID, out.RuntimeID)
			return out.Output, nil
		}
		again := fault.Is(err, fault.RuntimeReplaced) && !c.Record.Acts() && c.RuntimeID == "" && ctx.Err() == nil
		if !again {
			return nil, err
		}
	}
}

func decodeArguments[T any](c primitive.Call) (T, error) {
	var v T
	if err := json.Unmarshal(c.Arguments, &v); err != nil {
		return v, fault.Wrap(err, fault.InvalidInput, "the arguments of %s are not valid: %v", c.Record.Name, err).WithDispatched(fault.NotDispatched)
	}
	return v, nil
}

func output(v any) (json.RawMessage, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "an output cannot be written: %v", err)
	}
	return raw, nil
}
