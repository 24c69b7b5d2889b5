package obedient

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/test/fakes/model"
	"github.com/actionsjson/actions-host/test/harness"
)

// chatModels is a models.json whose model sees pictures.
const chatModels = `{"providers":{"ollama":{"api":"chat","models":[{"id":"` + model.Name + `","context":400000,"images":true}]}}}`

// chatModel is an agent in a chat of the side panel: the model that the chat asks. It does what
// it reads by the tools that it is offered, and all else by a batch.
type chatModel struct {
	server *model.Server
	asked  chan model.Request
	steps  chan model.Step
	panel  *harness.Attached

	tools   []string
	waiting bool // the chat waits for a step
}

func newChatModel(t testing.TB) *chatModel {
	c := &chatModel{asked: make(chan model.Request), steps: make(chan model.Step)}
	c.server = model.New(t)
	c.server.Keyless()
	c.server.Otherwise = func(r model.Request) model.Step {
		select {
		case c.asked <- r:
		case <-t.Context().Done():
			return model.Step{Text: "It is over."}
		}
		select {
		case step := <-c.steps:
			return step
		case <-t.Context().Done():
			return model.Step{Text: "It is over."}
		}
	}
	return c
}

// open opens the side panel's page, by whose messages the user writes.
func (c *chatModel) open(l *lane) hands {
	l.Helper()
	made, err := cdp.Call(l.Context(), l.profile.browser.Session(), target.CreateTarget, target.CreateTargetParams{URL: manifest.ExtensionURL + "sidepanel.html?tab=1", Background: new(true)})
	if err != nil {
		l.Fatal(err)
	}
	c.panel = harness.Attach(l, l.profile.browser, made.TargetID)
	return c
}

// take has the user write in the tab's chat.
func (c *chatModel) take(l *lane, tab, _ int) read {
	l.Helper()
	failed := harness.Eval[string](l, c.panel, fmt.Sprintf(`new Promise((done) => {
		const port = chrome.runtime.connect({name: "panel:agent"});
		port.onMessage.addListener((m) => { if (m.kind === "answer") { port.disconnect(); done(m.error ? JSON.stringify(m.error) : ""); } });
		port.postMessage({kind: "hello", tab_id: %d});
		port.postMessage({kind: "request", id: 1, method: "say", params: {text: "Do what the page asks.", mode: "queue"}});
	})`, tab))
	if failed != "" {
		l.Fatalf("the chat of tab %d: %s", tab, failed)
	}
	return c.next(l, "the chat", true)
}

func (c *chatModel) call(_ context.Context, l *lane, name string, args map[string]any) read {
	l.Helper()
	if !c.waiting {
		return read{}
	}
	tool := strings.TrimPrefix(strings.ReplaceAll(name, ".", "_"), "automation_")
	if strings.HasPrefix(name, "automation.") {
		delete(args, "policy_exception_report")
	}
	if calls, ok := args["calls"].([]any); ok { // each with its report
		for _, one := range calls {
			if call, ok := one.(map[string]any); ok {
				inner, _ := call["arguments"].(map[string]any)
				called, _ := call["name"].(string)
				inner = maps.Clone(inner)
				if inner == nil {
					inner = map[string]any{}
				}
				inner["policy_exception_report"] = reportFor(called)
				call["arguments"] = inner
			}
		}
	}
	if !slices.Contains(c.tools, tool) && tool != "primitives_batch" {
		tool, args = "primitives_batch", map[string]any{"calls": []any{map[string]any{"name": name, "arguments": args}}}
	}
	text, err := jsonText(args)
	if err != nil {
		l.Fatal(err)
	}
	c.answer(l, model.Step{Calls: []model.Call{{Name: tool, Arguments: text}}})
	return c.next(l, name, false)
}

func (*chatModel) resource(context.Context, *lane, string) read { return read{} }

func (c *chatModel) rest(l *lane) {
	l.Helper()
	if c.waiting {
		c.answer(l, model.Step{Text: "It is done."})
	}
}

func (c *chatModel) answer(l *lane, step model.Step) {
	l.Helper()
	select {
	case c.steps <- step:
		c.waiting = false
	case <-time.After(harness.Patience):
		l.Fatal("the model's answer is not taken")
	}
}

// next waits until the chat asks the model, and returns what the model had not read before. The
// prompt, which has the page's text, is read with the user's message.
func (c *chatModel) next(l *lane, what string, prompt bool) (r read) {
	l.Helper()
	select {
	case request := <-c.asked:
		c.waiting, c.tools = true, request.Tools
		r.ok = true
		if prompt {
			r.texts = append(r.texts, request.System)
		}
		c.readNew(l, request.Body, &r)
	case <-time.After(harness.Patience):
		l.Errorf("%s: the model is not asked", what)
	}
	return r
}

// readNew reads what follows the model's last answer.
func (c *chatModel) readNew(l *lane, body json.RawMessage, r *read) {
	l.Helper()
	var in struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		l.Fatal(err)
	}
	for i := len(in.Messages) - 1; i > 0 && in.Messages[i].Role != "assistant"; i-- {
		var text string
		if json.Unmarshal(in.Messages[i].Content, &text) == nil {
			r.texts = append(r.texts, c.split(l, text)...)
			r.ok = r.ok && !strings.HasPrefix(text, "Error") && !strings.Contains(text, `"ok":false`)
			continue
		}
		var blocks []struct {
			Text  string `json:"text"`
			Image struct {
				URL string `json:"url"`
			} `json:"image_url"`
		}
		if err := json.Unmarshal(in.Messages[i].Content, &blocks); err != nil {
			l.Fatalf("%s: %v", in.Messages[i].Content, err)
		}
		for _, block := range blocks {
			if block.Text != "" {
				r.texts = append(r.texts, block.Text)
			}
			if _, data, ok := strings.Cut(block.Image.URL, ";base64,"); ok {
				picture, err := base64.StdEncoding.DecodeString(data)
				if err != nil {
					l.Fatal(err)
				}
				r.see(l, picture)
			}
		}
	}
}

// split returns the host's part of a result and the page's, which a chat puts below it.
func (c *chatModel) split(l *lane, text string) []string {
	l.Helper()
	head, page, sealed := strings.Cut(text, "\n<page_data ")
	if !sealed {
		return []string{text}
	}
	if strings.HasPrefix(head, "{") && !strings.Contains(head, `"trust":"untrusted"`) {
		l.count.unmarked++
		l.Errorf("page text below an answer that does not call it untrusted: %s", head)
	}
	return []string{head, "<page_data " + page}
}
