package primitives

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

var (
	selectNativeAction = action{name: "select"}
	selectOptionAction = action{name: "option", input: click(1), requiredEvents: pressEvents}
	openListAction     = action{name: "click", input: click(1), requiredEvents: pressEvents}
	closeByKeyAction   = action{name: "press", input: pressKey, inputError: pressError, requiredEvents: []string{"keydown"}}
	listClosedAction   = action{name: "list_closed"}
	openByKeyAction    = action{name: "press", input: pressKey, inputError: pressError, requiredEvents: []string{"keydown"}}
)

// selectOption is locator.select_option. The page code sets a native select,
// which the browser draws outside of the page; a list that the page draws is
// opened and its option clicked.
func (h *Handlers) selectOption(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Fidelity string `json:"fidelity"`
	}](c)
	if err != nil {
		return nil, err
	}
	chosen, r, err := h.setNativeSelect(ctx, c, args.Fidelity == trustedInput)
	if err != nil || r == nil {
		return chosen, err
	}
	on := c
	on.Meta = nil // what the call is about was met
	if on.Arguments, err = withArguments(c.Arguments, map[string]any{"locator": map[string]any{"ref": r.Ref}}); err != nil {
		return nil, err
	}
	chosen, err = h.chooseInList(ctx, on, *r)
	if isClosed(err) && r.Expanded {
		// It was open, and the click on its opener has closed it.
		if _, r, err = h.setNativeSelect(ctx, on, args.Fidelity == trustedInput); err == nil && r != nil {
			chosen, err = h.chooseInList(ctx, on, *r)
		}
	}
	if isClosed(err) {
		chosen, err = h.selectByKey(ctx, on, err)
	}
	if err != nil {
		return nil, err
	}
	return h.leaveList(ctx, on, chosen, r != nil && !r.Open)
}

// leaveList closes a list that was opened for an option that needed no click, and returns the
// output without what was for the host only.
func (h *Handlers) leaveList(ctx context.Context, c primitive.Call, chosen json.RawMessage, opened bool) (json.RawMessage, error) {
	var result struct {
		Unclicked bool `json:"unclicked"`
	}
	if err := json.Unmarshal(chosen, &result); err != nil || !result.Unclicked {
		return chosen, err
	}
	if opened {
		h.closeList(ctx, c)
	}
	return withArguments(chosen, map[string]any{"unclicked": nil})
}

// closeList closes a list as a person would: by Escape, else by its opener. What is chosen is
// known by then, so that no failure counts.
func (h *Handlers) closeList(ctx context.Context, c primitive.Call) {
	var err error
	if c.Arguments, err = withArguments(c.Arguments, map[string]any{"key": "Escape"}); err != nil {
		return
	}
	if _, err := h.act(ctx, c, closeByKeyAction); err == nil && h.isListClosed(ctx, c) {
		return
	}
	if _, err := h.act(ctx, c, openListAction); err == nil {
		h.isListClosed(ctx, c)
	}
}

func (h *Handlers) isListClosed(ctx context.Context, c primitive.Call) bool {
	raw, err := h.performSynthetic(ctx, c, listClosedAction, "", preparedTarget{})
	var result struct {
		Closed bool `json:"closed"`
	}
	return err == nil && json.Unmarshal(raw, &result) == nil && result.Closed
}

// chooseInList clicks the option, after the opener of a list that is not open. An error from
// then on is of a page where something was done.
func (h *Handlers) chooseInList(ctx context.Context, c primitive.Call, r preparedTarget) (json.RawMessage, error) {
	if r.Open {
		return h.act(ctx, c, selectOptionAction)
	}
	if _, err := h.act(ctx, c, openListAction); err != nil {
		return nil, err
	}
	chosen, err := h.act(ctx, c, selectOptionAction)
	return chosen, dispatched(err)
}

// isClosed reports whether no option was found because the list shows none.
func isClosed(err error) bool {
	f := fault.From(err)
	return f != nil && f.Code == fault.OptionNotFound && f.Evidence["reason"] == "closed"
}

func dispatched(err error) error {
	if err == nil {
		return nil
	}
	f := *fault.From(err)
	f.Dispatched = fault.WasDispatched
	return &f
}

// selectByKey opens a list that no click opens as the keyboard does, and clicks the option. An
// opener that takes no keys leaves the error that the click had.
func (h *Handlers) selectByKey(ctx context.Context, c primitive.Call, closed error) (json.RawMessage, error) {
	press, choose := c, c
	var err error
	if press.Arguments, err = withArguments(c.Arguments, map[string]any{"key": "ArrowDown"}); err != nil {
		return nil, err
	}
	if choose.Arguments, err = withArguments(c.Arguments, map[string]any{"opened_by_key": true}); err != nil {
		return nil, err
	}
	if _, err := h.act(ctx, press, openByKeyAction); fault.Is(err, fault.TargetNotFocusable) {
		return nil, closed
	} else if err != nil {
		return nil, dispatched(err)
	}
	chosen, err := h.act(ctx, choose, selectOptionAction)
	return chosen, dispatched(err)
}

// setNativeSelect sets a native select in one page call, which also finds out whether it is
// one; for a list that the page draws it returns the element that opens it.
func (h *Handlers) setNativeSelect(ctx context.Context, c primitive.Call, trustedOnly bool) (json.RawMessage, *preparedTarget, error) {
	if !trustedOnly {
		return h.performInOneCall(ctx, c, selectNativeAction, syntheticInput, preparedTarget{})
	}
	r, err := h.prepareTarget(ctx, c, selectNativeAction, newHold())
	if err == nil && !r.Custom {
		err = fault.New(fault.CapabilityUnavailable, "%s is a native select, which takes no real input", r.Label).
			WithNextStep("Leave out fidelity: the page code does it.").WithDispatched(fault.NotDispatched)
	}
	return nil, &r, err
}
