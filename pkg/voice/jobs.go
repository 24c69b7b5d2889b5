package voice

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/shorten"
)

// maxCalls is how many calls of one response run. A model has no use for more;
// a service could ask for any number.
const maxCalls = 32

// maxWhy bounds the reason of a failure in the transcript, in bytes.
const maxWhy = 300

// batch is the tool calls of one response. They run side by side; calls on one
// tab wait for each other in the host's own lanes.
type batch struct {
	calls    []ToolCall
	outcomes []Outcome
	left     int
	follow   string // the id of the request that comes after
	line     int    // the connection that asked
	dropped  bool
	cancel   context.CancelFunc
}

// drop ends the calls; what they still give does not count. The model is told so
// before it is asked for anything else.
func (s *Session) drop(b *batch) {
	if b.dropped {
		return
	}
	b.dropped = true
	b.cancel()
	s.discard(b.line, b.calls, interrupted)
	s.forgo(b.follow)
}

// run starts the calls of a response and gives the id of the request that will
// follow them; empty where there was nothing new to run.
func (s *Session) run(e ResponseEnded) (follow string) {
	var calls []ToolCall
	for _, c := range e.Calls {
		if !s.seen[c.CallID] {
			s.seen[c.CallID] = true
			calls = append(calls, c)
		}
	}
	if len(calls) == 0 {
		return ""
	}
	ctx, cancel := context.WithCancel(s.ctx)
	b := &batch{calls: calls, outcomes: make([]Outcome, len(calls)), left: len(calls), follow: newID(), line: s.lines, cancel: cancel}
	s.batches = append(s.batches, b)
	s.state.Tool = calls[0].Name
	for i, c := range calls {
		s.options.Observer.RowChanged(Row{ID: c.CallID, Role: "tool", Text: c.Name})
		go func() {
			limited, stop := context.WithTimeout(ctx, toolTime)
			defer stop()
			var outcome Outcome
			if i < maxCalls {
				outcome = s.options.Tools.Run(limited, c)
			} else {
				outcome = tooMany(c)
			}
			s.post(func() { s.finished(b, i, outcome) })
		}()
	}
	return b.follow
}

// tooMany is the outcome of a call that did not run.
func tooMany(c ToolCall) Outcome {
	f := fault.New(fault.RateLimited, "a response may call %d tools at a time, and this call came after them", maxCalls).
		WithNextStep("Call it again once the others are answered.").WithDispatched(fault.NotDispatched)
	o := Outcome{Name: c.Name, Code: string(f.Code), Why: f.Message}
	var err error
	if o.Output, err = primitive.Output(map[string]any{"ok": false, "error": f}); err != nil {
		o.Output = json.RawMessage(`{"ok":false}`)
	}
	return o
}

func (s *Session) finished(b *batch, i int, o Outcome) {
	b.outcomes[i] = o
	b.left--
	c := b.calls[i]
	s.options.Observer.ToolRan(ToolRun{Name: o.Name, CallID: c.CallID, OK: o.OK, Code: o.Code})
	text := o.Name
	if !o.OK {
		text += ": " + o.Code
		if o.Why != "" {
			text += ": " + shorten.Bytes(o.Why, maxWhy)
		}
	}
	s.options.Observer.RowChanged(Row{ID: c.CallID, Role: "tool", Text: text, Done: true, OK: &o.OK})
	if b.left > 0 {
		return
	}
	b.cancel()
	for k, other := range s.batches {
		if other == b {
			s.batches = append(s.batches[:k], s.batches[k+1:]...)
			break
		}
	}
	s.dirty = true // a tool may have changed the tab or its page
	s.deliver(b)
	s.rest()
}

// leave ends the rows of calls that the session does not wait for any more.
func (s *Session) leave(b *batch) {
	for i, c := range b.calls {
		if b.outcomes[i].Name == "" {
			s.options.Observer.RowChanged(Row{ID: c.CallID, Role: "tool", Text: c.Name + ": " + string(fault.Cancelled), Done: true, OK: new(bool)})
		}
	}
}

// deliver answers all calls of a response together and asks for one follow-up.
func (s *Session) deliver(b *batch) {
	if b.dropped {
		return // drop has told it
	}
	for i, c := range b.calls {
		o := b.outcomes[i]
		s.answerCall(b.line, c, o.Name, Bounded(o.Output))
		if o.Image != "" {
			// The picture is for this connection: it is not carried over.
			s.send("picture", func(ctx context.Context) error {
				return s.conn.Add(ctx, Item{Image: &Image{DataURL: o.Image, Caption: "The picture that " + o.Name + " took."}})
			})
		}
	}
	s.gate.add(ask{id: b.follow, textOnly: s.state.TextOnly || s.textOnly(b.follow)}, Queue)
}

// CalledWith stands between the result of a call and its arguments, where a model
// is told of both in words.
const CalledWith = "\nIt was called with "

// answerCall gives a call's output to the model: as the call's result, or in
// words on a connection that never saw the call.
func (s *Session) answerCall(line int, c ToolCall, name, output string) {
	told := Item{Message: &Message{"system", fmt.Sprintf("Result of the tool %s: %s%s%s", name, output, CalledWith, shorten.Bytes(c.Arguments, 500))}}
	s.history.add(told)
	item := Item{Result: &Result{c.CallID, output}}
	if line != s.lines {
		item = told
	}
	s.send("tool result", func(ctx context.Context) error { return s.conn.Add(ctx, item) })
}

// Why the result of a call does not count.
const (
	interrupted = "The user interrupted; the result was dropped. Read the page before acting on it."
	brokenOff   = "The response broke off, so the call did not run."
)

// discard answers calls whose response does not count.
func (s *Session) discard(line int, calls []ToolCall, why string) {
	for _, c := range calls {
		s.seen[c.CallID] = true
		s.options.Observer.Note("tool_discarded", map[string]string{"name": c.Name, "call_id": c.CallID})
		s.answerCall(line, c, c.Name, `{"ok":false,"error":{"code":"cancelled","message":"`+why+`"}}`)
	}
}

// Bounded keeps an output within its budget and still valid JSON.
func Bounded(output json.RawMessage) string {
	if len(output) <= maxOutput {
		return string(output)
	}
	// What is JSON already grows when it becomes a string; how much is not known
	// before.
	for n := maxOutput; ; n = n * 3 / 4 {
		text, err := primitive.Output(map[string]any{"truncated": true, "total_bytes": len(output), "text": shorten.Bytes(string(output), n)})
		if err != nil {
			return `{"truncated":true}` // not reachable: strings and numbers only
		}
		if len(text) <= maxOutput {
			return string(text)
		}
	}
}

// textOnly tells whether whoever waits for the request wants to read the answer.
func (s *Session) textOnly(request string) bool {
	w := s.waiters[request]
	return w != nil && w.textOnly
}
