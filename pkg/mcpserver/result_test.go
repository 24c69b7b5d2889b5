package mcpserver

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/control"
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

// unmarked returns the text of a result without its marks, which must be of one kind and in order.
func unmarked(t *testing.T, text string) string {
	t.Helper()
	found := marks.FindAllStringSubmatch(text, -1)
	for i, m := range found {
		closes := strings.HasPrefix(m[0], `"end"`)
		if m[1] != found[0][1] || closes != (i%2 == 1) || len(found)%2 != 0 {
			t.Fatalf("the marks do not fit: %s", text)
		}
	}
	return marks.ReplaceAllString(text, "~")
}

var marks = regexp.MustCompile(`"(?:begin":"<|end":"</)page_data id=([0-9a-f]{24})>"`)

func TestResult(t *testing.T) {
	// Ensure that a success says no more than {ok, output} and what the caller must know, what a page says between marks, and is not escaped for a web page.
	s := newServer(t)
	meta := primitive.Meta{DurationMS: 7, Map: "m"}
	e := dispatch.Envelope{OK: true, CallID: "c", Name: "page.info", Output: json.RawMessage(`{"title":"a < b"}`), Meta: meta}
	const output = `"output":{"title":"a < b"}`
	for _, row := range []struct {
		change func(*dispatch.Envelope)
		detail bool
		want   string
	}{
		{func(*dispatch.Envelope) {}, false, output},
		{func(*dispatch.Envelope) {}, true, output + `,"meta":{"duration_ms":7,"map":"m"}`},
		{func(e *dispatch.Envelope) { e.Meta.OpenedTabs = []primitive.OpenedTab{{TabID: 3, URL: "u"}} }, false,
			output + `,"meta":{"opened_tabs":[{"tab_id":3,"url":"u","claimed":false}]}`},
		{func(e *dispatch.Envelope) { e.Meta.MapErrors = []string{"broken"} }, false, output + `,"meta":{"map_errors":["broken"]}`},
		{func(e *dispatch.Envelope) { e.Name, e.Meta.Announcements = "runtime.session.name", []string{"saved"} }, false, output + `,"meta":{"announcements":["saved"]}`},
		{func(e *dispatch.Envelope) {
			e.Output = json.RawMessage(`"a\u202eb` + "\u202e\x7f" + `<\/page_data id"`)
		}, false, `"output":"a\u202eb\u202e\u007f[tag]"`},
	} {
		changed := e
		row.change(&changed)
		r := s.result(changed, row.detail)
		if got, want := unmarked(t, text(t, r)), `{"ok":true,"trust":"untrusted",~,`+row.want+`,~}`; got != want || r.IsError || r.StructuredContent != nil {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	e.Meta.Nudge = &primitive.Nudge{Code: "repeated", Text: "again"}
	if got, want := unmarked(t, text(t, s.result(e, false))), `{"ok":true,"nudge":{"code":"repeated","text":"again"},"trust":"untrusted",~,`+output+`,~}`; got != want {
		t.Errorf("the host's advice: %s", got)
	}
	done := dispatch.Envelope{OK: true, Already: true, CallID: "c", Name: "actions.site", Output: json.RawMessage(`1`), Meta: meta}
	if got, want := unmarked(t, text(t, s.result(done, false))), `{"ok":true,"already":true,"trust":"untrusted",~,"output":1,~}`; got != want {
		t.Errorf("what was done already: %s", got)
	}
	e.Name = "runtime.session.name"
	if got, want := text(t, s.result(e, false)), `{"ok":true,"nudge":{"code":"repeated","text":"again"},`+output+`}`; got != want {
		t.Errorf("the host's own answer: %s", got)
	}
}

func TestFailure(t *testing.T) {
	// Ensure that a failure is the envelope with its meta, that the host's words stand apart from those that may be a page's, and that evidence without end does not fill a conversation.
	s := newServer(t)
	gone := fault.New(fault.TargetNotFound, "nothing").With("candidates", "few\u200b").WithNextStep("look")
	e := dispatch.Envelope{CallID: "c", Name: "locator.wait_for", Error: gone, Meta: primitive.Meta{DurationMS: 7}}
	r := s.result(e, false)
	const want = `{"ok":false,"trust":"untrusted","error":{"code":"target_not_found","recoverable":true,"retryable":false,"next_step":"look",` +
		`~,"message":"nothing","evidence":{"candidates":"few\u200b"},~},~,"meta":{"duration_ms":7},~}`
	if got := unmarked(t, text(t, r)); !r.IsError || got != want {
		t.Errorf("got %s", got)
	}
	unknown := dispatch.Envelope{Name: "page.teleport", Error: gone}
	if got := text(t, s.result(unknown, false)); strings.Contains(got, "page_data") || strings.Contains(got, "trust") || !strings.Contains(got, `"message":"nothing"`) {
		t.Errorf("a failure of the host alone: %s", got)
	}
	_, err := choose([]claimedTab{{TabID: 1, Title: "Obey", client: &control.Client{}}, {TabID: 2, client: &control.Client{}}}, nil, tabSelector{})
	several := text(t, s.result(dispatch.Envelope{Name: "runtime.session.name", Error: fault.From(err)}, false))
	if got := unmarked(t, several); !strings.Contains(got, `"trust":"untrusted"`) || !regexp.MustCompile(`~,"message".*"title":"Obey".*,~`).MatchString(got) {
		t.Errorf("tabs of several browsers: %s", got)
	}
	long := strings.Repeat("x", 2*maxFailure)
	steps := e
	steps.Meta.Steps = long
	if got := text(t, s.result(steps, false)); len(got) > maxFailure || !strings.Contains(got, "few") {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
	for _, evidence := range []string{long, strings.Repeat("\u200b", maxFailure/4)} {
		e.Error = e.Error.With("candidates", evidence)
		if got := text(t, s.result(e, false)); len(got) > maxFailure || !strings.Contains(got, "target_not_found") {
			t.Errorf("%d bytes: %.200s", len(got), got)
		}
	}
}

func TestMarksWeighLittle(t *testing.T) {
	// Ensure that the marks of an answer stay within what the budget of a site action's answer leaves for them.
	s := newServer(t)
	e := dispatch.Envelope{OK: true, Name: dispatch.SiteTool, Output: json.RawMessage(`{"result":"Received: Ada 1, a@b.example, large"}`)}
	const most = 520 - 400
	if more := len(text(t, s.result(e, false))) - len(`{"ok":true,"output":`) - len(e.Output) - len("}"); more > most {
		t.Errorf("the marks have %d bytes, %d at most", more, most)
	}
}
