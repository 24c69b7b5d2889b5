package e2e

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Ensure that a form of a framework takes what a user would do by refs, up to the order through its dialog in a portal.
func visitReact(v *visitor) {
	v.open("react.html")
	v.fill(v.ref(`textbox "Name"`), "Ann O'Brien")
	v.fill(v.ref(`textbox "Price"`), "1234567")
	v.do("locator.select_option", `{"locator":`+v.ref(`combobox "Size"`)+`,"label":"Medium"}`, nil)
	v.do("locator.set_checked", `{"locator":`+v.ref(`checkbox "Gift"`)+`,"checked":true}`, nil)
	var again struct{ Changed bool }
	if v.do("locator.set_checked", `{"locator":`+v.ref(`checkbox "Gift"`)+`,"checked":true}`, &again); again.Changed {
		v.Error("a checked box was changed")
	}
	order := v.ref(`button "Order"`)
	v.click(order)
	v.refused("locator.click", `{"locator":`+order+`,"timeout_ms":200}`, fault.TargetOccluded)
	if v.look(); !strings.Contains(v.tree, `dialog "Really order?"`) {
		v.Errorf("no dialog in\n%s", v.tree)
	}
	v.click(v.ref(`button "Keep looking"`))
	v.click(order) // asked for again after something else was done: it is meant
	v.look()
	v.click(v.ref(`button "Yes, order"`))
	v.hears("order", 1, `"name":"Ann O'Brien"`, `"price":"1,234,567"`, `"size":"m"`, `"gift":true`)
}

// Ensure that a field which rewrites its text says so: the same text in another form is done, a text that was cut is not, whichever primitive wrote it.
func visitCode(v *visitor) {
	v.open("react.html")
	code := v.ref(`textbox "Code"`)
	var out struct {
		Value       string
		Reformatted bool
	}
	v.do("locator.fill", `{"locator":`+code+`,"text":"ABC"}`, &out)
	if out.Value != "ABC" || out.Reformatted {
		v.Errorf("a text that stays as it is: %+v", out)
	}
	e := v.try("locator.fill", `{"locator":`+code+`,"text":"abcdef"}`)
	if e.Error == nil || e.Error.Code != fault.ValueNotApplied || e.Error.Dispatched != fault.WasDispatched || e.Error.Evidence["value"] != "ABCD" {
		v.Errorf("a text that is cut: %+v %s", e.Error, e.Output)
	}
	v.fill(code, "")
	v.do("keyboard.press", `{"key":"q","trusted":true,"repeat":9}`, nil)
	if got := eval[string](v.page, `document.querySelector("#state").textContent`); !strings.Contains(got, `"code":"QQQQ"`) {
		v.Errorf("after typing the state is %s", got)
	}
	v.do("text.insert", `{"target":{"label":"Name"},"text":"Ann"}`, nil)
	v.do("text.insert", `{"target":{"label":"Name"},"text":"Bea","mode":"replace"}`, nil)
	v.do("keyboard.press", `{"key":"Tab"}`, nil)
	v.do("keyboard.press", `{"key":"Control+A","trusted":true}`, nil)
	v.do("text.type", `{"text":"xy","trusted":true}`, nil)
	v.do("clipboard.copy", `{"target":{"label":"Name"}}`, nil)
	v.do("clipboard.paste", `{"target":{"label":"Price"},"text":"7000"}`, nil)
	if got := eval[string](v.page, `document.querySelector("#state").textContent`); !strings.Contains(got, `"name":"Bea","code":"XY","price":"7,000"`) {
		v.Errorf("the state is %s", got)
	}
	var clipboard struct{ Text string }
	if v.do("clipboard.read", `{}`, &clipboard); clipboard.Text != "Bea" {
		v.Errorf("the clipboard holds %q", clipboard.Text)
	}
}

// Ensure that three editors take text by every way into their models, where it stays when the focus leaves: filled, replaced, appended, typed, pasted, selected and deleted.
func visitEditors(v *visitor) {
	v.open("editors.html")
	for _, name := range []string{"ProseMirror", "Lexical", "Quill"} {
		editor := v.ref(fmt.Sprintf("textbox %q", name))
		holds := func(after, want string) {
			v.Helper()
			v.click(`{"selector":"#elsewhere"}`)
			if got := eval[string](v.page, fmt.Sprintf("model(%q)", strings.ToLower(name))); got != want {
				v.Errorf("%s after %s holds %q, not %q", name, after, got, want)
			}
		}
		v.fill(editor, "Green tea")
		holds("filling", "Green tea")
		v.fill(editor, "Black \"tea\" 日本 😀")
		holds("filling again", "Black \"tea\" 日本 😀")
		v.fill(editor, "Tea")
		v.do("text.insert", `{"target":`+editor+`,"text":"One","mode":"replace"}`, nil)
		holds("replacing", "One")
		v.do("text.insert", `{"target":`+editor+`,"text":" two"}`, nil)
		holds("appending", "One two")
		v.do("locator.press", `{"locator":`+editor+`,"key":"Control+End"}`, nil)
		v.do("text.type", `{"text":" three, four","trusted":true}`, nil)
		holds("typing", "One two three, four")
		v.do("clipboard.paste", `{"target":`+editor+`,"text":"Five "}`, nil)
		v.click(`{"selector":"#elsewhere"}`)
		if got := eval[string](v.page, fmt.Sprintf("model(%q)", strings.ToLower(name))); !strings.Contains(got, "Five") || !strings.Contains(got, "three, four") {
			v.Errorf("%s after pasting holds %q", name, got)
		}
		v.do("locator.press", `{"locator":`+editor+`,"key":"Control+A"}`, nil)
		v.do("keyboard.press", `{"key":"Backspace","trusted":true}`, nil)
		holds("deleting", "")
	}
}

// Ensure that a form works where the page allows no script, no style and no frame, and that what is sent arrives.
func visitStrict(v *visitor) {
	v.open("csp.html")
	v.fill(v.ref(`textbox "Text"`), "a b&c")
	v.click(v.ref(`button "Send"`))
	v.do("page.wait_for", `{"url_contains":"/form?text=a+b%26c","load_state":"load"}`, nil)
	v.look()
	if got := v.rec.All()[v.begun:]; len(got) != 1 || got[0].Path != "/form?text=a+b%26c" || !strings.Contains(v.tree, `heading "Received"`) {
		v.Errorf("the server got %+v; the page is\n%s", got, v.tree)
	}
	v.open("csp.html")
	v.fill(v.ref(`textbox "Text"`), "entered")
	v.do("keyboard.press", `{"key":"Enter"}`, nil)
	v.do("page.wait_for", `{"url_contains":"/form?text=entered"}`, nil)
}

// Ensure that two files reach a file field and a zone that takes drops, with name and content.
func visitUpload(v *visitor) {
	v.open("drag.html")
	paths := fmt.Sprintf(`"paths":[%q,%q]`, v.upload("list.csv", "tea,3"), v.upload("Grüße 1.txt", "Hallo"))
	v.do("locator.upload_file", `{"locator":{"selector":"#file"},`+paths+`}`, nil)
	v.hears("files", 1, `["list.csv",5,"tea,3"]`, `["Grüße 1.txt",5,"Hallo"]`)
	v.do("locator.upload_file", `{"locator":{"selector":"#to"},`+paths+`}`, nil)
	v.hears("drop", 1, `"files":["list.csv","Grüße 1.txt"]`)
	v.refused("locator.upload_file", `{"locator":{"selector":"#file"},"path":"/etc/hostname"}`, fault.FileNotPermitted)
}

// Ensure that an editor on a canvas gets every key, each of a repeated one, and a chord with its modifier.
func visitCanvas(v *visitor) {
	v.open("canvas.html")
	v.click(v.ref(`generic "Paper"`))
	v.do("text.type", `{"text":"It's 'tea', (50% off). 0123456789","trusted":true}`, nil)
	v.do("keyboard.press", `{"key":"ArrowLeft","trusted":true,"repeat":20}`, nil)
	v.do("text.type", `{"text":"|","trusted":true}`, nil)
	if got := eval[string](v.page, "paperText()"); got != "It's 'tea', (|50% off). 0123456789" {
		v.Errorf("the paper holds %q", got)
	}
	v.do("keyboard.press", `{"key":"Control+B","trusted":true}`, nil)
	v.hears("chord", 2, `"key":"b"`) // Control itself, then the letter
	v.do("keyboard.press", `{"key":"Enter","trusted":true}`, nil)
	v.do("keyboard.press", `{"key":"Backspace","trusted":true,"repeat":2}`, nil)
	if got := eval[string](v.page, "paperText()"); got != "It's 'tea', (50% off). 0123456789" {
		v.Errorf("the paper holds %q", got)
	}
	var out struct {
		StepsDone int    `json:"steps_done"`
		Final     string `json:"final_a11y"`
	}
	v.do("keyboard.press_gated", `{"key":"ArrowRight","stop":"until","expect":"\\)"}`, &out)
	if out.Final != ")" {
		v.Errorf("the gated walk ended with %+v", out)
	}
}
