package textmodel

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// stepper is a model that plays a script, one function a step.
type stepper struct {
	mu     sync.Mutex
	asked  []model.Request
	script []func(ctx context.Context, onText func(string)) (model.Message, error)
	again  func(ctx context.Context, onText func(string)) (model.Message, error) // after the script
}

func (s *stepper) Step(ctx context.Context, r model.Request, onText func(string)) (model.Message, error) {
	s.mu.Lock()
	n := len(s.asked)
	s.asked = append(s.asked, r)
	play := s.again
	if n < len(s.script) {
		play = s.script[n]
	}
	s.mu.Unlock()
	return play(ctx, onText)
}

func (s *stepper) Describe(_ context.Context, name string) (model.Info, error) {
	switch name {
	case "unknown":
		return model.Info{Context: 32768}, nil
	case "local":
		return model.Info{Context: 32768, OnThisMachine: true}, nil
	case "gone":
		return model.Info{}, fault.New(fault.ModelNotFound, "no such model")
	}
	return model.Info{Context: 32768, Price: &model.Price{Input: 1, CacheRead: 0.1, Output: 2}}, nil
}

func (s *stepper) requests() []model.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]model.Request{}, s.asked...)
}

func says(text string) func(context.Context, func(string)) (model.Message, error) {
	return func(_ context.Context, onText func(string)) (model.Message, error) {
		onText(text)
		return model.Message{Content: textContent(text), StopReason: model.StopEnd}, nil
	}
}

func calls(name, id, arguments string) func(context.Context, func(string)) (model.Message, error) {
	return func(context.Context, func(string)) (model.Message, error) {
		return model.Message{Content: []model.Content{{Type: model.ToolCallContent, ID: id, Name: name, Arguments: json.RawMessage(arguments)}}, StopReason: model.StopToolUse}, nil
	}
}

// tools is a toolbox that knows the tools read and press.
type tools struct {
	mu  sync.Mutex
	ran []string
}

func (h *tools) ToolSet(context.Context) (voice.ToolSet, error) {
	return voice.ToolSet{Instructions: "help", Functions: []voice.Function{{Name: "read"}, {Name: "press"}}}, nil
}

func (h *tools) Run(ctx context.Context, c voice.ToolCall) voice.Outcome {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ran = append(h.ran, c.Name+" "+c.Arguments)
	code := fault.Code("")
	switch {
	case c.Name == "slow":
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			code = fault.Cancelled
		}
	case c.Name == "wait":
		<-ctx.Done()
		code = fault.Cancelled
	case c.Name != "read" && c.Name != "press":
		code = fault.UnknownPrimitive
	case !json.Valid([]byte(c.Arguments)):
		code = fault.ToolArgumentParseFailed
	}
	if code != "" {
		return voice.Outcome{Name: c.Name, Code: string(code), Output: json.RawMessage(fmt.Sprintf(`{"error":{"code":%q},"ok":false}`, code))}
	}
	return voice.Outcome{Name: c.Name, OK: true, Output: json.RawMessage(`{"ok":true}`)}
}

// rows is an observer that keeps the newest form of each row.
type rows struct {
	mu     sync.Mutex
	order  []string
	byID   map[string]voice.Row
	events []string
	sizes  []int // of the growing answer
	state  voice.State
}

func (r *rows) StateChanged(s voice.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = s
}

func (r *rows) ToolRan(voice.ToolRun) {}
func (r *rows) LogEvent(kind string, _ any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, kind)
}

func (r *rows) RowChanged(row voice.Row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.byID[row.ID]; !known {
		r.order = append(r.order, row.ID)
	}
	r.byID[row.ID] = row
	if row.Role == "assistant" && !row.Done {
		r.sizes = append(r.sizes, len(row.Text))
	}
}

func (r *rows) last(role string) voice.Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.order) - 1; i >= 0; i-- {
		if row := r.byID[r.order[i]]; row.Role == role {
			return row
		}
	}
	return voice.Row{}
}

type conversation struct {
	*voice.Session
	model *stepper
	tools *tools
	rows  *rows
}

func begin(t *testing.T, m *stepper, change func(*Provider, *voice.Options)) *conversation {
	t.Helper()
	c := &conversation{model: m, tools: &tools{}, rows: &rows{byID: map[string]voice.Row{}}}
	p := &Provider{Stepper: m}
	o := voice.Options{ID: "agent:1", Provider: p, Tools: c.tools, Observer: c.rows, Setup: voice.Setup{Model: "auto"}, ResponseTimeout: time.Hour}
	if change != nil {
		change(p, &o)
	}
	s, err := voice.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	c.Session = s
	t.Cleanup(s.Stop)
	return c
}

// say sends a message and returns the answer, or the code of its failure.
func (c *conversation) say(text string) string {
	r, err := c.SendAndWait(context.Background(), text, voice.Queue)
	if err != nil {
		return string(fault.From(err).Code)
	}
	return r.Text
}

func TestTaskOfThreeSteps(t *testing.T) {
	// Ensure that calls run, that each result follows its call in what the model gets next, that a repeated id is told apart, and that the last text answers.
	synctest.Test(t, func(t *testing.T) {
		c := begin(t, &stepper{script: []func(context.Context, func(string)) (model.Message, error){
			calls("read", "call_0", `{}`), calls("press", "call_0", `{"at":"Send"}`), says("It is sent."),
		}}, nil)
		if got := c.say("Send it"); got != "It is sent." {
			t.Fatalf("the answer is %q", got)
		}
		if got := strings.Join(c.tools.ran, "; "); got != `read {}; press {"at":"Send"}` {
			t.Errorf("ran %s", got)
		}
		asked := c.model.requests()
		if len(asked) != 3 || len(asked[0].Tools) != 2 || asked[0].System != "help" {
			t.Fatalf("%d steps: %+v", len(asked), asked[0])
		}
		last := asked[2].Messages
		var roles []string
		for _, m := range last {
			roles = append(roles, string(m.Role))
		}
		if got := strings.Join(roles, " "); got != "user assistant toolResult assistant toolResult" {
			t.Fatalf("the roles are %s", got)
		}
		if first, second := last[2].ToolCallID, last[4].ToolCallID; first == second || last[3].Content[0].ID != second || last[4].ToolName != "press" {
			t.Errorf("the ids are %q and %q: %+v", first, second, last[3:])
		}
	})
}

func TestBrokenCalls(t *testing.T) {
	// Ensure that arguments that are no JSON and an unknown tool fail by their codes, that the model goes on, and that it gets an object where its arguments were none.
	synctest.Test(t, func(t *testing.T) {
		c := begin(t, &stepper{script: []func(context.Context, func(string)) (model.Message, error){
			calls("press", "a", `"{\"at\":"`), calls("fly", "b", `{}`), says("I cannot."),
		}}, nil)
		if got := c.say("Go"); got != "I cannot." {
			t.Fatalf("the answer is %q", got)
		}
		messages := c.model.requests()[2].Messages
		if got := string(messages[1].Content[0].Arguments); got != "{}" {
			t.Errorf("the arguments are sent as %s", got)
		}
		for i, want := range map[int]fault.Code{2: fault.ToolArgumentParseFailed, 4: fault.UnknownPrimitive} {
			if m := messages[i]; !m.IsError || !strings.Contains(m.Content[0].Text, string(want)) {
				t.Errorf("the result %d is %+v, want %s", i, m, want)
			}
		}
		if c.tools.ran[0] != `press {"at":` {
			t.Errorf("ran %q", c.tools.ran)
		}
	})
}

func TestHalfAStream(t *testing.T) {
	// Ensure that a stream that breaks is a row with code and next step, that what came of it stays, and that the next message is answered.
	synctest.Test(t, func(t *testing.T) {
		c := begin(t, &stepper{script: []func(context.Context, func(string)) (model.Message, error){
			func(_ context.Context, onText func(string)) (model.Message, error) {
				onText("The first ")
				return model.Message{}, fault.New(fault.TransportFailed, "the stream broke")
			}, says("Again."),
		}}, nil)
		if got := c.say("One"); got != string(fault.TransportFailed) {
			t.Errorf("the answer is %q", got)
		}
		note, half := c.rows.last("note"), c.rows.last("assistant")
		if note.Code != string(fault.TransportFailed) || note.NextStep == "" || half.Text != "The first" || !half.Done {
			t.Errorf("the rows are %+v and %+v", note, half)
		}
		if got := c.say("Two"); got != "Again." {
			t.Errorf("the second answer is %q", got)
		}
	})
}

func TestInterruption(t *testing.T) {
	// Ensure that an interruption ends the model's call and the tool that runs, that a call without a result gets one, and that the session goes on.
	synctest.Test(t, func(t *testing.T) {
		cancelled := false
		c := begin(t, &stepper{script: []func(context.Context, func(string)) (model.Message, error){
			func(ctx context.Context, onText func(string)) (model.Message, error) {
				onText("Well")
				<-ctx.Done()
				cancelled = true
				return model.Message{}, ctx.Err()
			}, calls("wait", "w", `{}`), says("Now."),
		}}, nil)
		for range 2 {
			if err := c.Send("Go", voice.Queue); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			c.Interrupt()
			synctest.Wait()
		}
		if !cancelled {
			t.Error("the model's call goes on")
		}
		if got := c.say("And now?"); got != "Now." {
			t.Errorf("the answer is %q", got)
		}
		messages := c.model.requests()[2].Messages
		if m := messages[len(messages)-2]; m.Role != model.RoleToolResult || !m.IsError {
			t.Errorf("the call's result is %+v", m)
		}
	})
}

func TestMessageWhileAToolRuns(t *testing.T) {
	// Ensure that a message which the user queues while a tool runs is not sent with a call that has no result: the model would call again.
	synctest.Test(t, func(t *testing.T) {
		c := begin(t, &stepper{script: []func(context.Context, func(string)) (model.Message, error){
			calls("slow", "s", `{}`), says("Done."), says("And done."),
		}}, nil)
		if err := c.Send("One", voice.Queue); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := c.say("Two"); got != "And done." {
			t.Errorf("the answer is %q", got)
		}
		for i, request := range c.model.requests() {
			for _, m := range request.Messages {
				if m.Role == model.RoleToolResult && m.IsError {
					t.Errorf("the request %d has the result %q", i, TextOf(m))
				}
			}
		}
	})
}

func TestLastWords(t *testing.T) {
	// Ensure that what is added while a step runs, a message that interrupts it included, is asked behind that step's answer, and that no request ends with the model's own words, also where its message went out with a tool's result.
	slow := func(ctx context.Context, onText func(string)) (model.Message, error) {
		onText("Answer ")
		select {
		case <-time.After(time.Second):
			return model.Message{Content: textContent("Answer one."), StopReason: model.StopEnd}, nil
		case <-ctx.Done():
			return model.Message{}, ctx.Err()
		}
	}
	for name, row := range map[string]struct {
		first func(context.Context, func(string)) (model.Message, error)
		mode  voice.Mode
		want  []string // of the last request
	}{
		"queued":      {slow, voice.Queue, []string{"One", "Answer one.", "Two"}},
		"interrupted": {slow, voice.Interrupt, []string{"One", "Answer", "Two"}},
		"in a tool":   {calls("slow", "s", `{}`), voice.Queue, []string{"One", "", `{"ok":true}`, "Two", "Done.", hostNote + openNote}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := []func(context.Context, func(string)) (model.Message, error){row.first, says("Done."), says("And done.")}
				c := begin(t, &stepper{script: script}, func(p *Provider, _ *voice.Options) {
					p.Keep = func(all []model.Message) []model.Message { return all }
				})
				if err := c.Send("One", voice.Queue); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if err := c.Send("Two", row.mode); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				requests := c.model.requests()
				var got []string
				for _, m := range requests[len(requests)-1].Messages {
					got = append(got, TextOf(m))
				}
				if !slices.Equal(got, row.want) {
					t.Errorf("the last request is %q", got)
				}
			})
		})
	}
}

func TestLimitsOfATask(t *testing.T) {
	// Ensure that a task ends at its limit of steps or of time with what was done, that nothing more is asked of the model, and that the user's next message begins anew.
	for _, row := range []struct {
		limits voice.Limits
		tool   string
		steps  int
	}{{voice.Limits{Steps: 3}, "read", 3}, {voice.Limits{Duration: time.Minute}, "wait", 1}} {
		synctest.Test(t, func(t *testing.T) {
			c := begin(t, &stepper{again: calls(row.tool, "x", `{}`)}, func(_ *Provider, o *voice.Options) { o.Limits = row.limits })
			_ = c.say("Go on for ever")
			time.Sleep(2 * time.Minute)
			note := c.rows.last("note")
			if note.Code != string(fault.StepLimitReached) || note.NextStep == "" || row.tool == "read" && !strings.Contains(note.Text, "read, read, read") {
				t.Errorf("the row is %+v", note)
			}
			if n := len(c.model.requests()); n != row.steps {
				t.Errorf("%d steps", n)
			}
			c.AddSystemMessage("a decision")
			time.Sleep(time.Second)
			if n := len(c.model.requests()); n != row.steps {
				t.Errorf("%d steps after the end", n)
			}
			c.model.mu.Lock()
			c.model.again = says("Hello.")
			c.model.mu.Unlock()
			if got := c.say("And?"); got != "Hello." {
				t.Errorf("the next answer is %q", got)
			}
		})
	}
}

func TestGrowingAnswer(t *testing.T) {
	// Ensure that an answer grows on the screen while it comes, but not with every piece, that it costs what its model does, and that notes of the host say that they are.
	synctest.Test(t, func(t *testing.T) {
		c := begin(t, &stepper{script: []func(context.Context, func(string)) (model.Message, error){
			func(_ context.Context, onText func(string)) (model.Message, error) {
				for range 100 {
					onText("word ")
					time.Sleep(10 * time.Millisecond)
				}
				return model.Message{Content: textContent(strings.Repeat("word ", 100)), StopReason: model.StopEnd, Model: "tea/leaf", Usage: &model.Usage{Input: 1000, Output: 500, CacheRead: 1000}}, nil
			},
		}}, nil)
		c.AddNote("The tab is now elsewhere.")
		if got := c.say("Tell"); len(got) != 499 {
			t.Errorf("the answer has %d bytes", len(got))
		}
		synctest.Wait()
		c.rows.mu.Lock()
		defer c.rows.mu.Unlock()
		if n := len(c.rows.sizes); n < 5 || n > 20 {
			t.Errorf("it grew %d times", n)
		}
		if cost := c.rows.state.Cost.SessionUSD; cost < 0.00209 || cost > 0.00211 || c.rows.state.Model != "tea/leaf" {
			t.Errorf("it cost %v, by %q", cost, c.rows.state.Model)
		}
		messages := c.model.requests()[0].Messages
		if len(messages) != 2 || !strings.HasPrefix(messages[0].Content[0].Text, hostNote) {
			t.Errorf("the messages are %+v", messages)
		}
	})
}

func TestCostOfWhatFailed(t *testing.T) {
	// Ensure that what a failed step took counts as cost, so that a spending limit holds.
	synctest.Test(t, func(t *testing.T) {
		c := begin(t, &stepper{script: []func(context.Context, func(string)) (model.Message, error){
			func(context.Context, func(string)) (model.Message, error) {
				return model.Message{Model: "tea/leaf", Usage: &model.Usage{Input: 1_000_000}}, fault.New(fault.ModelUnavailable, "it broke off")
			},
		}}, nil)
		c.say("Tell")
		synctest.Wait()
		c.rows.mu.Lock()
		defer c.rows.mu.Unlock()
		if cost := c.rows.state.Cost.SessionUSD; cost != 1 {
			t.Errorf("it cost %v", cost)
		}
	})
}

func TestUnknownPrice(t *testing.T) {
	// Ensure that a model whose price is not known has the highest ones, so that a spending limit holds, and that one on this machine is free.
	dearest := model.DearestPrice()
	if dearest.Input < 1 || dearest.Output < 1 || dearest.CacheRead <= 0 {
		t.Fatalf("the highest prices are %+v", dearest)
	}
	for name, want := range map[string]float64{"auto": 1, "unknown": dearest.Input, "gone": dearest.Input, "local": 0, "": 0} {
		if got := PricesOf(t.Context(), &stepper{}, name); got.TextIn != want {
			t.Errorf("%q costs %+v", name, got)
		}
	}
}

func TestKeptConversation(t *testing.T) {
	// Ensure that a long conversation is kept only as far as it is to be, and that what is left of it is well formed.
	synctest.Test(t, func(t *testing.T) {
		m := &stepper{again: calls("read", "", "{}")}
		most := 0
		c := begin(t, m, func(p *Provider, o *voice.Options) {
			p.Keep = func(all []model.Message) []model.Message {
				if len(all) > 12 { // with a call and its result together
					all = append(all[:1:1], all[len(all)-10:]...)
				}
				return all
			}
			p.Prepare = func(_ context.Context, r model.Request, _ model.Info, _ bool) model.Request {
				most = max(most, len(r.Messages))
				if err := model.CheckPairs(r.Messages); err != nil {
					t.Error(err)
				}
				return r
			}
			o.Limits = voice.Limits{Steps: 60, Duration: time.Hour}
		})
		c.say("Read on")
		if asked := m.requests(); len(asked) < 40 || most > 12 || asked[len(asked)-1].Messages[0].Content[0].Text != "Read on" {
			t.Errorf("in %d steps up to %d messages", len(asked), most)
		}
	})
}
