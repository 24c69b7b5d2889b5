package openai_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/voice/openai"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
)

// echoTools is a toolbox of one tool that answers at once.
type echoTools struct{ t *testing.T }

func (echoTools) ToolSet(context.Context) (voice.ToolSet, error) {
	return voice.ToolSet{Instructions: "Help.", Functions: []voice.Function{{Name: "look", Description: "Look.", Parameters: json.RawMessage(`{"type":"object"}`)}}}, nil
}

func (b echoTools) Run(_ context.Context, c voice.ToolCall) voice.Outcome {
	if c.Name != "look" || c.Arguments != `{"at":"page"}` {
		b.t.Errorf("called %+v", c)
	}
	return voice.Outcome{Name: "look", OK: true, Output: json.RawMessage(`{"ok":true,"output":{"seen":"tea"}}`), Image: "data:image/png;base64,AAAA"}
}

// nopObserver is an observer that does not care.
type nopObserver struct{}

func (nopObserver) StateChanged(voice.State) {}
func (nopObserver) RowChanged(voice.Row)     {}
func (nopObserver) ToolRan(voice.ToolRun)    {}
func (nopObserver) LogEvent(string, any)     {}

func start(t *testing.T, base, key string) (*voice.Session, error) {
	t.Helper()
	provider, err := openai.New(base, key)
	if err != nil {
		return nil, err
	}
	s, err := voice.Start(t.Context(), voice.Options{
		ID: "voice:1", Provider: provider, Tools: echoTools{t}, Observer: nopObserver{}, Setup: voice.Setup{Model: "gpt-realtime-2.1"},
	})
	if err == nil {
		t.Cleanup(s.Stop)
	}
	return s, err
}

func TestConversation(t *testing.T) {
	// Ensure that a written message, a tool call with a picture and the answer travel in the provider's own shapes.
	server := realtime.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	s, err := start(t, server.Base, realtime.Key)
	if err != nil {
		t.Fatal(err)
	}
	wire := server.Next(ctx)
	answers := make(chan voice.Reply, 1)
	go func() {
		reply, err := s.SendAndWait(ctx, "what is there?", voice.Queue)
		if err != nil {
			t.Error(err)
		}
		answers <- reply
	}()
	update := wire.Expect(ctx, "session.update")
	if text := string(update.Session); !strings.Contains(text, `"instructions":"Help."`) || !strings.Contains(text, `"name":"look"`) || !strings.Contains(text, `"output_modalities":["text"]`) {
		t.Errorf("session %s", text)
	}
	if item := wire.Expect(ctx, "conversation.item.create").Item; item.Role != "user" || item.Content[0].Text != "what is there?" {
		t.Errorf("item %+v", item)
	}
	wire.Begin(ctx)
	wire.Finish("completed", realtime.Function{CallID: "c1", Name: "look", Arguments: `{"at":"page"}`})
	if item := wire.Expect(ctx, "conversation.item.create").Item; item.CallID != "c1" || item.Output != `{"ok":true,"output":{"seen":"tea"}}` {
		t.Errorf("result %+v", item)
	}
	if item := wire.Expect(ctx, "conversation.item.create").Item; item.Content[1].ImageURL != "data:image/png;base64,AAAA" {
		t.Errorf("picture %+v", item)
	}
	id := wire.Begin(ctx)
	wire.Write("There is tea.")
	wire.Finish("completed")
	if r := <-answers; r.Text != "There is tea." || r.ResponseID != id {
		t.Errorf("reply %+v", r)
	}
}

func TestRefusals(t *testing.T) {
	// Ensure that a missing key, a wrong one, an address that would leak it and a broken service each give their own fault, none with the key in it.
	server := realtime.New(t)
	for name, c := range map[string]struct {
		base, key string
		status    int
		want      fault.Code
	}{
		"no key":      {server.Base, "", 0, fault.VoiceKeyMissing},
		"wrong key":   {server.Base, "sk-wrong-secret", 0, fault.VoiceRefused},
		"no TLS":      {"http://example.com/v1", realtime.Key, 0, fault.UnsafeURL},
		"no address":  {"://", realtime.Key, 0, fault.InvalidInput},
		"broken":      {server.Base, realtime.Key, 503, fault.VoiceUnresponsive},
		"too much":    {server.Base, realtime.Key, 429, fault.VoiceUnresponsive},
		"unreachable": {"http://127.0.0.1:1/v1", realtime.Key, 0, fault.VoiceUnresponsive},
	} {
		t.Run(name, func(t *testing.T) {
			server.Refuse(c.status)
			_, err := start(t, c.base, c.key)
			f := fault.From(err)
			if f == nil || f.Code != c.want || c.key != "" && strings.Contains(f.Error(), c.key) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

func TestReconnects(t *testing.T) {
	// Ensure that after the service drops the connection the conversation goes on upon a new one.
	server := realtime.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s, err := start(t, server.Base, realtime.Key)
	if err != nil {
		t.Fatal(err)
	}
	wire := server.Next(ctx)
	done := make(chan error, 1)
	go func() {
		_, err := s.SendAndWait(ctx, "hello", voice.Queue)
		done <- err
	}()
	wire.Begin(ctx)
	wire.Drop()
	wire = server.Next(ctx)
	if item := wire.Expect(ctx, "conversation.item.create").Item; item.Content[0].Text != "hello" {
		t.Errorf("carried over: %+v", item)
	}
	wire.Begin(ctx)
	wire.Write("Hello again.")
	wire.Finish("completed")
	if err := <-done; err != nil {
		t.Error(err)
	}
}
