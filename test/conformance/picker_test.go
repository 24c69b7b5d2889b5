package conformance

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/test/harness"
)

// pickerFocused holds in the page when the frame of its picker has loaded and has the keys.
const pickerFocused = `new Promise(done => {
	const look = () => document.activeElement?.dataset.actionsJsonAttachment === "actions-json-picker" ? done(true) : setTimeout(look, 5);
	look();
})`

// AwaitPicker waits until the picker's own document takes the user's hand. That of an
// earlier picker may still be going.
func (c *chain) AwaitPicker(t *testing.T) {
	t.Helper()
	var focused bool
	c.Eval(t, pickerFocused, &focused)
	if err := harness.AwaitIn(t.Context(), c.ownFrame(t, "picker.html"), `document.body.classList.contains("owned") && document.hasFocus()`); err != nil {
		t.Fatal(err)
	}
	var shown bool
	c.Eval(t, drawn, &shown)
}

// PressInPicker is a person's click on what an expression in the picker's document gives. The
// picker lies over the whole view.
func (c *chain) PressInPicker(t *testing.T, element string) {
	t.Helper()
	at := harness.Eval[[2]float64](t, c.ownFrame(t, "picker.html"), fmt.Sprintf(`(r => [r.left + r.width / 2, r.top + r.height / 2])(%s.getBoundingClientRect())`, element))
	c.Drag(t, at[0], at[1], 0, 0)
}

// Point is a person's mouse.
func (c *chain) Point(t *testing.T, x, y float64) {
	t.Helper()
	if _, err := chromedp.Call(c.page, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y}); err != nil {
		t.Fatal(err)
	}
}

// Press is a person's click where the pointer is.
func (c *chain) Press(t *testing.T, x, y float64) {
	t.Helper()
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		press := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1}
		if _, err := chromedp.Call(c.page, input.DispatchMouseEvent, press); err != nil {
			t.Fatal(err)
		}
	}
}

// Wheel is a person's mouse wheel. The browser wants both ways named.
func (c *chain) Wheel(t *testing.T, dy float64) {
	t.Helper()
	wheel := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: 300, Y: 300, DeltaX: 0.01, DeltaY: dy}
	if _, err := chromedp.Call(c.page, input.DispatchMouseEvent, wheel); err != nil {
		t.Fatal(err)
	}
}

// LeaveTab opens a tab in front of the page, and closes it again.
func (c *chain) LeaveTab(t *testing.T) (back func()) {
	t.Helper()
	opened, err := cdp.Call(t.Context(), c.browser.Session(), target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := cdp.Call(t.Context(), c.browser.Session(), target.CloseTarget, target.CloseTargetParams(opened)); err != nil {
			t.Error(err)
		}
	}
}
