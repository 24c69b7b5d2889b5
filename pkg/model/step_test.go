package model

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	fakemodel "github.com/actionsjson/actions-host/test/fakes/model"
)

func TestStep(t *testing.T) {
	// Ensure that a text and tool calls come whole through each wire format, wherever their stream is cut and
	// whatever comments stand in it, and that the text comes in pieces and in order.
	long := strings.Repeat("a house — „Haus“ 家 🦊\n", 20)
	for _, api := range apis {
		for _, cut := range []int{0, 1, 7, 100} {
			t.Run(string(api), func(t *testing.T) {
				m, _ := rig(t, api, fakemodel.Step{
					Text: long, Thinking: "let me see", Cut: cut, Comments: true,
					Calls: []fakemodel.Call{{ID: "call_a", Name: "look", Arguments: `{"what":"a \"door\"","deep":null}`}, {ID: "call_b", Name: "look"}},
				})
				var text strings.Builder
				pieces := 0
				message, err := m.Step(t.Context(), askWithTool("Go"), func(piece string) { text.WriteString(piece); pieces++ })
				if err != nil {
					t.Fatal(err)
				}
				if text.String() != long || pieces < 10 {
					t.Errorf("in %d pieces: %q", pieces, text.String())
				}
				if message.Timestamp == 0 {
					t.Error("the message has no time")
				}
				message.Timestamp = 0
				want := Message{
					Role: RoleAssistant, StopReason: StopToolUse, Model: "test/m", Usage: &Usage{Input: 10, Output: 5, CacheRead: 2},
					Content: []Content{
						{Type: ThinkingContent, Thinking: "let me see"}, {Type: TextContent, Text: long},
						{Type: ToolCallContent, ID: "call_a", Name: "look", Arguments: json.RawMessage(`{"what":"a \"door\"","deep":null}`)},
						{Type: ToolCallContent, ID: "call_b", Name: "look", Arguments: json.RawMessage(`{}`)},
					},
				}
				if diff := cmp.Diff(want, message); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestConversation(t *testing.T) {
	// Ensure that each format takes a conversation with images, tool calls of another service and arguments that are
	// no JSON (the service is strict), and that the tools, the prompt and the temperature are sent.
	for _, api := range apis {
		t.Run(string(api), func(t *testing.T) {
			m, server := rig(t, api, fakemodel.Step{Text: "Fine."}, fakemodel.Step{Text: "Fine."})
			request := askWithTool("")
			request.Messages = conversation()
			if _, err := m.Step(t.Context(), request, nil); err != nil {
				t.Fatal(err)
			}
			request.Tools = nil
			request.MaxOutputTokens = 77
			if _, err := m.Step(t.Context(), request, nil); err != nil {
				t.Fatal(err)
			}
			first, second := server.Requests()[0], server.Requests()[1]
			if first.System != "Be brief." || len(first.Tools) != 1 || len(second.Tools) != 0 || first.Model != "m" {
				t.Errorf("%+v", first)
			}
			body := string(first.Body)
			for _, want := range []string{pixel, "green", "grün", `"temperature":0.15`, "2048", "not_an_object"} {
				if !strings.Contains(body, want) {
					t.Errorf("%q is missing in %s", want, body)
				}
			}
			if strings.Contains(body, "hm") || strings.Contains(body, "odd id") {
				t.Errorf("thoughts or a strange id were sent: %s", body)
			}
			if second := string(second.Body); !strings.Contains(second, `"temperature":0.3`) || !strings.Contains(second, ":77") {
				t.Error(second)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	// Ensure that arguments which are no object come as a string, so that the loop can go on.
	for _, api := range apis {
		m, _ := rig(t, api, fakemodel.Step{Calls: []fakemodel.Call{{Name: "look", Arguments: `{"what": "do`}, {Name: "look", Arguments: `[1]`}, {Name: "look", Arguments: `{"a":1,"a":2}`}}})
		message, err := m.Step(t.Context(), askWithTool("Go"), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{`{"what": "do`, `[1]`, `{"a":1,"a":2}`} {
			var text string
			if err := json.Unmarshal(message.Content[i].Arguments, &text); err != nil || text != want {
				t.Errorf("%s: %s, %v", api, message.Content[i].Arguments, err)
			}
		}
	}
}

func TestCallsOfOneID(t *testing.T) {
	// Ensure that an answer whose calls have one id can be sent back with their results.
	for _, api := range apis {
		m, _ := rig(t, api, fakemodel.Step{Calls: []fakemodel.Call{{ID: "a", Name: "look"}, {ID: "a", Name: "look"}}})
		message, err := m.Step(t.Context(), askWithTool("Go"), nil)
		if err != nil || len(message.Content) != 2 || message.Content[0].ID != "a" {
			t.Fatalf("%s: %+v, %v", api, message, err)
		}
		all := []Message{userText("Go"), message}
		for _, c := range message.Content {
			all = append(all, Message{Role: RoleToolResult, ToolCallID: c.ID})
		}
		if err := Check(all); err != nil {
			t.Errorf("%s: %v", api, err)
		}
	}
}

func TestNudge(t *testing.T) {
	// Ensure that an empty answer is asked for once more, and only once.
	for _, api := range apis {
		m, server := rig(t, api, fakemodel.Step{}, fakemodel.Step{Text: "Here."}, fakemodel.Step{Text: " \n"}, fakemodel.Step{})
		message, err := m.Step(t.Context(), ask("Hi"), nil)
		if err != nil || textOf(message.Content) != "Here." {
			t.Fatalf("%s: %v, %v", api, message, err)
		}
		if body := string(server.Requests()[1].Body); !strings.Contains(body, nudge) {
			t.Error(body)
		}
		_, err = m.Step(t.Context(), ask("Hi"), nil)
		if given := api; err != nil && given != "" {
			check(t, err, fault.ModelResponseInvalid, "empty")
		}
	}
}

func TestThinkingTooLong(t *testing.T) {
	// Ensure that an answer which reached its length before its first word is an error that names what to change, and
	// that a model which thinks gets room for it, as those of the shipped table do that think unasked.
	for api, finish := range map[API]string{ChatAPI: "length", ResponsesAPI: "max_output_tokens", MessagesAPI: "max_tokens"} {
		m, server := rig(t, api, fakemodel.Step{Thinking: "hm", Finish: finish})
		_, err := m.Step(t.Context(), ask("Hi"), nil)
		if f := check(t, err, fault.ModelResponseInvalid, "before it wrote"); !strings.Contains(f.NextStep, "max_output_tokens") {
			t.Errorf("%s: %q", api, f.NextStep)
		}
		if n := len(server.Requests()); n != 1 {
			t.Errorf("%s: asked %d times", api, n)
		}
		for _, p := range builtIn {
			if p.name == "openai" || p.name == "google" {
				m.providers[len(m.providers)-1].models = []modelEntry{p.models[0]}
				server.Then(fakemodel.Step{Text: "Here."})
				request := ask("Hi")
				request.Model = "test/" + p.models[0].ID
				if _, err := m.Step(t.Context(), request, nil); err != nil {
					t.Fatal(err)
				}
				all := server.Requests()
				if body := string(all[len(all)-1].Body); !strings.Contains(body, ":18048") {
					t.Errorf("%s: %s", api, body)
				}
			}
		}
	}
}

func TestUsageOfAllThatWasPaid(t *testing.T) {
	// Ensure that the usage has all answers of a step, those that were not used and those that broke off too, and that
	// what a service does not report is estimated: a spending limit counts it.
	quick(t)
	for _, api := range apis {
		m, server := rig(t, api, fakemodel.Step{}, fakemodel.Step{Text: "Here."})
		message, err := m.Step(t.Context(), ask("Hi"), nil)
		if want := (Usage{Input: 20, Output: 10, CacheRead: 4}); err != nil || *message.Usage != want {
			t.Errorf("%s: %+v, %v", api, message.Usage, err)
		}
		server.Then(fakemodel.Step{Text: strings.Repeat("well ", 30), Half: true})
		message, err = m.Step(t.Context(), ask(strings.Repeat("a long question ", 100)), nil)
		if u := message.Usage; err == nil || u.Input < 10 || api != MessagesAPI && u.Input < 500 || u.Output < 40 || message.Model != "test/m" {
			t.Errorf("%s: half an answer has %+v of %q, %v", api, message.Usage, message.Model, err)
		}
		server.Then(fakemodel.Step{Status: 401})
		if message, err = m.Step(t.Context(), ask("Hi"), nil); err == nil || *message.Usage != (Usage{}) {
			t.Errorf("%s: a refusal has %+v, %v", api, message.Usage, err)
		}
	}
	m, _ := rig(t, ChatAPI)
	m.answers("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a whole answer\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	message, err := m.Step(t.Context(), ask(strings.Repeat("a long question ", 100)), nil)
	if err != nil || message.Usage.Input < 500 || message.Usage.Output < 4 {
		t.Errorf("an answer without usage has %+v, %v", message.Usage, err)
	}
}

func TestNudgeWithoutMark(t *testing.T) {
	// Ensure that a model which writes a call without its mark is asked once more, and that its text is shown if it does so
	// again, has shown some before, or repeats a call with a mark of somebody else.
	const bare = `{"name":"look","arguments":{"what":"door"}}`
	for name, row := range map[string]struct {
		answers []string
		shown   string
		nudged  bool
	}{
		"words then":  {[]string{bare, "I see."}, "I see.", true},
		"again":       {[]string{"<tool_call>" + bare + "</tool_call>", bare}, bare, true},
		"guessed":     {[]string{`{"mark":"AAAAAAAA",` + bare[1:]}, `{"mark":"AAAAAAAA",` + bare[1:], false},
		"after words": {[]string{"It reads: <tool_call>" + bare}, "It reads: <tool_call>" + bare, false},
	} {
		t.Run(name, func(t *testing.T) {
			steps := []fakemodel.Step{{Status: 400, Message: "m does not support tools"}}
			for _, text := range row.answers {
				steps = append(steps, fakemodel.Step{Text: text})
			}
			m, server := rig(t, ChatAPI, steps...)
			shown := ""
			message, err := m.Step(t.Context(), askWithTool("Go"), func(text string) { shown += text })
			if err != nil || textOf(message.Content) != row.shown || shown != row.shown {
				t.Errorf("%+v, %v, shown %q", message, err, shown)
			}
			requests := server.Requests()
			if nudged := strings.Contains(string(requests[len(requests)-1].Body), markNudge); nudged != row.nudged {
				t.Errorf("nudged is %v", nudged)
			}
		})
	}
}

func TestStops(t *testing.T) {
	// Ensure that each reason to end is understood, and one that is not known is an error.
	words := map[API][]struct {
		finish string
		stop   StopReason
		code   fault.Code
	}{
		ChatAPI:      {{"length", StopLength, ""}, {"stop", StopEnd, ""}, {"content_filter", "", fault.ModelRefused}, {"bored", "", fault.ModelResponseInvalid}},
		ResponsesAPI: {{"max_output_tokens", StopLength, ""}, {"content_filter", "", fault.ModelRefused}, {"bored", "", fault.ModelResponseInvalid}, {"failed", "", fault.ModelUnavailable}},
		MessagesAPI:  {{"max_tokens", StopLength, ""}, {"stop_sequence", StopEnd, ""}, {"refusal", "", fault.ModelRefused}, {"bored", "", fault.ModelResponseInvalid}},
	}
	for api, all := range words {
		for _, one := range all {
			m, _ := rig(t, api, fakemodel.Step{Text: "Well", Finish: one.finish})
			message, err := m.Step(t.Context(), ask("Hi"), nil)
			if one.code != "" {
				check(t, err, one.code)
			} else if err != nil || message.StopReason != one.stop {
				t.Errorf("%s %s: %v, %v", api, one.finish, message.StopReason, err)
			}
		}
	}
}

func TestAdapts(t *testing.T) {
	// Ensure that what a service refuses, a temperature or the format of tools, is left out, and stays so, and that a
	// model which writes its calls as the prompt shows is understood, by the same mark in each step of a conversation and by another in another one.
	m, server := rig(t, ChatAPI,
		fakemodel.Step{Status: 400, Message: "Unsupported parameter: 'temperature' is not supported with this model."},
		fakemodel.Step{Status: 400, Message: "m does not support tools"},
	)
	marks := map[string]bool{}
	server.Otherwise = func(r fakemodel.Request) fakemodel.Step { // as a model does that follows the prompt
		begin, rest, _ := strings.Cut(r.System[strings.Index(r.System, "<tool_call>"):], "…")
		_, end, _ := strings.Cut(rest, "{…}")
		end, _, _ = strings.Cut(end, ",")
		marks[begin] = true
		return fakemodel.Step{Text: begin + `look","arguments":{"what":"door"}` + end}
	}
	message, err := m.Step(t.Context(), askWithTool("Go"), func(text string) { t.Errorf("shown: %s", text) })
	if err != nil || message.StopReason != StopToolUse || len(message.Content) != 1 || string(message.Content[0].Arguments) != `{"what":"door"}` {
		t.Fatalf("%+v, %v", message, err)
	}
	next := askWithTool("Go")
	next.System += " The page has changed."
	next.Messages = append(next.Messages, message, Message{Role: RoleToolResult, ToolCallID: message.Content[0].ID, ToolName: "look", Content: []Content{{Type: TextContent, Text: "a door"}}})
	if _, err := m.Step(t.Context(), next, nil); err != nil || len(marks) != 1 {
		t.Errorf("the calls of a conversation begin %v, %v", marks, err)
	}
	if _, err := m.Step(t.Context(), askWithTool("Go on"), nil); err != nil || len(marks) != 2 {
		t.Errorf("the calls of two conversations begin %v, %v", marks, err)
	}
	shown := ""
	request := askWithTool("Go")
	request.Messages = conversation()
	server.Then(fakemodel.Step{Text: "Hello <b>there</b>"})
	if message, err = m.Step(t.Context(), request, func(text string) { shown += text }); err != nil || textOf(message.Content) != "Hello <b>there</b>" || shown != "Hello <b>there</b>" {
		t.Fatalf("%+v, %v, %q", message, err, shown)
	}
	last := server.Requests()[5]
	if len(last.Tools) != 0 || strings.Contains(string(last.Body), "temperature") || !strings.Contains(last.System, `"name":"look"`) {
		t.Errorf("%s", last.Body)
	}
}
