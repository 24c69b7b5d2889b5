package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const networkTool = "browser.network"

func networkCases() []Case {
	return []Case{
		{Name: networkTool + "/records from the first call on", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.freshNetwork()
			out := p.ok(networkTool, `{}`)
			p.is(out, "started", `true`)
			p.is(out, "entries", `[]`)
			p.eval(`fetch("/frame?n=1").then(r => r.text())`)
			out = p.ok(networkTool, `{}`)
			entry := p.request(out, "n=1")
			p.is(entry, "method", `"GET"`)
			p.is(entry, "status", `200`)
			p.is(entry, "type", `"Fetch"`)
			p.is(entry, "mime_type", `"text/html"`)
			p.is(entry, "request_headers", `null`)
			p.is(out, "in_flight_count", `0`)
			again := p.ok(networkTool, fmt.Sprintf(`{"since":%.0f}`, out.number("next_cursor")))
			p.is(again, "entries", `[]`)
			p.eval(`(window.slow = fetch("/slow?ms=3000"), 1)`)
			slow := p.ok(networkTool, `{"url_contains":"/slow"}`)
			p.is(slow, "in_flight_count", `1`)
			p.is(slow, "in_flight.0.method", `"GET"`)
			p.eval(`slow.then(r => r.text())`)
			p.is(p.ok(networkTool, `{"url_contains":"/slow"}`), "in_flight_count", `0`)
		}},
		{Name: networkTool + "/filters", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.freshNetwork()
			p.ok(networkTool, `{}`)
			p.eval(`Promise.all([fetch("/frame"), fetch("/missing"), fetch("/submit", {method: "POST", body: "q=1"})].map(f => f.then(r => r.text())))`)
			p.is(p.ok(networkTool, `{"status_min":400}`), "entries.length", `1`)
			p.is(p.ok(networkTool, `{"methods":["post"]}`), "entries.0.method", `"POST"`)
			p.is(p.ok(networkTool, `{"url_contains":"/frame","types":["fetch"]}`), "entries.length", `1`)
			p.is(p.ok(networkTool, `{"types":["Image"]}`), "entries", `[]`)
			p.is(p.ok(networkTool, `{"failed":true}`), "entries", `[]`)
			p.fails(networkTool, `{"status_min":5}`, fault.InvalidInput)
		}},
		{Name: networkTool + "/hides secrets", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.freshNetwork()
			p.ok(networkTool, `{}`)
			p.eval(`fetch("/frame?access_token=hush1hush1&q=tea&code=hush2hush2#id_token=hush3hush3", {headers: {Authorization: "Bearer hush4hush4", "X-Api-Key": "hush5hush5", "X-Session-Id": "hush6hush6", "X-Tea": "green"}}).then(r => r.text())`)
			out := p.ok(networkTool, `{"include_headers":true}`)
			if text := fmt.Sprint(out.value); strings.Contains(text, "hush") {
				p.Errorf("it tells %s", text)
			}
			entry := p.request(out, "q=tea")
			if url, _ := entry.at("url").(string); !strings.Contains(url, "access_token=[redacted]&q=tea&code=[redacted]") {
				p.Errorf("the URL is %s", url)
			}
			headers := map[string]any{}
			sent, _ := entry.at("request_headers").(map[string]any)
			for name, value := range sent {
				headers[strings.ToLower(name)] = value
			}
			for name, want := range map[string]string{"authorization": "[redacted]", "x-api-key": "[redacted]", "x-session-id": "[redacted]", "x-tea": "green"} {
				if headers[name] != want {
					p.Errorf("%s is %v", name, headers[name])
				}
			}
		}},
		{Name: networkTool + "/tells redirects and failures", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.freshNetwork()
			p.ok(networkTool, `{}`)
			p.eval(`fetch("/hop/1").then(r => r.text())`)
			p.eval(`new Promise(done => { const stop = new AbortController(); fetch("/slow?ms=5000&cut", {signal: stop.signal}).catch(done); setTimeout(() => stop.abort(), 30) }).then(() => 1)`)
			out := p.ok(networkTool, `{}`)
			hop := p.request(out, "/hop/1")
			p.is(hop, "status", `302`)
			if to, _ := hop.at("redirected_to").(string); !strings.HasSuffix(to, "/hop/0") {
				p.Errorf("redirected to %q", to)
			}
			p.is(p.request(out, "/hop/0"), "status", `200`)
			cut := p.request(out, "&cut")
			p.is(cut, "failed", `true`)
			p.is(cut, "error", `"net::ERR_ABORTED (canceled)"`)
		}},
		{Name: networkTool + "/survives a navigation and stops", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.freshNetwork()
			p.ok(networkTool, `{}`)
			p.ok(navigate, `{"url":"`+p.Site.other+`/frame?elsewhere"}`)
			p.eval(`fetch("/frame?there").then(r => r.text())`)
			out := p.ok(networkTool, `{}`)
			p.is(p.request(out, "?elsewhere"), "type", `"Document"`)
			p.is(p.request(out, "?there"), "status", `200`)
			p.is(p.ok(networkTool, `{"stop":true,"clear":true}`), "recording", `false`)
			p.eval(`fetch("/frame?unseen").then(r => r.text())`)
			p.is(p.ok(networkTool, `{"stop":true}`), "entries", `[]`)
		}},
	}
}

// freshNetwork forgets what earlier cases left.
func (p *Page) freshNetwork() {
	p.Helper()
	p.ok(networkTool, `{"stop":true,"clear":true}`)
}

// request finds the entry whose URL has the part.
func (p *Page) request(out Output, substring string) Output {
	p.Helper()
	entries, _ := out.at("entries").([]any)
	for _, entry := range entries {
		if url, _ := (Output{entry}).at("url").(string); strings.Contains(url, substring) {
			return Output{entry}
		}
	}
	p.Errorf("no request with %s in %v", substring, out.value)
	return Output{}
}
