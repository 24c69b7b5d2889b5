package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/test/harness"
)

// BenchmarkRelay is one action_call from host to page and back, without the
// host's own work; the bridge to this process is a hop that a real host lacks.
func BenchmarkRelay(b *testing.B) {
	p, ctx := played(b)
	tab := p.Launched.Tabs[0].TabID
	measure(b, func() {
		if _, err := p.Host.Page(ctx, protocol.ActionCall{CallID: "c", Name: "page.info", Arguments: json.RawMessage(`{}`), TabID: tab}); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkDebuggerEvaluate is one typed CDP command over the relay, with the
// debugger kept attached.
func BenchmarkDebuggerEvaluate(b *testing.B) {
	p, ctx := played(b)
	session := p.Host.Debugger(p.Launched.Tabs[0].TabID)
	measure(b, func() {
		if _, err := cdp.Call(ctx, session, runtime.Evaluate, runtime.EvaluateParams{Expression: "40 + 2"}); err != nil {
			b.Fatal(err)
		}
	})
}

func played(b *testing.B) (*harness.Played, context.Context) {
	b.Helper()
	if testing.Short() {
		b.Skip("short mode: no browser")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>bench</title>"))
	}))
	b.Cleanup(server.Close)
	p := harness.Play(b, server.URL)
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	b.Cleanup(cancel)
	return p, ctx
}

// BenchmarkPageInfo is the smallest read through everything: socket, policy,
// log, native messaging, worker, page.
func BenchmarkPageInfo(b *testing.B) {
	h := start(b, `<h1>bench</h1>`, "")
	inHost := sample{name: "host-"}
	measure(b, func() {
		e := h.must("page.info", map[string]any{}, nil)
		inHost.add(time.Duration(e.Meta.DurationMS * float64(time.Millisecond)))
	})
	inHost.report(b)
}

// BenchmarkClickThroughHost is the smallest act: its intent and its outcome are
// on disk before the answer comes.
func BenchmarkClickThroughHost(b *testing.B) {
	h := start(b, `<button style="width:300px;height:200px">click</button>`, "")
	measure(b, func() { h.must("pointer.click", map[string]any{"x": 100, "y": 100}, nil) })
}

const form = `<style>form > * {display:block;width:200px;height:30px}</style>
<form onsubmit="return false">
	<input id="name" placeholder="Name"><input id="mail" placeholder="Mail">
	<label><input type="radio" name="size" value="small" checked>small</label>
	<label><input type="radio" name="size" value="large" id="large">large</label>
	<button id="send" onclick="result.textContent = ''; setTimeout(() => result.textContent =
		'Received: ' + [...new FormData(this.form).values()].join(', '), 30)">Send</button>
</form><p id="result"></p><script>
	for (const field of document.querySelectorAll("form input[id]")) field.name ||= field.id;
</script>`

// job is the job of the design's budget as a stored action: fill in two fields,
// choose one option, click, read the result. The page waits 30 ms by itself.
const job = `{"protocol":"actions.json","version":1,"tools":[{
	"name":"bench.send","description":"Fill in the form and send it.",
	"input_schema":{"type":"object","required":["name","mail"],"additionalProperties":false,
		"properties":{"name":{"type":"string"},"mail":{"type":"string"}}},
	"workflow":{"version":1,"expression_language":"jsonata","steps":[
		{"id":"name","primitive":"text.insert","args":{"target":"#name","text":"{% input.name %}","mode":"replace"}},
		{"id":"mail","primitive":"text.insert","args":{"target":"#mail","text":"{% input.mail %}","mode":"replace"}},
		{"id":"large","primitive":"locator.element_info","args":{"locator":{"selector":"#large"}}},
		{"id":"choose","primitive":"pointer.click",
			"args":{"x":"{% steps.large.output.clickable_center.x %}","y":"{% steps.large.output.clickable_center.y %}"}},
		{"id":"send","primitive":"locator.element_info","args":{"locator":{"selector":"#send"}}},
		{"id":"click","primitive":"pointer.click",
			"args":{"x":"{% steps.send.output.clickable_center.x %}","y":"{% steps.send.output.clickable_center.y %}"},
			"settle_after":{"locator":{"selector":"#result","text_contains":"{% input.name %}"},"timeout_ms":5000}},
		{"id":"result","primitive":"locator.text_content","args":{"locator":{"selector":"#result"}}}],
	"output":"{% {'result': steps.result.output.text} %}"}}]}`

// BenchmarkSiteAction is the whole job as one call.
func BenchmarkSiteAction(b *testing.B) {
	h := start(b, form, job)
	turn := 0
	measure(b, func() {
		turn++
		name := fmt.Sprintf("Ada %d", turn)
		var out struct{ Result string }
		h.must(dispatch.SiteTool, map[string]any{
			"mode": "call", "name": "bench.send", "arguments": map[string]string{"name": name, "mail": "a@b.example"},
		}, &out)
		if want := "Received: " + name + ", a@b.example, large"; out.Result != want {
			b.Fatalf("the page says %q, not %q", out.Result, want)
		}
	})
}

// BenchmarkNavigate loads a page until its content script runs.
func BenchmarkNavigate(b *testing.B) {
	h := start(b, `<h1>bench</h1>`, "")
	url := h.browser.Tabs[0].URL
	measure(b, func() { h.must("browser.navigate", map[string]any{"url": url}, nil) })
}

// settled is how long a worker must have lived for its end to be an accident:
// one that ends at once, again and again, is called back more and more slowly.
const settled = 1100 * time.Millisecond

// BenchmarkWorkerKilled is the time from the end of the extension's worker, and
// of the host with it, to the next call that went well.
func BenchmarkWorkerKilled(b *testing.B) {
	h := start(b, `<h1>bench</h1>`, "")
	var all sample
	for b.Loop() {
		h.must("page.info", map[string]any{}, nil)
		time.Sleep(settled)
		killed := time.Now()
		h.killWorker()
		<-h.Done()
		h.Client = connect(b, h.home)
		for !h.call("page.info", map[string]any{}).OK {
			if time.Since(killed) > harness.Patience {
				b.Fatal("no call goes well any longer")
			}
		}
		all.add(time.Since(killed))
	}
	all.report(b)
	b.ReportMetric(0, "ns/op")
}

func (h *host) killWorker() {
	h.b.Helper()
	found, err := cdp.Call(h.b.Context(), h.browser.Session(), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		h.b.Fatal(err)
	}
	for _, info := range found.TargetInfos {
		if info.Type != "service_worker" {
			continue
		}
		if _, err := cdp.Call(h.b.Context(), h.browser.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID}); err != nil {
			h.b.Fatal(err)
		}
		return
	}
	h.b.Fatal("no worker found")
}
