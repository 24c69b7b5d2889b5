package endpoint_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/chat"
	"github.com/actionsjson/actions-host/pkg/endpoint"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
)

func withMessages(messages string) string { return `{"url":"u","messages":[` + messages + `]}` }

func TestBadBodies(t *testing.T) {
	// Ensure that each body which is not as declared is invalid_input, naming the place.
	user := `{"role":"user","content":"Hi"},`
	for body, want := range map[string]string{
		``: "", `[]`: "", `{"url":"u"`: "", `{"url":"u"}{}`: "", `{"messages":[{"role":"user","content":"Hi"}]}`: "url", `{"url":"  ","messages":[]}`: "url",
		`{"url":"u","url":"v","messages":[]}`: "twice", `{"url":"u","URL":"v"}`: "unknown", `{"url":"u","cacheContent":""}`: "unknown", `{"url":1}`: "/url",
		`{"url":"u"}`: "messages", `{"url":"u","messages":[]}`: "messages", `{"url":"u","tools":[1]}`: "/tools/0", `{"url":"u","automationEnabled":"yes"}`: "/automationEnabled",
		`{"url":"u","maxOutputTokens":0}`: "maxOutputTokens", `{"url":"u","maxOutputTokens":32769}`: "maxOutputTokens", `{"url":"u","maxOutputTokens":1.5}`: "maxOutputTokens",
		`{"url":"u","model":"` + strings.Repeat("m", 201) + `"}`:                                                         "model",
		`{"url":"u","tools":["a"` + strings.Repeat(`,"a"`, 200) + `]}`:                                                   "tools",
		withMessages(user + `{"role":"system","content":"x"}`):                                                           "messages[1]",
		withMessages(user + `{"role":"user"}`):                                                                           "messages[1]",
		withMessages(user + `{"role":"user","content":""}`):                                                              "messages[1]",
		withMessages(user + `{"role":"user","content":"x","isError":true}`):                                              "messages[1]",
		withMessages(user + `{"role":"user","content":"x","stopReason":"stop"}`):                                         "messages[1]",
		withMessages(user + `{"role":"user","content":[{"type":"toolCall","id":"a","name":"b","arguments":{}}]}`):        "messages[1]",
		withMessages(user + `{"role":"user","content":[{"type":"text"}]}`):                                               "messages[1]",
		withMessages(user + `{"role":"user","content":[{"type":"text","text":"a","more":1}]}`):                           "messages[1]",
		withMessages(user + `{"role":"user","content":[{"type":"image","data":"!","mimeType":"image/png"}]}`):            "messages[1]",
		withMessages(user + `{"role":"assistant","content":[],"stopReason":"why"}`):                                      "messages[1]",
		withMessages(user + `{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"b","arguments":"{}"}]}`): "messages[1]",
		withMessages(user + `{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"b","arguments":{}}]}`):   "messages[1]",
		withMessages(user + `{"role":"toolResult","toolCallId":"a","toolName":"b","content":"x"}`):                       "messages[1]",
		withMessages(user + `{"role":"toolResult","content":"x"}`):                                                       "messages[1]",
		withMessages(strings.TrimSuffix(strings.Repeat(user, 1001), ",")):                                                "1001 messages",
		`{"url":"u","messages":` + strings.Repeat("[", 150) + strings.Repeat("]", 150) + `}`:                             "nested",
	} {
		_, err := endpoint.ParseBody([]byte(body))
		if f := fault.From(err); f == nil || f.Code != fault.InvalidInput || !strings.Contains(f.Message+fmt.Sprint(f.Evidence), want) {
			t.Errorf("%.120s: %v", body, err)
		}
	}
}

func TestMessages(t *testing.T) {
	// Ensure that messages as pi-ai writes them become ours, without what is for other services alone.
	got, err := endpoint.ParseBody([]byte(withMessages(`
		{"role":"user","content":[{"type":"text","text":"Look","textSignature":"s"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"timestamp":1.5},
		{"role":"assistant","content":[{"type":"thinking","thinking":"Hm","thinkingSignature":"s"},{"type":"text","text":""},{"type":"toolCall","id":"a","name":"page_read","arguments":{"offset":0}}],
		 "api":"x","provider":"p","model":"p/m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"total":0.1}},"stopReason":"toolUse","timestamp":2},
		{"role":"toolResult","toolCallId":"a","toolName":"page_read","content":[{"type":"text","text":"Tea"}],"details":{"x":1},"isError":true,"timestamp":3},
		{"role":"assistant","content":[],"stopReason":"aborted"},
		{"role":"assistant","content":"Done"}`)))
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Message{
		{Role: model.RoleUser, Timestamp: 1, Content: []model.Content{{Type: "text", Text: "Look"}, {Type: "image", Data: "aGk=", MimeType: "image/png"}}},
		{Role: model.RoleAssistant, Timestamp: 2, StopReason: model.StopToolUse, Model: "p/m", Usage: &model.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4},
			Content: []model.Content{{Type: "thinking", Thinking: "Hm"}, {Type: "toolCall", ID: "a", Name: "page_read", Arguments: json.RawMessage(`{"offset":0}`)}}},
		{Role: model.RoleToolResult, Timestamp: 3, ToolCallID: "a", ToolName: "page_read", IsError: true, Content: []model.Content{{Type: "text", Text: "Tea"}}},
		{Role: model.RoleAssistant, Content: []model.Content{{Type: "text", Text: "Done"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// checkBody ensures that a body is either invalid_input or a conversation that can be sent.
func checkBody(t *testing.T, body []byte) {
	got, err := endpoint.ParseBody(body)
	if err != nil {
		if !fault.Is(err, fault.InvalidInput) {
			t.Fatalf("%v", err)
		}
		return
	}
	if err := model.CheckPairs(chat.Compact(got, 10_000)); err != nil || len(got) == 0 {
		t.Fatalf("%d messages, %v", len(got), err)
	}
}

func FuzzBody(f *testing.F) {
	f.Add([]byte(hello))
	f.Fuzz(func(t *testing.T, body []byte) { checkBody(t, body) })
}

func FuzzMessages(f *testing.F) {
	f.Add(`{"role":"user","content":"Hi"}`)
	f.Fuzz(func(t *testing.T, messages string) { checkBody(t, []byte(withMessages(messages))) })
}

func BenchmarkEndpoint(b *testing.B) {
	// What a request costs above its model; the budget is 3 ms.
	r := start(b)
	for b.Loop() {
		if got := do(b, r.post(b, hello)); got.status != 200 {
			b.Fatal(got.status)
		}
	}
}
