package browser

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// dismissTimeout bounds the answer to a dialog, which a browser sends at once.
const dismissTimeout = 8 * time.Second

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
	limited, cancel := context.WithTimeout(ctx, dismissTimeout)
	defer cancel()
	_, err = cdp.Call(limited, h.Browser.Debugger(c.TabID).ForOrigin(c.Origin), page.HandleJavaScriptDialog, params)
	h.Browser.dialogs.removeAnswered(c.TabID, dialog.OpenedAt)
	switch {
	case err == nil:
	case isNoDialog(err):
		return nil, fault.Wrap(err, fault.NoDialog, "the tab shows no dialog").WithDispatched(fault.NotDispatched)
	case limited.Err() != nil && ctx.Err() == nil:
		return nil, fault.New(fault.Timeout, "the browser did not take the answer within %s", dismissTimeout).WithDispatched(fault.DispatchedUnknown)
	default:
		return nil, err
	}
	out := map[string]any{"dismissed": true, "tab_id": c.TabID, "accept": accept, "forced_detach": false}
	if known {
		out["dialog"] = dialog
	}
	if dialog.Type == beforeUnload && accept {
		out["next_step"] = hintListAgain
	}
	return primitive.Output(out)
}

func isNoDialog(err error) bool {
	f := fault.From(err)
	message := strings.ToLower(f.Message)
	// A page that is just being replaced shows none either.
	return f.Code == fault.HandlerFailed &&
		(strings.Contains(message, "no dialog is showing") || strings.Contains(message, "not attached to an active page"))
}
