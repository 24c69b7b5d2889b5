package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// heldPage shows a foreign frame and notes what is pressed and let go of.
const heldPage = `<title>held</title><input id=i autofocus><div id=d style="width:60px;height:40px;background:#ccc">Drag</div><iframe id=f src="FOREIGN"></iframe><iframe id=own srcdoc="own"></iframe><script>
window.log = [];
for (const type of ["keydown", "keyup", "pointerdown", "pointerup"]) addEventListener(type, e => e.isTrusted && log.push(type + (e.key ?? "")), true);
// Nothing of a hold is left: neither its rules nor its marks.
window.free = () => getComputedStyle(f).pointerEvents === "auto" && getComputedStyle(f).interactivity === "auto" && ![f, own].some(frame => [...frame.attributes].some(a => /^h[a-z2-7]{26}$/.test(a.name)));
</script>`

// longPress holds two keys down for seconds, beside a foreign frame.
const longPress = `{"key":"Control+Shift+ArrowDown","trusted":true,"repeat":1000}`

// begins starts a call and returns when the page has got some of it.
func begins(c *caller, doc document, name, args, some string) (ended chan dispatch.Envelope, giveUp func()) {
	ended = make(chan dispatch.Envelope, 1)
	ctx, cancel := context.WithCancel(c.t.Context())
	go func() { ended <- c.try(ctx, name, args) }()
	doc.until("the page gets some of "+name, some)
	return ended, cancel
}

func TestInputThatIsCutShort(t *testing.T) {
	// Ensure that keys and buttons which are down when the caller gives up, its session ends or the tab closes in the middle are let go of, that foreign frames work again, and that answer and log say what was sent.
	t.Parallel()
	home := harness.NewHome(t)
	foreign, _ := pages(t, map[string]string{"/": `<button>x</button>`})
	url, _ := pages(t, map[string]string{"/": strings.ReplaceAll(heldPage, "FOREIGN", atHost(t, foreign, "127.0.0.1")+"/"), "/other": "<p>other"})
	b := home.Open(t, url, url+"/other")
	doc := pageAt(t, b, url+"/")
	first := control.TargetParams{TabID: b.Tabs[0].TabID}
	down := `log.filter(e => e === "keydownArrowDown").length > 2`
	up := `["Control", "Shift"].every(key => log.lastIndexOf("keyup" + key) > log.lastIndexOf("keydown" + key)) && log.lastIndexOf("keyupArrowDown") > log.lastIndexOf("keydownArrowDown")`

	// The caller gives up.
	c := newCaller(t, home)
	c.target = first
	ended, giveUp := begins(c, doc, "keyboard.press", longPress, down)
	giveUp()
	if e := <-ended; e.OK || e.Error.Code != fault.Cancelled || e.Error.Dispatched == fault.NotDispatched {
		t.Errorf("given up: %+v", e.Error)
	}
	doc.until("all keys are up", up)
	doc.until("the frame is free", `free()`)

	// The session ends with its connection.
	gone := newCaller(t, home)
	gone.target, gone.session.ID = first, "gone"
	eval[bool](doc, `log = [], true`)
	begins(gone, doc, "keyboard.press", longPress, down)
	gone.client.Close()
	doc.until("all keys are up after the session", up)
	doc.until("the frame is free after the session", `free()`)
	harness.Until(t, "the log tells of the call that was cut short", func() bool {
		dump := home.Run(t, "log", "dump", "--json").Stdout
		return strings.Count(dump, `"name":"keyboard.press"`) >= 4 && strings.Contains(dump, `"code":"cancelled"`)
	})

	// A button, in the middle of a drag.
	eval[bool](doc, `log = [], d.addEventListener("pointermove", () => { const end = performance.now() + 30; while (performance.now() < end); }), true`)
	ended, giveUp = begins(c, doc, "pointer.drag", `{"from":{"locator":{"selector":"#d"}},"to":{"x":500,"y":500},"steps":40}`, `log.includes("pointerdown")`)
	giveUp()
	<-ended
	doc.until("the button is up", `log.includes("pointerup")`)
	doc.until("the frame is free after the drag", `free()`)

	// The tab closes.
	eval[bool](doc, `log = [], i.focus(), true`)
	ended, _ = begins(c, doc, "keyboard.press", longPress, down)
	for _, info := range targets(t, b) {
		if info.Type == "page" && info.URL == url+"/" {
			if _, err := cdp.Call(t.Context(), b.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if e := <-ended; e.OK || e.Error.Dispatched == fault.NotDispatched {
		t.Errorf("the tab closed: %+v", e.Error)
	} else {
		t.Log(e.Error, e.Error.Evidence)
	}
}

// pickedUp is a page with a drag of the browser's own, and a way to be busy in the middle of it.
const pickedUp = `<title>picked up</title><div id=d draggable=true style="width:60px;height:40px;background:#ccc">Drag</div><button id=b>Press</button><script>
window.log = [];
const busy = ms => { const end = performance.now() + ms; while (performance.now() < end); };
for (const type of ["dragover", "dragend", "click"]) addEventListener(type, e => log.push(type), true);
d.addEventListener("dragstart", e => { e.dataTransfer.setData("text/plain", "x"); log.push("dragstart") });
</script>`

func TestDragThatIsCutShort(t *testing.T) {
	// Ensure that a drag of the browser's own ends when the caller gives up, at its beginning and on its way, and that the page then takes a click and the next drag.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": pickedUp})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	c := newCaller(t, home)
	for when, slow := range map[string]string{"dragstart": `d.addEventListener("dragstart", () => busy(400), {once: true})`, "dragover": `addEventListener("dragover", () => busy(20))`} {
		eval[bool](doc, `log = [], `+slow+`, true`)
		ended, giveUp := begins(c, doc, "locator.drag_to", `{"locator":{"selector":"#d"},"to":{"x":500,"y":500},"steps":40}`, `log.includes("`+when+`")`)
		giveUp()
		if e := <-ended; e.OK {
			t.Errorf("the drag came to its end though it was given up at %s", when)
		}
		doc.until("the drag ends after "+when, `log.includes("dragend")`)
		harness.Must(t, home.Call(t, "locator.click", `{"locator":{"selector":"#b"}}`), nil)
		doc.until("the click arrives after "+when, `log.includes("click")`)
	}
}

func TestHoldOutlivesNoWorker(t *testing.T) {
	// Ensure that a worker which dies while it holds frames leaves none held, and that the call is of unknown outcome.
	t.Parallel()
	home := harness.NewHome(t)
	foreign, _ := pages(t, map[string]string{"/": `<button>x</button>`})
	url, _ := pages(t, map[string]string{"/": strings.ReplaceAll(heldPage, "FOREIGN", atHost(t, foreign, "127.0.0.1")+"/")})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	c := newCaller(t, home)
	ended, _ := begins(c, doc, "keyboard.press", longPress, `log.filter(e => e === "keydownArrowDown").length > 2 && !free()`)
	killWorker(t, b)
	if e := <-ended; e.OK || e.Error.Dispatched == fault.NotDispatched {
		t.Errorf("got %+v", e.Error)
	}
	doc.until("the frame is free", `free()`)
	eval[bool](doc, `f.focus(), true`)
	doc.until("the frame keeps the focus", `new Promise(later => setTimeout(() => later(document.activeElement === f), 50))`)
}

func TestHoldOutlivesAlarms(t *testing.T) {
	// Ensure that frames stay held to the end of the input when the worker is woken meanwhile, by its alarm and by the port of a page.
	t.Parallel()
	home := harness.Shared(t)
	foreign, rec := pages(t, map[string]string{"/": foreignPage, "/got": ""})
	url, _ := pages(t, map[string]string{"/": strings.ReplaceAll(steeringPage, "FOREIGN", atHost(t, foreign, "127.0.0.1")+"/"), "/other": "<p>other"})
	b := home.Open(t, url, url+"/other")
	doc := pageAt(t, b, url+"/")
	doc.until("the foreign frames are there", `frames.length === 3 && document.readyState === "complete"`)
	worker := attach(t, b, workerTarget(t, b))
	c := newCaller(t, home)
	c.target = control.TargetParams{TabID: b.Tabs[0].TabID}
	eval[bool](doc, `$("d").addEventListener("pointerdown", () => { window.pressed = true }), $("d").addEventListener("pointermove", () => { const end = performance.now() + 30; while (performance.now() < end); }), ready("place")`)
	ended, _ := begins(c, doc, "pointer.drag", `{"from":{"locator":{"selector":"#d"}},"to":{"x":400,"y":420},"steps":40}`, `window.pressed === true`)
	eval[bool](pageAt(t, b, url+"/other"), `location.reload(), true`)
	eval[bool](worker, `new Promise(woken => { chrome.alarms.onAlarm.addListener(() => woken(true)); chrome.alarms.create("woken", {when: Date.now()}) })`)
	if e := <-ended; !e.OK {
		t.Error(e.Error)
	}
	if got := received(rec, "POST", "/got"); len(got) > 0 {
		t.Errorf("the foreign frame got %v", got)
	}
}

// keyEvent returns the command of one key event; more are members of its parameters.
func keyEvent(kind, more string) protocol.InputCommand {
	return protocol.InputCommand{Method: input.CommandDispatchKeyEvent, Params: json.RawMessage(fmt.Sprintf(`{"type":%q,%s}`, kind, more))}
}

// sendKeys sends real keys to the first tab as the host does, past its checks.
func sendKeys(t *testing.T, p *harness.Played, origin string, steps ...protocol.InputStep) error {
	t.Helper()
	return p.Host.SendInput(t.Context(), protocol.InputSend{
		TabID: p.Launched.Tabs[0].TabID, Origin: origin, Device: "keys", Hold: protocol.InputHold{ID: rand.Text(), Mark: "h" + strings.ToLower(rand.Text())}, Steps: steps,
	})
}

func TestInputForAPageThatIsGone(t *testing.T) {
	// Ensure that input which was decided for another page than the tab shows sends nothing, not even the end of a key, and that the next input arrives.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>next</title><input autofocus><script>window.log = []; for (const type of ["keydown", "keyup", "pointerdown", "pointerup"]) addEventListener(type, e => log.push(type + (e.key ?? "")), true)</script>`})
	p := harness.Play(t, url)
	doc := pageAt(t, p.Launched, url+"/")
	send := func(origin, key string) error {
		down, up := keyEvent("keyDown", `"key":"`+key+`"`), keyEvent("keyUp", `"key":"`+key+`"`)
		return sendKeys(t, p, origin,
			protocol.InputStep{Commands: []protocol.InputCommand{down}, Release: []protocol.InputCommand{up}},
			protocol.InputStep{Commands: []protocol.InputCommand{up}, Optional: true})
	}
	if err := send("http://gone.example", "x"); !fault.Is(err, fault.StateMismatch) || fault.From(err).Dispatched != fault.NotDispatched {
		t.Errorf("for another page: %v", err)
	}
	if err := send(strings.TrimSuffix(url, "/"), "y"); err != nil {
		t.Error(err)
	}
	doc.until("the second key arrives", `log.includes("keyupy")`)
	if log := eval[string](doc, `log.join()`); log != "keydowny,keyupy" {
		t.Errorf("the page got %s", log)
	}
}

func TestInputBesideADeniedOrigin(t *testing.T) {
	// Ensure that a denial for a frame's origin keeps the page around it from bringing a click in there, and that the click into the frame itself is refused.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	foreign, rec := pages(t, map[string]string{"/": foreignPage, "/got": ""})
	url, _ := pages(t, map[string]string{"/": strings.ReplaceAll(steeringPage, "FOREIGN", foreign+"/")})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	doc.until("the foreign frames are there", `frames.length === 3 && document.readyState === "complete"`)
	c := newCaller(t, home)
	inside := `{"locator":{"selector":"#i","frame":"#f"}}`
	answer(t, home, wantCode(t, c.call("locator.click", `{"locator":{"selector":"#t"}}`), fault.NeedsApproval), true)
	answer(t, home, wantCode(t, c.call("locator.click", inside), fault.NeedsApproval), false)
	wantCode(t, c.call("locator.click", inside), fault.PermissionDenied)
	for range harness.Times(5, 200) {
		eval[bool](doc, `ready("")`)
		harness.Must(t, c.call("locator.hover", `{"locator":{"selector":"#away"}}`), nil)
		eval[bool](doc, `ready("place")`)
		harness.Must(t, c.call("locator.click", `{"locator":{"selector":"#t"}}`), nil)
	}
	if got := received(rec, "POST", "/got"); len(got) > 0 {
		t.Errorf("the foreign frame got %v", got)
	}
	if pressed := eval[map[string]int](doc, `got`)["press"]; pressed < harness.Times(5, 200) {
		t.Errorf("the page got %d presses", pressed)
	}
}
