package primitives

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// The page primitives around real input. The first finds the target and makes it ready, and
// presses nothing; the second reads the outcome.
const prepareTargetPrimitive, verifyTargetPrimitive = "target.prepare", "target.verify"

// maxPressAttempts bounds how often a press that the page moved away from is tried.
const maxPressAttempts = 5

// action is one kind of action on an element: its name in the page code, and how to perform it
// by real input.
type action struct {
	name           string
	resultField    string // the output member that is set to true
	input          func(c primitive.Call, r preparedTarget) (realInput, error)
	inputError     func(err error, in realInput) error // nil: as it is
	requiredEvents []string                            // events of which the target's document must have received one

	// Of input that depends on how its first part goes.
	prepare func(h *Handlers, ctx context.Context, c primitive.Call, a action) (preparedTarget, error)
	send    func(ctx context.Context, h *Handlers, c primitive.Call, r preparedTarget) error
}

// isReal reports whether real input performs the action.
func (a action) isReal() bool { return a.input != nil || a.send != nil }

// sendTo sends the action's input to a prepared target.
func (a action) sendTo(ctx context.Context, h *Handlers, c primitive.Call, r preparedTarget) error {
	if a.send != nil {
		return a.send(ctx, h, c, r)
	}
	in, err := a.input(c, r)
	if err != nil {
		return err
	}
	return a.errorOf(h.sendInput(ctx, c, in), in)
}

// errorOf returns the action's own error for one of its input; nil for nil.
func (a action) errorOf(err error, in realInput) error {
	if err == nil || a.inputError == nil {
		return err
	}
	return a.inputError(err, in)
}

// pressEvents lists the events of a mouse press.
var pressEvents = []string{"pointerdown", "mousedown", "click", "auxclick", "contextmenu", "dblclick"}

// preparedTarget is the output of target.prepare.
type preparedTarget struct {
	Ref       string `json:"ref"`
	Label     string `json:"label"`
	TagName   string `json:"tag_name"`
	Mode      string `json:"way"`
	Sensitive bool   `json:"sensitive"`
	SubmitKey string `json:"submit_key"`
	Point     *point `json:"point"`
	From      *point `json:"from"`
	To        *point `json:"to"`
	Settles   bool   `json:"settles"` // it may draw itself anew when the pointer comes to it
	Custom    bool   `json:"custom"`  // a list that the page draws
	Open      bool   `json:"open"`
	Expanded  bool   `json:"expanded"` // its opener says that it is open, which may be seen of none

	Scrolled bool `json:"scrolled"`

	documentID string // of the frame, where the target is in one of another origin
	hold       hold   // of the real input that follows

	toDocumentID string // likewise, of where a drag ends
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
	for name, a := range map[string]action{
		"locator.click":            {name: "click", resultField: "clicked", input: click(1), requiredEvents: pressEvents},
		"locator.double_click":     {name: "double_click", resultField: "double_clicked", input: click(2), requiredEvents: pressEvents},
		"locator.hover":            {name: "hover", resultField: "hovered", input: hover},
		"locator.fill":             {name: "fill", resultField: "filled", input: fillText, inputError: fillError, requiredEvents: []string{"input"}},
		"locator.press":            {name: "press", resultField: "pressed", input: pressKey, inputError: pressError, requiredEvents: []string{"keydown"}},
		"locator.set_checked":      {name: "check", input: click(1), requiredEvents: pressEvents},
		"locator.drag_to":          dragAction,
		"locator.scroll_into_view": {name: "scroll"},
	} {
		handlers[name] = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) { return h.act(ctx, c, a) }
	}
	return handlers
}

// act performs the action by real input if the debugger may be used, otherwise by synthetic
// events.
func (h *Handlers) act(ctx context.Context, c primitive.Call, a action) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Fidelity string `json:"fidelity"`
	}](c)
	if err != nil {
		return nil, err
	}
	if !a.isReal() { // nothing is sent to the page
		return h.performSynthetic(ctx, c, a, "", preparedTarget{})
	}
	h.releasePointer(ctx, c.TabID, "other_action")
	if args.Fidelity != syntheticInput {
		err := h.Browser.Debugger(c.TabID).ForOrigin(c.Origin).EmulateFocus(ctx) // attached first: that moves the page
		if err == nil {
			return h.performTrusted(ctx, c, a, args.Fidelity == trustedInput)
		}
		if !fault.Is(err, fault.DebuggerUnavailable) || args.Fidelity == trustedInput {
			return nil, fault.From(err).WithDispatched(fault.NotDispatched)
		}
	}
	return h.performSynthetic(ctx, c, a, syntheticInput, preparedTarget{})
}

// performTrusted prepares the page, sends the input and reads back the result. A press that
// would have hit something else is blocked by the page code, and tried again.
func (h *Handlers) performTrusted(ctx context.Context, c primitive.Call, a action, trustedOnly bool) (json.RawMessage, error) {
	var missed *fault.Error
	for range maxPressAttempts {
		if missed != nil && c.Meta != nil {
			c.Meta.Target = nil // it is met again
		}
		p, err := h.prepare(ctx, c, a)
		if err != nil {
			return nil, err
		}
		r := p.target
		switch {
		case r.Mode == "page" && trustedOnly:
			return nil, fault.New(fault.CapabilityUnavailable, "%s cannot be set by real input", r.Label).
				WithNextStep("Leave out fidelity: the page code does it.").WithDispatched(fault.NotDispatched)
		case r.Mode == "page":
			return h.performSynthetic(ctx, c, a, syntheticInput, r)
		case r.Mode != "done":
			err := p.inputErr
			if !p.begun {
				err = h.sendPrepared(ctx, c, a, r)
			}
			if err != nil {
				if canRetry(err) {
					missed = fault.From(err)
					continue
				}
				if !trustedOnly && fault.Is(err, fault.DebuggerUnavailable) && fault.From(err).Dispatched == fault.NotDispatched {
					return h.performSynthetic(ctx, c, a, syntheticInput, r) // the user has just ended the debugger
				}
				if fault.From(err).Dispatched != fault.NotDispatched {
					h.submits.recordKey(c.TabID, r.SubmitKey)
				}
				return nil, err
			}
		}
		result, err := h.verify(ctx, c, a, p)
		if a.name == "fill" && !trustedOnly && isFieldUntouched(err) {
			return h.performSynthetic(ctx, c, a, syntheticInput, r)
		}
		if err != nil {
			h.submits.recordKey(c.TabID, r.SubmitKey)
			return nil, err
		}
		if at, ok := result["missed"].(string); ok {
			missed = fault.New(fault.TargetMoved, "the target moved away under the pointer each time").With("hit", at).WithDispatched(fault.WasDispatched)
			continue
		}
		h.submits.record(c.TabID, a.name, r.SubmitKey)
		result["fidelity"] = trustedInput
		return primitive.Output(result)
	}
	return nil, missed
}

// canRetry reports whether the input ended before anything was pressed because the target had
// moved: it can be prepared again.
func canRetry(err error) bool {
	f := fault.From(err)
	return f.Code == fault.TargetMoved || f.Code == fault.FocusMoved && f.Dispatched == fault.NotDispatched
}

// sendPrepared sends the input to the prepared target, with what is our own out of its way.
func (h *Handlers) sendPrepared(ctx context.Context, c primitive.Call, a action, r preparedTarget) error {
	if r.documentID == "" { // the overlays are in the tab's document: there the page code saw to it
		return a.sendTo(ctx, h, c, r)
	}
	restore, err := h.hideOverlays(ctx, c, r.inputArea())
	if err != nil {
		return err
	}
	if a.name != "hover" { // what is hovered stays so; the page code brings our own back
		defer restore()
	}
	return a.sendTo(ctx, h, c, r)
}

// prepare prepares the page for the action, and performs it where nothing has to be decided in
// between.
func (h *Handlers) prepare(ctx context.Context, c primitive.Call, a action) (performed, error) {
	switch {
	case a.prepare != nil:
		r, err := a.prepare(h, ctx, c, a)
		return performed{target: r}, err
	case h.Browser.CanPerform() && len(c.Arguments) <= maxPerformArguments:
		return h.perform(ctx, c, a)
	default:
		r, err := h.prepareTarget(ctx, c, a, newHold())
		return performed{target: r}, err
	}
}

func (h *Handlers) prepareTarget(ctx context.Context, c primitive.Call, a action, inputHold hold) (preparedTarget, error) {
	args, err := h.prepareArguments(c, a, inputHold)
	if err != nil {
		return preparedTarget{}, err
	}
	out, err := h.runIn(ctx, c, "", prepareTargetPrimitive, args)
	if err != nil {
		return preparedTarget{}, withDispatched(err, fault.NotDispatched) // nothing was pressed
	}
	return preparedFrom(out, inputHold)
}

func (h *Handlers) prepareArguments(c primitive.Call, a action, inputHold hold) (json.RawMessage, error) {
	return withArguments(c.Arguments, map[string]any{"action": a.name, "hold": inputHold.id, "recent_submits": h.submits.recent(c.TabID)})
}

// preparedFrom reads the output of target.prepare.
func preparedFrom(out protocol.ActionCallOutput, inputHold hold) (preparedTarget, error) {
	r := preparedTarget{hold: inputHold}
	if err := json.Unmarshal(out.Output, &r); err != nil {
		return r, fault.Wrap(err, fault.InvalidResult, "the page code's answer is not what was expected: %v", err).WithDispatched(fault.NotDispatched)
	}
	r.documentID = out.DocumentID
	return r, nil
}

// performSynthetic performs the action in one page call. A target that is already prepared is
// named by its ref.
func (h *Handlers) performSynthetic(ctx context.Context, c primitive.Call, a action, fidelity string, r preparedTarget) (json.RawMessage, error) {
	output, instead, err := h.performInOneCall(ctx, c, a, fidelity, r)
	if instead != nil {
		return nil, fault.New(fault.CapabilityUnavailable, "%s takes real input only", instead.Label).WithDispatched(fault.NotDispatched)
	}
	return output, err
}

// performInOneCall is performSynthetic for actions that may need real input instead: then the
// page code did nothing, and the target is returned in place of the output.
func (h *Handlers) performInOneCall(ctx context.Context, c primitive.Call, a action, fidelity string, r preparedTarget) (json.RawMessage, *preparedTarget, error) {
	more := map[string]any{"action": a.name, "recent_submits": h.submits.recent(c.TabID)}
	if r.Ref != "" {
		more["locator"] = map[string]any{"ref": r.Ref}
	}
	args, err := withArguments(c.Arguments, more)
	if err != nil {
		return nil, nil, err
	}
	raw, document, err := h.inDocument(ctx, c, r.documentID, "target.act", args)
	if err != nil {
		return nil, nil, err
	}
	var answer struct {
		SubmitKey string          `json:"submit_key"`
		Result    map[string]any  `json:"result"`
		Instead   *preparedTarget `json:"instead"`
	}
	if err := json.Unmarshal(raw, &answer); err == nil && answer.Instead != nil {
		answer.Instead.documentID = document
		return nil, answer.Instead, nil
	} else if err != nil || answer.Result == nil {
		return nil, nil, fault.New(fault.InvalidResult, "the page code's answer is not what was expected").WithDispatched(fault.WasDispatched)
	}
	h.submits.record(c.TabID, a.name, answer.SubmitKey)
	if fidelity != "" {
		answer.Result["fidelity"] = fidelity
	}
	output, err := primitive.Output(answer.Result)
	return output, nil, err
}

// withArguments sets members of a call's arguments; nil deletes one.
func withArguments(args json.RawMessage, more map[string]any) (json.RawMessage, error) {
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
