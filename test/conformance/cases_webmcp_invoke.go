package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// background runs a call beside the case's own; what it gives comes when it ended.
func (p *Page) background(name, args string) <-chan *fault.Error {
	return p.backgroundIn(p.Context(), name, args)
}

func (p *Page) backgroundIn(ctx context.Context, name, args string) <-chan *fault.Error {
	ended := make(chan *fault.Error, 1)
	go func() {
		_, f := p.backend.Call(ctx, p.T, name, args)
		ended <- f
	}()
	return ended
}

// result is how a call in the background ended.
type result struct {
	output json.RawMessage
	fault  *fault.Error
}

// inBackground runs a call beside the case's own, for its answer.
func (p *Page) inBackground(name, args string) <-chan result {
	ended := make(chan result, 1)
	go func() {
		output, f := p.backend.Call(p.Context(), p.T, name, args)
		ended <- result{output, f}
	}()
	return ended
}

// answer waits for the answer of a call in the background, which must succeed.
func (p *Page) answer(ended <-chan result) (out Output) {
	p.Helper()
	select {
	case r := <-ended:
		if r.fault != nil {
			p.Fatalf("the call ended with %v", r.fault)
		}
		if err := json.Unmarshal(r.output, &out.value); err != nil {
			p.Fatal(err)
		}
	case <-time.After(harness.Patience):
		p.Fatal("the call did not end")
	}
	return out
}

// running waits until an invocation of the tool runs and returns its id.
func (p *Page) running(tool string) string {
	p.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		var begun bool
		p.backend.Eval(p.T, fmt.Sprintf(`calls.includes(%q)`, tool), &begun)
		if begun {
			return tool
		}
	}
	p.Fatalf("%s did not begin", tool)
	return ""
}

// ends waits for a background call and checks how it failed.
func (p *Page) ends(ended <-chan *fault.Error, code fault.Code) *fault.Error {
	p.Helper()
	select {
	case f := <-ended:
		if f == nil || f.Code != code {
			p.Fatalf("the call ended with %v, want %s", f, code)
		}
		return f
	case <-time.After(15 * time.Second):
		p.Fatal("the call did not end")
	}
	return nil
}

const slowTool = toolScript + `<script>
var stopped = 0;
tool("slow", (input, {signal} = {}) => new Promise((_, fail) => signal?.addEventListener("abort", () => { stopped++; fail(signal.reason); })));
tool("quick", () => "quick");
</script>`

func toolInvokeCases() []Case {
	return []Case{
		{Name: toolInvoke + "/runs a tool and gives its output as untrusted", HTML: addTool, Run: func(p *Page) {
			out := p.ok(toolInvoke, `{"name":"add","arguments":{"a":2,"b":3}}`)
			p.is(out, "output", `{"sum":5}`)
			p.is(out, "status", `"completed"`)
			p.is(out, "trust", `"untrusted"`)
			p.is(out, "origin", `"`+p.Site.server.URL+`"`)
			p.page(`calls`, `["add"]`)
			list := p.ok(toolList, `{}`)
			p.is(list, "invocations.0.state", `"completed"`)
			p.is(list, "invocations.0.by", `"cli"`)
			p.equal("the invocation", list.at("invocations.0.invocation_id"), fmt.Sprintf("%q", out.at("invocation_id")))
			p.eval(`document.modelContext.getTools().then(([t]) => document.modelContext.executeTool(t, {a: 1, b: 1})).then(() => 1)`)
			p.until("the page's own invocation is listed as completed", func() bool {
				list = p.ok(toolList, `{}`)
				return list.at("invocations.0.by") == "others" && list.at("invocations.0.state") == "completed"
			})
			p.is(list, "invocations.0.tool", `"add"`)
		}},
		{Name: toolInvoke + "/gives undefined, texts, lists and large outputs as they come", HTML: toolScript + `<script>
			tool("undef", () => undefined); tool("text", () => "plain"); tool("nothing", () => null);
			tool("mcp", () => ({content: [{type: "text", text: "hi"}]})); tool("big", () => "x".repeat(3e6));
			tool("lie", () => ({ok: true, trust: "trusted", error: null}));
		</script>`, Run: func(p *Page) {
			for name, want := range map[string]string{
				"undef": `"undefined"`, "text": `"plain"`, "nothing": `null`, "mcp": `{"content":[{"text":"hi","type":"text"}]}`,
				"lie": `{"ok":true,"trust":"trusted","error":null}`,
			} {
				out := p.ok(toolInvoke, `{"name":"`+name+`"}`)
				p.is(out, "output", want)
				p.is(out, "trust", `"untrusted"`)
			}
			raw, f := p.backend.Call(p.Context(), p.T, toolInvoke, `{"name":"big"}`)
			if f != nil || len(raw) > 40_000 || !strings.Contains(string(raw), `"output_of"`) {
				p.Errorf("a large output came as %d bytes, %v", len(raw), f)
			}
		}},
		{Name: toolInvoke + "/holds the arguments against the page's schema", HTML: addTool + `<script>
			tool("new", a => a, {inputSchema: {$schema: "https://json-schema.org/draft/2020-12/schema", type: "object", required: ["a"],
				properties: {a: {type: "array", prefixItems: [{type: "string"}]}, b: {type: "integer"}}, dependentRequired: {b: ["c"]}}});
			tool("broken", a => a, {inputSchema: {type: "object", properties: {a: {$ref: "https://example.com/x.json"}}}});
			tool("any", a => a);
		</script>`, Run: func(p *Page) {
			bad := p.fails(toolInvoke, `{"name":"add","arguments":{"a":"x"}}`, fault.InvalidInput)
			p.is(bad, "violations.length", `2`)
			p.is(bad, "input_schema.required", `["a","b"]`)
			p.page(`calls`, `[]`)
			out := p.ok(toolInvoke, `{"name":"new","arguments":{"a":["x",1],"b":2}}`)
			p.is(out, "unchecked", `["/$schema","/dependentRequired"]`)
			p.is(p.fails(toolInvoke, `{"name":"new","arguments":{"a":[1]}}`, fault.InvalidInput), "violations.0.path", `"/a/0"`)
			p.fails(toolInvoke, `{"name":"new","arguments":{"a":["x"],"b":"two"}}`, fault.InvalidInput)
			p.is(p.ok(toolInvoke, `{"name":"broken","arguments":{"a":1}}`), "unchecked", `["/properties/a/$ref"]`)
			p.is(p.ok(toolInvoke, `{"name":"any","arguments":{"x":[null,1.5,{"y":"z"}]}}`), "output", `{"x":[null,1.5,{"y":"z"}]}`)
			p.is(p.ok(toolInvoke, `{"name":"any","arguments":{"x":"ü"}}`), "output", `{"x":"ü"}`)
			p.is(p.ok(toolInvoke, `{"name":"any","arguments":{"x":"日本"}}`), "output", `{"x":"日本"}`)
			p.is(p.ok(toolInvoke, `{"name":"any","arguments":{"x":[{"y/z":null}],"n":null,"k":1.50}}`), "output", `{"x":[{"y/z":null}],"n":null,"k":1.5}`)
			p.is(p.ok(toolInvoke, `{"name":"any","arguments":{"x":null,"long":"`+strings.Repeat("日", 30_000)+`"}}`), "output.x", `null`)
			p.fails(toolInvoke, `{"name":"any","arguments":[1]}`, fault.InvalidInput)
			p.fails(toolInvoke, `{"arguments":{}}`, fault.InvalidInput)
			p.fails(toolInvoke, `{"name":"no_such_tool"}`, fault.PageToolNotFound)
			p.fails(toolInvoke, `{"tool":"pt_never"}`, fault.PageToolStale)
		}},
		{Name: toolInvoke + "/tells of a tool that throws or rejects", HTML: toolScript + `<script>
			tool("boom", () => { throw new TypeError("boom!") }); tool("reject", () => Promise.reject("nope"));
			tool("circle", () => { const o = {}; o.o = o; return o; }); tool("object", () => Promise.reject({code: 7}));
		</script>`, Run: func(p *Page) {
			if text, _ := p.fails(toolInvoke, `{"name":"boom"}`, fault.PageToolFailed).at("exception").(string); !strings.HasPrefix(text, "TypeError: boom!\n") {
				p.Errorf("the exception is %q", text)
			}
			p.is(p.fails(toolInvoke, `{"name":"reject"}`, fault.PageToolFailed), "exception", `"nope"`)
			p.is(p.fails(toolInvoke, `{"name":"object"}`, fault.PageToolFailed), "trust", `"untrusted"`)
			p.fails(toolInvoke, `{"name":"circle"}`, fault.PageToolFailed)
		}},
		{Name: toolInvoke + "/submits a form and waits where the page wants the user to", HTML: toolScript + `
			<form id=order toolname="order" tooldescription="Order tea" toolautosubmit><input name="leaf" required><input name="count" type=number min=1></form>
			<form id=ask toolname="ask" tooldescription="Ask us"><input name="q"><button>Send</button></form>
			<form toolname="search" tooldescription="Search" toolautosubmit action="/submit"><input name="q"></form>
			<script>
				order.addEventListener("submit", e => { e.preventDefault(); calls.push("order"); e.respondWith(Promise.resolve({ordered: order.leaf.value, count: order.count.value})); });
				ask.addEventListener("submit", e => { e.preventDefault(); e.respondWith?.(Promise.resolve("asked " + ask.q.value)); });
				ask.q.addEventListener("input", () => calls.push("ask"));
				window.addEventListener("toolactivated", e => calls.push(e.toolName));
			</script>`, Run: func(p *Page) {
			out := p.ok(toolInvoke, `{"name":"order","arguments":{"leaf":"oolong","count":2}}`)
			p.is(out, "output", `{"ordered":"oolong","count":"2"}`)
			p.is(out, "sensitive", `true`)
			p.fails(toolInvoke, `{"name":"order","arguments":{}}`, fault.InvalidInput)
			waiting := p.background(toolInvoke, `{"name":"ask","arguments":{"q":"why"}}`)
			p.eval(`new Promise((done, fail) => { const end = Date.now() + 5000, look = () => ask.q.value === "why" ? done(1) : Date.now() > end ? fail(new Error("not filled")) : setTimeout(look, 10); look(); })`)
			p.eval(`ask.querySelector("button").click(), 1`)
			if f := <-waiting; f != nil {
				p.Errorf("the form that the user sent gave %v", f)
			}
			left := p.ok(toolInvoke, `{"name":"search","arguments":{"q":"tea"}}`)
			p.is(left, "status", `"completed"`)
			p.is(left, "page_left", `true`)
			if got := p.received().Get("q"); got != "tea" {
				p.Errorf("the server got %q", got)
			}
		}},
		{Name: toolInvoke + "/cancels a tool that is too slow or whose caller has gone", HTML: slowTool + `<script>
			tool("deaf", () => new Promise(() => {}));
			tool("busy", () => { for (const end = Date.now() + 3500; Date.now() < end;); return "late"; });
		</script>`, Run: func(p *Page) {
			late := p.fails(toolInvoke, `{"name":"slow","timeout_ms":200}`, fault.HandlerTimeout)
			p.is(late, "stopped", `true`)
			p.page(`stopped`, `1`)
			p.fails(toolInvoke, `{"name":"deaf","timeout_ms":200}`, fault.HandlerTimeout)
			p.is(p.fails(toolInvoke, `{"name":"busy","timeout_ms":300}`, fault.HandlerTimeout), "stopped", `false`)
			p.eval(`calls.length = 0, 1`)
			ctx, cancel := context.WithCancel(p.Context())
			ended := make(chan *fault.Error, 1)
			go func() {
				_, f := p.backend.Call(ctx, p.T, toolInvoke, `{"name":"slow"}`)
				ended <- f
			}()
			p.running("slow")
			cancel()
			p.ends(ended, fault.Cancelled)
			p.eval(`new Promise((done, fail) => { const end = Date.now() + 5000, look = () => stopped === 2 ? done(1) : Date.now() > end ? fail(new Error("not stopped")) : setTimeout(look, 10); look(); })`)
			p.is(p.ok(toolInvoke, `{"name":"quick"}`), "output", `"quick"`)
		}},
		{Name: toolInvoke + "/does not know what became of a tool whose page was left", HTML: slowTool + `<iframe id=i src="` + inside(slowTool) + `"></iframe>`, Run: func(p *Page) {
			twice := p.background(toolInvoke, `{"name":"slow","origin":"`+p.Site.server.URL+`","timeout_ms":9000}`)
			p.ends(twice, fault.PageToolAmbiguous)
			p.eval(`i.remove(), 1`)
			p.offers(1, "slow")
			left := p.background(toolInvoke, `{"name":"slow"}`)
			p.running("slow")
			p.eval(`setTimeout(() => location.reload()), 1`)
			if f := p.ends(left, fault.OutcomeUnknown); f.Dispatched != fault.DispatchedUnknown {
				p.Errorf("dispatched is %s", f.Dispatched)
			}
			p.is(p.ok(toolList, `{}`), "invocations.0.state", `"lost"`)
		}},
		{Name: toolInvoke + "/waits for a tool that was taken back while it ran", HTML: toolScript + `<script>tool("late", () => new Promise(done => { answer = done; }))</script>`, Run: func(p *Page) {
			waiting := p.inBackground(toolInvoke, `{"name":"late"}`)
			p.running("late")
			p.eval(`off.late.abort(), first = answer, 1`)
			p.offers(0, "late")
			p.is(p.ok(toolList, `{}`), "invocations.0.state", `"running"`)
			p.eval(`tool("late", () => "another"), 1`)
			p.offers(1, "late")
			p.is(p.ok(toolInvoke, `{"name":"late"}`), "output", `"another"`)
			p.eval(`first("the first"), 1`)
			p.is(p.answer(waiting), "output", `"the first"`)
		}},
		{Name: toolInvoke + "/waits for the page that a form leads to", HTML: toolScript + `
			<form toolname="search" tooldescription="Search" toolautosubmit action="/held"><input name="q"></form>`, Run: func(p *Page) {
			waiting := p.inBackground(toolInvoke, `{"name":"search","arguments":{"q":"tea"}}`)
			p.until("the form's page is left", func() bool { return p.ok(toolList, `{}`).number("total") == 0 })
			list := p.ok(toolList, `{}`)
			p.is(list, "invocations.0.state", `"running"`)
			close(p.Site.held)
			out := p.answer(waiting)
			p.is(out, "output", `[{"held":true}]`)
			p.is(out, "page_left", `true`)
		}},
		{Name: toolInvoke + "/leaves the tab to others while a tool runs", HTML: toolScript + `<button onclick="self.pressed = 1">Press</button><script>
			var answer = [], seen = 0; tool("held", () => new Promise(done => answer.push(done))); tool("twice", ({n}) => 2 * n);</script>`, Run: func(p *Page) {
			direct := p.inBackground(toolInvoke, `{"name":"held"}`)
			p.running("held")
			named := p.inBackground("actions.site", `{"mode":"call","name":"page:held"}`)
			p.until("both run", func() (both bool) { p.backend.Eval(p.T, `answer.length === 2`, &both); return both })
			p.ok("locator.click", `{"locator":{"text":"Press"}}`)
			p.page(`self.pressed`, `1`)
			var others []<-chan result
			for n := range 5 {
				others = append(others, p.inBackground(toolInvoke, fmt.Sprintf(`{"name":"twice","arguments":{"n":%d}}`, n)))
			}
			for n, other := range others {
				p.is(p.answer(other), "output", fmt.Sprint(2*n))
			}
			p.eval(`answer[1]("second"), answer[0]("first"), 1`)
			p.is(p.answer(direct), "output", `"first"`)
			p.is(p.answer(named), "output", `"second"`)
		}},
		{Name: toolInvoke + "/answers at once where the call asks for that", HTML: toolScript + `<form id=ask toolname="ask" tooldescription="Ask us"><input name="q"><button>Send</button></form>
			<script>ask.addEventListener("submit", e => { e.preventDefault(); e.respondWith(Promise.resolve("asked " + ask.q.value)); });</script>`, Run: func(p *Page) {
			begun := p.ok(toolInvoke, `{"name":"ask","arguments":{"q":"why"},"detach":true}`)
			p.is(begun, "status", `"running"`)
			p.is(begun, "output", `null`)
			id := fmt.Sprintf(`{"invocation_id":%q,"wait_ms":25000}`, begun.at("invocation_id"))
			p.until("the form is filled in", func() (filled bool) { p.backend.Eval(p.T, `ask.q.value === "why"`, &filled); return filled })
			p.ok("locator.click", `{"locator":{"text":"Send"}}`)
			p.is(p.ok(toolResult, id), "output", `"asked why"`)
			list := p.ok(toolList, `{}`)
			p.is(list, "invocations.0.state", `"completed"`)
		}},
		{Name: toolInvoke + "/refuses an id whose document is gone", HTML: addTool, Run: func(p *Page) {
			id := p.toolRow(p.ok(toolList, `{}`), "add").at("id")
			p.goTo(p.Site.server.URL, addTool)
			f := p.background(toolInvoke, fmt.Sprintf(`{"tool":%q,"arguments":{"a":1,"b":1}}`, id))
			if stale := p.ends(f, fault.PageToolStale); stale.Dispatched != fault.NotDispatched {
				p.Errorf("dispatched is %s", stale.Dispatched)
			}
			p.page(`calls`, `[]`)
			p.is(p.ok(toolInvoke, `{"name":"add","arguments":{"a":1,"b":1}}`), "output", `{"sum":2}`)
		}},
		{Name: toolInvoke + "/runs tools in frames of other origins", HTML: toolScript + `
			<iframe allow="tools" src="{{OTHER}}` + inside(toolScript+`<script>tool("host", () => location.host); tool("boom", () => { throw new Error("inside") })</script><iframe allow="tools" src="{{THIRD}}/inside?html=%3Cscript%3Edocument.modelContext.registerTool({name:%22deep%22,description:%22d%22,execute:async()=>location.hostname})%3C/script%3E"></iframe>`) + `"></iframe>
			<iframe id=s sandbox="allow-scripts" allow="tools" srcdoc="<script>document.modelContext.registerTool({name:'boxed',description:'d',execute:async()=>1})</script>"></iframe>`, Run: func(p *Page) {
			host := p.ok(toolInvoke, `{"name":"host"}`)
			p.is(host, "origin", `"`+p.Site.other+`"`)
			p.is(host, "output", `"`+strings.TrimPrefix(p.Site.other, "http://")+`"`)
			p.is(p.ok(toolInvoke, `{"name":"deep"}`), "output", `"third.localhost"`)
			p.is(p.fails(toolInvoke, `{"name":"boom"}`, fault.PageToolFailed), "trust", `"untrusted"`)
			id := p.toolRow(p.ok(toolList, `{}`), "host").at("id")
			p.eval(`document.querySelector("iframe").remove(), 1`)
			p.fails(toolInvoke, fmt.Sprintf(`{"tool":%q}`, id), fault.PageToolStale)
		}},
		{Name: toolInvoke + "/ends at a dialog that the tool opens", HTML: toolScript + `<script>tool("sure", () => confirm("sure?"))</script>`, Run: func(p *Page) {
			out := p.fails(toolInvoke, `{"name":"sure"}`, fault.DialogOpen)
			p.is(out, "dialog.message", `"sure?"`)
			p.ok("browser.dismiss_dialog", `{"accept":true}`)
			p.until("the tool has ended", func() bool { return p.ok(toolList, `{}`).at("invocations.0.state") == "completed" })
		}},
	}
}

func toolResultCases() []Case {
	return []Case{
		{Name: toolResult + "/gives what came of a detached tool", HTML: toolScript + `<script>tool("held", () => new Promise(done => { answer = done; }))</script>`, Run: func(p *Page) {
			begun := p.ok(toolInvoke, `{"name":"held","detach":true}`)
			id := fmt.Sprintf(`{"invocation_id":%q}`, begun.at("invocation_id"))
			out := p.ok(toolResult, id)
			p.is(out, "status", `"running"`)
			p.is(out, "name", `"held"`)
			waiting := p.inBackground(toolResult, with(id, `"wait_ms":25000`))
			p.running("held")
			p.eval(`answer({boxes: 6}), 1`)
			for _, out := range []Output{p.answer(waiting), p.ok(toolResult, id)} {
				p.is(out, "status", `"completed"`)
				p.is(out, "output", `{"boxes":6}`)
				p.is(out, "trust", `"untrusted"`)
			}
		}},
		{Name: toolResult + "/tells of a tool that failed, was cancelled or is another's", HTML: slowTool + `<script>tool("boom", () => Promise.reject("no"))</script>`, Run: func(p *Page) {
			begin := func(tool, more string) string {
				return fmt.Sprintf(`{"invocation_id":%q,"wait_ms":25000}`, p.ok(toolInvoke, `{"name":"`+tool+`","detach":true`+more+`}`).at("invocation_id"))
			}
			p.is(p.fails(toolResult, begin("boom", ""), fault.PageToolFailed), "exception", `"no"`)
			late := begin("slow", `,"timeout_ms":100`)
			p.fails(toolResult, late, fault.Cancelled)
			p.page(`stopped`, `1`)
			stopped := begin("slow", "")
			p.is(p.ok(toolCancel, `{}`), "cancelled", `true`)
			p.fails(toolResult, stopped, fault.Cancelled)
			left := begin("slow", "")
			p.eval(`document.modelContext.getTools().then(all => document.modelContext.executeTool(all.find(t => t.name === "quick"), {})).then(() => 1)`)
			p.until("the page's own invocation is listed", func() bool { return p.ok(toolList, `{}`).at("invocations.0.by") == "others" })
			own := p.ok(toolList, `{}`).at("invocations.0.invocation_id")
			p.fails(toolResult, fmt.Sprintf(`{"invocation_id":%q}`, own), fault.PageToolNotFound)
			p.fails(toolResult, `{"invocation_id":"nope"}`, fault.PageToolNotFound)
			p.goTo(p.Site.other, `<title>elsewhere</title>`)
			p.fails(toolResult, left, fault.OutcomeUnknown)
			p.ok(toolList, `{"stop":true}`)
			p.fails(toolResult, left, fault.PageToolNotFound)
		}},
	}
}

func toolCancelCases() []Case {
	return []Case{
		{Name: toolCancel + "/ends the invocation that another call waits for", HTML: slowTool, Run: func(p *Page) {
			waiting := p.background(toolInvoke, `{"name":"slow"}`)
			p.running("slow")
			out := p.ok(toolCancel, `{}`)
			p.is(out, "cancelled", `true`)
			p.is(out, "name", `"slow"`)
			if f := p.ends(waiting, fault.Cancelled); f.Dispatched != fault.WasDispatched {
				p.Errorf("dispatched is %s", f.Dispatched)
			}
			p.page(`stopped`, `1`)
		}},
		{Name: toolCancel + "/says what had ended and what was never there", HTML: slowTool, Run: func(p *Page) {
			p.fails(toolCancel, `{"invocation_id":"nope"}`, fault.PageToolNotFound)
			id := p.ok(toolInvoke, `{"name":"quick"}`).at("invocation_id")
			p.is(p.ok(toolCancel, fmt.Sprintf(`{"invocation_id":%q}`, id)), "cancelled", `false`)
			p.fails(toolCancel, `{}`, fault.PageToolNotFound)
		}},
	}
}
