package e2e

import (
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Ensure that a row far down a virtual list is clicked after scrolling to it, and that a row which was drawn away is told.
func visitVirtual(v *visitor) {
	v.open("virtual.html")
	first := v.ref(`button "Open 3"`)
	v.do("viewport.scroll", `{"delta_y":274110,"scope":{"selector":"#list"}}`, nil)
	v.do("locator.wait_for", `{"locator":{"role":"button","name":"Open 9137"}}`, nil)
	v.look()
	v.click(v.ref(`button "Open 9137"`))
	v.hears("row", 1, `"row":9137`)
	e := v.try("locator.click", `{"locator":`+first+`,"timeout_ms":200}`)
	if e.Error == nil || e.Error.Code != fault.StaleRef || e.Error.Dispatched != fault.NotDispatched {
		v.Errorf("a row that is gone: %+v %s", e.Error, e.Output)
	}
	// The last row drawn lies half below the list's edge.
	v.click(`{"role":"button","name":"Open 9150"}`)
	v.hears("row", 2, `"row":9150`)
	v.do("viewport.scroll", `{"delta_y":-300000,"scope":{"selector":"#list"}}`, nil)
	v.click(`{"role":"button","name":"Open 0"}`)
	v.hears("row", 3, `"row":0`)
}

// Ensure that no sticky bar swallows a click, that a banner in the way is named until it is answered, and that a button which becomes ready later is waited for.
func visitSticky(v *visitor) {
	v.open("sticky.html")
	v.do("locator.click", `{"locator":`+v.ref(`button "Late"`)+`}`, nil)
	v.hears("click", 1, `"id":"late"`, `"trusted":true`)
	v.click(v.ref(`button "Two"`))
	v.hears("click", 2, `"id":"two"`)
	v.click(v.ref(`button "One"`))
	v.hears("click", 3, `"id":"one"`)
	// A banner that grows over the whole page is named, and what may be in the way of it is left alone.
	eval[bool](v.page, `(document.querySelector("footer").style.height = "100vh", document.querySelector("header").style.zIndex = 0,
		new Promise(done => document.querySelector("footer").addEventListener("transitionend", e => e.propertyName === "height" && done(true))))`)
	e := v.refused("locator.click", `{"locator":`+v.ref(`button "Two"`)+`,"timeout_ms":900}`, fault.TargetOccluded)
	if named := fmt.Sprint(e.Evidence); !strings.Contains(strings.ToLower(named), "footer") {
		v.Errorf("what covers the button is not named in %s", named)
	}
	v.click(v.ref(`button "Accept"`))
	v.click(v.ref(`button "Two"`))
	v.hears("click", 5, `"id":"two"`)
	v.do("locator.hover", `{"locator":`+v.ref(`button "Top"`)+`}`, nil)
	if !eval[bool](v.page, `document.querySelector("#top").matches(":hover")`) {
		v.Error("the pointer is not on the button")
	}
}

// Ensure that fields and buttons in open and closed shadow roots work by ref.
func visitShadow(v *visitor) {
	v.open("shadow.html")
	for i, name := range []string{"Open", "Closed"} {
		v.fill(v.ref(fmt.Sprintf("textbox %q", name)), name+" text")
		v.click(v.ref(fmt.Sprintf("button %q", name+" save")))
		v.hears("save", i+1, `"mode":"`+strings.ToLower(name)+`"`, `"value":"`+name+` text"`)
	}
	v.click(`{"role":"button","name":"Closed save"}`)
	v.hears("save", 3, `"mode":"closed"`)
	// Keys reach a field in a closed root too.
	v.do("locator.press", `{"locator":`+v.ref(`textbox "Closed"`)+`,"key":"End"}`, nil)
	v.do("text.type", `{"text":"!","trusted":true}`, nil)
	v.do("text.insert", `{"text":"?"}`, nil)
	v.click(v.ref(`button "Closed save"`))
	v.hears("save", 4, `"value":"Closed text!?"`)
}

// Ensure that a form in a frame works whatever the frame's origin and scale, by ref and by the frame's name, below its own fold too; and that a sandboxed frame is clicked.
func visitFrames(v *visitor) {
	v.open("frames.html")
	count := 0
	for i, place := range []string{"same", "other", "scaled"} {
		v.fill(v.ref(`textbox "Note"`, i), "by ref in "+place)
		v.click(v.ref(`button "Send"`, i))
		v.hears("inner", count+1, `"place":"`+place+`"`, `"id":"send"`, `"note":"by ref in `+place+`"`)
		v.click(v.ref(`button "Below"`, i))
		v.hears("inner", count+2, `"place":"`+place+`"`, `"id":"below"`)
		v.fill(`{"label":"Note","frame":"#`+place+`"}`, "by name in "+place)
		v.click(`{"role":"button","name":"Send","frame":"#` + place + `"}`)
		count += 3
		v.hears("inner", count, `"place":"`+place+`"`, `"id":"send"`, `"note":"by name in `+place+`"`)
	}
	v.click(v.ref(`button "Inert"`))
	v.refused("locator.click", `{"locator":{"role":"button","name":"Send","frame":{"host":"evil.example"}},"timeout_ms":200}`, fault.FrameNotFound)
}

// Ensure that things are dragged with real data, both ways, and lists sorted by the pointer.
func visitDrag(v *visitor) {
	v.open("drag.html")
	v.do("locator.drag_to", `{"locator":{"selector":"#card"},"to":{"selector":"#to"}}`, nil)
	v.hears("drop", 1, `"data":"card"`)
	v.do("locator.drag_to", `{"locator":{"selector":"#a"},"to":{"selector":"#c"}}`, nil)
	v.hears("order", 1)
	if got := v.told("order")[0]; strings.Contains(got, `"order":"abc"`) {
		v.Errorf("nothing was sorted: %s", got)
	}
	v.do("locator.drag_to", `{"locator":{"selector":"#c"},"to":{"selector":"#sort li:first-child"}}`, nil)
	v.hears("order", 2)
	v.refused("locator.drag_to", `{"locator":{"selector":"#a"},"to":{"x":9000,"y":10}}`, fault.PointOutOfViewport)
}

// Ensure that on a page which never stops changing a button that stands still works at once, one that is drawn anew every 20 ms is clicked or said to be out of reach, and one that moves is clicked or said to move.
func visitRestless(v *visitor) {
	v.open("restless.html")
	clicked := 0
	for range 5 {
		v.click(`{"selector":"#still"}`)
		clicked++
		v.hears("click", clicked, `"id":"still"`)
		for id, codes := range map[string][]fault.Code{
			"fresh":  {fault.TargetDetached, fault.TargetMoved, fault.OutcomeUnknown},
			"moving": {fault.TargetMoved},
		} {
			e := v.try("locator.click", `{"locator":{"selector":"#`+id+`"},"timeout_ms":1000}`)
			if e.OK {
				clicked++
				v.hears("click", clicked, `"id":"`+id+`"`)
				continue
			}
			if !slices.Contains(codes, e.Error.Code) {
				v.Errorf("%s: %+v", id, e.Error)
			}
			eval[bool](v.page, `Promise.all(seen.sent).then(() => true)`)
			if got := len(v.told("click")); got != clicked && e.Error.Dispatched == fault.NotDispatched {
				v.Errorf("%s: not dispatched, but the page was clicked: %v", id, v.told("click"))
			} else {
				clicked = got
			}
		}
	}
	e := v.try("page.wait_for", `{"stable":300,"timeout_ms":1000}`)
	if e.Error == nil || e.Error.Code != fault.Timeout {
		v.Errorf("waiting for stillness: %+v %s", e.Error, e.Output)
	}
}

// Ensure that a user finds every page from the first one, by its links.
func visitIndex(v *visitor) {
	v.open("index.html")
	for name, page := range map[string]string{"React": "react.html", "Strict": "csp.html", "Restless": "restless.html"} {
		v.click(v.ref(fmt.Sprintf("link %q", name)))
		v.do("page.wait_for", `{"url_contains":"/`+page+`","load_state":"load"}`, nil)
		v.open("index.html")
	}
}
