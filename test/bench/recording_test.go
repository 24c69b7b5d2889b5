package bench

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/launch"
)

// recordedPage is an application of 300 rows with a button and a field in each. It listens before
// and after the recorder does, whose time on the page's thread lies between.
const recordedPage = `<main></main><script>
document.querySelector("main").innerHTML = Array.from({length: 300}, (_, i) => "<section><h2>Tea " + i + "</h2><p>From the hills, " + i + " years old.</p><label>Note " + i + " <input></label> <button>Choose</button></section>").join("");
const spent = []; let began = 0, met = 0;
for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "keydown", "beforeinput", "input", "focusout"]) {
	addEventListener(type, () => { began = performance.now(); }, true);
	document.addEventListener(type, () => spent.push(performance.now() - began), true);
}
</script>`

// BenchmarkRecording is what one event of the user's hand costs a page whose tab is recorded: presses
// of buttons, presses of fields, and typing in them, each in a row that was not met before.
func BenchmarkRecording(b *testing.B) {
	h := start(b, recordedPage, "")
	ctx, page := h.attach()
	var state control.Recorded
	if err := h.Call(ctx, control.MethodRecord, control.Record{Do: "start", Name: "bench.recorded"}, &state); err != nil {
		b.Fatal(err)
	}
	press := func(js string) {
		at, err := launch.Evaluate[[2]float64](ctx, page, `(e => (e.scrollIntoView({block: "center"}), e = e.getBoundingClientRect(), [e.left + e.width / 2, e.top + e.height / 2]))(`+js+`)`)
		for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			if kind == input.DispatchMouseEventTypeMousePressed && err == nil { // a hand rests there before it presses
				_, err = launch.Evaluate[bool](ctx, page, `new Promise(rested => requestIdleCallback(() => requestIdleCallback(() => rested(true), {timeout: 300}), {timeout: 300}))`)
			}
			if err == nil {
				_, err = cdp.Call(ctx, page, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1})
			}
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	var all sample
	for b.Loop() {
		press(`(globalThis.row = document.querySelectorAll("section")[met++ % 300]).querySelector("button")`)
		press(`row.querySelector("input")`)
		if _, err := cdp.Call(ctx, page, input.InsertText, input.InsertTextParams{Text: "ring twice"}); err != nil {
			b.Fatal(err)
		}
		spent, err := launch.Evaluate[[]float64](ctx, page, `spent.splice(0)`)
		if err != nil {
			b.Fatal(err)
		}
		for _, each := range spent {
			all.add(time.Duration(each * float64(time.Millisecond)))
		}
	}
	if err := h.Call(ctx, control.MethodRecord, control.Record{Do: "view"}, &state); err != nil || state.Recording == nil || state.Recording.Steps < 2 {
		b.Fatalf("it was not recorded: %+v, %v", state, err)
	}
	all.report(b)
	b.ReportMetric(0, "ns/op")
}
