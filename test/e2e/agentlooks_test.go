package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
)

// looks are the states of the agent that a person can meet.
func looks() []struct {
	name string
	view object
} {
	cost := object{"session_usd": 0.1234, "last_usd": 0.0081, "responses": 3, "cache": "hit"}
	missed := object{"session_usd": 1.9, "last_usd": 0.31, "responses": 40, "cache": "miss"}
	failed, good := false, true
	talk := []object{
		row(1, "user", "Put two boxes of Sencha into the basket and tell me the total."),
		{"id": "t1", "role": "tool", "text": "actions_site", "done": true, "ok": &good},
		{"id": "t2", "role": "tool", "text": "locator_click: target_occluded: the banner div#cookies covers button Pay", "done": true, "ok": &failed},
		row(2, "assistant", "Two boxes of Sencha are in the basket. The total is €18.40, and delivery is free. The order page: https://tea.example/orders/4711?view=full#items."),
		row(3, "note", "The connection was renewed."),
		row(4, "user", "Thanks. Now the green one."),
	}
	growing := append(talk[:len(talk):len(talk)], object{"id": "5", "role": "assistant", "text": "There are three green teas: Sencha, Gyoku", "done": false})
	running := append(talk[:len(talk):len(talk)], object{"id": "t3", "role": "tool", "text": "locator_fill", "done": false})
	question := []object{{
		"id": "abcd1234", "session": "voice", "session_id": "voice:k3fj", "name": "locator.click", "origin": "https://tea.example", "effects": []string{"input"}, "about": object{"argument": "Place order"},
		"summary": `{"locator":{"role":"button","name":"Place order"}}`, "expires_at": time.Now().Add(time.Hour),
	}}
	fault := object{"code": "voice_key_missing", "message": "the voice service needs a key", "next_step": "No key is set. Run actions-host key set, then start again."}
	view := func(s object, rows []object, questions []object) object {
		return object{"state": s, "rows": append([]object{}, rows...), "approvals": append([]object{}, questions...), "settings": agentSettings()}
	}
	return []struct {
		name string
		view object
	}{
		{"disconnected", view(state("disconnected", nil), nil, nil)},
		{"connecting", view(state("connecting", nil), nil, nil)},
		{"listening", view(state("listening", object{"cost": cost}), talk, nil)},
		{"muted", view(state("listening", object{"cost": cost, "input_muted": true, "output_muted": true}), talk, nil)},
		{"thinking", view(state("thinking", object{"cost": missed, "text_only": true}), talk, nil)},
		{"using-tool", view(state("using_tool", object{"cost": cost, "tool": "locator_fill"}), running, nil)},
		{"speaking", view(state("speaking", object{"cost": cost}), growing, nil)},
		{"approval", view(state("using_tool", object{"cost": cost, "tool": "locator_click"}), talk, question)},
		{"error", view(state("error", object{"cost": cost, "error": fault}), talk, nil)},
	}
}

func TestAgentLooks(t *testing.T) {
	// Ensure that pane, popup and options page have no violation that axe knows of, in each state, narrow and wide, light and dark; their pictures are for people.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title><body style="font:16px serif;background:linear-gradient(45deg,#9bd,#fea)"><h1>Tea house</h1>`})
	a := playAgent(t, url)
	tab := a.played.Launched.Tabs[0].TabID
	a.pane()
	doc := pageAt(t, a.played.Launched, url+"/")
	popup, options := extensionPage(t, a.played.Launched), a.page(optionsURL)
	size(t, popup, 392, 640)
	size(t, options, 700, 1180)
	for _, width := range []int{340, 220} {
		place, err := json.Marshal(object{"open": true, "hidden": false, "collapsed": false, "width": width, "height": 420, "place": object{"left": 20, "top": 20, "edge": "right"}})
		if err != nil {
			t.Fatal(err)
		}
		eval[bool](popup, fmt.Sprintf(`chrome.storage.session.set({"pane:%d": %s}).then(() => true)`, tab, place))
		for _, look := range looks() {
			a.mu.Lock()
			a.view = look.view
			a.mu.Unlock()
			a.shows("state", look.view["state"]) // for the popup, which stays open
			a.shows("approvals", look.view["approvals"])
			eval[bool](doc, `(window.former = true, location.reload(), true)`)
			doc.until("the new page has the pane with its width", fmt.Sprintf(`!window.former && %s?.offsetWidth === %d`, paneHost, width))
			pane := inFrame(t, a.played.Launched, paneURL)
			rows := len(look.view["rows"].([]object))
			harness.Until(t, look.name+" is shown", func() bool {
				return eval[bool](pane, fmt.Sprintf(`document.querySelectorAll(".row").length === %d && document.body.dataset.status === %q`, rows, look.view["state"].(object)["status"]))
			})
			doc.bringToFront() // what is out of sight takes no press, and axe looks at no colour of what takes none
			pane.until("Start can be pressed", `(start => !start.checkVisibility() || !start.disabled)(document.getElementById("start-voice"))`)
			schemes := []string{"light", "dark"}
			if width != 340 && !harness.Pictures() {
				schemes = schemes[:1] // the narrow one has the same colours
			}
			for _, scheme := range schemes {
				name := fmt.Sprintf("%s-%d-%s", look.name, width, scheme)
				prefer(t, scheme, doc, pane, popup, options)
				harness.Until(t, "the frame is "+scheme, func() bool { return eval[bool](pane, `matchMedia("(prefers-color-scheme: `+scheme+`)").matches`) })
				for _, v := range pane.violations() {
					t.Errorf("pane, %s: %s", name, v)
				}
				picture(t, doc, "pane-"+name, &page.Viewport{X: 8, Y: 8, Width: float64(width) + 24, Height: 444, Scale: 1}, pane)
				if width != 340 {
					continue
				}
				for _, v := range popup.violations() {
					t.Errorf("popup, %s: %s", name, v)
				}
				picture(t, popup, "popup-"+name, nil)
			}
		}
	}
	a.collapsedLooks(doc)
	for _, turns := range []string{"server_vad", "semantic_vad"} {
		settings := agentSettings()
		settings["turns"].(object)["mode"] = turns
		a.shows("settings", settings)
		harness.Until(t, turns+" is shown", func() bool {
			return eval[string](options, `document.getElementById("turns-mode").value`) == turns
		})
		for _, scheme := range []string{"light", "dark"} {
			prefer(t, scheme, options)
			for _, v := range options.violations() {
				t.Errorf("options, %s, %s: %s", turns, scheme, v)
			}
			picture(t, options, "options-"+turns+"-"+scheme, nil)
		}
	}
}

// prefer makes the user prefer a scheme of colours.
func prefer(t *testing.T, scheme string, documents ...document) {
	t.Helper()
	for _, d := range documents {
		do(d, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
		})
	}
}

// size sets the size of the document's window.
func size(t *testing.T, d document, width, height int64) {
	t.Helper()
	do(d, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
}

// picture saves what the document looks like, with the frames in it, where pictures are wanted.
func picture(t *testing.T, d document, name string, clip *page.Viewport, frames ...document) {
	t.Helper()
	if !harness.Pictures() {
		return
	}
	d.bringToFront() // a page behind the others is not drawn
	for _, each := range append(frames, d) {
		eval[bool](each, `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))`)
	}
	shot := do(d, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, Clip: clip})
	folder := filepath.Join(repo.Root(), "test", "output", "agent")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), shot.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// collapsedLooks checks the collapsed pane while a question waits.
func (a *playedAgent) collapsedLooks(doc document) {
	a.t.Helper()
	a.shows("approvals", looks()[7].view["approvals"])
	pane := inFrame(a.t, a.played.Launched, paneURL)
	pane.click("#collapse")
	pane.until("the button counts what waits", `document.getElementById("waits").checkVisibility() && document.getElementById("waits").textContent === "1" && document.getElementById("expand").title.endsWith("wait for you: 1")`)
	for _, scheme := range []string{"light", "dark"} {
		prefer(a.t, scheme, doc, pane)
		for _, v := range pane.violations() {
			if strings.HasPrefix(v, "landmark-one-main") || strings.HasPrefix(v, "page-has-heading-one") {
				continue // it is one button in another page
			}
			a.t.Errorf("collapsed pane, %s: %s", scheme, v)
		}
		picture(a.t, doc, "pane-collapsed-"+scheme, &page.Viewport{X: 0, Y: 0, Width: 320, Height: 200, Scale: 1}, pane)
	}
}
