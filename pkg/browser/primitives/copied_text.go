package primitives

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// copiedText remembers the origin of the text that this host has put on the clipboard. The
// origin of any other text is unknown: the user may have copied it anywhere.
type copiedText struct {
	mu     sync.Mutex
	sum    [sha256.Size]byte
	origin string // empty: nothing was put there
}

func (c *copiedText) record(text, origin string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum, c.origin = sha256.Sum256([]byte(text)), origin
}

// originOf returns the origin of the text on the clipboard; empty if it is not known.
func (c *copiedText) originOf(text string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sum != sha256.Sum256([]byte(text)) {
		return ""
	}
	return c.origin
}

// readPermittedClipboard reads the clipboard for a call. Text of another page than the tab's is
// decided for by that page's origin; a session that is restricted to some origins does not get
// text of unknown origin.
func (h *Handlers) readPermittedClipboard(ctx context.Context, c primitive.Call) (protocol.ClipboardContent, error) {
	content, err := h.Browser.ReadClipboard(ctx, c.TabID, c.Origin)
	if err != nil || content.Text == "" && content.HTML == "" {
		return content, err
	}
	switch from := h.copied.originOf(content.Text); {
	case from == c.Origin && from != "":
		return content, nil
	case from != "":
		if err := c.PermitFor(from, string(policy.EffectRead), string(policy.EffectState)); err != nil {
			f := *fault.From(err)
			f.Message = "the text on the clipboard was copied on " + from + ": " + f.Message
			return protocol.ClipboardContent{}, &f
		}
		return content, nil
	case !c.Session.Sees(""):
		return protocol.ClipboardContent{}, fault.New(fault.PermissionDenied, "the session is kept to some origins, and nobody knows where the text on the clipboard was copied").
			WithNextStep("Copy it with clipboard.copy on a page that the session may operate, or give the text itself.").WithDispatched(fault.NotDispatched)
	}
	return content, nil
}
