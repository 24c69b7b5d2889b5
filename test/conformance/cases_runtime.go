package conformance

import (
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

const (
	pacing       = "runtime.configure_pacing"
	sessionLog   = "runtime.session.log"
	sessionName  = "runtime.session.name"
	done         = "agent.done"
	finalizeTabs = "runtime.session.finalize_tabs"
)

// runtimeCases are about the host's session, of which they change nothing for
// the cases after them.
func runtimeCases() []Case {
	return []Case{
		{Name: pacing + "/keeps actions apart and lets reads pass", HTML: `<button onclick="(window.at ??= []).push(performance.now())">b</button>`, Run: func(p *Page) {
			for _, bad := range []string{`{"min_interval_ms":-1}`, `{"min_interval_ms":10001}`} {
				p.fails(pacing, bad, fault.InvalidInterval)
			}
			p.fails(pacing, `{"min_interval_ms":"500"}`, fault.InvalidInput)
			p.is(p.ok(pacing, `{}`), "min_interval_ms", `500`)
			p.is(p.ok(pacing, `{"min_interval_ms":1500}`), "min_interval_ms", `1500`)
			p.click("button")
			p.ok("page.info", `{}`)
			p.click("button")
			p.is(p.ok(pacing, `{"min_interval_ms":0}`), "min_interval_ms", `0`)
			p.click("button")
			var at []float64
			p.backend.Eval(p.T, `window.at`, &at)
			if len(at) != 3 || at[1]-at[0] < 1500-1 { // both clocks are coarse
				p.Errorf("the clicks came at %v", at)
			}
		}},
		{Name: sessionLog + "/shows what this session did", HTML: `<button>b</button>`, Run: func(p *Page) {
			p.click("button")
			out := p.ok(sessionLog, `{"limit":2}`)
			p.is(out, "session_id", `"cli"`)
			p.is(out, "count", `2`)
			p.is(out, "more", `true`)
			p.is(out, "events.0.type", `"intent"`)
			p.is(out, "events.1.type", `"outcome"`)
			p.is(out, "events.1.name", `"pointer.click"`)
			p.is(out, "events.1.ok", `true`)
			p.is(p.ok(sessionLog, `{"session_id":"mcp:nobody"}`), "events", `[]`)
			p.fails(sessionLog, `{"limit":2001}`, fault.InvalidInput)
		}},
		{Name: sessionName + "/names the session in the log", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(sessionName, `{"name":"Buying tea"}`)
			p.is(out, "named", `true`)
			p.is(out, "session_id", `"cli"`)
			log := p.ok(sessionLog, `{"limit":2}`)
			p.is(log, "events.0.type", `"session_named"`)
			p.is(log, "events.0.name", `"Buying tea"`)
			p.fails(sessionName, `{"name":""}`, fault.InvalidInput)
		}},
		{Name: done + "/ends a task whose last action was looked at", HTML: `<button>b</button>`, Run: func(p *Page) {
			const args = `{"summary":"pressed b","outcome":"success"}`
			act := p.as(control.SessionParams{Kind: policy.SessionMCP, ID: "done", Mode: policy.ModeAct})
			act.ok("page.info", `{}`)
			p.is(act.ok(done, args), "verified", `true`)
			act.click("button")
			act.fails(done, args, fault.UnverifiedAction)
			act.ok("page.snapshot", `{}`)
			p.is(act.ok(done, args), "verified", `true`)
			act.click("button")
			act.fails(done, args, fault.UnverifiedAction)
			act.fails(done, args, fault.UnverifiedAction)
			p.is(act.ok(done, args), "verified", `false`)
			p.fails(done, `{"summary":"x","outcome":"perhaps"}`, fault.InvalidInput)
		}},
		{Name: finalizeTabs + "/ends the queues and closes nothing", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(taskAdd, `{"text":"x"}`)
			p.is(p.ok(finalizeTabs, `{}`), "tabs.length", `1`)
			p.is(p.ok(taskList, `{}`), "total", `0`)
			p.is(p.ok(tabsList, `{}`), "count", `1`)
			out := p.ok(finalizeTabs, `{}`)
			p.is(out, "finalized", `true`)
			p.is(out, "tabs", `[]`)
		}},
	}
}
