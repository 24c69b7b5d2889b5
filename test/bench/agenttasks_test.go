package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// task is a job on a page of the gallery.
type task struct {
	name, page string
	script     func(*agent)
	// action is the stored action that does the same; there is none where a person's judgement or a dialog stands between.
	action string
	args   func(*contender) object
	// wants are what the page's server must have got, each once.
	wants []want
}

// want is one request.
type want struct {
	place string   // the beginning of its path
	has   []string // in its path or body
}

// seen is a report of a page of the gallery, with what it must hold.
func seen(what string, has ...string) want {
	return want{"/seen", append([]string{`"what":"` + what + `"`}, has...)}
}

func always(args object) func(*contender) object { return func(*contender) object { return args } }

// galleryTasks are done one after the other, each on a page that was loaded anew.
var galleryTasks = []task{
	{
		name: "link", page: "index.html",
		script: func(a *agent) { a.clickAndLook(link("Virtual list")); a.sees("10,000 rows") },
		wants:  []want{{"/virtual.html", nil}},
	},
	{
		name: "order", page: "react.html", // controlled fields, a select, a box, a dialog in a portal
		script: func(a *agent) {
			a.form(field{textbox("Name"), "Ann"}, field{textbox("Price"), "1234567"}, field{combobox("Size"), "Medium"}, field{checkbox("Gift"), "true"})
			a.clickAndLook(button("Order"))
			a.click(button("Yes, order"))
		},
		action: "gallery.order", args: always(object{"name": "Ann", "price": "1234567", "size": "Medium", "gift": true}),
		wants: []want{seen("order", `"name":"Ann"`, `"price":"1,234,567"`, `"size":"m"`, `"gift":true`)},
	},
	{
		name: "second-thoughts", page: "react.html", // the dialog is left, the form changed
		script: func(a *agent) {
			a.form(field{textbox("Name"), "Bea"}, field{textbox("Code"), "AB"})
			a.clickAndLook(button("Order"))
			a.clickAndLook(button("Keep looking"))
			a.form(field{combobox("Size"), "Large"})
			a.clickAndLook(button("Order"))
			a.click(button("Yes, order"))
		},
		wants: []want{seen("order", `"name":"Bea"`, `"code":"AB"`, `"size":"l"`)},
	},
	{
		name: "editor", page: "editors.html", // rich text, judged by the editor's own model
		script: func(a *agent) {
			a.form(field{textbox("ProseMirror"), "Once upon a time"})
			a.click(button("Save"))
		},
		action: "gallery.write", args: always(object{"prosemirror": "Once upon a time"}),
		wants: []want{seen("saved", `"prosemirror":"Once upon a time"`)},
	},
	{
		name: "three-editors", page: "editors.html",
		script: func(a *agent) {
			a.form(field{textbox("ProseMirror"), "One"}, field{textbox("Lexical"), "Two"}, field{textbox("Quill"), "Three"})
			a.click(button("Save"))
		},
		action: "gallery.write", args: always(object{"prosemirror": "One", "lexical": "Two", "quill": "Three"}),
		wants: []want{seen("saved", `"prosemirror":"One"`, `"lexical":"Two"`, `"quill":"Three"`)},
	},
	{
		name: "far-row", page: "virtual.html", // only what is in view stands in the page
		script: func(a *agent) {
			a.scroll(button("Open 0"), 6000)
			a.click(button("Open 203"))
		},
		action: "gallery.open_row", args: always(object{"row": 203}),
		wants: []want{seen("row", `"row":203`)},
	},
	{
		name: "cookies", page: "sticky.html", // a bar at the bottom, one that sticks at the top
		script: func(a *agent) {
			a.clickAndLook(button("Accept"))
			a.click(button("Two"))
		},
		action: "gallery.press", args: always(object{"button": "Two", "accept_cookies": true}),
		wants: []want{seen("click", `"id":"cookies"`), seen("click", `"id":"two"`)},
	},
	shadowed("open-shadow", "Open", "one"),
	shadowed("closed-shadow", "Closed", "two"),
	note("frame", "same", 0, "Send"),
	note("foreign-frame", "other", 1, "Send"),
	note("scaled-frame", "scaled", 2, "Below"), // by a button below the frame's own fold
	{
		name: "form", page: "csp.html", // a page without scripts, and the one that answers
		script: func(a *agent) {
			a.form(field{textbox("Text"), "first words"})
			a.clickAndLook(button("Send"))
			a.sees("Received")
		},
		action: "gallery.send", args: always(object{"text": "first words"}),
		wants: []want{{"/form", []string{"text=first+words"}}},
	},
	{
		name: "form-by-key", page: "csp.html",
		script: func(a *agent) {
			a.form(field{textbox("Text"), "more words"})
			a.pressAndLook("Enter")
			a.sees("Received")
		},
		action: "gallery.send", args: always(object{"text": "more words"}),
		wants: []want{{"/form", []string{"text=more+words"}}},
	},
	{
		name: "confirm", page: "dialogs.html",
		script: func(a *agent) { a.dialog(button("Confirm"), true, ""); a.sees("confirm true") },
		wants:  []want{seen("dialog", `"dialog":"confirm"`, `"answer":true`)},
	},
	{
		name: "prompt", page: "dialogs.html",
		script: func(a *agent) { a.dialog(button("Prompt"), true, "Bea"); a.sees("prompt Bea") },
		wants:  []want{seen("dialog", `"dialog":"prompt"`, `"answer":"Bea"`)},
	},
	{
		name: "card", page: "drag.html",
		script: func(a *agent) { a.drag(words("Card").written("#card"), words("Drop here").written("#to")) },
		action: "gallery.move_card", args: always(object{}),
		wants: []want{seen("drop", `"data":"card"`)},
	},
	{
		name: "upload", page: "drag.html",
		script: func(a *agent) { a.upload(button("Files"), a.file) },
		action: "gallery.upload", args: func(c *contender) object { return object{"path": c.file} },
		wants: []want{seen("files", `["list.csv",5,"tea,3"]`)},
	},
	{
		name: "canvas", page: "canvas.html", // an editor of its own, which has nothing but keys
		script: func(a *agent) {
			a.write(words("Paper"), "Tea, 3 cups")
			a.press("Control+b")
		},
		action: "gallery.paper", args: always(object{"text": "Tea, 3 cups", "chord": "Control+b"}),
		wants: []want{seen("chord", `"key":"b"`, `"text":"Tea, 3 cups"`)},
	},
	{
		name: "restless", page: "restless.html", // a page that never rests
		script: func(a *agent) { a.click(button("Still")) },
		action: "gallery.press", args: always(object{"button": "Still"}),
		wants: []want{seen("click", `"id":"still"`)},
	},
}

// shadowed is the task of a field in a shadow root.
func shadowed(name, label, text string) task {
	return task{
		name: name, page: "shadow.html",
		script: func(a *agent) {
			a.form(field{textbox(label), text})
			a.click(button(label + " save"))
		},
		action: "gallery.save", args: always(object{"field": label, "text": text}),
		wants: []want{seen("save", `"mode":"`+strings.ToLower(label)+`"`, `"value":"`+text+`"`)},
	}
}

// note is the task of one of the frames that are alike.
func note(name, frame string, nth int, press string) task {
	return task{
		name: name, page: "frames.html",
		script: func(a *agent) {
			a.form(field{textbox("Note").at(nth), "in " + frame})
			a.click(button(press).at(nth))
		},
		action: "gallery.note", args: always(object{"frame": frame, "note": "in " + frame, "button": press}),
		wants: []want{seen("inner", `"place":"`+frame+`"`, `"id":"`+strings.ToLower(press)+`"`, `"note":"in `+frame+`"`)},
	}
}

func TestGalleryTasks(t *testing.T) {
	// Ensure that there are twenty tasks of different names, each judged, and that the map has the actions that they name.
	text, err := os.ReadFile(filepath.Join("testdata", "gallery.actions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var actions struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(text, &actions); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"": true}
	for _, tool := range actions.Tools {
		known[tool.Name] = true
	}
	names := map[string]bool{}
	for _, task := range galleryTasks {
		if names[task.name] || len(task.wants) == 0 || !known[task.action] {
			t.Errorf("%s: named before, not judged, or without its action %q", task.name, task.action)
		}
		names[task.name] = true
	}
	if len(names) != 20 {
		t.Errorf("%d tasks", len(names))
	}
}
