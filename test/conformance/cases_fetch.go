package conformance

import (
	"context"
	"fmt"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func fetchCases() []Case {
	const get = "page.fetch"
	url := func(p *Page, what string) string { return fmt.Sprintf(`{"url":%q}`, p.Site.server.URL+"/data/"+what) }
	return []Case{
		{Name: get + "/reads an address of the page with its cookies", HTML: `<script>document.cookie = "who=me; path=/"</script>`, Run: func(p *Page) {
			out := p.ok(get, url(p, "cookie"))
			p.is(out, "ok", `true`)
			p.is(out, "status", `200`)
			p.is(out, "body", `"GET cookie=who=me"`)
			p.is(out, "length", `17`)
			p.is(out, "truncated", `false`)
			p.is(p.ok(get, url(p, "moved")), "redirected", `true`)
			p.is(p.ok(get, url(p, "latin")), "body", `"café"`)
		}},
		{Name: get + "/gives a status that is no success as data", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(get, url(p, "missing"))
			p.is(out, "ok", `false`)
			p.is(out, "status", `404`)
			p.is(out, "body", `"no such thing\n"`)
		}},
		{Name: get + "/refuses another origin and sends nothing there", HTML: `<p>x</p>`, Run: func(p *Page) {
			before := p.Site.strays.Load()
			out := p.fails(get, fmt.Sprintf(`{"url":%q}`, p.Site.other+"/data/cookie"), fault.PageFetchCrossOrigin)
			p.is(out, "requested_origin", fmt.Sprintf("%q", p.Site.other))
			p.is(out, "page_origin", fmt.Sprintf("%q", p.Site.server.URL))
			p.fails(get, url(p, "away"), fault.PageFetchCrossOrigin)
			for _, bad := range []string{"/data/cookie", "data:text/plain,x", "file:///etc/passwd", "javascript:1", "http://"} {
				p.fails(get, fmt.Sprintf(`{"url":%q}`, bad), fault.PageFetchCrossOrigin)
			}
			if got := p.Site.strays.Load(); got != before {
				p.Errorf("the other origin was asked %d times", got-before)
			}
		}},
		{Name: get + "/cuts a long body and does not show a binary one", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(get, url(p, "long"))
			p.is(out, "truncated", `true`)
			p.is(out, "bytes", `524288`)
			p.is(out, "length", `524288`)
			out = p.ok(get, url(p, "binary"))
			p.is(out, "binary", `true`)
			p.is(out, "body", `""`)
			p.is(out, "bytes", `8`)
		}},
		{Name: get + "/ends when the call is cancelled", HTML: `<p>x</p>`, Run: func(p *Page) {
			ctx, cancel := context.WithCancel(p.Context())
			defer cancel()
			time.AfterFunc(200*time.Millisecond, cancel)
			p.failsIn(ctx, get, url(p, "hang"), fault.Cancelled)
		}},
	}
}

// fetchChainCases needs a real content script, whose requests a page's policy
// does not bind.
func fetchChainCases() []Case {
	return []Case{
		{Name: "page.fetch/works under a strict CSP", HTML: `<p>x</p>`, CSP: "default-src 'none'", Run: func(p *Page) {
			p.is(p.ok("page.fetch", fmt.Sprintf(`{"url":%q}`, p.Site.server.URL+"/data/plain")), "body", `"ok"`)
		}},
		{Name: "page.fetch/in the mode ask reads addresses that stand in the page, and sends no other request", HTML: `<base href="/data/">
			<a href="cookie#part">link</a><form action="/data/plain"><button>go</button></form><img srcset="/data/binary 1x, latin 2x">
			<div id="host"></div><script>document.querySelector("#host").attachShadow({mode: "closed"}).innerHTML = '<a href="missing">in</a>'; fetch("/data/plain?loaded=1")</script>`, Run: func(p *Page) {
			asking := p.as(control.SessionParams{Kind: policy.SessionMCP, ID: "fetch-asks", Mode: policy.ModeAsk})
			at := func(what string) string { return fmt.Sprintf(`{"url":%q}`, p.Site.server.URL+"/data/"+what) }
			for _, listed := range []string{"cookie", "cookie#other", "plain", "latin", "binary", "missing", "plain?loaded=1"} {
				asking.ok("page.fetch", at(listed))
			}
			before := p.Site.fetched.Load()
			for _, other := range []string{"plain?delete=1", "cookie?x", "plain/", "moved", "long"} {
				asking.refused("page.fetch", at(other), fault.PermissionDenied)
				p.refused("page.fetch", fmt.Sprintf(`{"url":%q,"listed_only":true}`, p.Site.server.URL+"/data/"+other), fault.PermissionDenied)
			}
			if got := p.Site.fetched.Load(); got != before {
				p.Errorf("%d requests were sent", got-before)
			}
			acting := p.as(control.SessionParams{Kind: policy.SessionMCP, ID: "fetch-acts"})
			acting.ok("page.fetch", at("plain?delete=1"))
			if got := p.Site.fetched.Load(); got != before+1 { // it would have been seen
				p.Errorf("%d requests were sent by who may", got-before)
			}
			p.ok("page.fetch", at("plain"))
		}},
	}
}
