package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/chat"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/voice"
)

func TestRun(t *testing.T) {
	// Ensure that a tool that does not exist, arguments that are no JSON, a report that is missing or about another tool, and arguments outside of the schema each give the model a fault that says what to do, and that nothing ran; empty arguments are none, and a tool is found by its own name too.
	a := onCallPath(t)
	report := func(tool string) string {
		return `"policy_exception_report":{"kind":"generic","intended_tool":"` + tool + `","actions_json_path":"none","reason":"a test"}`
	}
	for name, c := range map[string]struct {
		tool, arguments string
		want            fault.Code
	}{
		"unknown tool":        {"page_teleport", `{}`, fault.UnknownPrimitive},
		"the agent itself":    {"runtime_agent_stop", `{}`, fault.UnknownPrimitive},
		"malformed arguments": {"page_info", `{"a":`, fault.ToolArgumentParseFailed},
		"a megabyte":          {"page_info", `{"a":"` + strings.Repeat("a", 1<<20) + `"}`, fault.PayloadTooLarge},
		"no report":           {"page_info", ``, fault.PolicyExceptionReportRequired},
		"another's report":    {"page_info", `{` + report("keyboard.press") + `}`, fault.PolicyExceptionReportRequired},
		"a name twice":        {"keyboard_press", `{"key":"Enter","key":"a",` + report("keyboard.press") + `}`, fault.InvalidMessage},
		"odd arguments":       {"keyboard_press", `{"key":7,` + report("keyboard.press") + `}`, fault.InvalidInput},
		"arguments as a text": {"keyboard_press", `"{\"key\":\"Enter\"}"`, fault.InvalidInput},
		"right":               {"page_info", `{` + report("page.info") + `}`, ""},
		"by its own name":     {"page.info", `{` + report("page.info") + `}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := a.Run(t.Context(), voice.ToolCall{CallID: "c", Name: c.tool, Arguments: c.arguments})
			var told struct {
				OK    bool
				Error *fault.Error
			}
			if err := json.Unmarshal(o.Output, &told); err != nil {
				t.Fatal(err)
			}
			if o.Code != string(c.want) || o.OK != (c.want == "") || told.OK != o.OK {
				t.Errorf("%s", o.Output)
			}
			if c.want != "" && (told.Error.NextStep == "" || told.Error.Dispatched != fault.NotDispatched) {
				t.Errorf("the model is told %s", o.Output)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	// Ensure that words of a page go apart from the host's own, in successes and failures, that pictures go apart from both, that one which is too large is left out and said so, and that nudges stand with the host's words.
	picture := func(url string) []primitive.Attachment {
		return []primitive.Attachment{{Kind: primitive.SpecialImage, DataURL: url}}
	}
	gone := fault.New(fault.TargetNotFound, "nothing is named Tea").With("nearest", "Coffee")
	gone.NextStep = "look"
	const failed = `{"error":{"code":"target_not_found","message":"target_not_found","recoverable":true,"retryable":false,"next_step":"look"},"ok":false,"trust":"untrusted"}`
	for name, c := range map[string]struct {
		e        dispatch.Envelope
		pageText bool

		host, page, image string
	}{
		"host's own":   {e: dispatch.Envelope{OK: true, Output: json.RawMessage(`{"a":1}`)}, host: `{"ok":true,"output":{"a":1}}`},
		"page's words": {e: dispatch.Envelope{OK: true, Output: json.RawMessage(`{"data_url":"data:image/png;base64,AA"}`)}, pageText: true, host: `{"ok":true,"trust":"untrusted"}`, page: `{"output":{"data_url":"data:image/png;base64,AA"}}`},
		"nudge": {e: dispatch.Envelope{OK: true, Output: json.RawMessage(`1`), Meta: primitive.Meta{Nudge: &primitive.Nudge{Code: "repeated", Text: "again"}}}, pageText: true,
			host: `{"nudge":{"code":"repeated","text":"again"},"ok":true,"trust":"untrusted"}`, page: `{"output":1}`},
		"done already": {e: dispatch.Envelope{OK: true, Already: true, Output: json.RawMessage(`1`)}, pageText: true,
			host: `{"already":true,"ok":true,"trust":"untrusted"}`, page: `{"output":1}`},
		"opened tabs": {e: dispatch.Envelope{OK: true, Output: json.RawMessage(`1`), Meta: primitive.Meta{OpenedTabs: []primitive.OpenedTab{{TabID: 2, URL: "https://b.example/"}}}},
			host: `{"ok":true,"output":1,"trust":"untrusted"}`, page: `{"opened_tabs":[{"tab_id":2,"url":"https://b.example/","claimed":false}]}`},
		"picture":       {e: dispatch.Envelope{OK: true, Output: json.RawMessage(`{"width":1}`), Attachments: picture("data:image/png;base64,AA")}, host: `{"delivered_as":"input_image","ok":true,"output":{"width":1}}`, image: "data:image/png;base64,AA"},
		"large picture": {e: dispatch.Envelope{OK: true, Output: json.RawMessage(`{}`), Attachments: picture("data:image/png;base64," + strings.Repeat("A", maxImage))}, host: `{"delivered_as":"omitted_oversize","ok":true,"output":{}}`},
		"failure":       {e: dispatch.Envelope{Error: gone}, pageText: true, host: failed, page: `{"evidence":{"nearest":"Coffee"},"message":"nothing is named Tea","meta":{"duration_ms":0}}`},
	} {
		t.Run(name, func(t *testing.T) {
			o := outcomeOf("page.info", c.e, c.pageText)
			if string(o.Output) != c.host || string(o.Page) != c.page || o.Image != c.image {
				t.Errorf("host %.300s\npage %.300s\nimage %.50s", o.Output, o.Page, o.Image)
			}
		})
	}
	large := outcomeOf("page.info", dispatch.Envelope{Error: gone.With("all", strings.Repeat("a", 20_000))}, true)
	if text := large.Text(); len(text) > maxFailure || !strings.Contains(text, `"truncated":true`) || !strings.Contains(text, "target_not_found") {
		t.Errorf("%d bytes: %.300s", len(text), text)
	}
}

func TestWholeAnswerIsKept(t *testing.T) {
	// Ensure that the largest answer that a tool may give comes whole to the model of a chat, its seal included.
	e := dispatch.Envelope{OK: true, Output: json.RawMessage(`"` + strings.Repeat("\u202e", (MaxAnswer-2)/6) + `"`)}
	for range 10 {
		e.Meta.OpenedTabs = append(e.Meta.OpenedTabs, primitive.OpenedTab{TabID: 2, URL: "https://b.example/" + strings.Repeat("x", 200)})
	}
	answer := outcomeOf("page.info", e, true).Text()
	kept := chat.Keep([]model.Message{{Role: model.RoleToolResult, Content: []model.Content{{Type: model.TextContent, Text: answer}}}})
	if utf8.RuneCountInString(answer) < MaxAnswer || kept[0].Content[0].Text != answer {
		t.Errorf("of %d characters %d are kept", utf8.RuneCountInString(answer), utf8.RuneCountInString(kept[0].Content[0].Text))
	}
}

func TestStoppedIsTold(t *testing.T) {
	// Ensure that whoever runs a model's calls learns that the user stopped one, also where it ended well.
	for _, e := range []dispatch.Envelope{
		{OK: true, Output: json.RawMessage(`{}`), Meta: primitive.Meta{Stopped: true}},
		{Error: fault.New(fault.Cancelled, "the user stopped the call"), Meta: primitive.Meta{Stopped: true}},
		{OK: true, Output: json.RawMessage(`{}`)},
	} {
		if o := outcomeOf("locator.click", e, false); o.Stopped != e.Meta.Stopped || o.OK != e.OK || strings.Contains(string(o.Output), "topped\":true") {
			t.Errorf("%+v gives %+v", e, o)
		}
	}
}
