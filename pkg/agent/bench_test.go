package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/callpath"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/voice/openai"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
)

// nopObserver is an observer that does not care.
type nopObserver struct{}

func (nopObserver) StateChanged(voice.State) {}
func (nopObserver) RowChanged(voice.Row)     {}
func (nopObserver) ToolRan(voice.ToolRun)    {}
func (nopObserver) LogEvent(string, any)     {}

// pressed is the page's answer for a key.
const pressed = `{"pressed":true,"key":"Enter","modifiers":[],"repeat":1,"fidelity":"trusted"}`

// onCallPath makes an agent on the host's real call path, with a journal on disk;
// its pages answer at once.
func onCallPath(b testing.TB) *Agent {
	b.Helper()
	parts := callpath.New(b, "p", callpath.Example)
	c := &dispatch.Dispatcher{
		Catalogue: parts.Catalogue, Tabs: parts.Tabs, Policy: parts.Policy, Approvals: parts.Approvals, Journal: parts.Journal,
		Blocked: func(string) []string { return nil },
		Handlers: &primitive.Registry{
			Named: map[string]primitive.Handler{"keyboard.press": func(context.Context, primitive.Call) (json.RawMessage, error) {
				return json.RawMessage(pressed), nil
			}},
			Page: func(context.Context, primitive.Call) (json.RawMessage, error) {
				return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
			},
		},
	}
	own := &dispatch.Session{ID: "voice:bench", SessionKind: policy.SessionVoice, Mode: policy.ModeAct, NoLoopGuard: true}
	own.SetCurrent(1)
	return &Agent{
		Catalogue: parts.Catalogue, Dispatch: c, Session: own,
		HasPagePrimitive: func(string) bool { return true }, Page: func() Page { return Page{Origin: "https://example.com", Tabs: 1} },
	}
}

// BenchmarkToolCall measures the host's part of a tool call: from the provider's
// event that asks for it to the event with its result, over a real socket and the
// real call path. An acting call is on disk before it is sent and before it is
// answered.
func BenchmarkToolCall(b *testing.B) {
	for _, c := range []struct{ name, tool, arguments string }{
		{"read", "page_info", `{%s}`},
		{"act", "keyboard_press", `{"key":"Enter",%s}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			agent := onCallPath(b)
			name, ok := agent.primitiveOf(c.tool)
			if !ok {
				b.Fatal(c.tool)
			}
			arguments := fmt.Sprintf(c.arguments, `"policy_exception_report":{"kind":"generic","intended_tool":"`+name+`","actions_json_path":"none","reason":"a benchmark"}`)
			service := realtime.New(b)
			provider, err := openai.New(service.Base, realtime.Key)
			if err != nil {
				b.Fatal(err)
			}
			session, err := voice.Start(b.Context(), voice.Options{ID: "voice:bench", Provider: provider, Tools: agent, Observer: nopObserver{}, Setup: voice.Setup{Model: "gpt-realtime-2.1"}})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(session.Stop)
			wire := service.Next(b.Context())
			if err := session.Send("go", voice.Queue); err != nil {
				b.Fatal(err)
			}
			wire.Begin(b.Context())
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				wire.Finish("completed", realtime.Function{CallID: fmt.Sprint("c", n), Name: c.tool, Arguments: arguments})
				item := wire.Expect(b.Context(), "conversation.item.create").Item
				for item.Type != "function_call_output" {
					item = wire.Expect(b.Context(), "conversation.item.create").Item
				}
				b.StopTimer()
				if !strings.HasPrefix(item.Output, `{"ok":true`) {
					b.Fatalf("the result is %s", item.Output)
				}
				wire.Begin(b.Context())
				b.StartTimer()
			}
		})
	}
}
