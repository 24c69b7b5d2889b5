package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// text is the text block of a result.
func text(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	block, ok := r.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("the first block is %T", r.Content[0])
	}
	return block.Text
}

func TestResult(t *testing.T) {
	// Ensure that a success says no more than {ok, output} and what the caller must know, and is not escaped for a web page.
	s := newServer(t)
	meta := primitive.Meta{DurationMS: 7, Map: "m"}
	e := dispatch.Envelope{OK: true, CallID: "c", Name: "page.info", Output: json.RawMessage(`{"title":"a < b"}`), Meta: meta}
	for _, row := range []struct {
		change func(*dispatch.Envelope)
		detail bool
		want   string
	}{
		{func(*dispatch.Envelope) {}, false, `{"ok":true,"output":{"title":"a < b"}}`},
		{func(*dispatch.Envelope) {}, true, `{"ok":true,"output":{"title":"a < b"},"meta":{"duration_ms":7,"map":"m"}}`},
		{func(e *dispatch.Envelope) { e.Meta.OpenedTabs = []primitive.OpenedTab{{TabID: 3, URL: "u"}} }, false,
			`{"ok":true,"output":{"title":"a < b"},"meta":{"opened_tabs":[{"tab_id":3,"url":"u","claimed":false}]}}`},
		{func(e *dispatch.Envelope) { e.Meta.MapErrors = []string{"broken"} }, false, `{"ok":true,"output":{"title":"a < b"},"meta":{"map_errors":["broken"]}}`},
		{func(e *dispatch.Envelope) { e.Meta.Announcements = []string{"saved"} }, false, `{"ok":true,"output":{"title":"a < b"},"meta":{"announcements":["saved"]}}`},
	} {
		changed := e
		row.change(&changed)
		r := s.result(changed, row.detail)
		if got := text(t, r); got != row.want || r.IsError || r.StructuredContent != nil {
			t.Errorf("got %s, want %s", got, row.want)
		}
	}
}

func TestFailure(t *testing.T) {
	// Ensure that a failure is the envelope with its meta, and that evidence without end does not fill a conversation.
	s := newServer(t)
	e := dispatch.Envelope{CallID: "c", Name: "page.info", Error: fault.New(fault.TargetNotFound, "nothing").With("candidates", "few"), Meta: primitive.Meta{DurationMS: 7}}
	r := s.result(e, false)
	if got := text(t, r); !r.IsError || !strings.Contains(got, `"next_step"`) || !strings.Contains(got, "few") || !strings.Contains(got, `"duration_ms":7`) {
		t.Errorf("got %s", got)
	}
	long := strings.Repeat("x", 2*maxFailure)
	steps := e
	steps.Meta.Steps = long
	if got := text(t, s.result(steps, false)); len(got) > maxFailure || !strings.Contains(got, "few") {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
	e.Error = e.Error.With("candidates", long)
	if got := text(t, s.result(e, false)); len(got) > maxFailure || !strings.Contains(got, "target_not_found") {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
}
