package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

const (
	paneURL   = manifest.ExtensionURL + "pane.html"
	reportURL = manifest.ExtensionURL + "report.html"
	paneHost  = `document.querySelector("[data-actions-json-attachment=actions-json-menu]")`
	paneBox   = `(r => r ? [r.left, r.top, r.width, r.height] : [])(` + paneHost + `?.getBoundingClientRect())`
)

// framesOf returns the targets of the extension's frames at the address.
func framesOf(t *testing.T, b *launch.Browser, url string) []target.ID {
	t.Helper()
	var ids []target.ID
	for _, info := range targets(t, b) {
		if info.Type == "iframe" && info.URL == url {
			ids = append(ids, info.TargetID)
		}
	}
	return ids
}

// inSandbox attaches to what the report shows.
func inSandbox(t *testing.T, b *launch.Browser) document {
	t.Helper()
	url := strings.Replace(reportURL, "report", "report-sandbox", 1)
	return attach(t, b, harness.AwaitTargets(t, b, "one report is shown", func(all []*target.Info) (target.ID, bool) { return frameAt(all, url) }))
}

// write writes a file of the storage folder.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPaneIsRemembered(t *testing.T) {
	// Ensure that the pane stands where it was put after a navigation, a reload and the end of the worker, that its buttons work before and after, that another tab begins with its place, and that a release takes it away.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>one</title>`, "/two": `<title>two</title>`, "/other": `<title>other</title>`})
	b := home.Open(t, url, url+"/other")
	first := []string{"--tab", fmt.Sprint(b.Tabs[0].TabID)}
	second := []string{"--tab", fmt.Sprint(b.Tabs[1].TabID)}
	doc := pageAt(t, b, url+"/")
	stands := func(when string, want ...float64) {
		t.Helper()
		text, err := json.Marshal(append([]float64{}, want...))
		if err != nil {
			t.Fatal(err)
		}
		doc.until(fmt.Sprint(when, ": the pane is at ", want), `JSON.stringify(`+paneBox+`) === "`+string(text)+`"`)
	}
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`, first...), nil)
	harness.Must(t, home.Call(t, "overlay.menu.move", `{"left":100,"top":80}`, first...), nil)
	stands("moved", 100, 80, 340, 420)
	harness.Must(t, home.Call(t, "browser.navigate", `{"url":"`+url+`/two"}`, first...), nil)
	stands("after a navigation", 100, 80, 340, 420)
	inFrame(t, b, paneURL).click("#collapse")
	stands("collapsed", 100, 80, 42, 42)
	harness.Must(t, home.Call(t, "browser.navigate", `{"reload":true}`, first...), nil)
	stands("after a reload", 100, 80, 42, 42)

	killWorker(t, b)
	inFrame(t, b, paneURL).click("#expand")
	stands("expanded after the worker's end", 100, 80, 340, 420)
	harness.Until(t, "a call goes well again", func() bool { return home.Call(t, "page.info", `{}`, first...).OK })
	eval[bool](doc, `location.href = "/", true`)
	stands("after the page's own navigation", 100, 80, 340, 420)

	var other struct{ Geometry struct{ Left, Top float64 } }
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`, second...), &other)
	if other.Geometry.Left != 100 || other.Geometry.Top != 80 {
		t.Errorf("the other tab's pane begins at %+v", other.Geometry)
	}
	harness.Must(t, home.Call(t, "overlay.menu.hide", `{}`, second...), nil)

	eval[bool](extensionPage(t, b), fmt.Sprintf(`chrome.runtime.sendMessage({kind: "ui_release", tab_id: %d}).then(() => true)`, b.Tabs[0].TabID))
	stands("after the release")
	eval[bool](doc, `(window.former = true, location.reload(), true)`)
	doc.until("the page is there again", `!window.former && document.readyState === "complete"`)
	stands("after the release and a reload")
}

func TestPaneKeys(t *testing.T) {
	// Ensure that the pane's title bar can be used by keys alone, that none of them reaches the page, and that hiding is remembered.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>keys</title><script>window.heard = [];
		for (const type of ["keydown", "keyup", "keypress", "input", "beforeinput", "message"]) addEventListener(type, e => heard.push(type), true)</script>`})
	b := home.Open(t, url)
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	harness.Must(t, home.Call(t, "overlay.menu.move", `{"left":100,"top":80}`), nil)
	doc, pane := pageAt(t, b, url+"/"), inFrame(t, b, paneURL)
	pane.mouse(`document.getElementById("grip")`)
	names := []string{}
	for range 4 {
		names = append(names, eval[string](pane, `document.activeElement.id + " " + (document.activeElement.getAttribute("aria-label") ? "named" : "")`))
		pane.key("Tab", "Tab", 9, "", noModifier)
	}
	if want := []string{"grip named", "collapse named", "hide named", "corner named"}; !slices.Equal(names, want) {
		t.Errorf("Tab goes through %q", names)
	}
	pane.mouse(`document.getElementById("grip")`)
	pane.key("ArrowRight", "ArrowRight", 39, "", noModifier)
	harness.Until(t, "the arrow moves the pane", func() bool {
		return slices.Equal(eval[[]float64](doc, paneBox), []float64{116, 80, 340, 420})
	})
	eval[bool](pane, `document.getElementById("corner").focus(), true`)
	pane.key("ArrowDown", "ArrowDown", 40, "", noModifier)
	harness.Until(t, "the arrow makes it larger", func() bool {
		return slices.Equal(eval[[]float64](doc, paneBox), []float64{116, 80, 340, 436})
	})
	eval[bool](pane, `document.getElementById("hide").focus(), true`)
	pane.key("Enter", "Enter", 13, "\r", noModifier)
	harness.Until(t, "Enter hides it", func() bool { return eval[bool](doc, paneHost+`.offsetWidth === 0`) })
	if heard := eval[[]string](doc, `heard`); len(heard) != 0 {
		t.Errorf("the page heard %q", heard)
	}
	harness.Must(t, home.Call(t, "browser.navigate", `{"reload":true}`), nil)
	harness.Must(t, home.Call(t, "overlay.menu.move", `{"left":50}`), nil) // open, though hidden
	if eval[bool](doc, paneHost+`.offsetWidth > 0`) {
		t.Error("a hidden pane came back by itself")
	}
}

func TestPaneHostilePages(t *testing.T) {
	// Ensure that a frame which was sent elsewhere is made anew, that a page which embeds the pane, with an address it cannot know and keys of its own, gets an empty one that drives nothing, and that a page's own messages are not heard.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>hostile</title>`, "/evil": `<title>evil</title>`})
	b := home.Open(t, url)
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	doc, pane := pageAt(t, b, url+"/"), inFrame(t, b, paneURL)
	evil := foreign(t, url) + "/evil" // of another site: a target of its own
	eval[bool](pane, `setTimeout(() => { location.href = "`+evil+`" }), true`)
	harness.Until(t, "the frame shows another page", func() bool { return len(framesOf(t, b, evil)) == 1 })
	pane = inFrame(t, b, paneURL)
	pane.click("#collapse")
	harness.Until(t, "the new frame works", func() bool { return eval[bool](doc, paneHost+`.offsetWidth === 42`) })

	eval[bool](doc, `(async () => {
		const f = document.createElement("iframe");
		f.src = "`+paneURL+`";
		document.body.append(f);
		await new Promise(r => f.onload = r);
		f.contentWindow.postMessage({actions_host_key: "0123456789abcdef0123456789abcdef"}, "*");
		return true;
	})()`)
	harness.Until(t, "both frames are there", func() bool { return len(framesOf(t, b, paneURL)) == 2 })
	owned := 0
	for _, id := range framesOf(t, b, paneURL) {
		d := attach(t, b, id)
		harness.Until(t, "its page is loaded", func() bool { return eval[string](d, `document.readyState`) == "complete" })
		if eval[bool](d, `document.body.classList.contains("owned")`) {
			owned++
			continue
		}
		answer := eval[string](d, `chrome.runtime.sendMessage({kind: "own_frame", key: "0123456789abcdef0123456789abcdef", ask: "hide"}).then(JSON.stringify)`)
		claim := eval[string](d, `chrome.runtime.sendMessage({kind: "ui_state"}).then(a => JSON.stringify(a) ?? "nothing", () => "nothing")`)
		if answer != `{"ok":false}` || claim != "nothing" {
			t.Errorf("a frame of the page's own is answered %s and %s", answer, claim)
		}
	}
	if owned != 1 || eval[bool](doc, paneHost+`.offsetWidth !== 42`) {
		t.Errorf("%d frames work", owned)
	}
}

func TestPaneOnIsolatedPages(t *testing.T) {
	// Ensure that the pane stands on pages that admit only frames of their own policy, and that a sandboxed page, where no extension page can run, is told.
	t.Parallel()
	home := harness.Shared(t)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for path, header := range map[string][2]string{
			"/isolated": {"Cross-Origin-Opener-Policy", "same-origin"}, "/sandbox": {"Content-Security-Policy", "sandbox allow-scripts"},
		} {
			if r.URL.Path == path {
				w.Header().Set(header[0], header[1])
			}
		}
		if r.URL.Path != "/sandbox" {
			w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>isolated</title>")
	}))
	home.Open(t, url+"/embedder")
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	harness.Must(t, home.Call(t, "browser.navigate", `{"url":"`+url+`/isolated"}`), nil)
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	harness.Must(t, home.Call(t, "browser.navigate", `{"url":"`+url+`/sandbox"}`), nil)
	wantCode(t, home.Call(t, "overlay.menu.show", `{}`), fault.RenderFailed)
}
