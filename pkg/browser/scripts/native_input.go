package scripts

import (
	"context"
	"slices"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// heldKeys are the keys that code may hold down: they change what it presses and clicks.
var heldKeys = []string{"Alt", "Control", "Meta", "Shift"}

// sendNativeInput runs real input that code in the page asks for, as a step: it is decided,
// scrolls to its target, tests whether that can be hit, and is logged like any other.
func (h *Handlers) sendNativeInput(ctx context.Context, state *replState, p protocol.NativeInput) error {
	locator := map[string]any{"selector": p.Selector}
	held := append([]string{}, state.modifiers...)
	var name string
	var args map[string]any
	switch p.Action {
	case "click":
		name, args = "locator.click", map[string]any{"locator": locator, "modifiers": held, "fidelity": "trusted"}
	case "type":
		name, args = "locator.fill", map[string]any{"locator": locator, "text": p.Text, "fidelity": "trusted"}
	case "keydown", "keyup":
		if state.hold(p.Key, p.Action == "keydown") {
			return nil
		}
		if p.Action == "keyup" {
			return nil // it went up with its press
		}
		fallthrough
	case "press":
		name, args = "keyboard.press", map[string]any{"key": p.Key, "modifiers": held, "trusted": true}
	default:
		return fault.New(fault.InvalidInput, "there is no real input %q", p.Action).WithDispatched(fault.NotDispatched)
	}
	given, err := primitive.Output(args)
	if err != nil {
		return err
	}
	state.native = true
	_, err = h.Path.Step(ctx, name, given)
	return err
}

// hold records whether a modifier key is held down; it reports whether the key is one.
func (s *replState) hold(key string, down bool) bool {
	if !slices.Contains(heldKeys, key) {
		return false
	}
	s.modifiers = slices.DeleteFunc(s.modifiers, func(held string) bool { return held == key })
	if down {
		s.modifiers = append(s.modifiers, key)
	}
	return true
}
