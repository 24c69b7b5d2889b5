package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/test/harness"
)

const (
	reportHost = `document.querySelector("[data-actions-json-attachment=actions-json-report]")`
	reportBox  = `(r => [r.left, r.top, r.width, r.height])(` + reportHost + `.getBoundingClientRect())`
)

// pointer sends one event of a mouse at a point of the document. The browser finds
// what is there by the last picture it has drawn.
func (d document) pointer(kind input.DispatchMouseEventType, x, y float64, buttons int64) {
	d.t.Helper()
	eval[bool](d, `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))`)
	do(d, input.DispatchMouseEvent, input.DispatchMouseEventParams{
		Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: buttons, ClickCount: 1,
	})
}

// arrows presses an arrow key on an element of the document, n times at once.
func (d document) arrows(id, key string, n int) {
	d.t.Helper()
	eval[bool](d, fmt.Sprintf(`(e => {
		for (let i = 0; i < %d; i++) e.dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true}));
		return true;
	})(document.getElementById(%q))`, n, key, id))
}

func TestQuickKeysMoveOwnFrames(t *testing.T) {
	// Ensure that each press of an arrow key moves or resizes the pane and a report, however quickly it follows others, a click, or the pointer that still holds the frame.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>keys</title>`})
	b := home.Open(t, url)
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	harness.Must(t, home.Call(t, "overlay.menu.move", `{"left":100,"top":80}`), nil)
	doc := pageAt(t, b, url+"/")
	for _, own := range []struct {
		name, frame, box string
		open             func()
	}{
		{"pane", paneURL, paneBox, func() {}},
		{"report", reportURL, reportBox, func() {
			harness.Must(t, home.Call(t, "overlay.menu.hide", `{}`), nil)
			harness.Must(t, home.Call(t, "overlay.open", `{"html":"<p>x</p>","width":600,"height":400}`), nil)
		}},
	} {
		own.open()
		frame := inFrame(t, b, own.frame)
		at := eval[[]float64](doc, own.box)
		is := func(what string, dx, dy, dw, dh float64) {
			t.Helper()
			for i, d := range []float64{dx, dy, dw, dh} {
				at[i] += d
			}
			want := fmt.Sprint(at)
			doc.until(fmt.Sprintf("%s: %s: it is at %s", own.name, what, want), `JSON.stringify(`+own.box+`) === `+strconv.Quote(strings.ReplaceAll(want, " ", ",")))
		}
		x, y := at[0]+60, at[1]+20 // on the title bar, apart from its buttons
		doc.pointer(input.DispatchMouseEventTypeMousePressed, x, y, 1)
		doc.pointer(input.DispatchMouseEventTypeMouseReleased, x, y, 0)
		frame.arrows("grip", "ArrowRight", 1)
		is("a click, then an arrow", 16, 0, 0, 0)
		frame.arrows("grip", "ArrowLeft", 5)
		is("five arrows at once", -80, 0, 0, 0)
		frame.arrows("corner", "ArrowUp", 3)
		is("three arrows on the corner", 0, 0, 0, -48)
		x -= 64
		doc.pointer(input.DispatchMouseEventTypeMousePressed, x, y, 1)
		doc.pointer(input.DispatchMouseEventTypeMouseMoved, x+30, y, 1)
		is("dragged", 30, 0, 0, 0)
		frame.arrows("grip", "ArrowLeft", 2)
		is("two arrows while the pointer holds it", -32, 0, 0, 0)
		doc.pointer(input.DispatchMouseEventTypeMouseMoved, x+40, y+5, 1)
		is("dragged on", 10, 5, 0, 0)
		doc.pointer(input.DispatchMouseEventTypeMouseReleased, x+40, y+5, 0)
		frame.arrows("grip", "ArrowUp", 1)
		is("let go, and an arrow", 0, -16, 0, 0)
	}
}
