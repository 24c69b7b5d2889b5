package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

const (
	fetchURL = "net.fetch_url"
	sendURL  = "net.send_url"
)

// web is a server of the internet, an origin of its own, and what has reached it.
type web struct {
	*httptest.Server

	mu   sync.Mutex
	seen []string // METHOD PATH, the cookie and the body
}

func (p *Page) newWeb() *web {
	w := &web{}
	w.Server = httptest.NewServer(w)
	p.Cleanup(w.Close)
	return w
}

func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	w.seen = append(w.seen, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("X-A")+r.Header.Get("Cookie")+" "+string(body)))
	w.mu.Unlock()
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	switch r.URL.Path {
	case "/long":
		_, _ = io.WriteString(out, strings.Repeat("green tea, ", 2000)+"and Black\nTea")
	case "/latin":
		out.Header().Set("Content-Type", "text/plain; charset=iso-8859-1")
		_, _ = out.Write([]byte("caf\xe9"))
	case "/page":
		out.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(out, `<meta charset=utf-8><title>Teas</title><script>no()</script><p>See <a href="/long">all</a>.`)
	case "/image":
		out.Header().Set("Content-Type", "image/png")
		_, _ = out.Write([]byte("\x89PNG"))
	case "/away":
		http.Redirect(out, r, r.URL.Query().Get("to"), http.StatusFound)
	case "/cut":
		panic(http.ErrAbortHandler)
	default:
		http.SetCookie(out, &http.Cookie{Name: "who", Value: "me", Path: "/"})
		_, _ = io.WriteString(out, "answered")
	}
}

// saw checks what has reached the server since it was asked last.
func (w *web) saw(p *Page, want ...string) {
	p.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if fmt.Sprintf("%q", w.seen) != fmt.Sprintf("%q", want) {
		p.Errorf("the server saw %q, want %q", w.seen, want)
	}
	w.seen = nil
}

// args returns arguments with an address of the server.
func (w *web) args(path, more string) string {
	text := fmt.Sprintf(`{"url":%q}`, w.URL+path)
	if more != "" {
		text = with(text, more)
	}
	return text
}

// client returns a session that no other case has, with a mode.
func (p *Page) client(mode policy.Mode) control.SessionParams {
	return control.SessionParams{Kind: policy.SessionMCP, ID: fmt.Sprintf("%s %s", p.Name(), mode), Mode: mode}
}

// netCases need the host, whose settings open the network of their servers.
func netCases() []Case {
	return append(fetchURLCases(), sendURLCases()...)
}

func fetchURLCases() []Case {
	return []Case{
		{Name: fetchURL + "/reads an address without cookies in both modes", HTML: `<p>x</p>`, Run: func(p *Page) {
			w := p.newWeb()
			for _, mode := range []policy.Mode{policy.ModeAsk, policy.ModeAct} {
				in := p.as(p.client(mode))
				in.allowed(fetchURL, w.args("/a", ""), policy.ScopeSession)
				w.saw(p)
				out := in.ok(fetchURL, w.args("/a?b=1", `"headers":{"X-A":"1"}`))
				p.is(out, "status", `200`)
				p.is(out, "text", `"answered"`)
				p.is(out, "content_type", `"text/plain; charset=utf-8"`)
				in.ok(fetchURL, w.args("/a", ""))
				p.is(in.ok(fetchURL, w.args("/a", `"method":"HEAD"`)), "headers.content-length", `"8"`)
				w.saw(p, "GET /a?b=1 1", "GET /a", "HEAD /a")
			}
		}},
		{Name: fetchURL + "/gives a long text page by page and finds words in it", HTML: `<p>x</p>`, Run: func(p *Page) {
			w := p.newWeb()
			args, whole := w.args("/long", ""), ""
			for args != "" {
				out := p.ok(fetchURL, args)
				p.is(out, "total_chars", `22013`)
				whole += out.text("text")
				args = out.nextArguments(p)
			}
			if whole != strings.Repeat("green tea, ", 2000)+"and Black\nTea" {
				p.Errorf("%d characters came", len(whole))
			}
			w.saw(p, "GET /long")
			out := p.ok(fetchURL, w.args("/long", `"find":"black tea"`))
			p.is(out, "match_count", `1`)
			p.is(out, "matches.0.offset", `22004`)
			p.is(out, "text", `""`)
			if !strings.HasSuffix(out.text("matches.0.text"), "green tea, and Black\nTea") {
				p.Errorf("found %q", out.text("matches.0.text"))
			}
			out = p.ok(fetchURL, w.args("/long", `"find":"GREEN"`))
			p.is(out, "matches.length", `20`)
			p.is(p.ok(fetchURL, out.nextArguments(p)), "matches.0.offset", `220`)
		}},
		{Name: fetchURL + "/decodes character sets and makes text of HTML", HTML: `<p>x</p>`, Run: func(p *Page) {
			w := p.newWeb()
			p.is(p.ok(fetchURL, w.args("/latin", "")), "text", `"caf\u00e9"`)
			p.is(p.ok(fetchURL, w.args("/page", "")), "text", fmt.Sprintf("%q", "Teas\nSee [all]("+w.URL+"/long)."))
			out := p.ok(fetchURL, w.args("/image", ""))
			p.is(out, "binary", `true`)
			p.is(out, "text", `""`)
		}},
		{Name: fetchURL + "/tells of a redirect to another origin and does not follow it", HTML: `<p>x</p>`, Run: func(p *Page) {
			w, far := p.newWeb(), p.newWeb()
			out := p.ok(fetchURL, w.args("/away?to="+far.URL+"/there", ""))
			p.is(out, "status", `302`)
			p.is(out, "location", fmt.Sprintf("%q", far.URL+"/there"))
			far.saw(p)
			p.is(p.ok(fetchURL, w.args("/away?to=/near", "")), "url", fmt.Sprintf("%q", w.URL+"/near"))
		}},
		{Name: fetchURL + "/reaches no private network and asks nobody about one", HTML: `<p>x</p>`, Run: func(p *Page) {
			w, in := p.newWeb(), p.as(p.client(policy.ModeAct))
			for _, url := range []string{"http://169.254.169.254/", "http://[::1]/", "http://10.1/", "https://192.168.0.1/x", "http://0xa9fea9fe/"} {
				in.fails(fetchURL, fmt.Sprintf(`{"url":%q}`, url), fault.PrivateAddress)
			}
			p.fails(fetchURL, w.args("/away?to=http://169.254.169.254/", ""), fault.PrivateAddress)
			in.fails(fetchURL, `{"url":"file:///etc/passwd"}`, fault.InvalidInput)
		}},
		{Name: fetchURL + "/asks once for each origin", HTML: `<p>x</p>`, Run: func(p *Page) {
			w, other := p.newWeb(), p.newWeb()
			in := p.as(p.client(policy.ModeAct))
			asked := in.fails(fetchURL, w.args("/", ""), fault.NeedsApproval)
			p.is(asked, "effects", `["read"]`)
			in.allowed(fetchURL, w.args("/", ""), policy.ScopeSession)
			in.ok(fetchURL, w.args("/1", ""))
			in.ok(fetchURL, w.args("/2", ""))
			in.fails(fetchURL, other.args("/", ""), fault.NeedsApproval)
			w.saw(p, "GET /1", "GET /2")
			other.saw(p)
			confined := p.client(policy.ModeAct)
			confined.ID, confined.Origins = confined.ID+" confined", []string{"https://shop.example"}
			p.is(p.as(confined).fails(fetchURL, w.args("/", ""), fault.PermissionDenied), "rule", `"origins"`)
		}},
		{Name: fetchURL + "/refuses headers that are the browser's or the connection's", HTML: `<p>x</p>`, Run: func(p *Page) {
			w, in := p.newWeb(), p.as(p.client(policy.ModeAct))
			for _, name := range []string{"cookie", "Host", "Proxy-Authorization", "X-Forwarded-For", "Connection", "Transfer-Encoding"} {
				in.fails(fetchURL, w.args("/", fmt.Sprintf(`"headers":{%q:"x"}`, name)), fault.InvalidInput)
			}
			w.saw(p)
		}},
	}
}

func sendURLCases() []Case {
	post := func(w *web, body string) string {
		return w.args("/form", fmt.Sprintf(`"method":"POST","body":%q`, body))
	}
	return []Case{
		{Name: sendURL + "/sends what was asked for, and asks each time", HTML: `<p>x</p>`, Run: func(p *Page) {
			w, in := p.newWeb(), p.as(p.client(policy.ModeAct))
			p.is(in.fails(sendURL, post(w, "tea"), fault.NeedsApproval), "effects", `["input"]`)
			in.allowed(sendURL, post(w, "tea"), policy.ScopeAlways)
			in.fails(sendURL, post(w, "coffee"), fault.NeedsApproval)
			out := in.ok(sendURL, post(w, "tea"))
			p.is(out, "status", `200`)
			p.is(out, "text", `"answered"`)
			w.saw(p, "POST /form  tea")
			in.fails(sendURL, post(w, "tea"), fault.NeedsApproval)
			p.is(p.ok(sendURL, w.args("/it", `"method":"DELETE"`)), "status", `200`)
			w.saw(p, "DELETE /it")
		}},
		{Name: sendURL + "/is refused in ask mode and sends nothing", HTML: `<p>x</p>`, Run: func(p *Page) {
			w, in := p.newWeb(), p.as(p.client(policy.ModeAsk))
			in.allowed(fetchURL, w.args("/", ""), policy.ScopeSession)
			p.is(in.fails(sendURL, post(w, "tea"), fault.PermissionDenied), "rule", `"mode"`)
			in.fails(fetchURL, w.args("/", `"method":"POST"`), fault.InvalidInput)
			w.saw(p)
		}},
		{Name: sendURL + "/lets the origin's grant cover it where the client allows that", HTML: `<p>x</p>`, Run: func(p *Page) {
			w, client := p.newWeb(), p.client(policy.ModeAct)
			client.AllowAPI = true
			in := p.as(client)
			in.fails(sendURL, post(w, "tea"), fault.NeedsApproval)
			in.allowed(fetchURL, w.args("/", ""), policy.ScopeSession)
			in.ok(sendURL, post(w, "tea"))
			in.ok(sendURL, post(w, "coffee"))
			w.saw(p, "POST /form  tea", "POST /form  coffee")
			client.AllowAPI = false
			p.as(client).fails(sendURL, post(w, "milk"), fault.NeedsApproval)
			w.saw(p)
		}},
		{Name: sendURL + "/reaches no private network and asks nobody about one", HTML: `<p>x</p>`, Run: func(p *Page) {
			in := p.as(p.client(policy.ModeAct))
			for _, url := range []string{"http://169.254.169.254/", "http://[::1]/", "http://10.1/"} {
				in.fails(sendURL, fmt.Sprintf(`{"url":%q,"method":"PUT"}`, url), fault.PrivateAddress)
			}
		}},
		{Name: sendURL + "/does not know what became of a request whose answer was lost", HTML: `<p>x</p>`, Run: func(p *Page) {
			w := p.newWeb()
			f := p.refused(sendURL, w.args("/cut", `"method":"POST"`), fault.OutcomeUnknown)
			if f.Dispatched != fault.DispatchedUnknown || f.Retryable {
				p.Errorf("%+v", f)
			}
			w.saw(p, "POST /cut")
			p.refused(sendURL, w.args("/form", `"method":"POST","body":"`+strings.Repeat("x", 1<<20+1)+`"`), fault.PayloadTooLarge)
		}},
	}
}

// nextArguments returns the arguments of the call that goes on, empty at the end.
func (o Output) nextArguments(p *Page) string {
	p.Helper()
	next := o.at("next.arguments")
	if next == nil {
		return ""
	}
	text, err := json.Marshal(next)
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}
