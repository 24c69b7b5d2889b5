package bench

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/cdproto/webmcp"
	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/test/harness/drive"
)

// webMCP switches page tools on.
const webMCP = "--enable-features=WebMCP"

const toolPage = `<script>document.modelContext.registerTool({name: "add", description: "adds", execute: async ({a, b}) => a + b,
	inputSchema: {type: "object", required: ["a", "b"], properties: {a: {type: "number"}, b: {type: "number"}}}})</script>`

const wrapped = `{"protocol":"actions.json","version":1,"tools":[{"name":"bench.add","description":"Adds.","input_schema":{"type":"object"},
	"workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"add","primitive":"webmcp.invoke","args":{"name":"add","arguments":"{% input %}"}}],
	"output":"{% steps.add.output.output %}"}}]}`

// BenchmarkPageTool is one invocation of a page's tool through everything:
// socket, schema, policy, log, native messaging, worker, browser, page.
func BenchmarkPageTool(b *testing.B) {
	h := startWith(b, []string{webMCP}, toolPage, "")
	h.granted("webmcp.invoke", map[string]any{"name": "add", "arguments": map[string]int{"a": 2, "b": 3}})
	inHost := sample{name: "host-"}
	measure(b, func() {
		var out struct{ Output int }
		e := h.must("webmcp.invoke", map[string]any{"name": "add", "arguments": map[string]int{"a": 2, "b": 3}}, &out)
		if out.Output != 5 {
			b.Fatalf("the page says %d", out.Output)
		}
		inHost.add(time.Duration(e.Meta.DurationMS * float64(time.Millisecond)))
	})
	inHost.report(b)
}

// BenchmarkPageToolInMap is the same as an action of a map.
func BenchmarkPageToolInMap(b *testing.B) {
	h := startWith(b, []string{webMCP}, toolPage, wrapped)
	measure(b, func() {
		var sum int
		h.must(dispatch.SiteTool, map[string]any{"mode": "call", "name": "bench.add", "arguments": map[string]int{"a": 2, "b": 3}}, &sum)
		if sum != 5 {
			b.Fatalf("the page says %d", sum)
		}
	})
}

// BenchmarkPageToolDirect is the same invocation by the same commands over the
// browser's own pipe, without host and extension.
func BenchmarkPageToolDirect(b *testing.B) {
	h := startWith(b, []string{webMCP}, toolPage, "")
	ctx, session := h.attach()
	tree, err := cdp.Call(ctx, session, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := cdp.Call(ctx, session, webmcp.Enable, cdp.Empty{}); err != nil {
		b.Fatal(err)
	}
	responded, cancel := session.Subscribe(webmcp.ToolResponded.Method)
	b.Cleanup(cancel)
	measure(b, func() {
		answer, err := cdp.Call(ctx, session, webmcp.InvokeTool, webmcp.InvokeToolParams{
			FrameID: tree.FrameTree.Frame.ID, ToolName: "add", Input: jsontext.Value(`{"a":2,"b":3}`),
		})
		if err != nil {
			b.Fatal(err)
		}
		var event struct {
			InvocationID string          `json:"invocationId"`
			Output       json.RawMessage `json:"output"`
		}
		if err := json.Unmarshal(<-responded, &event); err != nil || event.InvocationID != answer.InvocationID || string(event.Output) != "5" {
			b.Fatalf("the page says %+v, %v", event, err)
		}
	})
}

// attach attaches to the page over the browser's own pipe.
func (h *host) attach() (context.Context, cdp.Session) {
	h.b.Helper()
	all, err := cdp.Call(h.b.Context(), h.browser.Session(), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		h.b.Fatal(err)
	}
	for _, info := range all.TargetInfos {
		if info.Type == "page" && strings.HasPrefix(info.URL, h.browser.Tabs[0].URL) {
			ctx, cancel := drive.Attach(h.browser, info.TargetID)
			h.b.Cleanup(cancel)
			if err := chromedp.Do(ctx); err != nil {
				h.b.Fatal(err)
			}
			return ctx, chromedp.FromContext(ctx).Target
		}
	}
	h.b.Fatal("the page is not there")
	return nil, nil
}
