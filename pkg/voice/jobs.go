package voice

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// maxCalls is how many calls of one response run. A model has no use for more;
// a service could ask for any number.
const maxCalls = 32

// maxReason bounds the reason of a failure in the transcript, in bytes.
const maxReason = 300

// maxDetail bounds what a row says of a call's result, in bytes.
const maxDetail = 4000

// batch is the tool calls of one response. They run one after the other, in the
// order in which the model wrote them: a click that depends on the text before it
// must not overtake it.
type batch struct {
	calls      []ToolCall
	outcomes   []Outcome // of the first calls; the call after them is the one that runs
	followUpID string    // the id of the request that comes after
	connNumber int       // the connection that made the calls
	answered   bool
	dropped    bool
	stopped    bool   // by the user: the calls that have not begun do not begin
	done       bool   // by the model's own word: the same
	picture    *Image // of the page after the calls
	ctx        context.Context
	cancel     context.CancelFunc
}

// pending returns the calls without an outcome: the one that runs and those that wait
// for it.
func (b *batch) pending() []ToolCall { return b.calls[len(b.outcomes):] }

// callsRun reports whether there are calls whose results the model is to get.
func (s *Session) callsRun() bool {
	return slices.ContainsFunc(s.batches, func(b *batch) bool { return !b.dropped })
}

// drop ends the calls and discards their results. The model is notified of that before
// the next request.
func (s *Session) drop(b *batch) {
	if b.dropped {
		return
	}
	b.dropped = true
	b.cancel()
	if !b.answered {
		s.discard(b.connNumber, b.calls, interruptedReason)
	}
	s.cancelWaiter(b.followUpID)
}

// startCalls starts the calls of a response and returns the id of the request that will
// follow them; empty if there was nothing new to run.
func (s *Session) startCalls(e ResponseEnded) (followUpID string) {
	var calls []ToolCall
	for _, c := range s.answerable(e.Calls) {
		if !s.seen[c.CallID] {
			s.seen[c.CallID] = true
			calls = append(calls, c)
		}
	}
	if len(calls) == 0 {
		return ""
	}
	b := &batch{calls: calls, followUpID: newID(), connNumber: s.connNumber}
	b.ctx, b.cancel = context.WithCancel(s.ctx)
	s.batches = append(s.batches, b)
	s.advance(b)
	return b.followUpID
}

// answerable returns the calls that have an id. A call without one cannot be answered
// and so must not run; the model gets a message about it.
func (s *Session) answerable(calls []ToolCall) (with []ToolCall) {
	for _, c := range calls {
		if c.CallID != "" {
			with = append(with, c)
			continue
		}
		s.options.Observer.LogEvent("tool_discarded", map[string]string{"name": c.Name, "reason": "no call_id"})
		s.addItem(Item{Message: &Message{"system", fmt.Sprintf("A call of the tool %q had no call_id, so it did not run.", truncate.Bytes(c.Name, maxReason))}})
	}
	return with
}

// advance starts the next call of the batch. Calls that must not run are answered
// on the way; after the last one the batch is answered, the page looked at, and the batch ends.
func (s *Session) advance(b *batch) {
	for len(b.pending()) > 0 {
		c := b.pending()[0]
		o, refused := b.refusal(c)
		if !refused {
			s.startCall(b, c)
			return
		}
		s.record(b, c, o)
	}
	s.answerBatch(b)
	s.look(b)
}

// refusal returns the outcome of a call that must not run; false if it may run.
func (b *batch) refusal(c ToolCall) (Outcome, bool) {
	switch {
	case b.done:
		return notRunOutcome(c, fault.New(fault.Cancelled, "the task was called done before this call")), true
	case b.dropped || b.stopped:
		return notRunOutcome(c, fault.New(fault.Cancelled, "the calls of this answer were stopped before this one began").
			WithNextStep("Do not repeat it by yourself: ask the user how to go on.")), true
	case len(b.outcomes) >= maxCalls:
		return notRunOutcome(c, fault.New(fault.RateLimited, "an answer may call %d tools, and this call came after them", maxCalls).
			WithNextStep("Call it again once the others are answered.")), true
	}
	return Outcome{}, false
}

// notRunOutcome returns the outcome of a call that did not run.
func notRunOutcome(c ToolCall, f *fault.Error) Outcome {
	f = f.WithDispatched(fault.NotDispatched)
	o := Outcome{Name: c.Name, Code: string(f.Code), Reason: f.Message, Next: f.NextStep}
	var err error
	if o.Output, err = primitive.Output(map[string]any{"ok": false, "error": f}); err != nil {
		o.Output = json.RawMessage(`{"ok":false}`)
	}
	return o
}

// startCall runs a call in its own goroutine, and advances the batch when it has ended.
func (s *Session) startCall(b *batch, c ToolCall) {
	s.state.Tool, s.state.ToolArgument = c.Name, s.labelArgument(c)
	if s.state.Status == UsingTool {
		s.options.Observer.StateChanged(s.state)
	}
	s.options.Observer.RowChanged(Row{ID: c.CallID, Role: "tool", Text: c.Name, Argument: s.state.ToolArgument})
	go func() {
		limited, stop := context.WithTimeout(b.ctx, toolTimeout)
		defer stop()
		outcome := s.options.Tools.Run(limited, c)
		s.post(func() {
			b.stopped, b.done = b.stopped || outcome.Stopped, b.done || outcome.Ends
			s.record(b, c, outcome)
			s.advance(b)
		})
	}()
}

// record adds the outcome of the batch's next call and shows it.
func (s *Session) record(b *batch, c ToolCall, o Outcome) {
	b.outcomes = append(b.outcomes, o)
	s.task.add(o)
	s.options.Observer.ToolRan(ToolRun{Name: o.Name, CallID: c.CallID, OK: o.OK, Code: o.Code})
	text := o.Name
	if !o.OK {
		text += ": " + o.Code
		if o.Reason != "" {
			text += ": " + truncate.Bytes(o.Reason, maxReason)
		}
	}
	row := Row{ID: c.CallID, Role: "tool", Text: text, Done: true, OK: &o.OK, Argument: s.labelArgument(c), NextStep: o.Next}
	if s.options.ShowResults {
		row.Detail = truncate.Bytes(o.Text(), maxDetail)
	}
	s.options.Observer.RowChanged(row)
}

// finish removes a batch whose calls have all ended from the session and asks for one follow-up.
func (s *Session) finish(b *batch) {
	b.cancel()
	s.batches = slices.DeleteFunc(s.batches, func(other *batch) bool { return other == b })
	s.dirty = true // a tool may have changed the tab or its page
	if !b.dropped {
		if b.picture != nil {
			s.addLook(*b.picture)
		}
		s.followUp(b.followUpID)
	}
	s.updateIdleStatus()
}

// closeRows ends the rows of calls that the session does not wait for any more.
func (s *Session) closeRows(b *batch) {
	for _, c := range b.pending() {
		s.options.Observer.RowChanged(Row{ID: c.CallID, Role: "tool", Text: c.Name + ": " + string(fault.Cancelled), Done: true, OK: new(bool), Argument: s.labelArgument(c)})
	}
}

// labelArgument returns what a call is about, for people.
func (s *Session) labelArgument(c ToolCall) string {
	if labeller, ok := s.options.Tools.(Labeller); ok {
		return labeller.LabelArgument(c)
	}
	return ""
}

// answerBatch answers all calls of a response together.
func (s *Session) answerBatch(b *batch) {
	if b.dropped {
		return // drop has answered them
	}
	b.answered = true
	for i, c := range b.calls {
		o := b.outcomes[i]
		s.answerCall(b.connNumber, c, o.Name, o.Text())
		if o.Image != "" {
			s.addPicture(Image{DataURL: o.Image, Caption: "The picture that " + o.Name + " took."})
		}
	}
}

// CalledWith separates the result of a call from its arguments in a text message to
// the model.
const CalledWith = "\nIt was called with "

// answerCall sends a call's output to the model: as the call's result, or as a text
// message on a connection that never saw the call.
func (s *Session) answerCall(connNumber int, c ToolCall, name, output string) {
	asText := resultText(c, name, output)
	s.history.add(asText)
	item := Item{Result: &Result{c.CallID, output}}
	if connNumber != s.connNumber {
		item = asText
	}
	s.write("tool result", func(ctx context.Context) error { return s.conn.Add(ctx, item) })
}

// resultText returns a call's output as a text message.
func resultText(c ToolCall, name, output string) Item {
	return Item{Message: &Message{"system", fmt.Sprintf("Result of the tool %s: %s%s%s", name, output, CalledWith, truncate.Bytes(c.Arguments, 500))}}
}

// Reasons for which the result of a call is discarded.
const (
	interruptedReason = "The user interrupted; the result was dropped. Read the page before acting on it."
	brokenOffReason   = "The response broke off, so the call did not run."
)

// discard answers the calls of a response that was interrupted or broke off.
func (s *Session) discard(connNumber int, calls []ToolCall, reason string) {
	for _, c := range calls {
		if c.CallID == "" {
			continue // it cannot be answered
		}
		s.seen[c.CallID] = true
		s.options.Observer.LogEvent("tool_discarded", map[string]string{"name": c.Name, "call_id": c.CallID})
		s.answerCall(connNumber, c, c.Name, `{"ok":false,"error":{"code":"cancelled","message":"`+reason+`"}}`)
	}
}

// textOnly reports whether the request's waiter wants a text answer.
func (s *Session) textOnly(request string) bool {
	w := s.waiters[request]
	return w != nil && w.textOnly
}
