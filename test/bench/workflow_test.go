package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// BenchmarkWorkflow25Steps is one stored action of 25 steps through the real
// host process, its policy and its log, on a browser that answers at once: what
// is left is the host's own work.
func BenchmarkWorkflow25Steps(b *testing.B) {
	var steps []string
	for i := range 5 {
		steps = append(steps, fmt.Sprintf(`
			{"id":"wait%[1]d","primitive":"locator.wait_for","args":{"locator":{"selector":"#row-%[1]d"}}},
			{"id":"read%[1]d","primitive":"locator.text_content","args":{"locator":{"selector":"#row-%[1]d"}}},
			{"id":"type%[1]d","primitive":"text.insert","args":{"target":"#field","text":"{%% input.text & steps.read%[1]d.output.text %%}"}},
			{"id":"click%[1]d","primitive":"pointer.click","args":{"x":1,"y":2}},
			{"id":"after%[1]d","when":"{%% steps.click%[1]d.output.clicked %%}","primitive":"locator.text_content","args":{"locator":{"selector":"#result"}}}`, i))
	}
	home := harness.NewHome(b)
	home.Map(b, "public", "desk.example.com", "bench", `{"protocol":"actions.json","version":1,"tools":[{"name":"desk.fill","description":"Fill in.",
		"input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","output":"{% steps.after4.output.text %}","steps":[`+strings.Join(steps, ",")+`]}}]}`)
	home.Ready(b, &fakes.Browser{Page: func(_ context.Context, call protocol.ActionCall) (any, error) { return fakes.Answer(call) }}, "https://desk.example.com/")
	h := &host{home: home, b: b}
	h.Client = connect(b, h.home)
	b.Cleanup(func() { h.Close() })
	measure(b, func() {
		e := h.must(dispatch.SiteTool, map[string]any{"mode": "call", "action": "desk.fill", "arguments": json.RawMessage(`{"text":"tea"}`)}, nil)
		if string(e.Output) != `"a page"` {
			b.Fatalf("the action gave %s", e.Output)
		}
	})
}
