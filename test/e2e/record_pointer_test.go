package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/test/harness"
)

const mailPage = `<!doctype html><title>Mail</title><h1>Mail</h1><style>b.on { background: gold } canvas { border: 1px solid }</style>
<div id=list></div><canvas id=map width=300 height=100></canvas><p id=words>Some words that can be selected</p><button id=go style="width:200px">Delete</button><p id=said role=status></p><script>
let first = 0, pins = 0
for (let n = 1; n <= 6; n++) list.innerHTML += "<p><b>Letter " + n + "</b></p>"
const rows = [...document.querySelectorAll("b")]
list.onclick = event => { const n = rows.indexOf(event.target); const from = event.shiftKey ? first : n; first = from
	rows.forEach((row, i) => row.className = i >= Math.min(n, from) && i <= Math.max(n, from) ? "on" : event.ctrlKey ? row.className : "") }
map.onclick = () => pins++
go.onclick = () => said.textContent = "Deleted " + rows.filter(row => row.className).map(row => row.textContent.at(-1)).join("") + ", pins " + pins
</script>`

// holds presses the mouse at the first point and releases it at the last.
func (r *recorder) holds(modifiers int64, points ...[2]float64) {
	r.Helper()
	send := func(kind input.DispatchMouseEventType, at [2]float64) {
		do(r.doc, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1, Modifiers: modifiers})
	}
	send(input.DispatchMouseEventTypeMousePressed, points[0])
	for _, at := range points {
		send(input.DispatchMouseEventTypeMouseMoved, at)
	}
	send(input.DispatchMouseEventTypeMouseReleased, points[len(points)-1])
}

// near returns a point beside the middle of the element.
func (r *recorder) near(js string, dx, dy float64) [2]float64 {
	r.Helper()
	x, y := r.doc.middle(js)
	return [2]float64{x + dx, y + dy}
}

func TestRecordKeysHeldAtClicks(t *testing.T) {
	// Ensure that a recording keeps Shift and Control of its clicks, so that the action selects what the user did.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": mailPage})
	b := home.Open(t, url)
	r := &recorder{t, home, b, pageAt(t, b, url+"/")}
	done := r.begin("mail.delete")
	const control, shift = 2, 8
	r.holds(0, r.near(`rows[0]`, 0, 0))
	r.holds(shift, r.near(`rows[2]`, 0, 0))
	r.holds(control, r.near(`rows[4]`, 0, 0))
	r.doc.mouse(`go`)
	r.doc.until("the letters are deleted", `said.textContent === "Deleted 1235, pins 0"`)
	r.steps(4)
	r.presses("Done")
	text := r.stored(<-done)
	if !strings.Contains(text, `"Shift"`) || !strings.Contains(text, `"Control"`) {
		t.Errorf("the map: %s", text)
	}
	r.opens(url + "/?again")
	harness.Must(t, home.SiteCall(t, "mail.delete", `{}`), nil)
	r.doc.until("the same letters are deleted", `said.textContent === "Deleted 1235, pins 0"`)
}

func TestRecordDragsByPointer(t *testing.T) {
	// Ensure that a drag by the mouse and a selection of text are no clicks of a recording, and that a click of a shaky hand, and one that slips on a button, are.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": mailPage})
	b := home.Open(t, url)
	r := &recorder{t, home, b, pageAt(t, b, url+"/")}
	done := r.begin("mail.pins")
	r.holds(0, r.near(`map`, -50, 0), r.near(`map`, 50, 20))
	r.doc.until("the page got a click of the drag", `pins === 1`)
	r.holds(0, r.near(`words`, -300, 0), r.near(`words`, -280, 0), r.near(`words`, -250, 0))
	r.holds(0, r.near(`rows[1]`, 0, 0), r.near(`rows[1]`, 4, 3))
	r.doc.until("the row is chosen", `rows[1].className === "on"`)
	r.holds(0, r.near(`go`, -60, 0), r.near(`go`, 60, 2))
	r.doc.until("the button is pressed", `said.textContent === "Deleted 2, pins 1"`)
	r.holds(0, r.near(`map`, 0, 0), r.near(`go`, 0, 0)) // the button gets no click
	r.holds(0, r.near(`rows[3]`, 0, 0))
	r.steps(3)
	r.presses("Done")
	text := r.stored(<-done)
	for _, want := range []string{"Letter 2", "Letter 4", "Delete"} {
		if !strings.Contains(text, want) {
			t.Errorf("no click on %s: %s", want, text)
		}
	}
}
