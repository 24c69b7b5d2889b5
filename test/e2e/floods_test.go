package e2e

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// floods are what a page does a hundred times each 20 ms once its button was pressed and it has
// said so to the server, which a request after the flood began might not reach for long; titles are a
// thousand a second, since with five times as many the browser itself stands still.
var floods = []struct{ kind, each string }{
	{"console", `console.log('line ' + n, {a: 1})`},
	{"dom", `document.getElementById('live').append(document.createElement('p')); document.getElementById('live').firstChild?.remove()`},
	{"announcement", `document.getElementById('live').textContent = 'said ' + n`},
	{"postmessage", `postMessage({n}, '*')`},
	{"event", `document.dispatchEvent(new CustomEvent('tea:sold', {bubbles: true, detail: {n}}))`},
	{"title", `if (i % 5 == 0) document.title = 'title ' + n`},
	{"history", `try { history.replaceState(null, '', '#' + n) } catch {}`},
	{"tools", `{ const end = new AbortController(); document.modelContext.registerTool({name: 'tool' + n, description: 'd' + n, execute: async () => n}, {signal: end.signal}); setTimeout(() => end.abort()) }`},
	// Last, as requests that wait in the browser outlive their page.
	{"network", `fetch('/none?' + n).catch(() => {})`},
}

func floodPage(each string) string {
	return `<title>flood</title><button style="position:fixed;left:0;top:0;width:100px;height:40px" onclick="fetch('/flooding' + location.pathname).then(() => setInterval(() => {
	for (let i = 0; i < 100; i++) { n++; ` + each + ` }
	document.getElementById('n').textContent = n;
}, 20))">x</button><p id=n>0</p><div id=live role=status aria-live=assertive></div><script>let n = 0</script>`
}

const counting = `<title>quiet</title><button style="position:fixed;left:0;top:0;width:100px;height:40px" onclick="n.textContent = ++count">x</button><p id=n>0</p><script>let count = 0</script>`

func TestFloodsCostTheirOwnTab(t *testing.T) {
	// Ensure that while a page floods with one kind of event after the other, console and network recorded, its events observed and its tools followed, every click in another tab arrives once, and that a recording's stop answers in the middle of its flood.
	home := harness.NewHome(t)
	sources := map[string]string{"/quiet": counting, "/start": `<title>start</title>`}
	for _, f := range floods {
		sources["/"+f.kind] = floodPage(f.each)
	}
	url, rec := pages(t, sources)
	b := home.OpenWith(t, nil, []string{webMCP}, url+"/start", url+"/quiet")
	flood, quiet := []string{"--tab", strconv.Itoa(b.Tabs[0].TabID)}, []string{"--tab", strconv.Itoa(b.Tabs[1].TabID)}
	number := func(flags []string) int {
		t.Helper()
		var out struct{ Text string }
		harness.Must(t, home.Call(t, "locator.text_content", `{"locator":{"selector":"#n"}}`, flags...), &out)
		n, err := strconv.Atoi(out.Text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	clicked := 0
	clicks := func(what string) {
		each := harness.Times(3, 60)
		var took []time.Duration
		for range each {
			before := time.Now()
			harness.Must(t, home.Call(t, "pointer.click", `{"x":50,"y":20}`, quiet...), nil)
			took = append(took, time.Since(before))
		}
		if clicked += each; number(quiet) != clicked {
			t.Errorf("%s: %d clicks arrived, not %d", what, number(quiet), clicked)
		}
		slices.Sort(took)
		t.Logf("%-13s a click in the other tab, with its process: median %4d ms, p95 %4d ms, longest %4d ms", what, took[each/2].Milliseconds(), took[each*95/100].Milliseconds(), took[each-1].Milliseconds())
	}
	clicks("no flood")
	for _, f := range floods {
		kind := f.kind
		if !harness.Long() && kind != "console" && kind != "network" {
			continue
		}
		harness.Must(t, home.Call(t, "browser.navigate", `{"url":"`+url+`/`+kind+`"}`, flood...), nil)
		switch kind {
		case "console", "dom", "postmessage":
			consoleOf(t, home, `{}`, flood...)
		case "network":
			harness.Must(t, home.Call(t, "browser.network", `{}`, flood...), nil)
		case "tools":
			harness.Must(t, home.Call(t, "webmcp.list", `{}`, flood...), nil)
		case "event":
			harness.Must(t, home.Call(t, "signal.observe", `{"events":["tea:sold"]}`, flood...), nil)
		}
		harness.Must(t, home.Call(t, "pointer.click", `{"x":50,"y":20}`, flood...), nil)
		harness.Until(t, "the page floods", func() bool {
			return slices.ContainsFunc(rec.All(), func(r sites.Request) bool { return r.Path == "/flooding/"+kind })
		})
		clicks(kind)
		if kind == "console" || kind == "network" {
			var last struct {
				Recording bool
				Entries   []any
			}
			harness.Must(t, home.Call(t, "browser."+kind, `{"stop":true}`, flood...), &last)
			if last.Recording || len(last.Entries) == 0 {
				t.Errorf("%s: at the stop it has %d entries, and it is still recorded: %t", kind, len(last.Entries), last.Recording)
			}
		}
	}
}
