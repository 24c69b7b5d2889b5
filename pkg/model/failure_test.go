package model

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/key"
	fakemodel "github.com/actionsjson/actions-host/test/fakes/model"
)

// broken is a step that fails, with its fault and how often it is tried.
type broken struct {
	name  string
	step  fakemodel.Step
	code  fault.Code
	tries int
	words string
}

func failures() []broken {
	echo := "Incorrect API key provided: " + fakemodel.Key + ". See https://x.example/?key=" + fakemodel.Key
	return []broken{
		{"500", fakemodel.Step{Status: 500, Message: echo}, fault.ModelUnavailable, 2, "500"},
		{"529", fakemodel.Step{Status: 529, Message: "Overloaded"}, fault.ModelUnavailable, 2, "Overloaded"},
		{"429", fakemodel.Step{Status: 429, Message: "slow down", RetryAfter: "0.05"}, fault.ModelUnavailable, 2, "slow down"},
		{"429 for long", fakemodel.Step{Status: 429, RetryAfter: "3600"}, fault.ModelUnavailable, 1, "429"},
		{"401", fakemodel.Step{Status: 401, Message: echo}, fault.ModelRefused, 1, "key"},
		{"404", fakemodel.Step{Status: 404, Message: "no such model"}, fault.ModelRefused, 1, "no such model"},
		{"400", fakemodel.Step{Status: 400, Message: "bad\x1b[31m\nthing " + echo}, fault.ModelRefused, 1, "bad"},
		{"redirect", fakemodel.Step{Status: 307, Location: "http://127.0.0.1:1/v1/" + fakemodel.Key}, fault.ModelRefused, 1, "redirect"},
		{"silence", fakemodel.Step{Silent: true}, fault.ModelTimeout, 1, "150ms"},
		{"silence later", fakemodel.Step{Text: "Well", Mute: true}, fault.ModelTimeout, 1, "150ms"},
		{"half a stream", fakemodel.Step{Text: "Well", Half: true}, fault.ModelResponseInvalid, 1, ""},
		{"an endless stream", fakemodel.Step{Text: "Well", Endless: true}, fault.ModelResponseInvalid, 1, "does not end"},
		{"all but the last event", fakemodel.Step{Text: "Well", Unended: true}, fault.ModelResponseInvalid, 1, "broke off"},
		{"no JSON", fakemodel.Step{Text: "Well", Event: "{broken"}, fault.ModelResponseInvalid, 1, ""},
		{"no end", fakemodel.Step{Text: "Well", Event: `{"type":"ping"}`}, fault.ModelResponseInvalid, 1, ""},
		{"an error in the stream", fakemodel.Step{Text: "Well", Event: `{"type":"error","code":"x","message":"` + echo + `","error":{"type":"x","message":"` + echo + `"}}`}, fault.ModelResponseInvalid, 1, ""},
	}
}

func TestFailures(t *testing.T) {
	// Ensure that each way to fail is its fault in each format, is tried again only where that may help, and that no
	// error holds the key, even where the service repeats it.
	quick(t)
	for _, api := range apis {
		for _, one := range failures() {
			t.Run(string(api)+" "+one.name, func(t *testing.T) {
				if one.code == fault.ModelTimeout {
					impatient(t)
				}
				m, server := rig(t, api)
				server.Otherwise = func(fakemodel.Request) fakemodel.Step { return one.step }
				_, err := m.Step(t.Context(), askWithTool("Go"), nil)
				check(t, err, one.code, one.words)
				if strings.ContainsAny(err.Error(), "\x1b\n") {
					t.Errorf("%q", err)
				}
				tries := len(server.Requests())
				// On a busy machine the patience of the test can end before the service has read the request.
				unread := one.code == fault.ModelTimeout && tries == 0
				if tries != one.tries && !unread {
					t.Errorf("tried %d times", tries)
				}
			})
		}
	}
}

func TestSlowServerOnThisMachine(t *testing.T) {
	// Ensure that a server on this machine has the time to load its model and to read the prompt, and one elsewhere has not.
	impatient(t)
	localSilence = time.Minute
	m, _ := rig(t, ChatAPI, fakemodel.Step{Text: "Here.", Delay: 400 * time.Millisecond})
	if message, err := m.Step(t.Context(), ask("Hi"), nil); err != nil || textOf(message.Content) != "Here." {
		t.Errorf("%+v, %v", message, err)
	}
	m.providers[len(m.providers)-1].base = "https://model.example/v1"
	m.transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	_, err := m.Step(t.Context(), ask("Hi"), nil)
	check(t, err, fault.ModelTimeout, "within 150ms")
}

func TestStreams(t *testing.T) {
	// Ensure that fields and events without data, an error that is null, and a stream that stays open behind its last
	// event do not cost the answer.
	impatient(t)
	chunk := func(more string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"Here."},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}` + more + "}\n\n"
	}
	const done = "data: [DONE]\n\n"
	item := `"item_id":"a","output_index":0,"content_index":0`
	response := `"response":{"status":"completed","error":null,"usage":{"input_tokens":1,"output_tokens":1}}`
	for name, one := range map[string]struct {
		api    API
		stream string
	}{
		"retry":        {ChatAPI, "retry: 3000\n\nid: 7\r\n\r\n" + chunk("") + done},
		"no data":      {ChatAPI, "event: thread.x\n\ndata:\n\n" + chunk("") + done},
		"null":         {ChatAPI, chunk(`,"error": null`) + done},
		"lines":        {ChatAPI, strings.Replace(chunk(""), ",", ",\ndata: ", 1) + done},
		"of Responses": {ResponsesAPI, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\"," + item + ",\"delta\":\"Here.\"}\n\nevent: response.completed\ndata: {\"type\":\"response.completed\"," + response + "}\n\n"},
		"of Messages": {MessagesAPI, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Here.\"}}\n\n" +
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"},
	} {
		m, _ := rig(t, one.api)
		m.answers(one.stream)
		if message, err := m.Step(t.Context(), ask("Hi"), nil); err != nil || textOf(message.Content) != "Here." {
			t.Errorf("%s: %+v, %v", name, message.Content, err)
		}
	}
}

func TestFailsOnceThenAnswers(t *testing.T) {
	// Ensure that the second try's answer is given, and that after some text there is no second try.
	quick(t)
	for _, api := range apis {
		m, server := rig(t, api, fakemodel.Step{Status: 503}, fakemodel.Step{Text: "Here."})
		if message, err := m.Step(t.Context(), ask("Hi"), nil); err != nil || textOf(message.Content) != "Here." {
			t.Fatalf("%v, %v", message, err)
		}
		server.Then(fakemodel.Step{Text: "He", Event: `{"type":"error","code":"server_error","message":"x","error":{"type":"overloaded_error","message":"x"}}`}, fakemodel.Step{Text: "never"})
		shown := ""
		_, err := m.Step(t.Context(), ask("Hi"), func(text string) { shown += text })
		check(t, err, fault.ModelUnavailable)
		if shown != "He" || server.Left() != 1 {
			t.Errorf("%s: %q, %d left", api, shown, server.Left())
		}
	}
}

func TestRetryTime(t *testing.T) {
	// Ensure that the time after which a service wants to be asked again is given on.
	m, _ := rig(t, ChatAPI, fakemodel.Step{Status: 429, RetryAfter: "90"})
	_, err := m.Step(t.Context(), ask("Hi"), nil)
	if f := check(t, err, fault.ModelUnavailable); f.Evidence["retry_after_ms"] != int64(90000) {
		t.Error(f.Evidence)
	}
}

func TestNoConnection(t *testing.T) {
	// Ensure that an address where nobody listens is tried twice and is model_unavailable.
	quick(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan struct{}, 16)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- struct{}{}
			_ = conn.Close()
		}
	}()
	home(t, fmt.Sprintf(`{"providers":{"test":{"base":"http://%s/v1"}}}`, listener.Addr()))
	m, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Step(t.Context(), ask("Hi"), nil)
	check(t, err, fault.ModelUnavailable, "no connection")
	if len(accepted) < 2 {
		t.Errorf("tried %d times", len(accepted))
	}
	_ = listener.Close()
	_, err = m.Step(t.Context(), ask("Hi"), nil)
	check(t, err, fault.ModelUnavailable, "no connection")
}

func TestCancel(t *testing.T) {
	// Ensure that who cancels is answered so, and not as late, while the service is silent and in the middle of its text.
	for _, api := range apis {
		for _, step := range []fakemodel.Step{{Silent: true}, {Text: "Well", Mute: true}} {
			m, _ := rig(t, api, step)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			_, err := m.Step(ctx, ask("Hi"), nil)
			check(t, err, fault.Cancelled)
		}
	}
}

func TestKeys(t *testing.T) {
	// Ensure that without a key nobody is asked, that a server on this machine gets one only if it was set for it,
	// and that the makers' own variables are not read.
	for _, api := range apis {
		m, server := rig(t, api, fakemodel.Step{Text: "Here."})
		t.Setenv(key.Environment("test"), "")
		server.Keyless()
		if _, err := m.Step(t.Context(), ask("Hi"), nil); err != nil {
			t.Fatal(err)
		}
		for _, r := range server.Requests() {
			if strings.Contains(fmt.Sprint(r.Header), evil) {
				t.Errorf("%v", r.Header)
			}
		}
		_, err := m.Step(t.Context(), Request{Model: "openai/gpt-5", Messages: []Message{userText("Hi")}}, nil)
		check(t, err, fault.ModelKeyMissing, "openai")
	}
}

func TestRequestIsChecked(t *testing.T) {
	// Ensure that a conversation with an unanswered call, a result without its call or strange content is refused
	// with its index, before anybody is asked.
	m, _ := rig(t, ChatAPI)
	for index, messages := range [][]Message{
		{{Role: RoleToolResult, ToolCallID: "x"}},
		{userText("Hi"), {Role: RoleAssistant, Content: []Content{{Type: ToolCallContent, ID: "a", Name: "look"}}}, userText("Well?")},
		{userText("Hi"), userText("Hi"), {Role: "system"}},
		{userText("Hi"), userText("Hi"), userText("Hi"), {Role: RoleUser, Content: []Content{{Type: ToolCallContent, ID: "a", Name: "b"}}}},
	} {
		request := ask("")
		request.Messages = messages
		_, err := m.Step(t.Context(), request, nil)
		if f := check(t, err, fault.InvalidInput); f.Evidence["index"] != index {
			t.Errorf("%v: %v", err, f.Evidence)
		}
	}
}
