package launch

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Open opens the pages, the first one in front, waits for each to load, and claims its tab. The
// initial blank page is closed once there is another.
func (b *Browser) Open(ctx context.Context, urls ...string) error {
	if err := b.openExtensionPage(ctx); err != nil {
		return err
	}
	if err := b.openTabs(ctx, urls); err != nil {
		return err
	}
	return b.readProfile(ctx)
}

func (b *Browser) openTabs(ctx context.Context, urls []string) error {
	var ids []target.ID
	loaded := time.Now().Add(loadTimeout)
	for i, url := range urls {
		background := i > 0
		created, err := cdp.Call(ctx, b.Session(), target.CreateTarget, target.CreateTargetParams{URL: address(url), Background: &background})
		if err != nil {
			return fmt.Errorf("the page %s cannot be opened: %w", url, err)
		}
		ids = append(ids, created.TargetID)
	}
	if len(ids) > 0 && b.blank != "" {
		if err := b.closeTargets(ctx, b.blank); err != nil {
			return err
		}
		b.blank = ""
	}
	for _, id := range ids {
		tab, err := b.claimTab(ctx, id, time.Until(loaded))
		if err != nil {
			return err
		}
		b.Tabs = append(b.Tabs, tab)
	}
	return nil
}

// CloseTabs closes all pages but a blank one, for callers that use one browser several times:
// an empty one costs nothing.
func (b *Browser) CloseTabs(ctx context.Context) error {
	created, err := cdp.Call(ctx, b.Session(), target.CreateTarget, target.CreateTargetParams{URL: blankURL})
	if err != nil {
		return fmt.Errorf("the blank page cannot be opened: %w", err)
	}
	found, err := cdp.Call(ctx, b.Session(), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		return err
	}
	others := []target.ID{b.pageID}
	for _, info := range found.TargetInfos {
		if info.Type == "page" && info.TargetID != created.TargetID {
			others = append(others, info.TargetID)
		}
	}
	b.blank, b.pageID, b.Tabs = created.TargetID, "", nil
	return b.closeTargets(ctx, others...)
}

// claimScript runs in the extension's page: it finds the tab of a target, waits
// for its page, and sends the message that the popup's button sends.
const claimScript = `(async (target, wait) => {
  const until = async (what) => {
    for (;;) { const v = await what(); if (v) return v; await new Promise(r => setTimeout(r, 20)); }
  };
  const state = () => chrome.runtime.sendMessage({kind: "ui_state"});
  const {tabId} = (await chrome.debugger.getTargets()).find(t => t.id === target);
  // A page that streams, or waits behind a dialog, is never complete; it can be handed over all the same.
  await new Promise((loaded) => {
    // The page of this script stays open: a listener that it left would look at each title of a
    // page that floods the browser with them.
    const updated = (id) => { if (id === tabId) look(); };
    const done = () => { chrome.tabs.onUpdated.removeListener(updated); loaded(); };
    const look = async () => {
      const {status, url} = await chrome.tabs.get(tabId);
      if (url !== "" && status === "complete") done();
    };
    setTimeout(done, wait);
    chrome.tabs.onUpdated.addListener(updated);
    look();
  });
  const connected = await until(async () => {
    const s = await state();
    return s.connection.state === "connecting" ? null : s;
  });
  if (connected.connection.state !== "connected") return {ok: false, error: {code: "browser_not_connected", message: connected.connection.message}};
  return chrome.runtime.sendMessage({kind: "ui_claim", tab_id: tabId});
})(%s, %d)`

// claimTab claims the target's tab, once its page has loaded or the wait for that is over.
func (b *Browser) claimTab(ctx context.Context, id target.ID, wait time.Duration) (Tab, error) {
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
	if err := b.evaluate(ctx, fmt.Sprintf(claimScript, name, max(wait, 0).Milliseconds()), &answer); err != nil {
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
	value, err := Evaluate[json.RawMessage](ctx, b.page, script)
	if err != nil {
		return err
	}
	return json.Unmarshal(value, into)
}

// ClearData clears what pages of the origin have stored, cookies included, for callers that use
// one browser several times. The extension's page must be open.
func (b *Browser) ClearData(ctx context.Context, origin string) error {
	if _, err := cdp.Call(ctx, b.page, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: origin, StorageTypes: "all"}); err != nil {
		return fmt.Errorf("what %s has stored cannot be cleared: %w", origin, err)
	}
	return nil
}
