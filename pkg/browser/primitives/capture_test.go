package primitives

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
)

// camera is a debugger whose page is drawn too small during the first pictures.
type camera struct {
	shrinks int
	asked   []string
}

func (k *camera) answer(_ context.Context, method string, params json.RawMessage) (any, error) {
	var c protocol.DebuggerCommand
	if method != protocol.MethodDebuggerCommand || json.Unmarshal(params, &c) != nil {
		return struct{}{}, nil
	}
	result := `{}`
	switch c.Method {
	case "Page.getFrameTree":
		result = `{"frameTree":{"frame":{"id":"top","loaderId":"l","url":"https://example.com/"}}}`
	case "Page.createIsolatedWorld":
		result = `{"executionContextId":1}`
	case "Runtime.evaluate":
		result = `{"result":{"type":"object","objectId":"o"}}`
		if strings.Contains(string(c.Params), "requestAnimationFrame") {
			k.asked = append(k.asked, "draw")
		}
	case "Runtime.callFunctionOn":
		result = `{"result":{"type":"boolean","value":false}}`
		if k.shrinks > 0 {
			k.shrinks--
			result = `{"result":{"type":"boolean","value":true}}`
		}
	case "Page.captureScreenshot":
		k.asked = append(k.asked, "picture")
		result = `{"data":"cA=="}`
	}
	return protocol.DebuggerResult{Result: json.RawMessage(result)}, nil
}

func TestPicturesOfAShrunkPageAreTakenAgain(t *testing.T) {
	// Ensure that a picture beyond the view during which the browser drew the page too small is taken again when the page has drawn itself, a few times at most and while there is time, and that no other picture is.
	for _, row := range []struct {
		shrinks int
		beyond  bool
		limit   time.Duration
		want    string
		blank   bool
	}{
		{0, true, time.Minute, "picture", false},
		{2, true, time.Minute, "picture draw picture draw picture", false},
		{2, true, time.Second, "picture", true},
		{2, false, time.Minute, "picture", false},
		{99, true, time.Minute, "picture draw picture draw picture draw picture", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := &camera{shrinks: row.shrinks}
			b := connect(t, k.answer)
			ctx, cancel := context.WithTimeout(t.Context(), row.limit)
			defer cancel()
			data, blank, err := (&Handlers{Browser: b}).shoot(ctx, b.Debugger(1), pageCall(t, "browser.screenshot", `{}`), page.CaptureScreenshotParams{CaptureBeyondViewport: &row.beyond})
			if got := strings.Join(k.asked, " "); err != nil || string(data) != "p" || got != row.want || blank != row.blank {
				t.Errorf("%+v: %s, %q, %t, %v", row, got, data, blank, err)
			}
		})
	}
}

func TestDrawingEndsOnAnotherPage(t *testing.T) {
	// Ensure that a tab is no longer made to draw after a picture during which its page went to another origin.
	ended := false
	b := connect(t, func(_ context.Context, _ string, params json.RawMessage) (any, error) {
		var c protocol.DebuggerCommand
		if json.Unmarshal(params, &c) == nil && c.Method == "Page.stopScreencast" {
			ended = c.Origin == ""
		}
		return protocol.DebuggerResult{Result: json.RawMessage(`{}`)}, nil
	})
	stop, err := startDrawing(limited(t), b.Debugger(1).ForOrigin("https://example.com"))
	if err != nil {
		t.Fatal(err)
	}
	if stop(); !ended {
		t.Error("the screencast goes on")
	}
}

func TestFramesThatMayBeDenied(t *testing.T) {
	// Ensure that a page is pictured as it is only if each of its frames is known and of an origin that is not denied.
	c := pageCall(t, "browser.screenshot", `{}`)
	c.DeniesOrigins = func() bool { return true }
	c.WouldPermit = func(origin string) error {
		if origin == "https://bank.example" {
			return errors.New("denied")
		}
		return nil
	}
	k := &cover{c: c, decisions: map[string]bool{}}
	const shop, bank = "https://shop.example", "https://bank.example"
	for what, row := range map[string]struct {
		f    browser.Frame
		want bool
	}{
		"the page":  {browser.Frame{Top: true, URL: bank, Origin: bank}, false},
		"permitted": {browser.Frame{URL: shop, Origin: shop}, false},
		"denied":    {browser.Frame{URL: bank, Origin: bank}, true},
		"silent":    {browser.Frame{URL: shop, Origin: shop, Missing: browser.FrameSilent}, true},
		"crashed":   {browser.Frame{URL: shop, Origin: shop, Missing: browser.FrameCrashed}, true},
	} {
		if got := k.mayBeDenied(row.f); got != row.want {
			t.Errorf("%s: %t", what, got)
		}
	}
}
