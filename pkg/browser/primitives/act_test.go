package primitives

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// stage plays the browser for actions: what it was asked, and its answers.
type stage struct {
	mu       sync.Mutex
	asked    []string
	debugger error // what every command fails with
	sent     []protocol.InputSend
	input    []error            // what the runs of real input fail with, one after the other
	seen     protocol.InputSeen // of the last one
	page     map[string][]any   // answers of the page code by primitive, the last one again and again
	messages []string           // the methods that came, without those within an action in one message
	within   bool               // such an action
	stuck    chan struct{}      // closed when an action in one message came, which is then not answered
}

func (s *stage) answer(ctx context.Context, method string, params json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.within {
		s.messages = append(s.messages, method)
	}
	if method == protocol.MethodDebuggerCommand {
		var c protocol.DebuggerCommand
		if err := json.Unmarshal(params, &c); err != nil {
			return nil, err
		}
		s.asked = append(s.asked, c.Method)
		return protocol.DebuggerResult{Result: json.RawMessage(`{}`)}, s.debugger
	}
	switch method {
	case protocol.MethodInputSend:
		var in protocol.InputSend
		if err := json.Unmarshal(params, &in); err != nil {
			return nil, err
		}
		s.sent = append(s.sent, in)
		s.asked = append(s.asked, method)
		if s.debugger != nil {
			return nil, s.debugger
		}
		if len(s.input) > 0 {
			err := s.input[0]
			s.input = s.input[1:]
			return nil, err
		}
		return protocol.InputSent{}, nil
	case protocol.MethodActionPerform:
		var p protocol.ActionPerform
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		stuck := s.stuck
		s.within = true
		s.mu.Unlock()
		defer func() { s.mu.Lock(); s.within = false }()
		if stuck != nil {
			close(stuck)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return s.perform(p)
	case protocol.MethodInputEnd:
		s.asked = append(s.asked, method)
		return s.seen, nil
	}
	var call protocol.ActionCall
	if err := json.Unmarshal(params, &call); err != nil {
		return nil, err
	}
	s.asked = append(s.asked, call.Name+" "+string(call.Arguments))
	answers := s.page[call.Name]
	if len(answers) > 1 {
		s.page[call.Name] = answers[1:]
	}
	if f, ok := answers[0].(*fault.Error); ok {
		return nil, f
	}
	text, err := json.Marshal(answers[0])
	return protocol.ActionCallOutput{Output: text, RuntimeID: "r", URL: "https://example.com/"}, err
}

// perform plays the extension's part of an action in one message, by the answers to its three parts.
func (s *stage) perform(p protocol.ActionPerform) (any, error) {
	ask := func(method string, params any) (any, error) {
		raw, err := json.Marshal(params)
		if err != nil {
			return nil, err
		}
		return s.answer(context.Background(), method, raw)
	}
	data := func(err error) protocol.ErrorData {
		f := fault.From(err)
		evidence, _ := json.Marshal(f.Evidence)
		return protocol.ErrorData{Code: string(f.Code), Message: f.Message, Dispatched: string(f.Dispatched), Evidence: evidence}
	}
	prepared, err := ask(protocol.MethodActionCall, p.Prepare)
	if err != nil {
		return nil, withDispatched(err, fault.NotDispatched)
	}
	out := protocol.ActionPerformed{Prepared: prepared.(protocol.ActionCallOutput)}
	devices := map[string]string{"pointer": devicePointer, "text": deviceKeys, "keys": deviceKeys}
	var target struct {
		Ref, Way string
		Point    *point
		Settles  bool
	}
	if err := json.Unmarshal(out.Prepared.Output, &target); err != nil || target.Settles || devices[target.Way] != p.Input.Device {
		return out, err
	}
	for _, step := range p.Input.Steps {
		for i, command := range step.Commands {
			var params map[string]any
			if err := json.Unmarshal(command.Params, &params); err != nil {
				return nil, err
			}
			if params["x"], params["y"] = target.Point.X, target.Point.Y; command.Method == "Input.dispatchMouseEvent" {
				step.Commands[i].Params, _ = json.Marshal(params)
			}
		}
	}
	if _, err := ask(protocol.MethodInputSend, p.Input); err != nil {
		out.Failed = data(err)
		return out, nil
	}
	out.Sent = true
	args := map[string]any{}
	if err := json.Unmarshal(p.Verify.Arguments, &args); err != nil {
		return nil, err
	}
	args["locator"] = map[string]any{"ref": target.Ref}
	p.Verify.Arguments, _ = json.Marshal(args)
	verified, err := ask(protocol.MethodActionCall, p.Verify)
	if err != nil {
		out.Failed = data(err)
		return out, nil
	}
	out.Verified = verified.(protocol.ActionCallOutput)
	return out, nil
}

func (s *stage) count(prefix string) (n int) {
	for _, each := range s.asked {
		if strings.HasPrefix(each, prefix) {
			n++
		}
	}
	return n
}

// acted makes a call of locator.click.
func (s *stage) acted(t *testing.T, h *Handlers, args string) (map[string]any, *fault.Error) {
	t.Helper()
	s.mu.Lock()
	s.asked, s.sent, s.messages = nil, nil, nil
	s.mu.Unlock()
	c := pageCall(t, "locator.click", args)
	c.URL = "https://example.com/old"
	out, err := h.actions()["locator.click"](limited(t), c)
	if err != nil {
		return nil, fault.From(err)
	}
	var result map[string]any
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatal(err)
	}
	return result, nil
}

func newStage(t *testing.T) (*stage, *Handlers) {
	t.Helper()
	return newStageOf(t, protocol.Number)
}

// newStageOf is newStage with an extension of that protocol.
func newStageOf(t *testing.T, number int) (*stage, *Handlers) {
	t.Helper()
	ready := map[string]any{"ref": "abc1", "label": "button#b", "tag_name": "button", "way": "pointer", "point": point{10, 20}, "submit_key": "key"}
	result := map[string]any{"result": map[string]any{"clicked": true, "verified": true}}
	s := &stage{page: map[string][]any{"target.prepare": {ready}, "target.verify": {result}, "target.act": {result}}}
	b := connectAs(t, number, s.answer)
	return s, &Handlers{Browser: b, Tabs: claimed(t), KnownPrimitives: []string{"target.prepare", "target.verify", "target.act"}}
}

const onButton = `{"locator":{"selector":"#b"}}`

func TestActByRealInput(t *testing.T) {
	// Ensure that a click costs a prepare, one run of input and a verify, that the run checks the target right before, that the focus is emulated before the page is measured and only once, and that the submit is remembered.
	s, h := newStage(t)
	out, f := s.acted(t, h, onButton)
	if f != nil || out["fidelity"] != "trusted" {
		t.Fatalf("%v, %v", out, f)
	}
	if !strings.HasPrefix(s.asked[0], "Emulation.") || len(s.asked) != 4 {
		t.Errorf("asked %v", s.asked)
	}
	steps := s.sent[0].Steps
	if len(steps) != 1 || !steps[0].Check || len(steps[0].Commands) != 3 {
		t.Errorf("sent %+v", steps)
	}
	if !strings.Contains(s.asked[1], `"hold":"`+s.sent[0].Hold.ID+`"`) {
		t.Errorf("the page does not know the hold: %s", s.asked[1])
	}
	if _, f = s.acted(t, h, onButton); f != nil || len(s.asked) != 3 {
		t.Fatalf("again: %v, asked %v", f, s.asked)
	}
	if !strings.Contains(s.asked[0], `"recent_submits":["key"]`) {
		t.Errorf("the second one does not know the first: %s", s.asked[0])
	}
	if !strings.Contains(s.asked[2], `"ref":"abc1"`) {
		t.Errorf("read back by %s", s.asked[2])
	}
}

func TestActWhileThePageIsReplaced(t *testing.T) {
	// Ensure that a target is looked for again in the document that comes where the old one went away meanwhile, that nothing is pressed twice, and that a call for that one document ends with nothing sent.
	s, h := newStage(t)
	gone := fault.New(fault.RuntimeReplaced, "gone").WithDispatched(fault.DispatchedUnknown)
	ready := s.page["target.prepare"][0]
	s.page["target.prepare"] = []any{gone, ready}
	if _, f := s.acted(t, h, onButton); f != nil || s.count("target.prepare") != 2 || len(s.sent) != 1 {
		t.Errorf("%v, asked %v, sent %v", f, s.asked, s.sent)
	}
	s.page["target.prepare"] = []any{gone, ready}
	c := pageCall(t, "locator.click", onButton)
	c.RuntimeID = "r"
	if _, err := h.actions()["locator.click"](limited(t), c); !fault.Is(err, fault.RuntimeReplaced) || fault.From(err).Dispatched != fault.NotDispatched || len(s.sent) != 1 {
		t.Errorf("in one document: %+v, sent %d", err, len(s.sent))
	}
}

func TestActWithoutDebugger(t *testing.T) {
	// Ensure that without the debugger synthetic events do it, in one page call, unless real input is demanded: then nothing is sent.
	s, h := newStage(t)
	s.debugger = fault.New(fault.DebuggerUnavailable, "taken").WithDispatched(fault.NotDispatched)
	out, f := s.acted(t, h, onButton)
	if f != nil || out["fidelity"] != "synthetic" || s.count("target.") != 1 {
		t.Errorf("auto: %v, %v, asked %v", out, f, s.asked)
	}
	if _, f = s.acted(t, h, `{"locator":{"selector":"#b"},"fidelity":"trusted"}`); f == nil || f.Code != fault.DebuggerUnavailable || f.Dispatched != fault.NotDispatched || s.count("target.") != 0 {
		t.Errorf("trusted: %+v, asked %v", f, s.asked)
	}
	s.debugger = nil
	if out, f = s.acted(t, h, `{"locator":{"selector":"#b"},"fidelity":"synthetic"}`); f != nil || out["fidelity"] != "synthetic" || len(s.asked) != 1 {
		t.Errorf("synthetic: %v, %v, asked %v", out, f, s.asked)
	}
}

func TestActMissed(t *testing.T) {
	// Ensure that a press which the page code kept back is tried again, that only one that met counts as a submit, and that it ends as target_moved.
	s, h := newStage(t)
	missed := map[string]any{"result": map[string]any{"missed": "div#x"}}
	hit := s.page["target.verify"][0]
	s.page["target.verify"] = []any{missed, hit}
	if _, f := s.acted(t, h, onButton); f != nil || s.count("target.prepare") != 2 {
		t.Errorf("%v, asked %v", f, s.asked)
	}
	moved := fault.New(fault.TargetMoved, "moved").With("commands", 0).With("hit", "div#x").WithDispatched(fault.NotDispatched)
	s.input = []error{moved, moved}
	s.page["target.verify"] = []any{hit}
	if _, f := s.acted(t, h, onButton); f != nil || s.count("target.prepare") != 3 {
		t.Errorf("moved before the press: %v, asked %v", f, s.asked)
	}
	h.submits = submitHistory{}
	s.page["target.verify"] = []any{missed}
	_, f := s.acted(t, h, onButton)
	if f == nil || f.Code != fault.TargetMoved || f.Dispatched != fault.WasDispatched || f.Evidence["hit"] != "div#x" {
		t.Errorf("%+v", f)
	}
	if got := h.submits.recent(1); len(got) != 0 {
		t.Errorf("remembered %v", got)
	}
}

func TestActLeftThePage(t *testing.T) {
	// Ensure that a click which led to another page says so, whichever way that shows, if the page had got the press, and else that nobody knows; and that a failure to read back does not claim that nothing was sent.
	for _, answer := range []any{
		fault.New(fault.RuntimeReplaced, "gone"), fault.New(fault.StaleRef, "stale").WithDispatched(fault.NotDispatched), map[string]any{"lost": "button#b"},
	} {
		s, h := newStage(t)
		s.page["target.verify"] = []any{answer}
		_, f := s.acted(t, h, onButton)
		if f == nil || f.Code != fault.OutcomeUnknown || f.Evidence["reason"] != "document_left" || f.Dispatched != fault.DispatchedUnknown {
			t.Errorf("%v, and nothing seen: %+v", answer, f)
		}
		s.seen = protocol.InputSeen{Events: []string{"pointerdown"}}
		out, f := s.acted(t, h, onButton)
		if f != nil || out["navigated"] != true || out["clicked"] != true || out["verified"] != nil || out["label"] != "button#b" {
			t.Errorf("%v: %v, %v", answer, out, f)
		}
	}
	s, h := newStage(t)
	s.page["target.verify"] = []any{fault.New(fault.HandlerFailed, "no")}
	if _, f := s.acted(t, h, onButton); f == nil || f.Dispatched != fault.WasDispatched {
		t.Errorf("%+v", f)
	}
	s.page["target.prepare"] = []any{fault.New(fault.TargetOccluded, "covered").WithDispatched(fault.NotDispatched)}
	if _, f := s.acted(t, h, onButton); f == nil || f.Code != fault.TargetOccluded || slices.ContainsFunc(s.asked, func(a string) bool { return strings.HasPrefix(a, "Input.") }) {
		t.Errorf("%+v, asked %v", f, s.asked)
	}
}
