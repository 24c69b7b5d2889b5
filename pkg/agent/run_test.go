package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
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

func TestWithoutPicture(t *testing.T) {
	// Ensure that a picture goes apart from the text, that one which is too large is left out and said so, and that other outputs stay as they are.
	large := "data:image/png;base64," + strings.Repeat("A", maxImage)
	for name, c := range map[string]struct{ output, rest, image string }{
		"picture":        {`{"data_url":"data:image/png;base64,AA","width":1}`, `{"delivered_as":"input_image","width":1}`, "data:image/png;base64,AA"},
		"large picture":  {`{"data_url":"` + large + `"}`, `{"delivered_as":"omitted_oversize"}`, ""},
		"another URL":    {`{"data_url":"https://example.com/"}`, `{"data_url":"https://example.com/"}`, ""},
		"no object":      {`[1]`, `[1]`, ""},
		"nothing":        {`{"a":1}`, `{"a":1}`, ""},
		"URL of no text": {`{"data_url":7}`, `{"data_url":7}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := dispatch.Envelope{OK: true, Output: json.RawMessage(c.output)}
			if image := takePicture(&e); string(e.Output) != c.rest || image != c.image {
				t.Errorf("%.200s and %.50s", e.Output, image)
			}
		})
	}
}

func TestStoppedIsTold(t *testing.T) {
	// Ensure that whoever runs a model's calls learns that the user stopped one, also where it ended well.
	for _, e := range []dispatch.Envelope{
		{OK: true, Output: json.RawMessage(`{}`), Meta: primitive.Meta{Stopped: true}},
		{Error: fault.New(fault.Cancelled, "the user stopped the call"), Meta: primitive.Meta{Stopped: true}},
		{OK: true, Output: json.RawMessage(`{}`)},
	} {
		if o := outcomeOf("locator.click", e); o.Stopped != e.Meta.Stopped || o.OK != e.OK || strings.Contains(string(o.Output), "topped\":true") {
			t.Errorf("%+v gives %+v", e, o)
		}
	}
}
