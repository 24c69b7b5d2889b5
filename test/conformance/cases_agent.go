package conformance

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
)

const (
	agentStart   = "runtime.agent.start"
	agentStop    = "runtime.agent.stop"
	agentMessage = "runtime.agent.user_message"
	agentAwait   = "runtime.agent.await_event"
	agentForget  = "runtime.agent.memory_clear"
)

// agentCases talk with the hosted agent, whose model is the case itself.
func agentCases() []Case {
	return []Case{
		{Name: agentStart + "/starts once and tells its state", HTML: `<p>x</p>`, Run: func(p *Page) {
			first := p.ok(agentStart, `{}`)
			p.is(first, "status", `"listening"`)
			p.is(first, "text_only", `true`)
			p.voice()
			p.is(p.ok(agentStart, `{"text_only":true}`), "session_id", p.text(first, "session_id"))
			p.ok(agentStop, `{}`)
		}},
		{Name: agentStart + "/without a key says how to set one", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.withoutKey()
			p.fails(agentStart, `{}`, fault.VoiceKeyMissing)
		}},
		{Name: agentStop + "/ends the session", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(agentStart, `{}`)
			wire := p.voice()
			p.is(p.ok(agentStop, `{}`), "status", `"disconnected"`)
			<-wire.Ended()
			p.is(p.ok(agentStop, `{}`), "status", `"disconnected"`)
		}},
		{Name: agentMessage + "/runs a stored action and answers", HTML: `<h1>Cases</h1><input id=q><script>$("#q").addEventListener("input", e => { log.push(e.target.value) })</script>`, Run: func(p *Page) {
			p.ok(agentStart, `{}`)
			wire := p.voice()
			limited, cancel := context.WithTimeout(p.Context(), 20*time.Second)
			defer cancel()
			var results [2]realtime.Item
			go func() {
				wire.Begin(limited)
				wire.Finish("completed",
					realtime.Function{CallID: "c1", Name: "actions_site", Arguments: `{"mode":"list"}`},
					realtime.Function{CallID: "c2", Name: "text_insert", Arguments: `{"text":"tea","target":"#q"}`})
				for i := range results {
					results[i] = wire.Expect(limited, "conversation.item.create").Item
					for results[i].Type != "function_call_output" {
						results[i] = wire.Expect(limited, "conversation.item.create").Item
					}
				}
				wire.Begin(limited)
				wire.Write("I looked.")
				wire.Finish("completed")
			}()
			out := p.ok(agentMessage, `{"text":"what can you do here?"}`)
			p.is(out, "response_text", `"I looked."`)
			if !strings.Contains(results[0].Output, `"actions"`) {
				p.Errorf("the list: %s", results[0].Output)
			}
			if !strings.Contains(results[1].Output, string(fault.PolicyExceptionReportRequired)) {
				p.Errorf("a primitive without a report: %s", results[1].Output)
			}
			p.page(`log`, `[]`)
			p.ok(agentStop, `{}`)
		}},
		{Name: agentMessage + "/without an agent says so", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fails(agentMessage, `{"text":"hello"}`, fault.VoiceNotRunning)
		}},
		{Name: agentAwait + "/tells of the session and waits for more", HTML: `<p>x</p>`, Run: func(p *Page) {
			before := p.ok(agentAwait, `{"timeout_ms":1000}`)
			p.is(before, "idle", `true`)
			p.ok(agentStart, `{}`)
			p.voice()
			after := p.ok(agentAwait, `{"cursor":`+p.text(before, "cursor")+`}`)
			p.is(after, "events.0.kind", `"lifecycle"`)
			p.is(after, "idle", `false`)
			p.ok(agentStop, `{}`)
		}},
		{Name: agentForget + "/forgets recorded outcomes", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.ok(agentForget, `{}`), "cleared", `true`)
			p.is(p.ok(agentForget, `{}`), "cleared_event_count", `0`)
		}},
	}
}

// voice returns the session that the host has opened with the voice service.
func (p *Page) voice() *realtime.Session {
	p.Helper()
	limited, cancel := context.WithTimeout(p.Context(), 10*time.Second)
	defer cancel()
	return p.host().Voice.Next(limited)
}

// text returns a member of the output as JSON.
func (p *Page) text(out Output, path string) string {
	p.Helper()
	raw, err := json.Marshal(out.at(path))
	if err != nil {
		p.Fatal(err)
	}
	return string(raw)
}

// withoutKey takes the voice service's key away for the rest of the case.
func (p *Page) withoutKey() {
	p.Helper()
	host := p.host()
	if err := os.Remove(host.KeyFile); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { host.writeKey(p.T) })
}
