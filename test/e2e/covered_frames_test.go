package e2e

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// pictured is a screenshot with what it says of frames that are left out.
type pictured struct {
	shot
	FramesMayBeBlank bool `json:"frames_may_be_blank"`
	Covered          struct {
		Frames  int
		Origins []struct {
			Origin, Reason string
			Frames         int
		}
	}
}

// pixels counts those of the three colours that the documents of these tests have.
func (p pictured) pixels(t *testing.T) (red, green, blue int) {
	t.Helper()
	img := p.image(t)
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			switch hue(img, x, y) {
			case "red":
				red++
			case "green":
				green++
			case "blue":
				blue++
			}
		}
	}
	return red, green, blue
}

// hue names the colour of a pixel in which one of the three is far stronger than the
// others, however faint it is laid over white.
func hue(img image.Image, x, y int) string {
	r, g, b, _ := img.At(x, y).RGBA()
	const far = 24 << 8
	switch {
	case r > g+far && r > b+far:
		return "red"
	case g > r+far && g > b+far:
		return "green"
	case b > r+far && b > g+far:
		return "blue"
	}
	return ""
}

// left lists what is said to be left out, as "host reason frames".
func (p pictured) left() (all []string) {
	for _, o := range p.Covered.Origins {
		_, host, _ := strings.Cut(o.Origin, "//")
		host, _, _ = strings.Cut(host, ".")
		all = append(all, fmt.Sprintf("%s %s %d", cmp.Or(host, o.Origin), o.Reason, o.Frames))
	}
	slices.Sort(all)
	return all
}

// solid is a document of one colour.
func solid(colour, more string) string {
	return `<style>html,body{margin:0;background:` + colour + `}</style>` + more
}

// coverGallery is a page that shows forbidden frames, all red, in every way that a
// page can, beside green ones of its own and blue ones of an allowed origin. No frame
// lies over another, so that [allRed] is what can be counted once all are drawn.
func coverGallery(site string) map[string]string {
	transformed := `style="position:absolute;left:700px;top:350px;width:150px;height:80px;transform:rotate(20deg) scale(1.4);transition:all 1000s;visibility:visible!important;opacity:1!important"`
	return map[string]string{
		"/": `<title>t</title><style>body{margin:0;height:1800px;background:#fff}iframe,object,embed{border:0;width:120px;height:60px;opacity:1!important;transition:all 1000s!important;transition-behavior:allow-discrete!important}</style>
			<iframe src="/green"></iframe>` + far("ok", "/bluewithred", "") + far("b", "/red", "") + far("b", "/redwithgreen", "") + far("b", "/red", transformed) +
			`<iframe sandbox="allow-scripts" id=sandboxed></iframe><iframe sandbox="allow-scripts" srcdoc="<style>html{background:rgb(0,200,0)}</style>"></iframe>
			<iframe src="data:text/html,<style>html{background:red}</style>"></iframe>
			<object id=o type=text/html></object><embed id=e type=text/html>
			<div id=shut></div><x-outer></x-outer><div style="position:absolute;top:1500px">` + far("b", "/red", "id=below") + `<iframe src="/green" id=lower></iframe></div>
			<script>
				const red = "http://b.localhost:" + location.port + "/red";
				sandboxed.src = o.data = e.src = red;
				shut.attachShadow({mode: "closed"}).innerHTML = "<style>iframe{opacity:1!important}</style><iframe src='" + red + "'></iframe>";
				const inner = document.createElement("h1");
				document.querySelector("x-outer").attachShadow({mode: "closed"}).append(inner);
				inner.attachShadow({mode: "closed"}).innerHTML = "<iframe src='" + red + "'></iframe>";
			</script>`,
		"/red": solid("rgb(255,0,0)", ""), "/green": solid("rgb(0,200,0)", ""),
		"/bluewithred":  solid("rgb(0,0,255)", far("b", "/red", `style="border:0;width:60px;height:30px"`)),
		"/redwithgreen": solid("rgb(255,0,0)", `<iframe id=f style="border:0;width:60px;height:30px"></iframe><script>f.src = "http://`+site+`:" + location.port + "/green"</script>`),
	}
}

// allRed is the least count of red pixels of [coverGallery] that no frame is missing
// from: six of 120 × 60, one of them with a green one of 60 × 30 inside, a red one of
// 60 × 30 in the blue frame, two of 300 × 150 behind closed shadow roots, and one of
// 150 × 80 at 1.4 times its size; less half of the smallest, as the edges of the rotated
// one are between two colours. The browser does not draw the forbidden frame below the
// view, which is in another process.
const allRed = 6*120*60 - 60*30 + 60*30 + 2*300*150 + 150*80*14*14/100 - 60*30/2

func TestScreenshotsLeaveOutFrames(t *testing.T) {
	// Ensure that the picture of a session that is restricted to origins has no pixel of any other origin's frame, however the page shows it, of the view, the whole page and one element alike, that frames which it may see are there, that it says what is left out, and that afterwards the page is as it was.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, coverGallery(harness.Site(t)))
	b := home.Open(t, url)
	top := attach(t, b, topTarget(t, b, url))
	own := strings.TrimSuffix(url, "/")
	c, free := clientOf(t, home, "restricted", own, atHost(t, own, "ok.localhost")), clientOf(t, home, "free")

	// A picture beyond the view may have to be taken again, for which a busy machine needs time.
	const view, whole, body = `{"format":"png"}`, `{"format":"png","full_page":true,"capture_timeout_ms":25000}`, `{"format":"png","locator":{"selector":"body"},"capture_timeout_ms":25000}`
	var p pictured
	harness.Until(t, "all frames are there", func() bool {
		p = pictured{}
		free.must("browser.screenshot", whole, &p)
		red, green, blue := p.pixels(t)
		return red >= allRed && green > 3*7000 && blue > 5000
	})
	if p.Covered.Frames != 0 {
		t.Errorf("a session that is not restricted misses %v", p.left())
	}
	for args, least := range map[string]int{view: 2 * 7000, whole: 3 * 7000, body: 3 * 7000} {
		for range harness.Times(2, 3) {
			var red, green, blue int
			harness.Until(t, "all frames answer", func() bool { // on a busy machine one may be late: it is left out and said
				p = pictured{}
				c.must("browser.screenshot", args, &p)
				if red, green, blue = p.pixels(t); red != 0 {
					t.Errorf("%s: red %d", args, red)
				}
				return !p.FramesMayBeBlank && !slices.ContainsFunc(p.left(), func(line string) bool {
					return strings.Contains(line, " not_answering ") || strings.Contains(line, " not_certain ")
				})
			})
			if red != 0 || green < least || blue < 5000 {
				t.Errorf("%s: red %d, green %d, blue %d", args, red, green, blue)
			}
			site, _, _ := strings.Cut(harness.Site(t), ".")
			if got, want := p.left(), []string{"b not_permitted 10", "null not_permitted 1", site + " inside_covered 1"}; !slices.Equal(got, want) || p.Covered.Frames != 12 {
				t.Errorf("%s: it says %v, of %d frames", args, got, p.Covered.Frames)
			}
		}
	}
	harness.Until(t, "the frames are back", func() bool {
		p = pictured{}
		free.must("browser.screenshot", whole, &p)
		red, _, _ := p.pixels(t)
		return red >= allRed
	})
	if eval[bool](top, `[...document.querySelectorAll("iframe")].some(f => f.matches(":indeterminate") || f.attributes.length > 4 || getComputedStyle(f).opacity !== "1")`) {
		t.Error("something stays in the page")
	}
	f := wantCode(t, c.call("browser.screenshot", `{"locator":{"selector":"html","frame":{"host":"b.localhost"}}}`), fault.PermissionDenied)
	if f.Dispatched != fault.NotDispatched {
		t.Errorf("an element of a forbidden frame: %+v", f)
	}
}

func TestScreenshotsLeaveFramesAsTheyWere(t *testing.T) {
	// Ensure that frames which may be seen are in every picture or said to be late, and that all frames are in the next picture without any time to draw themselves anew, on a page that lets its frames come slowly and with frames that are too busy to do anything at once.
	t.Parallel()
	home := harness.Shared(t)
	const busy = `<script>setInterval(() => { for (const end = performance.now() + 600; performance.now() < end;); }, 620)</script>`
	url, _ := pages(t, map[string]string{
		"/": `<title>t</title><style>body{margin:0;background:#fff}iframe{border:0;width:120px;height:60px;transition:all 1000s!important;transition-behavior:allow-discrete!important}</style>
			<iframe src="/green"></iframe>` + far("ok", "/blue", "") + far("b", "/red", ""),
		"/red": solid("rgb(255,0,0)", strings.ReplaceAll(busy, "6", "3")), "/green": solid("rgb(0,200,0)", ""), "/blue": solid("rgb(0,0,255)", busy),
	})
	home.Open(t, url)
	own := strings.TrimSuffix(url, "/")
	c, free := clientOf(t, home, "restricted", own, atHost(t, own, "ok.localhost")), clientOf(t, home, "free")
	shown := func() (p pictured) {
		free.must("browser.screenshot", `{"format":"png"}`, &p)
		return p
	}
	harness.Until(t, "all frames are there", func() bool {
		red, green, blue := shown().pixels(t)
		return red == 7200 && green == 7200 && blue == 7200
	})
	late := func(p pictured, host string) bool { return slices.Contains(p.left(), host+" not_answering 1") }
	for range harness.Times(1, 3) {
		var p pictured
		c.must("browser.screenshot", `{"format":"png"}`, &p)
		if red, green, blue := p.pixels(t); red != 0 || green != 7200 || blue != 7200 && !late(p, "ok") {
			t.Errorf("red %d, green %d, blue %d; left out: %v", red, green, blue, p.left())
		}
		p = shown()
		if red, green, blue := p.pixels(t); red != 7200 && !late(p, "b") || green != 7200 || blue != 7200 && !late(p, "ok") {
			t.Errorf("in the next picture: red %d, green %d, blue %d; left out: %v", red, green, blue, p.left())
		}
	}
}

// hostile is a page that moves and changes its frames of another origin all the time,
// in all ways that could uncover them.
const hostile = `<title>t</title><style>body{margin:0;background:#fff}iframe{border:0;width:200px;height:100px;transition:all 1000s!important;transition-behavior:allow-discrete!important;animation:a 1s infinite}
	@keyframes a{from{opacity:1;clip-path:none;visibility:visible}to{opacity:1;clip-path:none;visibility:visible}}</style><iframe src="/green" id=own></iframe>
	<script>
		const red = "http://b.localhost:" + location.port + "/red", all = [];
		const make = () => { const f = document.createElement("iframe"); f.src = red; return f; };
		for (let i = 0; i < 3; i++) { const f = make(); document.body.append(f); all.push(f);
			f.animate([{opacity: 1, clipPath: "none", visibility: "visible"}, {opacity: 1, clipPath: "none", visibility: "visible"}], {duration: 1e9}); }
		const hosts = [];
		let n = 0;
		// Whatever is done to the frame that may be seen is done to the others.
		new MutationObserver(records => { for (const r of records) for (const f of all) if (r.target === own) f.setAttribute(r.attributeName, own.getAttribute(r.attributeName)); })
			.observe(own, {attributes: true});
		const step = () => {
			n++;
			for (const [i, f] of all.entries()) {
				f.style.cssText = "position:fixed;left:" + (n * 37 + i * 150) % 900 + "px;top:" + (n * 53) % 500 + "px;opacity:1!important;visibility:visible!important;clip-path:none!important;transform:scale(" + (1 + n % 3 / 2) + ");z-index:" + n;
				f.className = own.className;
				f.id = "own";
			}
			const host = document.createElement("div");
			document.body.append(host);
			hosts.push(host);
			if (hosts.length > 12) { const old = hosts.shift(); if (!all.some(f => f.getRootNode().host === old)) old.remove(); else hosts.push(old); }
			const root = host.attachShadow({mode: "closed"}), slot = document.createElement("p");
			root.innerHTML = "<style>iframe{opacity:1!important;clip-path:none!important;visibility:visible!important}</style>";
			root.append(slot);
			if (n % 2) try { root.moveBefore(all[n % 3], slot); } catch { slot.append(make()); }
			if (n % 5 === 0) { const f = make(); document.body.append(f); setTimeout(() => f.remove(), 300); }
			if (n % 7 === 0) { all[0].remove(); document.body.append(all[0]); }
		};
		const frame = () => { step(); requestAnimationFrame(frame); };
		frame();
	</script>`

// pictureOrRefusal takes a picture; false if it was refused as not certain, or if a page that
// draws all the time gave none in time.
func (c client) pictureOrRefusal(args string) (p pictured, ok bool) {
	c.t.Helper()
	e := c.call("browser.screenshot", args)
	if !e.OK && (e.Error.Code == fault.ScreenshotCoverFailed || e.Error.Code == fault.ScreenshotCaptureFailed) {
		return p, false
	}
	harness.Must(c.t, e, &p)
	return p, true
}

func TestScreenshotsOfAHostilePage(t *testing.T) {
	// Ensure that no picture of a restricted session has a pixel of a frame that the page moves, changes, takes away and brings anew all the time, nor of one to which an allowed frame goes meanwhile; a picture that is not certain is refused by name.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{
		"/": hostile, "/red": solid("rgb(255,0,0)", ""), "/green": solid("rgb(0,200,0)", ""),
		"/turns": `<title>t</title><style>body{margin:0}iframe{border:0;width:300px;height:200px}</style><iframe id=f src="/green"></iframe><script>
			const at = host => "http://" + host + ":" + location.port, ways = [at(location.hostname) + "/green", at("b.localhost") + "/red", at("ok.localhost") + "/blue", at("b.localhost") + "/red"];
			let n = 0; const turn = () => { f.src = ways[n++ % 4]; setTimeout(turn, 60 + n % 7 * 25) }; turn()</script>`,
		"/blue": solid("rgb(0,0,255)", ""),
	})
	home.Open(t, url)
	own := strings.TrimSuffix(url, "/")
	c, free := clientOf(t, home, "restricted", own, atHost(t, own, "ok.localhost")), clientOf(t, home, "free")
	harness.Until(t, "the frames are drawn", func() bool {
		p, ok := free.pictureOrRefusal(`{"format":"png"}`)
		if !ok {
			return false
		}
		red, _, _ := p.pixels(t)
		return red > 1000
	})
	for _, row := range []struct {
		path  string
		times int
		least int // pictures that are given
	}{{"/", harness.Times(3, 12), harness.Times(2, 9)}, {"/turns", harness.Times(6, 40), harness.Times(2, 20)}} {
		free.must("browser.navigate", fmt.Sprintf(`{"url":%q}`, own+row.path), nil)
		given := 0
		for i := range row.times {
			args := []string{`{"format":"png"}`, `{"format":"png","full_page":true}`, `{"format":"png","locator":{"selector":"body"}}`}[i%3]
			p, ok := c.pictureOrRefusal(args)
			if !ok {
				continue
			}
			given++
			if red, green, _ := p.pixels(t); red != 0 || row.path == "/" && green == 0 {
				t.Errorf("%s, picture %d: red %d, green %d", row.path, i, red, green)
			}
		}
		t.Logf("%s: %d of %d pictures were given", row.path, given, row.times)
		if given < row.least {
			t.Errorf("%s: %d pictures were given", row.path, given)
		}
	}
}

func TestCoveredScreenshotsOfFramesThatComeAllTheTime(t *testing.T) {
	// Ensure that a page that takes away and brings anew frames that may be seen all the time has its picture, with the frames that stay.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{
		"/": `<title>t</title><style>body{margin:0}iframe{border:0;width:200px;height:100px}</style><iframe src="/green"></iframe><script>
			const next = () => { document.querySelector("#f")?.remove(); const f = document.createElement("iframe"); f.id = "f"; f.src = "/red"; document.body.append(f); setTimeout(next, 30) }; next()</script>`,
		"/red": solid("rgb(255,0,0)", ""), "/green": solid("rgb(0,200,0)", ""),
	})
	home.Open(t, url)
	c := clientOf(t, home, "free")
	for i := range harness.Times(2, 9) {
		p, ok := c.pictureOrRefusal(`{"format":"png","hide_secrets":true,"capture_timeout_ms":60000}`)
		if !ok {
			t.Fatalf("picture %d was refused", i)
		}
		if _, green, _ := p.pixels(t); green == 0 {
			t.Errorf("picture %d lacks the frame that stays; left out: %v", i, p.left())
		}
	}
}

func TestScreenshotsAfterADialog(t *testing.T) {
	// Ensure that a frame which was lifted out of a picture that a dialog ended is covered in the next one, where it shows a forbidden document.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{
		"/": `<title>t</title><style>body{margin:0}iframe{border:0;width:200px;height:100px}</style>` + far("ok", "/blue", "id=f") + `<script>
			let asked = false;
			const look = () => {
				if (!asked && f.matches(":indeterminate")) { asked = true; alert("x"); f.src = "http://b.localhost:" + location.port + "/red" }
				setTimeout(look);
			};
			look()</script>`,
		"/red": solid("rgb(255,0,0)", ""), "/blue": solid("rgb(0,0,255)", ""),
	})
	home.Open(t, url)
	own := strings.TrimSuffix(url, "/")
	c, free := clientOf(t, home, "restricted", own, atHost(t, own, "ok.localhost")), clientOf(t, home, "free")
	wantCode(t, c.call("browser.screenshot", `{"format":"png"}`), fault.DialogOpen)
	c.must("browser.dismiss_dialog", `{}`, nil)
	harness.Until(t, "the frame is drawn", func() bool {
		var p pictured
		free.must("browser.screenshot", `{"format":"png"}`, &p)
		red, _, _ := p.pixels(t)
		return red >= 20000
	})
	var p pictured
	c.must("browser.screenshot", `{"format":"png"}`, &p)
	if red, _, _ := p.pixels(t); red != 0 || !slices.Equal(p.left(), []string{"b not_permitted 1"}) {
		t.Errorf("red %d, and it says %v", red, p.left())
	}
}

func TestScreenshotsBesideFramesThatHang(t *testing.T) {
	// Ensure that frames which hang or have crashed, allowed or not, keep nobody from a picture and leave no pixel of a forbidden frame in it; that a tab in the background is no different.
	t.Parallel()
	home := harness.Shared(t)
	silent, _ := held(t)
	hangs := `<script>onmessage = () => { ` + waitsFor(silent) + ` }</script>`
	style := `style="border:0;width:200px;height:100px"`
	url, _ := pages(t, map[string]string{
		"/":       `<title>t</title><style>body{margin:0}</style><iframe src="/green" ` + style + `></iframe>` + far("b", "/redhangs", `id=b `+style) + far("ok", "/bluehangs", `id=ok `+style) + far("c", "/red", `id=c `+style),
		"/behind": `<title>behind</title>` + `<iframe src="/green" ` + style + `></iframe>` + far("ok", "/blue", style) + far("b", "/red", style),
		"/red":    solid("rgb(255,0,0)", ""), "/green": solid("rgb(0,200,0)", ""), "/redhangs": solid("rgb(255,0,0)", hangs),
		"/bluehangs": solid("rgb(0,0,255)", far("b", "/red", `style="border:0;width:60px;height:30px"`)+hangs), "/blue": solid("rgb(0,0,255)", far("b", "/red", `style="border:0;width:60px;height:30px"`)),
	})
	b := home.Open(t, url, url+"/behind")
	top := attach(t, b, topTarget(t, b, url))
	own := strings.TrimSuffix(url, "/")
	allowed := []string{own, atHost(t, own, "ok.localhost")}
	c, free := clientOf(t, home, "restricted", allowed...).on(b.Tabs[0].TabID), clientOf(t, home, "free").on(b.Tabs[0].TabID)
	drawn := func(c client, red, blue int) {
		t.Helper()
		harness.Until(t, "the frames are drawn", func() bool {
			var p pictured
			c.must("browser.screenshot", `{"format":"png"}`, &p)
			r, g, bl := p.pixels(t)
			return r >= red && g > 9000 && bl >= blue
		})
	}
	without := func(what string, c client, left ...string) {
		t.Helper()
		var p pictured
		c.must("browser.screenshot", `{"format":"png"}`, &p)
		if red, _, _ := p.pixels(t); red != 0 || left != nil && !slices.Equal(p.left(), left) {
			t.Errorf("%s: red %d, and it says %v", what, red, p.left())
		}
	}
	drawn(free, 2*15000, 15000)
	without("before", c, "b not_permitted 2", "c not_permitted 1")

	behind := clientOf(t, home, "restricted", allowed...).on(b.Tabs[1].TabID)
	drawn(clientOf(t, home, "free").on(b.Tabs[1].TabID), 15000, 15000)
	var p pictured
	behind.must("browser.screenshot", `{"format":"png"}`, &p)
	if red, green, blue := p.pixels(t); red != 0 || green < 9000 || blue < 9000 {
		t.Errorf("in the background: red %d, green %d, blue %d, and it says %v", red, green, blue, p.left())
	}

	eval[bool](top, `(() => { [b, ok].forEach(f => f.contentWindow.postMessage("", "*")); return true })()`)
	harness.Until(t, "both hang", func() bool {
		p = pictured{}
		c.must("browser.screenshot", `{"format":"png"}`, &p)
		if red, green, _ := p.pixels(t); red != 0 || green < 9000 {
			t.Fatalf("while they hang: red %d, green %d, and it says %v", red, green, p.left())
		}
		return slices.Equal(p.left(), []string{"b inside_covered 1", "b not_answering 1", "c not_permitted 1", "ok not_answering 1"})
	})
	crash(t, b, frameTarget(t, b, "c"))
	without("after a crash", c)

}

func TestScreenshotsInAViewTransition(t *testing.T) {
	// Ensure that a view transition, which shows for as long as the page likes what was drawn before, does not show a forbidden frame in a picture of a restricted session.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{
		"/": `<title>t</title><style>body{margin:0}::view-transition-group(*),::view-transition-old(*),::view-transition-new(*){animation-duration:1000s}
			::view-transition-old(*){opacity:1!important;visibility:visible!important;animation:none!important;transition:all 1000s allow-discrete!important}::view-transition-new(*){opacity:0;animation:none}</style>` + far("b", "/red", ""),
		"/red": solid("rgb(255,0,0)", ""),
	})
	b := home.Open(t, url)
	free, c := clientOf(t, home, "free"), clientOf(t, home, "restricted", strings.TrimSuffix(url, "/"))
	red := func(c client) int {
		t.Helper()
		var p pictured
		c.must("browser.screenshot", `{"format":"png"}`, &p)
		red, _, _ := p.pixels(t)
		return red
	}
	harness.Until(t, "the frame is drawn", func() bool { return red(free) > 30_000 })
	if got := eval[string](attach(t, b, topTarget(t, b, url)), `document.startViewTransition(() => {}).ready.then(() => "ready", String)`); got != "ready" {
		t.Fatalf("the transition is %s", got)
	}
	if n := red(c); n != 0 {
		t.Errorf("%d pixels of the frame", n)
	}
}

func TestScreenshotsUnderARefusal(t *testing.T) {
	// Ensure that a deny grant for a frame's origin covers its frames in the pictures of a session that nothing else restricts, that nobody is asked because of a picture, and that a page without such frames is pictured as ever.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["view"]}`)
	url, _ := pages(t, map[string]string{
		"/":    `<title>t</title>` + far("b", "/red", "") + far("c", "/blue", "") + `<iframe src="/green"></iframe>`,
		"/red": solid("rgb(255,0,0)", "<p id=x>x</p>"), "/blue": solid("rgb(0,0,255)", "<p id=x>x</p>"), "/green": solid("rgb(0,200,0)", ""), "/alone": solid("rgb(0,200,0)", ""),
	})
	home.Launch(t, url)
	c := clientOf(t, home, "one")
	scroll := func(host string) string {
		return `{"locator":{"selector":"#x","frame":{"host":"` + host + `.localhost"}}}`
	}
	c.answer(true, "browser.screenshot", `{"format":"png"}`)
	c.must("locator.wait_for", `{"locator":{"selector":"#x","frame":{"host":"c.localhost"}},"timeout_ms":9000}`, nil)
	c.must("locator.wait_for", `{"locator":{"selector":"#x","frame":{"host":"b.localhost"}},"timeout_ms":9000}`, nil)
	look := func(left ...string) (red, green, blue int) {
		t.Helper()
		var p pictured
		c.must("browser.screenshot", `{"format":"png"}`, &p)
		if !slices.Equal(p.left(), left) {
			t.Errorf("it says %v, want %v", p.left(), left)
		}
		return p.pixels(t)
	}
	if red, green, blue := look("b not_permitted 1", "c not_permitted 1"); red+blue != 0 || green < 9000 {
		t.Errorf("before anything is granted: red %d, green %d, blue %d", red, green, blue)
	}
	c.answer(true, "locator.scroll_into_view", scroll("c"))
	c.answer(false, "locator.scroll_into_view", scroll("b"))
	harness.Until(t, "with a grant and a refusal the permitted frames are drawn", func() bool {
		red, green, blue := look("b not_permitted 1")
		if red != 0 {
			t.Errorf("%d pixels of the refused frame", red)
		}
		return green >= 9000 && blue >= 9000
	})
	c.must("browser.navigate", fmt.Sprintf(`{"url":%q}`, strings.TrimSuffix(url, "/")+"/alone"), nil)
	if red, green, _ := look(); red != 0 || green < 100_000 {
		t.Errorf("a page without frames: red %d, green %d", red, green)
	}
}
