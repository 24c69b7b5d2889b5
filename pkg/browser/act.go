package browser

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// pressTries bounds how often a press that the page moved away from is tried.
const pressTries = 3

// acting is one kind of action on an element: what the page code calls it, and
// how real input does it once the page is ready.
type acting struct {
	name  string
	done  string // the output's member that is true
	input func(ctx context.Context, h *Handlers, c primitive.Call, r ready) error
}

// ready is what target.prepare says.
type ready struct {
	Ref       string `json:"ref"`
	Label     string `json:"label"`
	TagName   string `json:"tag_name"`
	Way       string `json:"way"`
	Sensitive bool   `json:"sensitive"`
	SubmitKey string `json:"submit_key"`
	Point     *point `json:"point"`
	From      *point `json:"from"`
	To        *point `json:"to"`
	Draggable bool   `json:"draggable"`
	Custom    bool   `json:"custom"` // a list that the page draws
	Open      bool   `json:"open"`

	document string // of the frame, where the target is in one of another origin
}

type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// How faithful the input is.
const (
	trustedInput   = "trusted"
	syntheticInput = "synthetic"
)

func (h *Handlers) actions() map[string]primitive.Handler {
	handlers := map[string]primitive.Handler{
		"locator.select_option": h.selectOption,
		"locator.upload_file":   h.uploadFile,
		"pointer.drag":          h.pointerDrag,
	}
	for name, a := range map[string]acting{
		"locator.click":            {name: "click", done: "clicked", input: click(1)},
		"locator.double_click":     {name: "double_click", done: "double_clicked", input: click(2)},
		"locator.hover":            {name: "hover", done: "hovered", input: hover},
		"locator.fill":             {name: "fill", done: "filled", input: fillText},
		"locator.press":            {name: "press", done: "pressed", input: pressKey},
		"locator.set_checked":      {name: "check", input: click(1)},
		"locator.drag_to":          {name: "drag", done: "dragged", input: drag},
		"locator.scroll_into_view": {name: "scroll"},
	} {
		handlers[name] = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) { return h.act(ctx, c, a) }
	}
	return handlers
}

// act does the action by real input where the debugger may be used, else by
// synthetic events.
func (h *Handlers) act(ctx context.Context, c primitive.Call, a acting) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Fidelity string `json:"fidelity"`
	}](c)
	if err != nil {
		return nil, err
	}
	if a.input == nil { // nothing is sent to the page
		return h.synthetic(ctx, c, a, "", ready{})
	}
	if args.Fidelity != syntheticInput {
		err := focusEmulated(ctx, h.Browser.Debugger(c.TabID).On(c.Origin)) // attached first: that moves the page
		if err == nil {
			return h.real(ctx, c, a, args.Fidelity == trustedInput)
		}
		if !fault.Is(err, fault.DebuggerUnavailable) || args.Fidelity == trustedInput {
			return nil, fault.From(err).WithDispatched(fault.NotDispatched)
		}
	}
	return h.synthetic(ctx, c, a, syntheticInput, ready{})
}

// real makes the page ready, sends the input and reads back what it did. A press
// that would have hit something else was kept back by the page code: then it is
// tried again.
func (h *Handlers) real(ctx context.Context, c primitive.Call, a acting, only bool) (json.RawMessage, error) {
	var missed string
	for range pressTries {
		r, err := h.prepare(ctx, c, a)
		if err != nil {
			return nil, err
		}
		switch {
		case r.Way == "page" && only:
			return nil, fault.New(fault.CapabilityUnavailable, "%s cannot be set by real input", r.Label).
				WithNextStep("Leave out fidelity: the page code does it.").WithDispatched(fault.NotDispatched)
		case r.Way == "page":
			return h.synthetic(ctx, c, a, syntheticInput, r)
		case r.Way != "done":
			back := func() {}
			if r.document != "" { // what is our own lies in the tab's document: there the page code saw to it
				if back, err = h.aside(ctx, c, r.passage()); err != nil {
					return nil, err
				}
			}
			err := a.input(ctx, h, c, r)
			if a.name != "hover" { // what is hovered stays so; the page code brings our own back
				back()
			}
			if err != nil {
				if !only && fault.Is(err, fault.DebuggerUnavailable) && fault.From(err).Dispatched == fault.NotDispatched {
					return h.synthetic(ctx, c, a, syntheticInput, r) // the user has just ended the debugger
				}
				if fault.From(err).Dispatched != fault.NotDispatched {
					h.submits.note(c.TabID, a.name, r.SubmitKey)
				}
				return nil, err
			}
		}
		result, err := h.verify(ctx, c, a, r)
		if a.name == "fill" && !only && untouched(err) {
			return h.synthetic(ctx, c, a, syntheticInput, r)
		}
		if err != nil {
			return nil, err
		}
		if at, ok := result["missed"].(string); ok {
			missed = at
			continue
		}
		h.submits.note(c.TabID, a.name, r.SubmitKey)
		result["fidelity"] = trustedInput
		return primitive.Output(result)
	}
	return nil, fault.New(fault.TargetMoved, "the target moved away under the pointer each time").
		With("hit", missed).WithDispatched(fault.WasDispatched)
}

func (h *Handlers) prepare(ctx context.Context, c primitive.Call, a acting) (ready, error) {
	var r ready
	args, err := with(c.Arguments, map[string]any{"action": a.name, "recent_submits": h.submits.recent(c.TabID)})
	if err != nil {
		return r, err
	}
	raw, document, err := h.inDocument(ctx, c, "", "target.prepare", args)
	if fault.Is(err, fault.HandlerFailed) {
		err = fault.From(err).WithDispatched(fault.NotDispatched) // it only looks
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fault.Wrap(err, fault.InvalidResult, "the page code's answer is not what was expected: %v", err).WithDispatched(fault.NotDispatched)
	}
	r.document = document
	return r, nil
}

// synthetic does all of it in one page call. A target that is taken up already
// is named by its ref.
func (h *Handlers) synthetic(ctx context.Context, c primitive.Call, a acting, fidelity string, r ready) (json.RawMessage, error) {
	output, instead, err := h.inOne(ctx, c, a, fidelity, r)
	if instead != nil {
		return nil, fault.New(fault.CapabilityUnavailable, "%s takes real input only", instead.Label).WithDispatched(fault.NotDispatched)
	}
	return output, err
}

// inOne is synthetic where the page code may say that real input has to do it
// instead: then it did nothing, and the target comes in place of the output.
func (h *Handlers) inOne(ctx context.Context, c primitive.Call, a acting, fidelity string, r ready) (json.RawMessage, *ready, error) {
	more := map[string]any{"action": a.name, "recent_submits": h.submits.recent(c.TabID)}
	if r.Ref != "" {
		more["locator"] = map[string]any{"ref": r.Ref}
	}
	args, err := with(c.Arguments, more)
	if err != nil {
		return nil, nil, err
	}
	raw, document, err := h.inDocument(ctx, c, r.document, "target.act", args)
	if err != nil {
		return nil, nil, err
	}
	var answer struct {
		SubmitKey string         `json:"submit_key"`
		Result    map[string]any `json:"result"`
		Instead   *ready         `json:"instead"`
	}
	if err := json.Unmarshal(raw, &answer); err == nil && answer.Instead != nil {
		answer.Instead.document = document
		return nil, answer.Instead, nil
	} else if err != nil || answer.Result == nil {
		return nil, nil, fault.New(fault.InvalidResult, "the page code's answer is not what was expected").WithDispatched(fault.WasDispatched)
	}
	h.submits.note(c.TabID, a.name, answer.SubmitKey)
	if fidelity != "" {
		answer.Result["fidelity"] = fidelity
	}
	output, err := primitive.Output(answer.Result)
	return output, nil, err
}

// with sets members of the arguments of a call; nil takes one away.
func with(args json.RawMessage, more map[string]any) (json.RawMessage, error) {
	members := map[string]any{}
	if err := json.Unmarshal(args, &members); err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "arguments cannot be read: %v", err).WithDispatched(fault.NotDispatched)
	}
	for name, value := range more {
		if members[name] = value; value == nil {
			delete(members, name)
		}
	}
	raw, err := json.Marshal(members)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "arguments cannot be written: %v", err).WithDispatched(fault.NotDispatched)
	}
	return raw, nil
}
