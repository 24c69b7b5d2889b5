package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

// hands types the text key by key.
func (r *recorder) hands(text string) {
	r.Helper()
	for _, each := range text {
		upper := strings.ToUpper(string(each))
		r.doc.key(string(each), "Key"+upper, int64(upper[0]), string(each), 0)
	}
}

// visited returns the addresses of pages that the recordings have had.
func (r *recorder) visited() (all []string) {
	r.Helper()
	err := filepath.WalkDir(filepath.Join(r.home.Dir, "state"), func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(file)
		for _, page := range strings.Split(string(raw), `"navigated":"`)[1:] {
			address, _, _ := strings.Cut(page, `"`)
			all = append(all, address)
		}
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return all
}

func TestRecordLiveSearch(t *testing.T) {
	// Ensure that what is typed is in no address of a recording and in no map where the page writes it into its address while the user types: a moment later, at once, from a field in a frame, and as an address that it loads; and that the action searches for something else.
	t.Parallel()
	const page = `<title>Teas</title><h1>Teas</h1>%s<script>let soon; function later(go) { clearTimeout(soon); soon = setTimeout(go, 150) }
		function move(to) { history.replaceState(null, "", "/search/" + to) }</script>`
	const field = `<label>Search <input id=q oninput="%s"></label>`
	for name, html := range map[string]string{
		"later":  fmt.Sprintf(field, `later(() => move(q.value))`),
		"atonce": fmt.Sprintf(field, `move(q.value)`),
		"loads":  fmt.Sprintf(field, `later(() => q.value.length === 6 && (location.href = '/search/' + q.value))`),
		"frame":  `<iframe src=/frame></iframe>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := harness.NewHome(t)
			byPath := map[string]string{"/": fmt.Sprintf(page, html), "/frame": fmt.Sprintf(field, `parent.later(() => parent.move(q.value))`)}
			for _, word := range []string{"oolong", "sencha"} {
				byPath["/search/"+word] = `<title>Teas</title><h1>Found</h1>`
			}
			url, _ := pages(t, byPath)
			b := home.Open(t, url)
			r := &recorder{t, home, b, pageAt(t, b, url+"/")}
			done := r.begin("teas.search")
			if name == "frame" {
				eval[bool](r.doc, `(frames[0].focus(), frames[0].q.focus(), true)`)
			} else {
				r.doc.mouse(`q`)
			}
			r.hands("o")
			harness.Until(t, "the mark counts the step", func() bool { return strings.Contains(drawnText(t, r.doc), "· steps: 1") })
			r.hands("olong")
			r.doc.loaded(url + "/search/oolong")
			r.doc.until("the mark is shown", markShown)
			masked := regexp.MustCompile(`/search/typed-[0-9a-f]{12}$`)
			harness.Until(t, "the page is recorded", func() bool { return slices.ContainsFunc(r.visited(), masked.MatchString) })
			if all := r.visited(); slices.Contains(all, url+"/search/oolong") {
				t.Errorf("the recording has %v", all)
			}
			r.presses("Done")
			text := r.stored(<-done, "search")
			if strings.Contains(text, "oolong") {
				t.Errorf("the map: %s", text)
			}
			r.opens(url + "/")
			harness.Must(t, home.SiteCall(t, "teas.search", `{"search":"sencha"}`), nil)
			r.doc.loaded(url + "/search/sencha")
		})
	}
}

func TestRecordEnterThatSends(t *testing.T) {
	// Ensure that an Enter by which a page sends what is typed is a step of its own, with its modifier, in a textarea and in rich text, whenever the page empties the field; that one by which the browser or an editor makes a new line is none; and that the action sends another text.
	t.Parallel()
	const field, rich = `<label>Message <textarea id=m></textarea></label>`, `<div id=m contenteditable role=textbox aria-label=Message></div>`
	const control = 2
	for name, of := range map[string]struct {
		field, on, then string
		modifiers       int64
		want            []string
	}{
		"textarea": {field: field, on: "keydown", then: `send(e)`, want: []string{"locator.fill", "locator.press Enter"}},
		"rich":     {field: rich, on: "keydown", then: `send(e)`, want: []string{"locator.fill", "locator.press Enter"}},
		"keypress": {field: field, on: "keypress", then: `send(e)`, want: []string{"locator.fill", "locator.press Enter"}},
		"blurs":    {field: field, on: "keydown", then: `send(e); m.blur(); m.focus()`, want: []string{"locator.fill", "locator.press Enter"}},
		"later":    {field: field, on: "keydown", then: `e.preventDefault(); setTimeout(() => send(e), 200)`, want: []string{"locator.fill", "locator.press Enter"}},
		"control":  {field: field, on: "keydown", then: `if (e.ctrlKey) send(e)`, modifiers: control, want: []string{"locator.fill", "locator.press Control+Enter"}},
		"editor":   {field: rich, on: "keydown", then: `e.preventDefault(); document.execCommand("insertParagraph")`, want: []string{"locator.fill", "locator.click"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := harness.NewHome(t)
			url, rec := pages(t, map[string]string{"/": fmt.Sprintf(`<title>Chat</title><h1>Chat</h1>%s <button id=go onclick="send(event)">Send</button><script>
				const text = () => m.value ?? m.innerText, empty = () => "value" in m ? m.value = "" : m.innerHTML = ""
				function send(e) { e.preventDefault(); fetch("/sent", {method: "POST", body: text()}); empty() }
				m.addEventListener(%q, e => { if (e.key === "Enter" && !e.shiftKey) { %s } })</script>`, of.field, of.on, of.then)})
			b := home.Open(t, url)
			r := &recorder{t, home, b, pageAt(t, b, url+"/")}
			done := r.begin("chat.send")
			r.doc.mouse(`m`)
			r.hands("tea")
			r.steps(1)
			r.doc.key("Enter", "Enter", 13, "\r", 8)
			r.hands("pot")
			r.doc.key("Enter", "Enter", 13, "\r", of.modifiers)
			if name == "editor" {
				r.hands("red")
				r.doc.mouse(`go`)
			}
			sent := func() (all []string) {
				for _, each := range rec.All() {
					if each.Path == "/sent" {
						all = append(all, each.Body)
					}
				}
				return all
			}
			harness.Until(t, "the message is sent", func() bool { return len(sent()) == 1 })
			r.doc.until("the field is empty", `text() === ""`)
			r.steps(2)
			r.presses("Done")
			text := r.stored(<-done, "message")
			if strings.Contains(text, "pot") {
				t.Errorf("the map: %s", text)
			}
			var got []string
			for _, each := range regexp.MustCompile(`"primitive": "([^"]*)"|"key": "([^"]*)"`).FindAllStringSubmatch(text, -1) {
				if each[2] != "" {
					got[len(got)-1] += " " + each[2]
				} else {
					got = append(got, each[1])
				}
			}
			if !slices.Equal(got, of.want) {
				t.Errorf("the action does %q, want %q: %s", got, of.want, text)
			}
			harness.Must(t, home.SiteCall(t, "chat.send", `{"message":"Blue cup"}`), nil)
			harness.Until(t, "another message is sent", func() bool { return len(sent()) == 2 })
			if all := sent(); !strings.HasPrefix(all[0], "tea\npot") || strings.TrimSpace(all[1]) != "Blue cup" {
				t.Errorf("the server has %q", all)
			}
		})
	}
}

func TestRecordImitatedExtensionElements(t *testing.T) {
	// Ensure that an element to which a page gives the mark of the extension's own is recorded and checked as any other, and that the mark of the recording stays no part of the page where the page takes that away.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": `<title>Shop</title><h1>Shop</h1><button id=buy data-actions-json-attachment=x onclick="fetch('/bought', {method: 'POST'})">Buy</button>`})
	b := home.Open(t, url)
	r := &recorder{t, home, b, pageAt(t, b, url+"/")}
	done := r.begin("shop.buy")
	r.doc.mouse(`buy`)
	r.steps(1)
	r.checks(`buy`)
	r.steps(2)
	if bought := received(rec, "POST", "/bought"); len(bought) != 1 {
		t.Errorf("the page got %d clicks, want that of the step alone", len(bought))
	}
	eval[bool](r.doc, `(`+recordMark+`.removeAttribute("data-actions-json-attachment"), true)`)
	r.doc.mouse(`buy`)
	r.steps(3)
	r.presses("Undo")
	r.steps(2)
	r.doc.until("the mark has its attribute", markShown)
	r.presses("Done")
	text := r.stored(<-done)
	if got := strings.Count(text, `"primitive": "locator.click"`) + 10*strings.Count(text, `"primitive": "locator.wait_for"`); got != 11 {
		t.Errorf("the map: %s", text)
	}
}
