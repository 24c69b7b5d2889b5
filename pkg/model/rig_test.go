package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/paths"
	fakemodel "github.com/actionsjson/actions-host/test/fakes/model"
)

var apis = []API{ChatAPI, ResponsesAPI, MessagesAPI}

// evil is what the makers' own variables hold: nothing of it may be used.
const evil = "sk-evil-0123456789abcdef"

// home sets up a data folder of its own, with models.json, and no key but of the provider test.
func home(t *testing.T, config string) {
	t.Helper()
	t.Setenv(paths.EnvHome, t.TempDir())
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_WEBHOOK_SECRET"} {
		t.Setenv(name, evil)
	}
	for _, name := range []string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"} {
		t.Setenv(name, "http://127.0.0.1:1/evil")
	}
	for _, p := range builtIn {
		t.Setenv(key.Environment(p.name), "")
		t.Setenv(BaseEnvironment(p.name), "")
		if p.onThisMachine() {
			t.Setenv(BaseEnvironment(p.name), "http://127.0.0.1:1/v1") // where nothing listens
		}
	}
	t.Setenv(key.Environment("test"), fakemodel.Key)
	if err := os.MkdirAll(paths.Data(), 0o700); err != nil {
		t.Fatal(err)
	}
	if config != "" {
		if err := os.WriteFile(filepath.Join(paths.Data(), FileName), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// rig opens models whose provider test is a service with a script.
func rig(t *testing.T, api API, steps ...fakemodel.Step) (*Models, *fakemodel.Server) {
	t.Helper()
	server := fakemodel.New(t, steps...)
	home(t, fmt.Sprintf(`{"providers":{"test":{"base":%q,"api":%q,"models":[{"id":"m","context":1000,"images":true,"price":{"input":1,"output":2}}]}}}`, server.Base, api))
	m, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	return m, server
}

// answers lets every service answer with the text of an event stream, which stays open behind it.
func (m *Models) answers(stream string) {
	m.transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		open, end := io.Pipe()
		context.AfterFunc(r.Context(), func() { end.CloseWithError(r.Context().Err()) })
		header := http.Header{"Content-Type": {"text/event-stream"}}
		return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(io.MultiReader(strings.NewReader(stream), open))}, nil
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// quick makes the package's times those of a test.
func quick(t *testing.T) {
	again, wait := againDelay, longestWait
	againDelay, longestWait = time.Millisecond, 100*time.Millisecond
	t.Cleanup(func() { againDelay, longestWait = again, wait })
}

// impatient makes a service that is silent late after 150 ms. A busy machine is as late.
func impatient(t *testing.T) {
	first, between, local := firstByte, betweenBytes, localSilence
	firstByte, betweenBytes, localSilence = 150*time.Millisecond, 150*time.Millisecond, 150*time.Millisecond
	t.Cleanup(func() { firstByte, betweenBytes, localSilence = first, between, local })
}

var lookTool = Tool{
	Name: "look", Description: "Looks.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"what":{"type":"string"},"deep":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"required":["what"],"additionalProperties":false}`),
}

func ask(text string) Request {
	return Request{Model: "test/m", System: "Be brief.", Messages: []Message{userText(text)}}
}

func askWithTool(text string) Request {
	r := ask(text)
	r.Tools = []Tool{lookTool}
	return r
}

// pixel is a PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// conversation has all kinds of content, from several services.
func conversation() []Message {
	return []Message{
		userText("Look at the door, please: „grün“ 🦊"),
		{Role: RoleAssistant, Model: "other/x", StopReason: StopToolUse, Content: []Content{
			{Type: ThinkingContent, Thinking: "hm"},
			{Type: TextContent, Text: "I look."},
			{Type: ToolCallContent, ID: "odd id/1", Name: "look", Arguments: json.RawMessage(`{"what":"door"}`)},
			{Type: ToolCallContent, ID: "call_2", Name: "look", Arguments: json.RawMessage(`"{broken"`)},
		}},
		{Role: RoleToolResult, ToolCallID: "odd id/1", ToolName: "look", Content: []Content{
			{Type: TextContent, Text: "green"}, {Type: ImageContent, Data: pixel, MimeType: "image/png"},
		}},
		{Role: RoleToolResult, ToolCallID: "call_2", ToolName: "look", IsError: true},
		{Role: RoleUser, Content: []Content{{Type: TextContent, Text: "And this?"}, {Type: ImageContent, Data: pixel, MimeType: "image/png"}}},
	}
}

// check fails the test unless the error is the fault and names no key.
func check(t *testing.T, err error, code fault.Code, words ...string) *fault.Error {
	t.Helper()
	f := fault.From(err)
	if err == nil || f.Code != code {
		t.Fatalf("%v, not %s", err, code)
	}
	text, _ := json.Marshal(f) // a fault always has a JSON form
	for _, secret := range []string{fakemodel.Key, fakemodel.Key[:20], evil} {
		if strings.Contains(err.Error(), secret) || strings.Contains(string(text), secret) {
			t.Errorf("the key stands in %s", text)
		}
	}
	for _, word := range words {
		if !strings.Contains(f.Message, word) {
			t.Errorf("%q does not name %q", f.Message, word)
		}
	}
	if f.NextStep == "" {
		t.Errorf("%v has no next step", err)
	}
	return f
}
