package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/harness"
)

// client is a session of a local client with the host.
type client struct {
	t       *testing.T
	home    *harness.Home
	socket  *control.Client
	session control.SessionParams
	target  control.TargetParams
}

// clientOf opens a session of an MCP client, restricted to the origins if any.
func clientOf(t *testing.T, home *harness.Home, id string, origins ...string) client {
	t.Helper()
	found, err := control.Await(t.Context(), home.Sockets())
	if err != nil || len(found) != 1 {
		t.Fatalf("%d hosts, %v", len(found), err)
	}
	t.Cleanup(func() { found[0].Close() })
	return client{t, home, found[0], control.SessionParams{Kind: policy.SessionMCP, ID: t.Name() + "." + id, Origins: origins, NoLoopGuard: true}, control.TargetParams{URLContains: "localhost"}}
}

// on returns the client for another tab.
func (c client) on(tabID int) client {
	c.target = control.TargetParams{TabID: tabID}
	return c
}

// call makes a direct call on the client's tab: the only one, if none was named.
func (c client) call(name, args string) dispatch.Envelope {
	c.t.Helper()
	report := `"policy_exception_report":{"kind":"generic","intended_tool":"` + name + `","actions_json_path":"none","reason":"a test"}}`
	if args = strings.TrimSuffix(args, "}"); args != "{" {
		args += ","
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), harness.Patience)
	defer cancel()
	var e dispatch.Envelope
	if err := c.socket.Call(ctx, control.MethodCall, control.CallParams{
		Session: c.session, Name: name, Arguments: json.RawMessage(args + report), Target: c.target,
	}, &e); err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	return e
}

func (c client) must(name, args string, into any) {
	c.t.Helper()
	harness.Must(c.t, c.call(name, args), into)
}

// answer answers the question that the call raises, for good.
func (c client) answer(allow bool, name, args string) {
	c.t.Helper()
	f := wantCode(c.t, c.call(name, args), fault.NeedsApproval)
	id, _ := f.Evidence["id"].(string)
	if err := c.socket.Call(c.t.Context(), control.MethodAnswer, c.home.Answer(c.t, id, allow, policy.ScopeAlways), &control.Empty{}); err != nil {
		c.t.Fatal(err)
	}
}

// far is the HTML of a frame of another host of the same server.
func far(host, path, attributes string) string {
	return fmt.Sprintf(`<iframe %s></iframe><script>{ const f = document.currentScript.previousElementSibling; f.src = "http://%s.localhost:" + location.port + %q }</script>`, attributes, host, path)
}

// says is a document that writes to the console, asks the server and has a button.
func says(name, more string) string {
	return fmt.Sprintf(`<title>%[1]s</title><body style="margin:0"><button style="width:100px;height:30px" onclick="fetch('/clicked/%[1]s')">press %[1]s</button>%[2]s
		<script>console.log("log of %[1]s"); fetch("/asked/%[1]s"); setTimeout(() => { throw new Error("error of %[1]s") })</script>`, name, more)
}

type framed struct {
	Text, URL string
	Frame     *struct{ Origin, URL string }
}

type framedRecording struct {
	Entries  []framed
	Withheld int
}

// from lists the entries whose text or address contains the words, as "host text".
func (r framedRecording) from(words string) (all []string) {
	for _, e := range r.Entries {
		host := "top"
		if e.Frame != nil {
			_, host, _ = strings.Cut(e.Frame.Origin, "//")
			host, _, _ = strings.Cut(host, ".")
		}
		what := e.Text
		if what == "" {
			_, what, _ = strings.Cut(e.URL, "//")
			_, what, _ = strings.Cut(what, "/")
		}
		if strings.Contains(what, words) {
			all = append(all, host+" "+what)
		}
	}
	slices.Sort(all)
	return all
}

// frameTarget waits for the frame of a host that has a process of its own.
func frameTarget(t *testing.T, b *launch.Browser, host string) target.ID {
	t.Helper()
	var id target.ID
	harness.Until(t, "the frame of "+host, func() bool {
		for _, info := range targets(t, b) {
			if info.Type == "iframe" && strings.Contains(info.URL, "//"+host+".") {
				id = info.TargetID
			}
		}
		return id != ""
	})
	return id
}

// crash ends the process of the frame. Nobody answers the command.
func crash(t *testing.T, b *launch.Browser, id target.ID) {
	t.Helper()
	frame := attach(t, b, id)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, _ = cdp.Call(ctx, frame.at, page.Crash, cdp.Empty{})
}

func nested() map[string]string {
	return map[string]string{
		"/": says("top", far("b", "/b", `id=b title=B style="position:absolute;left:20px;top:100px;border:5px solid;width:400px;height:200px"`)+
			`<div id=host></div><script>host.attachShadow({mode: "closed"}).innerHTML = "<iframe title=D src='http://d.localhost:" + location.port + "/d'></iframe>"</script>`),
		"/b":  says("b", far("c", "/c", `title=C style="position:absolute;left:30px;top:50px;border:0"`)),
		"/b2": says("b2", ""), "/c": says("c", ""), "/d": says("d", ""), "/e": says("e", ""),
		"/asked/top": "", "/asked/b": "", "/asked/b2": "", "/asked/c": "", "/asked/d": "", "/asked/e": "", "/clicked/c": "",
	}
}

func TestFramesOfOtherProcesses(t *testing.T) {
	// Ensure that the console, the requests and the accessibility tree of frames in other processes, frames in those and in closed shadow roots included, are told with their frame, that they follow navigation, new frames from the first request on, and removal, and that what is found in there can be clicked.
	t.Parallel()
	home := harness.Shared(t)
	url, rec := pages(t, nested())
	b := home.Open(t, url)
	c := clientOf(t, home, "one")
	top := attach(t, b, topTarget(t, b, url))

	var console, network framedRecording
	told := func(words string, want ...string) {
		t.Helper()
		harness.Until(t, fmt.Sprintf("%q is told as %q", words, want), func() bool {
			c.must("browser.console", `{"limit":200}`, &console)
			return slices.Equal(console.from(words), want)
		})
	}
	told("log of", "b log of b", "c log of c", "d log of d", "top log of top")
	told("error of", "b Uncaught Error: error of b", "c Uncaught Error: error of c", "d Uncaught Error: error of d", "top Uncaught Error: error of top")
	for _, e := range console.Entries {
		if e.Frame != nil && !strings.HasPrefix(e.Frame.URL, e.Frame.Origin+"/") {
			t.Errorf("told with the frame %+v", e.Frame)
		}
	}

	var tree frameTree
	tree.read(c)
	for _, name := range []string{"top", "b", "c", "d"} {
		if !strings.Contains(tree.Outline, `button "press `+name+`"`) {
			t.Errorf("the tree lacks %s:\n%s", name, tree.Outline)
		}
	}
	if len(tree.Missing) != 0 {
		t.Errorf("not included: %v", tree.Missing)
	}
	var found struct {
		Center struct{ X, Y float64 } `json:"clickable_center"`
		Rect   struct{ Left, Top, Width float64 }
	}
	c.must("a11y.query", `{"role":"button","name":"press c"}`, &found)
	if found.Center.X != 20+5+30+50 || found.Center.Y != 100+5+50+15 {
		t.Errorf("the button of the inner frame is at %+v", found)
	}
	c.must("pointer.click", fmt.Sprintf(`{"x":%v,"y":%v}`, found.Center.X, found.Center.Y), nil)
	harness.Until(t, "the click arrives", func() bool { return len(received(rec, "GET", "/clicked/c")) == 1 })
	eval[bool](top, `(() => { const lid = document.createElement("div"); lid.id = "lid"; lid.style = "position:fixed;inset:0;z-index:9"; document.body.append(lid); return true })()`)
	var covered struct {
		Occluded struct{ ID string } `json:"occluded_by"`
		Receives bool                `json:"receives_events"`
	}
	c.must("a11y.query", `{"role":"button","name":"press c"}`, &covered)
	if covered.Receives || covered.Occluded.ID != "lid" {
		t.Errorf("under the lid: %+v", covered)
	}

	asked := func(words string, want ...string) {
		t.Helper()
		harness.Until(t, fmt.Sprintf("%q is asked as %q", words, want), func() bool {
			c.must("browser.network", `{"limit":200}`, &network)
			return slices.Equal(network.from(words), want)
		})
	}
	asked("nothing")
	eval[bool](top, `(() => { const f = document.createElement("iframe"); f.id = "e"; f.src = "http://e.localhost:" + location.port + "/e"; document.body.append(f); return true })()`)
	asked("asked/e", "e asked/e")
	asked("e", "e asked/e", "e e")
	told("log of e", "e log of e")
	eval[bool](top, `(() => { b.src = "http://b.localhost:" + location.port + "/b2"; return true })()`)
	asked("asked/b2", "b asked/b2")
	told("log of b2", "b log of b2")
	eval[bool](top, `(() => { b.src = "http://c.localhost:" + location.port + "/c"; return true })()`)
	told("log of c", "c log of c", "c log of c")
	asked("asked/c", "c asked/c")
	eval[bool](top, `(() => { b.remove(); e.remove(); return true })()`)
	tree.read(c)
	if strings.Contains(tree.Outline, "press c") || !strings.Contains(tree.Outline, "press d") {
		t.Errorf("after the removal:\n%s", tree.Outline)
	}
	told("log of d", "d log of d")
	c.must("browser.console", `{"stop":true}`, nil)
	asked("asked/d") // the requests go on being recorded
	c.must("browser.network", `{"stop":true}`, nil)
}

// frameTree is what a11y.tree answers of frames.
type frameTree struct {
	Outline string
	Missing []struct{ Name, Reason string } `json:"frames_not_included"`
}

// read reads the tree of a page whose frames all answer: one that was too busy to do so
// is asked again.
func (f *frameTree) read(c client) {
	c.t.Helper()
	harness.Until(c.t, "all frames answer", func() bool {
		*f = frameTree{}
		c.must("a11y.tree", `{}`, f)
		return !slices.ContainsFunc(f.Missing, func(m struct{ Name, Reason string }) bool { return m.Reason == "silent" })
	})
}

// topTarget finds the tab of the address.
func topTarget(t *testing.T, b *launch.Browser, url string) target.ID {
	t.Helper()
	for _, info := range targets(t, b) {
		if info.Type == "page" && strings.TrimSuffix(info.URL, "/") == strings.TrimSuffix(url, "/") {
			return info.TargetID
		}
	}
	t.Fatalf("no tab shows %s", url)
	return ""
}

func TestFramesThatCrashOrHang(t *testing.T) {
	// Ensure that a frame of another process that crashed, or that never answers, is named and keeps nobody from the others, and that it is followed again when it comes back.
	t.Parallel()
	home := harness.Shared(t)
	silent, wake := held(t)
	htmls := nested()
	htmls["/hung"], htmls["/asked/hung"] = says("hung", `<script>onmessage = () => { `+waitsFor(silent)+` }</script>`), ""
	htmls["/"] += far("h", "/hung", "id=h title=H")
	url, _ := pages(t, htmls)
	b := home.Open(t, url)
	c := clientOf(t, home, "one")
	top := attach(t, b, topTarget(t, b, url))

	var console framedRecording
	told := func(words string, want ...string) {
		t.Helper()
		harness.Until(t, fmt.Sprintf("%q is told as %q", words, want), func() bool {
			c.must("browser.console", `{"limit":200}`, &console)
			return slices.Equal(console.from(words), want)
		})
	}
	told("log of", "b log of b", "c log of c", "d log of d", "h log of hung", "top log of top")
	crash(t, b, frameTarget(t, b, "b"))
	eval[bool](top, `(() => { h.contentWindow.postMessage("", "*"); return true })()`)
	var tree frameTree
	missing := func() (all []string) {
		t.Helper()
		tree = frameTree{}
		c.must("a11y.tree", `{}`, &tree)
		for _, each := range tree.Missing {
			all = append(all, each.Name+" "+each.Reason)
		}
		slices.Sort(all)
		return all
	}
	harness.Until(t, "the two frames are named", func() bool { return slices.Equal(missing(), []string{"B crashed", "H silent"}) })
	if !strings.Contains(tree.Outline, `button "press d"`) || strings.Contains(tree.Outline, "press c") || strings.Contains(tree.Outline, "press hung") {
		t.Errorf("the tree is\n%s", tree.Outline)
	}
	eval[bool](top, `(() => { console.log("beside of them"); return true })()`)
	told("beside of them", "top beside of them")

	wake()
	eval[bool](top, `(() => { b.src = "http://b.localhost:" + location.port + "/b2"; return true })()`)
	told("log of b2", "b log of b2")
	harness.Until(t, "all frames are read", func() bool { return len(missing()) == 0 })
	if !strings.Contains(tree.Outline, `button "press b2"`) || !strings.Contains(tree.Outline, `button "press hung"`) {
		t.Errorf("the tree is\n%s", tree.Outline)
	}
}

func TestFramesOfOtherOriginsAreDecidedFor(t *testing.T) {
	// Ensure that a session which is restricted to an origin, and one whom a deny grant keeps from an origin, are told nothing of frames there, by console, requests and accessibility tree, and that both are told that something is missing.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["read"]}`)
	url, _ := pages(t, nested())
	b := home.Open(t, url)
	top := attach(t, b, topTarget(t, b, url))
	free := clientOf(t, home, "free")
	decide(t, home, func(origin string) bool { return !strings.Contains(origin, "//b.") }, 4)
	own := strings.TrimSuffix(url, "/")
	for name, row := range map[string]struct {
		c    client
		sees []string
	}{
		"free":       {free, []string{"c", "d", "top"}},
		"restricted": {clientOf(t, home, "restricted", own), []string{"top"}},
	} {
		for _, recorder := range []string{"browser.console", "browser.network"} {
			row.c.must(recorder, `{}`, nil)
		}
		eval[bool](top, `new Promise(done => { const f = document.createElement("iframe"); f.onload = () => { f.remove(); done(true) }; f.src = "http://b.localhost:" + location.port + "/b"; document.body.append(f) })`)
		var console, network framedRecording
		row.c.must("browser.console", `{"limit":200}`, &console)
		row.c.must("browser.network", `{"limit":200}`, &network)
		for _, entry := range slices.Concat(console.Entries, network.Entries) {
			if entry.Frame != nil && !slices.ContainsFunc(row.sees, func(host string) bool { return strings.Contains(entry.Frame.Origin, "//"+host+".") }) ||
				strings.Contains(entry.Text, "of b") || strings.Contains(entry.URL, "//b.") {
				t.Errorf("%s: is told %+v %+v", name, entry, entry.Frame)
			}
		}
		if console.Withheld == 0 || network.Withheld == 0 {
			t.Errorf("%s: nothing is said to be withheld: %d, %d", name, console.Withheld, network.Withheld)
		}
		var tree frameTree
		tree.read(row.c)
		for _, host := range []string{"top", "b", "d"} {
			if want := slices.Contains(row.sees, host); strings.Contains(tree.Outline, `"press `+host+`"`) != want {
				t.Errorf("%s: %s is read: %t\n%s", name, host, !want, tree.Outline)
			}
		}
		if len(tree.Missing) == 0 || tree.Missing[0].Reason != "other_origin" {
			t.Errorf("%s: not included: %+v", name, tree.Missing)
		}
	}
}

// decide answers for good the questions that reading the console raises, origin by
// origin, until none is asked any more.
func decide(t *testing.T, home *harness.Home, allow func(origin string) bool, origins int) {
	t.Helper()
	c := clientOf(t, home, "deciding")
	decided := map[string]bool{}
	harness.Until(t, fmt.Sprintf("%d origins are asked about", origins), func() bool {
		c.call("browser.console", `{}`)
		var open control.Approvals
		if err := c.socket.Call(t.Context(), control.MethodApprovals, control.Empty{}, &open); err != nil {
			t.Fatal(err)
		}
		for _, each := range open.Approvals {
			decided[each.Origin] = true
			if err := c.socket.Call(t.Context(), control.MethodAnswer, home.Answer(t, each.ID, allow(each.Origin), policy.ScopeAlways), &control.Empty{}); err != nil {
				t.Fatal(err)
			}
		}
		return len(decided) == origins
	})
}
