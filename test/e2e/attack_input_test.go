package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// foreignPage is a frame that input was not decided for: it tells its server of
// all the trusted input that it gets.
const foreignPage = `<title>foreign</title><input id=i style="width:100%;height:80px"><script>
for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "keydown", "keyup", "beforeinput", "input", "paste", "drop"])
  addEventListener(type, e => e.isTrusted && navigator.sendBeacon("/got?" + type), true);
addEventListener("message", e => {
  for (const until = performance.now() + (e.data || 0); performance.now() < until; );
  if (!e.data) window.focus(), document.getElementById("i").focus();
});
if (location.hash === "#lock") addEventListener("click", () => document.body.requestPointerLock().then(() => parent.postMessage("locked", "*")));
</script>`

// steeringPage moves the foreign frame under the pointer, or gives it the focus,
// in the moment in which input comes. It counts what it gets itself.
const steeringPage = `<title>steering</title><style>
body { margin: 0; height: 900px }
button, input, #d, iframe, [popover] { position: absolute; border: 0; margin: 0; padding: 0 }
#t { left: 100px; top: 100px; width: 120px; height: 40px } #i { left: 100px; top: 200px } #d { left: 100px; top: 300px; width: 60px; height: 40px; background: #ccc }
#f { left: 700px; top: 0; width: 300px; height: 200px } [popover] { inset: auto; left: 60px; top: 60px } #g { position: static; width: 300px; height: 400px }
.hover #t:hover ~ #f, .hover #d:hover ~ #f { transform: translate(-640px, 60px) scale(1.5, 2) }
.transition iframe { transition: pointer-events 1000s allow-discrete }
</style>
<button id=away style="left:900px;top:800px">Away</button><button id=t>Press</button><input id=i><div id=d>Drag</div><iframe id=f src="FOREIGN"></iframe><div popover=manual id=p><iframe id=g src="FOREIGN"></iframe></div><iframe id=s srcdoc="Of the page itself" style="left:500px;top:700px;width:100px;height:50px"></iframe>
<div id=h style="position:absolute;left:700px;top:300px;width:300px;height:200px">Text</div>
<script>
const $ = id => document.getElementById(id), f = $("f"), hidden = document.createElement("iframe");
hidden.src = "FOREIGN"; hidden.style = "left:0;top:0;width:300px;height:200px;position:absolute;border:0";
$("h").attachShadow({mode: "closed"}).append(hidden);
let way = "", timer = 0, flicker = 0, there = false;
const flick = () => { flicker = requestAnimationFrame(flick); there = !there; f.style.left = there ? "50px" : "700px"; f.style.top = "50px" };
window.got = {press: 0, double: 0, keys: 0, text: 0, drop: 0, paste: 0};
const under = (x, y, el = f) => { el.style.left = x - 150 + "px"; el.style.top = y - 100 + "px" };
const pointerWays = {
  place: e => under(e.clientX, e.clientY),
  popover: () => $("p").showPopover(),
  follow: e => { under(e.clientX, e.clientY); f.style.transform = "scale(2)"; requestAnimationFrame(() => under(e.clientX + 1, e.clientY + 1)) },
  hover: () => {},
  flicker: () => {},
  transition: e => under(e.clientX, e.clientY),
  hidden: e => under(e.clientX, e.clientY, $("h")),
};
const focusWays = {
  element: () => f.focus(),
  window: () => f.contentWindow.focus(),
  message: () => f.contentWindow.postMessage(0, "*"),
  late: () => { f.contentWindow.postMessage(40 + Math.random() * 60, "*"); f.contentWindow.postMessage(0, "*") },
  timer: () => { clearInterval(timer); timer = setInterval(() => f.contentWindow.focus(), 1) },
};
// What the page makes the active element while the foreign frame takes the focus, before the call.
const keptWays = {
  field: () => $("i").focus(),
  body: () => { document.body.tabIndex = -1; document.body.focus() },
  inner: () => $("s").focus(),
  hiding: () => {},
};
for (const type of ["pointerover", "pointermove", "pointerdown"]) for (const id of ["t", "d"]) $(id).addEventListener(type, e => pointerWays[way]?.(e));
for (const type of ["keydown", "paste"]) addEventListener(type, () => focusWays[way]?.());
$("t").addEventListener("click", e => e.isTrusted && got.press++);
$("t").addEventListener("dblclick", e => e.isTrusted && got.double++);
$("i").addEventListener("keydown", e => e.isTrusted && got.keys++);
$("i").addEventListener("input", () => got.text++);
$("d").addEventListener("pointerdown", e => { $("d").setPointerCapture(e.pointerId) });
$("d").addEventListener("pointerup", e => { got.drop++; $("d").style.left = 100 + got.drop % 2 + "px" });
$("i").addEventListener("paste", () => got.paste++);
window.ready = now => {
  way = now; clearInterval(timer); cancelAnimationFrame(flicker); if (now === "flicker") flick(); document.body.className = now;
  f.style = ""; under(850, 400, $("h")); $("p").matches(":popover-open") && $("p").hidePopover();
  $("i").value = ""; window.focus(); $("i").focus();
  return !keptWays[now] || new Promise(kept => {
    addEventListener("blur", () => { keptWays[now](); kept(true) }, {once: true});
    (now === "hiding" ? hidden : f).contentWindow.postMessage(0, "*");
  });
};
</script>`

// caller makes calls over the socket of a home's only host as one session.
type caller struct {
	t       *testing.T
	client  *control.Client
	session control.SessionParams
	target  control.TargetParams
}

func newCaller(t *testing.T, home *harness.Home, origins ...string) *caller {
	t.Helper()
	clients, err := control.Await(t.Context(), home.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts, %v", len(clients), err)
	}
	t.Cleanup(func() { clients[0].Close() })
	return &caller{t: t, client: clients[0], session: control.SessionParams{Kind: policy.SessionCLI, Origins: origins}}
}

func (c *caller) call(name, args string) dispatch.Envelope {
	c.t.Helper()
	e := c.try(c.t.Context(), name, args)
	if e.Error != nil && e.Error.Code == fault.TransportFailed {
		c.t.Fatal(e.Error)
	}
	return e
}

// try is call for a caller that may give up, or a connection that may end.
func (c *caller) try(ctx context.Context, name, args string) dispatch.Envelope {
	c.t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(args), &members); err != nil {
		c.t.Fatal(err)
	}
	members["policy_exception_report"] = policy.Report{Kind: policy.KindGeneric, IntendedTool: name, ActionsJSONPath: "none", Reason: "A test."}
	raw, err := json.Marshal(members)
	if err != nil {
		c.t.Fatal(err)
	}
	var e dispatch.Envelope
	if err := c.client.Call(ctx, control.MethodCall, control.CallParams{Session: c.session, Name: name, Arguments: raw, Target: c.target}, &e); err != nil {
		e.Error = fault.From(err)
	}
	return e
}

// besideForeign opens a page of the test's own that has the foreign page in its frames, at /same from
// another origin of its site and at /cross from another site. It returns the page's origin, the page, a
// caller for that origin alone, and what the foreign server was told.
func besideForeign(t *testing.T, page string) (own string, doc document, c *caller, rec *sites.Recorder) {
	t.Helper()
	home := harness.NewHome(t)
	foreign, rec := pages(t, map[string]string{"/": foreignPage, "/got": ""})
	own, _ = pages(t, map[string]string{
		"/same": strings.ReplaceAll(page, "FOREIGN", foreign+"/"), "/cross": strings.ReplaceAll(page, "FOREIGN", atHost(t, foreign, "127.0.0.1")+"/"),
	})
	b := home.Open(t, own+"/same")
	return own, pageAt(t, b, own+"/same"), newCaller(t, home, own), rec
}

func TestInputStaysWhereItWasDecided(t *testing.T) {
	// Ensure that a page which moves a frame of another origin under the pointer, or gives it the focus, while an agent's input is on its way brings nothing of it into that frame, and that no call says ok unless the page itself got the input.
	t.Parallel()
	own, doc, c, rec := besideForeign(t, steeringPage)
	pointerWays, focusWays := []string{"place", "popover", "follow", "hover", "flicker", "transition", "hidden"}, []string{"element", "window", "message", "late", "timer", "field", "body", "inner", "hiding"}
	attacks := []struct {
		name, args string
		ways       []string
		counts     string // what the page counts of it
		times      int    // how often at least for one ok
	}{
		{"locator.click", `{"locator":{"selector":"#t"},"timeout_ms":150}`, pointerWays, "press", 1},
		{"locator.double_click", `{"locator":{"selector":"#t"},"timeout_ms":150}`, pointerWays, "double", 1},
		{"pointer.click", `{"x":150,"y":120}`, pointerWays, "", 0},
		{"locator.drag_to", `{"locator":{"selector":"#d"},"to":{"x":400,"y":420},"steps":4,"timeout_ms":150}`, pointerWays, "drop", 1},
		{"locator.press", `{"locator":{"selector":"#i"},"key":"a"}`, focusWays, "keys", 1},
		{"keyboard.press", `{"key":"a","trusted":true,"repeat":3}`, focusWays, "keys", 3},
		{"text.type", `{"text":"secret","trusted":true}`, focusWays, "keys", 6},
		{"locator.fill", `{"locator":{"selector":"#i"},"text":"secret"}`, focusWays, "text", 1},
		{"clipboard.paste", `{"text":"secret"}`, focusWays, "paste", 1},
	}
	leaked := 0
	for _, site := range []string{"same", "cross"} {
		t.Run(site, func(t *testing.T) {
			harness.Must(t, c.call("browser.navigate", `{"url":"`+own+`/`+site+`","force":true}`), nil)
			doc.until("the foreign frames are there", `frames.length === 3 && document.readyState === "complete"`)
			for _, a := range attacks {
				for _, way := range a.ways {
					t.Run(a.name+"/"+way, func(t *testing.T) {
						oks := 0
						codes := map[fault.Code]int{}
						for range harness.Times(5, 200) {
							if slices.Contains(pointerWays, way) {
								eval[bool](doc, `ready("")`)
								harness.Must(t, c.call("locator.hover", `{"locator":{"selector":"#away"}}`), nil)
							}
							eval[bool](doc, fmt.Sprintf(`ready(%q)`, way))
							before := eval[map[string]int](doc, `got`)
							e := c.call(a.name, a.args)
							after := eval[map[string]int](doc, `got`)
							switch {
							case !e.OK:
								codes[e.Error.Code]++
							case after[a.counts]-before[a.counts] < a.times:
								t.Errorf("ok, and the page got %v after %v: %s", after, before, e.Output)
							default:
								oks++
							}
						}
						eval[bool](doc, `ready("")`)
						t.Logf("%d ok, %v", oks, codes)
						if got := received(rec, "POST", "/got"); len(got) > leaked {
							t.Errorf("the foreign frame got %v", got[leaked:])
							leaked = len(got)
						}
					})
				}
			}
		})
	}
}

// innerPage has a button in a frame of its own origin, and moves a foreign frame over
// it in the moment in which input comes: one beside that frame, one that has copied
// what the extension marks that frame with, one that does so after a hundred others, one in a
// closed shadow tree in it, or one that it has made in such a tree with a copy.
const innerPage = `<title>inner</title><style>
body { margin: 0 } iframe { border: 0; position: absolute } #s { left: 20px; top: 100px; width: 600px; height: 300px } #f { left: 700px; top: 0; width: 300px; height: 200px }
</style>
<button id=away style="position:absolute;left:900px;top:500px">Away</button><iframe id=s srcdoc="<button id=b style='position:absolute;left:50px;top:50px;width:120px;height:40px'>Press</button><div id=h></div>"></iframe><iframe id=f src="FOREIGN"></iframe>
<script>
const f = document.getElementById("f"), s = document.getElementById("s"), frames = {beside: f, copied: f, spent: f, made: f};
window.got = {click: 0, dblclick: 0};
window.ready = way => new Promise(ready => {
  const inner = s.contentDocument, foreign = frames[way] ?? inner.createElement("iframe"), [x, y] = frames[way] ? [20, 100] : [0, 0];
  const move = e => { foreign.style.left = e.clientX + x - 150 + "px"; foreign.style.top = e.clientY + y - 100 + "px" };
  for (const type in got) inner.getElementById("b").addEventListener(type, e => e.isTrusted && got[type]++);
  for (const type of ["pointerover", "pointermove", "pointerdown"]) inner.getElementById("b").addEventListener(type, move);
  if (way === "copied" || way === "spent") new MutationObserver(records => {
    for (const {target, attributeName: name} of records) if (target === s && name !== "style" && s.hasAttribute(name)) {
      const others = document.createDocumentFragment();
      for (let left = way === "spent" ? 101 : 0; left > 0; left--) others.append(document.createElement("object"));
      for (const other of [...others.children, f]) other.setAttribute(name, s.getAttribute(name));
      document.body.append(others);
    }
  }).observe(s, {attributes: true});
  if (way === "made") new MutationObserver((records, seen) => {
    const name = records.map(record => record.attributeName).find(name => s.hasAttribute(name) && name !== "style");
    if (!name) return;
    seen.disconnect();
    const host = document.createElement("div"), made = document.createElement("iframe"), over = () => {
      host.style = "position:absolute;left:" + (host.offsetLeft > 500 ? 10 : 900) + "px;top:100px";
      requestAnimationFrame(over);
    };
    made.setAttribute(name, s.getAttribute(name));
    made.src = f.src;
    host.attachShadow({mode: "closed"}).append(made);
    document.body.append(host);
    over();
    for (const until = performance.now() + 200; performance.now() < until; );
  }).observe(s, {attributes: true});
  if (frames[way]) return ready(true);
  foreign.style = "position:absolute;left:400px;top:200px;width:300px;height:200px;border:0";
  foreign.src = f.src;
  foreign.onload = () => ready(true);
  inner.getElementById("h").attachShadow({mode: "closed"}).append(foreign);
});
</script>`

func TestInputIntoAFrameOfThePage(t *testing.T) {
	// Ensure that input for a frame of the page's own origin goes to no foreign frame that the page moves over it, whatever that one carries and wherever it stands, and that no call says ok unless the frame got the input.
	t.Parallel()
	own, doc, c, rec := besideForeign(t, innerPage)
	leaked := 0
	for _, site := range []string{"same", "cross"} {
		for _, way := range []string{"beside", "copied", "spent", "shadow", "made"} {
			for call, event := range map[string]string{"locator.click": "click", "locator.double_click": "dblclick"} {
				t.Run(site+"/"+way+"/"+call, func(t *testing.T) {
					oks := 0
					codes := map[fault.Code]int{}
					for range harness.Times(3, 100) {
						harness.Must(t, c.call("browser.navigate", `{"url":"`+own+`/`+site+`","force":true}`), nil)
						doc.until("the frames are there", `window.length === 2 && document.readyState === "complete" && s.contentDocument.getElementById("b") !== null`)
						harness.Must(t, c.call("locator.hover", `{"locator":{"selector":"#away"}}`), nil)
						eval[bool](doc, fmt.Sprintf(`ready(%q)`, way))
						e := c.call(call, `{"locator":{"selector":"#b","frame":"#s"},"timeout_ms":300}`)
						switch got := eval[map[string]int](doc, `got`); {
						case !e.OK:
							codes[e.Error.Code]++
						case got[event] < 1:
							t.Errorf("ok, and the frame got %v: %s", got, e.Output)
						default:
							oks++
						}
					}
					t.Logf("%d ok, %v", oks, codes)
					if got := received(rec, "POST", "/got"); len(got) > leaked {
						t.Errorf("the foreign frame got %v", got[leaked:])
						leaked = len(got)
					}
				})
			}
		}
	}
}

// addingPage adds a foreign frame with the first key and gives it the focus, and looks
// as if it had kept it.
const addingPage = `<title>adding</title><input id=i><iframe src="FOREIGN"></iframe><script>
window.keys = 0;
addEventListener("keydown", () => {
  if (keys++ > 0) return;
  const added = document.createElement("iframe");
  added.src = "FOREIGN";
  added.onload = () => added.contentWindow.postMessage(0, "*");
  document.body.append(added);
}, true);
addEventListener("blur", event => { event.stopImmediatePropagation(); document.body.tabIndex = -1; document.body.focus() }, true);
</script>`

func TestFrameThatComesWithTheInput(t *testing.T) {
	// Ensure that a foreign frame which comes while a text is typed gets no more than the key of the moment in which it takes the focus, and that the call is not ok then.
	t.Parallel()
	home := harness.Shared(t)
	foreign, rec := pages(t, map[string]string{"/": foreignPage, "/got": ""})
	own, _ := pages(t, map[string]string{
		"/same": strings.ReplaceAll(addingPage, "FOREIGN", foreign+"/"), "/cross": strings.ReplaceAll(addingPage, "FOREIGN", atHost(t, foreign, "127.0.0.1")+"/"),
	})
	b := home.Open(t, own+"/same", own+"/cross")
	text := strings.Repeat("a long secret ", 6)
	leaked := 0
	for i, site := range []string{"same", "cross"} {
		doc := pageAt(t, b, own+"/"+site)
		c := newCaller(t, home, own)
		c.target.TabID = b.Tabs[i].TabID
		doc.until("the foreign frame is there", `frames.length === 1 && document.readyState === "complete"`)
		eval[bool](doc, `document.getElementById("i").focus(), true`)
		e := c.call("text.type", fmt.Sprintf(`{"text":%q,"trusted":true}`, text))
		if keys := eval[int](doc, `keys`); e.OK && keys < len(text) || !e.OK && e.Error.Code != fault.FocusMoved && e.Error.Code != fault.OutcomeUnknown {
			t.Errorf("%s: the page got %d keys, and the answer is %v", site, keys, e.Error)
		}
		got := received(rec, "POST", "/got")
		if keydowns := strings.Count(fmt.Sprint(got[leaked:]), "keydown"); keydowns > 1 {
			t.Errorf("%s: the foreign frame got %v", site, got[leaked:])
		}
		leaked = len(got)
	}
}

// leavingPage goes to another page while input is on its way. It tells its server
// of what it got.
const leavingPage = `<title>leaving</title><button id=t style="position:absolute;left:100px;top:100px">Press</button><input id=i autofocus><script>
const tell = e => e.isTrusted && navigator.sendBeacon("/got?" + new URLSearchParams(location.search).get("n") + " " + e.type);
document.getElementById("t").addEventListener("click", tell);
document.getElementById("i").addEventListener("keydown", tell);
window.leave = (url, ms) => { setTimeout(() => location.href = url, ms); return true };
</script>`

func TestInputIntoAPageThatLeaves(t *testing.T) {
	// Ensure that input which was decided for a page is lost when the tab goes to another one meanwhile, never got by that one, and that no call says ok unless the first page got all of it.
	t.Parallel()
	home := harness.NewHome(t)
	foreign, rec := pages(t, map[string]string{"/": foreignPage + `<script>addEventListener("load", () => document.getElementById("i").focus())</script>`, "/got": ""})
	var mu sync.Mutex
	got := map[string]int{}
	own := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/got" {
			mu.Lock()
			got[r.URL.RawQuery]++
			mu.Unlock()
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html>"+leavingPage)
	}))
	b := home.Open(t, own)
	doc := pageAt(t, b, own+"/")
	c := newCaller(t, home, own)
	port := foreign[strings.LastIndex(foreign, ":"):]
	elsewhere := []string{foreign + "/", "http://127.0.0.1" + port + "/"}
	calls := []struct {
		name, args, event string
		times             int
	}{
		{"locator.click", `{"locator":{"selector":"#t"}}`, "click", 1},
		{"text.type", `{"text":"secret","trusted":true}`, "keydown", 6},
		{"locator.press", `{"locator":{"selector":"#i"},"key":"a"}`, "keydown", 1},
	}
	type claim struct {
		key   string
		times int
		call  string
	}
	var oks []claim
	took := 100 * time.Millisecond
	codes := map[fault.Code]int{}
	for n := range harness.Times(24, 2000) {
		address := fmt.Sprintf("%s/?n=%d", own, n)
		eval[bool](doc, fmt.Sprintf(`location.href = %q, true`, address))
		doc.until("the page is there", fmt.Sprintf(`document.readyState === "complete" && location.search === "?n=%d"`, n))
		call := calls[n%len(calls)]
		after := time.Duration(rand.Int64N(int64(took) * 3 / 2))
		eval[bool](doc, fmt.Sprintf(`leave(%q, %f)`, elsewhere[n/len(calls)%2], float64(after)/1e6))
		began := time.Now()
		e := c.call(call.name, call.args)
		if e.OK {
			took = time.Since(began)
			oks = append(oks, claim{fmt.Sprintf("%d%%20%s", n, call.event), call.times, call.name})
		} else {
			codes[e.Error.Code]++
		}
		doc.until("the page has left", `location.search === "" && document.readyState === "complete"`)
	}
	t.Logf("%d ok, %v", len(oks), codes)
	if got := received(rec, "POST", "/got"); len(got) > 0 {
		t.Errorf("the other page got %v", got)
	}
	for _, claim := range oks {
		harness.Until(t, fmt.Sprintf("the page tells of what it got (%+v)", claim), func() bool {
			mu.Lock()
			defer mu.Unlock()
			return got[claim.key] >= claim.times
		})
	}
}

// lockingPage has a foreign frame that locks the pointer when it is pressed.
const lockingPage = `<title>lock</title><style>body { margin: 0; height: 900px } iframe { border: 0; position: absolute; left: 500px; top: 50px; width: 400px; height: 300px }</style>
<button id=t style="position:absolute;left:100px;top:100px;width:200px;height:60px">Press</button><iframe src="FOREIGN#lock"></iframe>
<script>
window.got = 0; window.locked = false;
document.getElementById("t").addEventListener("click", e => e.isTrusted && got++);
addEventListener("message", e => locked ||= e.data === "locked");
</script>`

func TestInputWhileAFrameHasThePointer(t *testing.T) {
	// Ensure that a foreign frame which has locked the pointer, where the browser gives it every press, gets none of an agent's, and that the page does.
	own, doc, c, rec := besideForeign(t, lockingPage)
	for _, site := range []string{"same", "cross"} {
		harness.Must(t, c.call("browser.navigate", `{"url":"`+own+`/`+site+`","force":true}`), nil)
		doc.until("the foreign frame is there", `frames.length === 1 && document.readyState === "complete"`)
		harness.Until(t, "the frame locks the pointer of the user", func() bool {
			doc.mouseAt(700, 250)
			return eval[bool](doc, `new Promise(done => setTimeout(() => done(locked), 100))`)
		})
		before := len(received(rec, "POST", "/got"))
		harness.Must(t, c.call("locator.click", `{"locator":{"selector":"#t"}}`), nil)
		if n := eval[int](doc, `got`); n != 1 {
			t.Errorf("%s: the page got %d clicks", site, n)
		}
		if got := received(rec, "POST", "/got"); len(got) > before {
			t.Errorf("%s: the foreign frame got %v", site, got[before:])
		}
	}
}
