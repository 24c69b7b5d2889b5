package e2e

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestTypedCommandsOverTheRelay(t *testing.T) {
	// Ensure that the relay is a cdp.Session: typed commands, typed errors and typed events of cdproto work over it.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>relay</title>`, "/next": `<title>next</title>`})
	p := harness.Play(t, url)
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	defer cancel()
	session := p.Host.Debugger(p.Launched.Tabs[0].TabID)

	value, err := cdp.Call(ctx, session, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.title + (40 + 2)"})
	if err != nil || string(value.Result.Value) != `"relay42"` {
		t.Fatalf("evaluate gave %s, %v", value.Result.Value, err)
	}
	if _, err := cdp.Call(ctx, session, page.Enable, page.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	events := cdp.Events(ctx, session, page.FrameNavigated)
	if _, err := cdp.Call(ctx, session, page.Navigate, page.NavigateParams{URL: url + "/next"}); err != nil {
		t.Fatal(err)
	}
	for event, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		if event.Frame.URL == url+"/next" {
			break
		}
	}
	var none struct{}
	if err := session.Call(ctx, "Page.noSuchCommand", none, &none); err == nil {
		t.Fatal("an unknown command gave no error")
	}
	if err := session.Release(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestExtensionRefusesUnclaimedTabs(t *testing.T) {
	// Ensure that the extension refuses what is not claimed by itself, whatever a host says.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>mine</title>`})
	p := harness.Play(t, url)
	tab := p.Launched.Tabs[0].TabID
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	defer cancel()
	if _, err := p.Host.Page(ctx, protocol.ActionCall{CallID: "c", Name: "page.info", Arguments: json.RawMessage(`{}`), TabID: tab}); err != nil {
		t.Fatalf("while it was claimed: %v", err)
	}
	// A host that ends the claim, and calls the tab all the same.
	if err := p.Host.ClaimsChanged(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Host.Page(ctx, protocol.ActionCall{CallID: "c", Name: "page.info", Arguments: json.RawMessage(`{}`), TabID: tab}); !fault.Is(err, fault.TabNotClaimed) {
		t.Errorf("page: %v", err)
	}
	var out struct{}
	if err := p.Host.Debugger(tab).Call(ctx, "Page.enable", struct{}{}, &out); !fault.Is(err, fault.TabNotClaimed) {
		t.Errorf("debugger: %v", err)
	}
	if _, err := p.Host.Navigate(ctx, tab, url, time.Second); !fault.Is(err, fault.TabNotClaimed) {
		t.Errorf("navigate: %v", err)
	}
	if _, err := p.Host.Activate(ctx, tab); !fault.Is(err, fault.TabNotClaimed) {
		t.Errorf("activate: %v", err)
	}
}
