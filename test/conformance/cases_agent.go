package conformance

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
)

// voiceService is the voice service of the whole chain.
var voiceService *realtime.Server

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
			withoutKey(p.T)
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

// voice gives the session that the host has opened with the voice service.
func (p *Page) voice() *realtime.Session {
	p.Helper()
	limited, cancel := context.WithTimeout(p.Context(), 10*time.Second)
	defer cancel()
	return voiceService.Next(limited)
}

// text gives a member of the output as JSON.
func (p *Page) text(out Output, path string) string {
	p.Helper()
	raw, err := json.Marshal(out.at(path))
	if err != nil {
		p.Fatal(err)
	}
	return string(raw)
}

// keyFile holds the voice service's key for the chain's host; newChain sets it.
var keyFile string

func writeKey(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(keyFile, []byte(realtime.Key), 0o600); err != nil {
		t.Fatal(err)
	}
}

// withoutKey takes the key away for the rest of the case.
func withoutKey(t *testing.T) {
	t.Helper()
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { writeKey(t) })
}
