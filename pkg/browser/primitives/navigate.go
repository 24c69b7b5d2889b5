package primitives

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// navigateTimeout is how long a navigation may take before the answer says that
// the page is still loading.
const navigateTimeout = 15 * time.Second

// maxURLBytes is how much of an address a message names, in bytes.
const maxURLBytes = 200

// maxEvidenceText is how much of an address or a file name the evidence has, in characters.
const maxEvidenceText = 2000

// netAborted is the browser's error for a navigation that ended without a page.
const netAborted = "net::ERR_ABORTED"

// navigate loads another page in the tab, or reloads it.
func (h *Handlers) navigate(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		URL    string `json:"url"`
		Reload bool   `json:"reload"`
		Force  bool   `json:"force"`
	}](c)
	if err != nil {
		return nil, err
	}
	switch {
	case args.URL == "" && !args.Reload, args.URL != "" && args.Reload:
		return nil, fault.New(fault.InvalidInput, "browser.navigate takes either url or reload").WithDispatched(fault.NotDispatched)
	case args.URL != "" && !origin.Operable(args.URL):
		return nil, fault.New(fault.UnsafeURL, "%q is not an http or https address", args.URL).WithDispatched(fault.NotDispatched)
	}
	// A stored action that fills fields and goes on knows what it leaves behind.
	if !args.Force && !c.Stored && !staysInDocument(c.URL, args.URL) {
		if err := h.requireSaved(ctx, c); err != nil {
			return nil, err
		}
	}
	h.releasePointer(ctx, c.TabID, "other_action")
	if args.Force {
		defer h.Browser.AcceptBeforeUnload(c.TabID)()
	}
	downloads, cancel := h.Browser.Debugger(c.TabID).Subscribe("Page.downloadWillBegin")
	defer cancel()
	result, err := h.Browser.Navigate(ctx, c.TabID, args.URL, navigateTimeout)
	if err != nil {
		return nil, h.navigationError(fault.From(err), cmp.Or(args.URL, c.URL), c, downloads)
	}
	tab := browser.FromProtocol(result.Tab)
	h.Tabs.Update(tab)
	return primitive.Output(map[string]any{
		"navigated": true, "reloaded": args.Reload, "runtime_replaced": result.Replaced, "complete": result.Complete,
		"previous_runtime_id": result.PreviousRuntimeID, "tab": h.row(tab, c.Session), "next_step": hintListAgain,
	})
}

// navigationError adds to a failure the requested address, the tab's current one, and what came
// instead of a page.
func (h *Handlers) navigationError(f *fault.Error, requested string, c primitive.Call, downloads <-chan jsontext.Value) error {
	if f.Code != fault.NavigationFailed && f.Code != fault.Timeout {
		return f
	}
	tab, _ := h.Tabs.Get(c.TabID)
	state := "complete"
	if tab.Loading {
		state = "loading"
	}
	f = f.With("requested_url", truncate.Characters(requested, maxEvidenceText)).With("url", c.VisibleURL(tab.URL)).With("ready_state", state)
	f.Message = truncate.Bytes(requested, maxURLBytes) + ": " + f.Message
	if f.Evidence["error"] != netAborted {
		return f
	}
	// No page does not mean a bad address: it may be a file, or have no content (204).
	f = f.With("reason", "no_document").WithNextStep("The address gave no page and the tab shows what it showed before. Go on with that.")
	select {
	case event := <-downloads:
		var begun struct {
			SuggestedFilename string `json:"suggestedFilename"`
		}
		if err := jsonv2.Unmarshal(event, &begun); err != nil {
			return fault.Wrap(err, fault.InvalidMessage, "an event of the browser about a download cannot be read: %v", err)
		}
		return f.With("reason", "download").With("file_name", truncate.Characters(begun.SuggestedFilename, maxEvidenceText))
	default:
		return f
	}
}

// staysInDocument reports whether only the fragment of the address is new: then
// nothing can be lost.
func staysInDocument(from, to string) bool {
	before, _, _ := strings.Cut(from, "#")
	after, _, fragment := strings.Cut(to, "#")
	return fragment && before == after
}
