package conformance

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/actionsjson/actions-host/test/harness"
)

// inputTime bounds one event. The browser never answers for one whose frame went
// away under it, as that of a Close button does.
const inputTime = 2 * time.Second

// Drag is a person's mouse, in three steps on its way.
func (c *chain) Drag(t *testing.T, x, y, dx, dy float64) {
	t.Helper()
	at := func(kind input.DispatchMouseEventType, x, y float64, buttons int64) {
		t.Helper()
		ctx, cancel := context.WithTimeout(c.page, inputTime)
		defer cancel()
		_, err := chromedp.Call(ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: buttons, ClickCount: 1,
		})
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	at(input.DispatchMouseEventTypeMouseMoved, x, y, 0)
	at(input.DispatchMouseEventTypeMousePressed, x, y, 1)
	for i := range 3 {
		if dx != 0 || dy != 0 {
			at(input.DispatchMouseEventTypeMouseMoved, x+dx*float64(i+1)/3, y+dy*float64(i+1)/3, 1)
			// No faster than a hand: an event over a frame that moves may miss it.
			var done bool
			c.Eval(t, drawn, &done)
		}
	}
	at(input.DispatchMouseEventTypeMouseReleased, x+dx, y+dy, 0)
}

// Reach is a person's pointer, which goes where the button lights up.
func (c *chain) Reach(t *testing.T, page, element string, x, y float64) {
	t.Helper()
	frame := c.ownFrame(t, page)
	harness.Until(t, element+" is below the pointer", func() bool {
		c.Point(t, x, y)
		return harness.Eval[bool](t, frame, fmt.Sprintf(`document.querySelector(%q).matches(":hover")`, element))
	})
}

// Key is a person's keyboard.
func (c *chain) Key(t *testing.T, key string) {
	t.Helper()
	for _, k := range kb.Keys {
		if k.Key != key {
			continue
		}
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
			ctx, cancel := context.WithTimeout(c.page, inputTime)
			_, err := chromedp.Call(ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{
				Type: kind, Key: k.Key, Code: k.Code, WindowsVirtualKeyCode: k.Windows,
			})
			cancel()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		}
		return
	}
	t.Fatalf("no key %s", key)
}
