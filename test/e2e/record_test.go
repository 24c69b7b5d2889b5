package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// recordMark is the mark of a recording; what is in it no page script can read.
const recordMark = `document.querySelector("[data-actions-json-attachment=actions-json-recording]")`

// markShown is true while it can be pressed. In a dialog that has just closed it is open and has no box.
const markShown = `(mark => mark?.matches(":popover-open") === true && mark.getBoundingClientRect().width > 0)(` + recordMark + `)`

// shopOf is a site with a search, a list, and an order with fields of several kinds, one of them
// in a frame of another site. Its pages act by themselves whenever the user presses something.
func shopOf(t *testing.T) (url string, rec *sites.Recorder) {
	t.Helper()
	rec = sites.NewRecorder(nil)
	const decoys = `<button id=decoy>Decoy</button><input id=trap aria-label=Trap><input type=checkbox id=box aria-label=Box><script>
		addEventListener('pointerdown', () => { decoy.click(); box.click(); trap.value = 'made up'; trap.dispatchEvent(new InputEvent('input', {bubbles: true, composed: true})); decoy.dispatchEvent(new MouseEvent('click', {bubbles: true})); }, true);
		addEventListener('keydown', () => { const had = document.activeElement; trap.focus(); document.execCommand('insertText', false, 'x'); had.focus(); });</script>`
	url = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := rec.Add(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		q := r.URL.Query().Get("q")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		page := ""
		switch r.URL.Path {
		case "/":
			page = `<title>Shop</title><h1>Shop</h1><form action=/results><label>Search <input name=q></label> <button>Find</button></form>` + decoys
		case "/results":
			page = `<title>Results</title><h1>Results for ` + q + `</h1><ul>`
			for _, tea := range []string{"Assam", "Sencha", "Keemun"} {
				page += `<li><b>` + tea + `</b> <a href="/order?tea=` + tea + `">Choose</a></li>`
			}
			page += `</ul>`
		case "/order":
			other := foreign(t, "http://"+r.Host)
			page = `<title>Order</title><h1>Order</h1><form onsubmit="event.preventDefault(); fetch('/ordered', {method: 'POST', body: JSON.stringify([who.value, size.value, gift.checked, pin.value])}).then(() => said.textContent = 'Thank you, ' + who.value)">
				<label>Name <input id=who></label> <label>Size <select id=size><option>small<option>medium<option>large</select></label>
				<label><input type=checkbox id=gift> Gift</label> <label>Password <input type=password id=pin></label> <button>Order</button></form>
				<p id=said role=status></p><iframe src="` + other + `/note" width=400 height=80></iframe>` + decoys
		case "/note":
			page = `<title>Note</title><label>Note <input id=note></label> <button onclick="fetch('/noted', {method: 'POST', body: note.value})">Add the note</button>`
		}
		_, _ = io.WriteString(w, page) // a browser that went away has nothing to be told
	}))
	return url, rec
}

// recorder is somebody who records what they do.
type recorder struct {
	*testing.T
	home *harness.Home
	b    *launch.Browser
	doc  document
}

// begin starts a recording from the terminal and returns what that says when it has ended.
func (r *recorder) begin(name string) <-chan harness.Result {
	r.Helper()
	done := make(chan harness.Result, 1)
	go func() {
		done <- r.home.Run(r.T, "record", name, "--json", "--wait", "20s")
	}()
	r.doc.until("the mark is shown", markShown)
	return done
}

// steps waits until the recording has so many steps.
func (r *recorder) steps(n int) {
	r.Helper()
	harness.Until(r, fmt.Sprintf("%d steps are recorded", n), func() bool { return r.now().Steps == n })
}

// now returns the recording as the host has it; one of no step is none.
func (r *recorder) now() protocol.Recording {
	clients, err := control.Await(r.Context(), r.home.Sockets())
	if err != nil {
		return protocol.Recording{}
	}
	defer clients[0].Close()
	var now control.Recorded
	if err := clients[0].Call(r.Context(), control.MethodRecord, control.Record{Do: "view"}, &now); err != nil || now.Recording == nil {
		return protocol.Recording{}
	}
	return *now.Recording
}

// button returns the button of the mark that is called so; nil for none. No script of the page sees it; the
// browser does.
func (r *recorder) button(label string) *cdp.Node {
	r.Helper()
	all := do(r.doc, dom.GetDocument, dom.GetDocumentParams{Depth: new(int64(-1)), Pierce: new(true)})
	return within(all.Root, func(n *cdp.Node) bool {
		return n.LocalName == "button" && len(n.Children) == 1 && n.Children[0].NodeValue == label
	})
}

// presses presses the button of the mark, once it can be pressed.
func (r *recorder) presses(label string) {
	r.Helper()
	var box dom.Quad
	harness.Until(r, label+" can be pressed", func() bool {
		button := r.button(label)
		if button == nil || slices.Contains(button.Attributes, "disabled") {
			return false
		}
		// A mark that is just put in its place anew has no box.
		model, err := cdp.Call(r.Context(), r.doc.at, dom.GetBoxModel, dom.GetBoxModelParams{BackendNodeID: button.BackendNodeID})
		if err != nil {
			return false
		}
		box = model.Model.Border
		return true
	})
	r.doc.mouseAt((box[0]+box[4])/2, (box[1]+box[5])/2)
}

// checks points at what has to be there afterwards.
func (r *recorder) checks(js string) {
	r.Helper()
	r.presses("Check")
	harness.Until(r, "the mark asks what to check", func() bool { return strings.Contains(drawnText(r.T, r.doc), "Click what has to be there") })
	r.doc.mouse(js)
}

// within returns the first node that is sought, in shadow trees too; nil for none.
func within(n *cdp.Node, sought func(*cdp.Node) bool) *cdp.Node {
	if sought(n) {
		return n
	}
	for _, child := range slices.Concat(n.ShadowRoots, n.Children) {
		if found := within(child, sought); found != nil {
			return found
		}
	}
	return nil
}

func (r *recorder) types(d document, js, text string) {
	r.Helper()
	d.mouse(js)
	do(d, input.InsertText, input.InsertTextParams{Text: text})
}

// frameOf returns the frame of another site whose address ends so.
func frameOf(t *testing.T, b *launch.Browser, end string) target.ID {
	t.Helper()
	return harness.AwaitTargets(t, b, "a frame of another site shows "+end, func(all []*target.Info) (target.ID, bool) {
		for _, info := range all {
			if info.Type == "iframe" && strings.HasSuffix(info.URL, end) {
				return info.TargetID, true
			}
		}
		return "", false
	})
}

func TestRecord(t *testing.T) {
	// Ensure that what a user does by hand becomes an action that does it with other inputs, over a navigation, in a frame of another site, and although the worker and the host were killed meanwhile; that what the page makes up is not in it; and that what was typed is in no map, no log and no database.
	url, rec := shopOf(t)
	home := harness.NewHome(t)
	b := home.Open(t, url+"/")
	r := &recorder{t, home, b, pageAt(t, b, url+"/")}
	done := r.begin("shop.order")
	if again := home.Run(t, "record", "shop.other"); again.Exit != 1 || !strings.Contains(again.Stderr, "recorded already") {
		t.Errorf("a second recording of the tab: %+v", again)
	}
	r.types(r.doc, `document.querySelector("[name=q]")`, "Ooolong")
	r.steps(1)
	r.doc.key("Enter", "Enter", 13, "\r", 0)
	r.doc.loaded(url + "/results?q=Ooolong")
	r.doc.until("the mark is shown", markShown)
	r.steps(2)
	endWorker(t, home, b)
	r.steps(2)
	r.doc.until("the mark is shown", markShown)
	r.doc.mouse(`document.querySelectorAll("a")[1]`)
	r.doc.loaded(url + "/order?tea=Sencha")
	r.steps(3)
	r.doc.until("the mark is shown", markShown)
	picture(t, r.doc, "record", nil)
	r.types(r.doc, `who`, "Ada Lovelace")
	r.doc.key("Tab", "Tab", 9, "", 0)
	r.doc.key("ArrowDown", "ArrowDown", 40, "", 0)
	r.steps(5)
	r.doc.mouse(`gift.parentElement`)
	r.types(r.doc, `pin`, "hunter2hunter2")
	r.steps(7)
	frame := attach(t, b, frameOf(t, b, "/note"))
	r.types(frame, `note`, "ring twice")
	frame.mouse(`document.querySelector("button")`)
	r.steps(9)
	r.doc.mouse(`document.querySelector("form button")`)
	r.doc.until("the order is through", `said.textContent !== ""`)
	r.steps(10)
	r.doc.mouse(`document.querySelector("h1")`) // one too many
	r.steps(11)
	r.presses("Undo")
	r.steps(10)
	r.checks(`said`)
	r.steps(11)
	r.presses("Done")
	got := <-done
	var made struct {
		Action, Path      string
		Unproven          bool
		Sentences, Inputs []string
		Notes             []string
	}
	if err := json.Unmarshal([]byte(got.Stdout), &made); err != nil || got.Exit != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	t.Logf("%s\n%s\n%s", strings.Join(made.Sentences, "\n"), strings.Join(made.Inputs, " "), strings.Join(made.Notes, "\n"))
	text, err := os.ReadFile(filepath.Join(home.Dir, "storage", made.Path))
	if err != nil {
		t.Fatal(err)
	}
	for _, typed := range []string{"Ooolong", "Lovelace", "hunter2", "ring twice", "typed-", "Decoy", "Trap"} {
		if strings.Contains(string(text)+got.Stdout, typed) {
			t.Errorf("the map has %q", typed)
		}
	}
	r.replay(url, made.Action, rec)
	for _, typed := range []string{"Lovelace", "hunter2", "ring twice"} { // the search stands in the address of its page, which the host logs with the tab
		wantNowhere(t, home, typed)
	}
}

// replay runs the action with other inputs.
func (r *recorder) replay(url, action string, rec *sites.Recorder) {
	r.Helper()
	r.opens(url + "/")
	before := len(rec.All())
	args := `{"search":"Black","item_to_choose":"Keemun","name":"Bob Stone","size":"large","password":"correct horse","note":"no bell"}`
	harness.Must(r, r.home.SiteCall(r, action, args), nil)
	for _, want := range []string{"/results?q=Black", "/order?tea=Keemun", `["Bob Stone","large",true,"correct horse"]`, "no bell"} {
		if !slices.ContainsFunc(rec.All()[before:], func(r sites.Request) bool { return strings.Contains(r.Path+" "+r.Body, want) }) {
			r.Errorf("the server has not got %s", want)
		}
	}
}

func TestRecordMarkFollowsDialogs(t *testing.T) {
	// Ensure that the mark takes a single press as soon as a modal dialog has opened or is gone: the page's own event of it already finds the mark where it can be pressed.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<!doctype html><title>Dialogs</title><button id=show>Open</button><button id=mount>Mount</button><dialog id=d><button id=hide>Close</button></dialog><script>
		const mark = () => ` + recordMark + `, seen = []
		const pressable = () => { const r = mark().getBoundingClientRect(); return r.width > 0 && document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2) === mark() }
		const look = what => requestAnimationFrame(() => setTimeout(() => seen.push(what + " " + pressable())))
		show.onclick = () => { d.showModal(); look("open") }
		hide.onclick = () => { d.close(); look("closed") }
		mount.onclick = () => { const m = document.createElement("dialog"); document.body.append(m); m.innerHTML = "<button id=unmount>Unmount</button>"; m.showModal(); look("mounted")
			unmount.onclick = () => { m.remove(); look("unmounted") } }
	</script>`})
	b := home.Open(t, url)
	r := &recorder{t, home, b, pageAt(t, b, url+"/")}
	done := r.begin("shop.dialogs")
	want := []string{}
	for range 2 {
		for _, each := range [][2]string{{"show", "open"}, {"hide", "closed"}, {"mount", "mounted"}, {"unmount", "unmounted"}} {
			r.doc.mouse(`document.getElementById("` + each[0] + `")`)
			want = append(want, each[1]+" true")
			r.doc.until("the page has looked", fmt.Sprintf(`seen.length === %d`, len(want)))
		}
	}
	if got := eval[[]string](r.doc, `seen`); !slices.Equal(got, want) {
		t.Errorf("the mark could be pressed: %v", got)
	}
	r.steps(len(want))
	r.presses("Undo")
	r.steps(len(want) - 1)
	r.doc.mouse(`document.getElementById("show")`)
	r.presses("Undo")
	r.steps(len(want) - 1)
	r.doc.mouse(`document.getElementById("hide")`)
	r.presses("Done")
	if got := <-done; got.Exit != 0 {
		t.Errorf("%+v", got)
	}
}

const rentPage = `<!doctype html><title>Bikes</title><h1>Bikes</h1><form action=/found><label>Bike <input name=q></label><button>Find</button></form>`

const foundPage = `<!doctype html><title>Found</title><h1>Found</h1><ul id=list></ul><p id=said role=status></p><script>
const q = new URLSearchParams(location.search).get("q")
list.innerHTML = ["Grey " + q, "Blue " + q, q + " for two"].map((name, i) => "<li><a href='/rent?bike=" + (i + 1) + "'>" + name + "</a></li>").join("")
</script>`

const rentalPage = `<!doctype html><title>Rent</title><h1>Rent</h1><form id=f><label>Rider <input name=rider></label><button>Rent</button></form><p id=said role=status></p><script>
f.onsubmit = async event => { event.preventDefault(); const body = JSON.stringify([new URLSearchParams(location.search).get("bike"), f.rider.value])
await fetch("/rented", {method: "POST", body}); said.textContent = "7 thanks, " + f.rider.value.split(" ")[0] + "! Your number is 1001." }</script>`

func TestRecordWhatEchoes(t *testing.T) {
	// Ensure that a result whose name has the word that was searched is chosen by an input of its own, that a check holds with other inputs where the page says a number and the first of two names, and that the popup runs what was recorded on an address with parameters where the tab is, and does not lead it away.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": rentPage, "/found": foundPage, "/rent": rentalPage})
	b := home.Open(t, url)
	r := &recorder{t, home, b, pageAt(t, b, url+"/")}
	done := r.begin("bikes.find")
	r.types(r.doc, `document.querySelector("input")`, "Kettle")
	r.doc.mouse(`document.querySelector("button")`)
	r.doc.loaded(url + "/found?q=Kettle")
	r.doc.until("the mark is shown", markShown)
	r.doc.mouse(`list.querySelectorAll("a")[1]`)
	r.doc.loaded(url + "/rent?bike=2")
	r.doc.until("the mark is shown", markShown)
	r.steps(3)
	r.presses("Done")
	text := r.stored(<-done, "bike", "item")
	if strings.Contains(text, "Kettle") || strings.Contains(text, "Blue") {
		t.Errorf("the map: %s", text)
	}
	r.opens(url + "/")
	harness.Must(t, home.SiteCall(t, "bikes.find", `{"bike":"City","item":"City for two"}`), nil)
	r.doc.loaded(url + "/rent?bike=3")

	popup := extensionPage(t, b)
	popup.settled()
	popup.says("record-state", "Stored as bikes.find.")
	popup.presses("record-start")
	popup.says("record-state", "steps: 0")
	r.doc.bringToFront()
	r.doc.until("the mark is shown", markShown)
	r.types(r.doc, `f.elements.rider`, "Ada Lovelace")
	r.doc.mouse(`f.querySelector("button")`)
	r.doc.until("it is rented", `said.textContent.startsWith("7 thanks, Ada")`)
	r.checks(`said`)
	r.steps(3)
	r.presses("Done")
	popup.says("record-state", "Stored as ")
	popup.presses("record-try")
	page := savePage(t, b)
	page.says("notes", "had parameters")
	page.says("try-where", "Open the page where it begins")
	if shown := eval[string](page, `document.body.textContent`); strings.Contains(shown, "Ada") || strings.Contains(shown, "1001") {
		t.Errorf("the page shows what was typed: %s", shown)
	}
	page.replaces(`[data-input="rider"]`, "Bea Stone")
	page.presses("run")
	page.says("outcome", "It has run well")
	var rented []string
	for _, each := range rec.All() {
		if each.Path == "/rented" {
			rented = append(rented, each.Body)
		}
	}
	if want := []string{`["3","Ada Lovelace"]`, `["3","Bea Stone"]`}; !slices.Equal(rented, want) {
		t.Errorf("the server has %v, want %v", rented, want)
	}
}
