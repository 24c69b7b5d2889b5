package conformance

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/test/harness"
)

// pane attaches to the document of the pane, as soon as it is the extension's own.
func (c *chain) pane(t *testing.T) *harness.Attached { return c.ownFrame(t, "pane.html") }

// ownFrame attaches to the document of a frame of the extension, as soon as it is there, and there alone.
func (c *chain) ownFrame(t *testing.T, page string) *harness.Attached {
	t.Helper()
	id := harness.AwaitTargets(t, c.browser, page+" is there", func(all []*target.Info) (target.ID, bool) {
		all = slices.DeleteFunc(slices.Clone(all), func(info *target.Info) bool { return info.Type != "iframe" || info.URL != manifest.ExtensionURL+page })
		if len(all) != 1 {
			return "", false
		}
		return all[0].TargetID, true
	})
	return harness.Attach(t, c.browser, id)
}

// AwaitInPane waits until an expression holds in the pane's document.
func (c *chain) AwaitInPane(t *testing.T, js string) {
	t.Helper()
	if err := harness.AwaitIn(t.Context(), c.pane(t), js); err != nil {
		t.Fatalf("%s: %v", js, err)
	}
}

// PressInPane is a person's click on the element that an expression gives.
func (c *chain) PressInPane(t *testing.T, element string) {
	t.Helper()
	pane := c.pane(t)
	if err := harness.AwaitIn(t.Context(), pane, fmt.Sprintf(`(e => e && (e.scrollIntoViewIfNeeded(), !e.disabled))(%s)`, element)); err != nil {
		t.Fatalf("%s: %v", element, err)
	}
	at := harness.Eval[[2]float64](t, pane, fmt.Sprintf(`(r => [r.left + r.width / 2, r.top + r.height / 2])(%s.getBoundingClientRect())`, element))
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		press := input.DispatchMouseEventParams{Type: kind, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1}
		if _, err := cdp.Call(t.Context(), pane, input.DispatchMouseEvent, press); err != nil {
			t.Fatal(err)
		}
	}
}

// TypeInPane is a person's keyboard where the pane has the focus.
func (c *chain) TypeInPane(t *testing.T, text string) {
	t.Helper()
	pane := c.pane(t)
	for _, character := range text {
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
			key := input.DispatchKeyEventParams{Type: kind, Key: string(character)}
			if kind == input.DispatchKeyEventTypeKeyDown {
				key.Text = string(character)
			}
			if character == '\n' {
				key.Key, key.Code, key.WindowsVirtualKeyCode = "Enter", "Enter", 13
			}
			if character == '\n' && key.Text != "" {
				key.Text = "\r"
			}
			if _, err := cdp.Call(t.Context(), pane, input.DispatchKeyEvent, key); err != nil {
				t.Fatal(err)
			}
		}
	}
}
