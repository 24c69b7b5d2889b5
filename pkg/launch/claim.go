package launch

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// openTabs opens the further URLs behind the first one, gives each page time to
// load, and claims its tab.
func (b *Browser) openTabs(ctx context.Context, urls []string) error {
	if len(urls) == 0 {
		return b.readProfile(ctx)
	}
	background := true
	ids := []target.ID{}
	first, err := b.firstPage(ctx)
	if err != nil {
		return err
	}
	ids = append(ids, first)
	for _, url := range urls[1:] {
		created, err := cdp.Call(ctx, b.Session(), target.CreateTarget, target.CreateTargetParams{URL: url, Background: &background})
		if err != nil {
			return fmt.Errorf("the page %s cannot be opened: %w", url, err)
		}
		ids = append(ids, created.TargetID)
	}
	for _, id := range ids {
		tab, err := b.claim(ctx, id)
		if err != nil {
			return err
		}
		b.Tabs = append(b.Tabs, tab)
	}
	return b.readProfile(ctx)
}

// firstPage finds the page that the command line opened. A page of the browser
// itself, and one that has not begun to load, have no address yet.
func (b *Browser) firstPage(ctx context.Context) (target.ID, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		found, err := cdp.Call(ctx, b.Session(), target.GetTargets, target.GetTargetsParams{})
		if err != nil {
			return "", err
		}
		for _, t := range found.TargetInfos {
			if t.Type == "page" && t.URL != "" && !isExtension(t.URL) {
				return t.TargetID, nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", fault.New(fault.BrowserNotConnected, "the browser opened no page")
		}
	}
}

func isExtension(url string) bool {
	return len(url) > 19 && url[:19] == "chrome-extension://"
}

// claimScript runs in the extension's page: it finds the tab of a target, waits
// for its page, and sends the message that the popup's button sends.
const claimScript = `(async (target) => {
  const until = async (what) => {
    for (;;) { const v = await what(); if (v) return v; await new Promise(r => setTimeout(r, 20)); }
  };
  const state = () => chrome.runtime.sendMessage({kind: "ui_state"});
  const tabId = await until(async () => (await chrome.debugger.getTargets()).find(t => t.id === target)?.tabId);
  // A page that streams, or waits behind a dialog, is never complete; it can be handed over all the same.
  const limit = Date.now() + 10000;
  // A load that was under way when the extension came may stand still for ever,
  // with an empty page that is complete: it is begun again.
  let again = Date.now() + 1000;
  await until(async () => {
    const {status, url, pendingUrl} = await chrome.tabs.get(tabId);
    if (url === "" && pendingUrl && Date.now() > again) {
      again += 3000;
      await chrome.tabs.update(tabId, {url: pendingUrl});
    }
    return url !== "" && (status === "complete" || Date.now() > limit);
  });
  const connected = await until(async () => {
    const s = await state();
    return s.connection.state === "connecting" ? null : s;
  });
  if (connected.connection.state !== "connected") return {ok: false, error: {code: "browser_not_connected", message: connected.connection.message}};
  return chrome.runtime.sendMessage({kind: "ui_claim", tab_id: tabId});
})(%s)`

// claim hands the target's tab over.
func (b *Browser) claim(ctx context.Context, id target.ID) (Tab, error) {
	name, err := json.Marshal(string(id))
	if err != nil {
		return Tab{}, err
	}
	var answer struct {
		OK  bool `json:"ok"`
		Tab struct {
			TabID     int    `json:"tab_id"`
			RuntimeID string `json:"runtime_id"`
			URL       string `json:"url"`
			Title     string `json:"title"`
		} `json:"tab"`
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := b.evaluate(ctx, fmt.Sprintf(claimScript, name), &answer); err != nil {
		return Tab{}, fmt.Errorf("the tab cannot be claimed: %w", err)
	}
	if !answer.OK {
		return Tab{}, fault.New(fault.Code(answer.Error.Code), "the tab cannot be claimed: %s", answer.Error.Message)
	}
	t := answer.Tab
	return Tab{TabID: t.TabID, RuntimeID: t.RuntimeID, URL: t.URL, Title: t.Title, Claimed: true}, nil
}

// readProfile asks the extension for the profile's id.
func (b *Browser) readProfile(ctx context.Context) error {
	return b.evaluate(ctx, `chrome.storage.local.get("profile_id").then(v => v.profile_id ?? "")`, &b.ProfileID)
}

// evaluate runs a script in the extension's page, waits for what it promises and
// decodes it.
func (b *Browser) evaluate(ctx context.Context, script string, into any) error {
	yes := true
	done, err := cdp.Call(ctx, b.page, runtime.Evaluate, runtime.EvaluateParams{Expression: script, AwaitPromise: &yes, ReturnByValue: &yes})
	switch {
	case ctx.Err() != nil:
		return fault.New(fault.Timeout, "the browser did not get ready within %s", startTime)
	case err != nil:
		return err
	case done.ExceptionDetails != nil:
		return fault.New(fault.InternalError, "the extension's page failed: %s", done.ExceptionDetails.Text)
	}
	return json.Unmarshal(done.Result.Value, into)
}
