package primitives

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func (h *Handlers) clipboardRead(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	content, err := h.readPermittedClipboard(ctx, c)
	if err != nil {
		return nil, err
	}
	return primitive.Output(map[string]any{"text": content.Text, "length": utf8.RuneCountInString(content.Text)})
}

func (h *Handlers) clipboardWrite(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Text string `json:"text"`
	}](c)
	if err != nil {
		return nil, err
	}
	if err := h.Browser.WriteClipboard(ctx, c.TabID, c.Origin, args.Text, ""); err != nil {
		return nil, err
	}
	h.copied.record(args.Text, c.Origin)
	return primitive.Output(map[string]any{"written": true, "length": utf8.RuneCountInString(args.Text)})
}

// clipboardCopy is clipboard.copy: the page returns its selection, and the extension puts it on
// the clipboard, which a page without the focus cannot.
func (h *Handlers) clipboardCopy(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	ran, err := h.runIn(ctx, c, "", "clipboard.selection", c.Arguments)
	if err != nil {
		return nil, err
	}
	var selection struct {
		Text             string `json:"text"`
		HTML             string `json:"html"`
		DefaultPrevented bool   `json:"default_prevented"`
	}
	if err := json.Unmarshal(ran.Output, &selection); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "what the page copies cannot be read: %v", err)
	}
	// It was copied in a page of the right origin, wherever the tab is by now.
	if err := h.Browser.WriteClipboard(ctx, c.TabID, "", selection.Text, selection.HTML); err != nil {
		return nil, err
	}
	h.copied.record(selection.Text, ran.Origin)
	return primitive.Output(map[string]any{
		"copied": true, "copied_length": utf8.RuneCountInString(selection.Text),
		"default_prevented": selection.DefaultPrevented, "html_copied": selection.HTML != "",
	})
}

// clipboardPaste is clipboard.paste: what is not given comes from the clipboard,
// the page does the rest.
func (h *Handlers) clipboardPaste(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[map[string]any](c)
	if err != nil {
		return nil, err
	}
	source := "argument"
	if args["text"] == nil && args["html"] == nil {
		source = "system-clipboard"
		content, err := h.readPermittedClipboard(ctx, c)
		if err != nil {
			return nil, fault.From(err).WithDispatched(fault.NotDispatched)
		}
		args["text"], args["html"] = content.Text, content.HTML
	}
	filled, err := primitive.Output(args)
	if err != nil {
		return nil, err
	}
	raw, err := h.inPage(ctx, c, c.Record.Name, filled)
	if err != nil {
		return nil, err
	}
	var done map[string]any
	if err := json.Unmarshal(raw, &done); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "what the page pasted cannot be read: %v", err)
	}
	done["source"] = source
	return primitive.Output(done)
}

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
