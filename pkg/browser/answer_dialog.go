package browser

import (
	"context"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// answerDialog is the one command to a page that reaches it while it shows a dialog.
const answerDialog = "Page.handleJavaScriptDialog"

// answerDialogTimeout bounds the answer to a dialog, which a browser sends at once.
const answerDialogTimeout = 8 * time.Second

// AnswerDialog answers the dialog that the tab shows, if its page is of the origin; empty: any.
// The dialog is the one that [Browser.Dialog] returned; the zero Dialog where the host knows of
// none, as it may be older than this host. The fault is no_dialog if the browser shows none.
func (b *Browser) AnswerDialog(ctx context.Context, tabID int, origin string, dialog Dialog, answer page.HandleJavaScriptDialogParams) error {
	limited, cancel := context.WithTimeout(ctx, answerDialogTimeout)
	defer cancel()
	_, err := cdp.Call(limited, b.Debugger(tabID).ForOrigin(origin), page.HandleJavaScriptDialog, answer)
	if err == nil || isNoDialog(err) { // else it stands still, or its end is reported
		b.dialogs.removeAnswered(tabID, dialog.OpenedAt)
	}
	switch {
	case err == nil:
		return nil
	case isNoDialog(err):
		return fault.Wrap(err, fault.NoDialog, "the tab shows no dialog").WithDispatched(fault.NotDispatched)
	case limited.Err() != nil && ctx.Err() == nil:
		return fault.New(fault.Timeout, "the browser did not take the answer within %s", answerDialogTimeout).WithDispatched(fault.DispatchedUnknown)
	}
	return err
}

// acceptDialog accepts a beforeunload dialog. One that cannot be answered stays open, as any
// other dialog.
func (b *Browser) acceptDialog(tabID int, dialog *Dialog) {
	ctx, cancel := context.WithTimeout(context.Background(), answerDialogTimeout)
	defer cancel()
	_, err := cdp.Call(ctx, b.Debugger(tabID), page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	if err != nil && !isNoDialog(err) {
		b.dialogs.add(tabID, dialog)
	}
}

func isNoDialog(err error) bool {
	f := fault.From(err)
	message := strings.ToLower(f.Message)
	// A page that is just being replaced shows none either.
	return f.Code == fault.HandlerFailed &&
		(strings.Contains(message, "no dialog is showing") || strings.Contains(message, "not attached to an active page"))
}
