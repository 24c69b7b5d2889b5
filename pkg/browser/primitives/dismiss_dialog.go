package primitives

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// dismissDialog answers the dialog that the tab shows: it cancels, unless accept is set. It
// asks the browser also where the host knows of none: the dialog may be older than this host.
func (h *Handlers) dismissDialog(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Accept     *bool   `json:"accept"`
		PromptText *string `json:"prompt_text"`
	}](c)
	if err != nil {
		return nil, err
	}
	accept := args.PromptText != nil // a text is no answer to a prompt that is cancelled
	if args.Accept != nil {
		accept = *args.Accept
	}
	params := page.HandleJavaScriptDialogParams{Accept: accept}
	dialog, known := h.Browser.Dialog(c.TabID)
	if accept {
		// The browser takes no answer for an empty one.
		params.PromptText = dialog.DefaultPrompt
		if args.PromptText != nil {
			params.PromptText = *args.PromptText
		}
	}
	if err := h.Browser.AnswerDialog(ctx, c.TabID, c.Origin, dialog, params); err != nil {
		return nil, err
	}
	out := map[string]any{"dismissed": true, "tab_id": c.TabID, "accept": accept, "forced_detach": false}
	if known {
		out["dialog"] = dialog
	}
	if dialog.Type == browser.BeforeUnload && accept {
		out["next_step"] = hintListAgain
	}
	return primitive.Output(out)
}
