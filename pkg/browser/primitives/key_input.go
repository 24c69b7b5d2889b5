package primitives

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// focusQuery holds the arguments of prepareKeys.
type focusQuery struct {
	hold        hold   // empty where no real input follows
	key         string // that may submit something
	allowRepeat bool   // repeating a recent submit is intended
}

// focusedDocument is the document that has the focus.
type focusedDocument struct {
	documentID string // empty for the tab's own
	submitKey  string // what the key would submit, empty for nothing
}

// The page primitives of keys without a target.
const prepareKeysPrimitive, verifyKeysPrimitive = "keys.prepare", "keys.verify"

// prepareKeys finds the document that has the focus. It refuses to repeat a recent submit. A
// page that does not answer gets no real input.
func (h *Handlers) prepareKeys(ctx context.Context, c primitive.Call, query focusQuery) (focusedDocument, error) {
	args := map[string]any{"allow_repeat": query.allowRepeat, "recent_submits": h.submits.recent(c.TabID)}
	if query.key != "" {
		args["key"] = query.key
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if query.hold != (hold{}) {
		args["hold"] = query.hold.id
		limited, cancel = context.WithTimeout(ctx, hideTimeout)
	}
	defer cancel()
	raw, err := primitive.Output(args)
	if err != nil {
		return focusedDocument{}, err
	}
	output, document, err := h.inDocument(limited, c, "", prepareKeysPrimitive, raw)
	if limited.Err() != nil && ctx.Err() == nil {
		return focusedDocument{}, notAnsweringError()
	}
	if err != nil {
		return focusedDocument{}, withDispatched(err, fault.NotDispatched) // only the query was sent
	}
	var answer struct {
		SubmitKey string `json:"submit_key"`
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return focusedDocument{}, fault.Wrap(err, fault.InvalidResult, "invalid answer of the page code: %v", err).WithDispatched(fault.NotDispatched)
	}
	return focusedDocument{documentID: document, submitKey: answer.SubmitKey}, nil
}

// sendKeys sends real keys to what has the focus. It reports whether a field
// with a secret had it. The document must have seen all of them, or it is
// unknown where they went.
func (h *Handlers) sendKeys(ctx context.Context, c primitive.Call, query focusQuery, steps []step) (sensitive bool, err error) {
	h.releasePointer(ctx, c.TabID, "other_action")
	if err := h.Browser.Debugger(c.TabID).ForOrigin(c.Origin).EmulateFocus(ctx); err != nil {
		return false, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	query.hold = newHold()
	found, err := h.prepareKeys(ctx, c, query)
	if err != nil {
		return false, err
	}
	// A key that may not have arrived counts too: it must not be sent twice.
	defer h.submits.recordKey(c.TabID, found.submitKey)
	if found.documentID != "" { // the overlays are in the tab's document
		restore, err := h.hideOverlays(ctx, c, inputArea{Keys: true})
		if err != nil {
			return false, err
		}
		defer restore()
	}
	err = h.sendInput(ctx, c, realInput{hold: query.hold, device: deviceKeys, documents: []string{found.documentID}, steps: steps})
	if err != nil {
		err = withKeysPressed(err, steps)
		if fault.From(err).Dispatched == fault.NotDispatched {
			return false, err
		}
	}
	args, outputErr := primitive.Output(map[string]any{"hold": query.hold.id})
	if outputErr != nil {
		return false, outputErr
	}
	raw, _, verifyErr := h.inDocument(context.WithoutCancel(ctx), c, found.documentID, verifyKeysPrimitive, args)
	if err != nil {
		return false, err // the page code knows that the keys are over
	}
	return h.verifyKeysSeen(ctx, c, query.hold, countKeysDown(steps, -1), raw, verifyErr)
}

// verifyKeysSeen compares the keys that the document has received with those sent.
func (h *Handlers) verifyKeysSeen(ctx context.Context, c primitive.Call, inputHold hold, sent int, raw json.RawMessage, err error) (sensitive bool, _ error) {
	switch {
	case err != nil && isDocumentGone(err):
		return true, h.requireSeen(ctx, c, inputHold, sent, "keydown")
	case err != nil:
		return false, fault.From(err).WithDispatched(fault.WasDispatched)
	}
	var seen struct {
		Keys      int  `json:"keys"`
		Sensitive bool `json:"sensitive"`
	}
	if err := json.Unmarshal(raw, &seen); err != nil {
		return false, fault.Wrap(err, fault.InvalidResult, "invalid answer of the page code: %v", err).WithDispatched(fault.WasDispatched)
	}
	if seen.Keys >= sent {
		return seen.Sensitive, nil
	}
	return false, fault.New(fault.OutcomeUnknown, "the document that had the focus saw %d of %d keys", seen.Keys, sent).
		With("reason", "not_seen").With("keys_sent", sent).With("keys_seen", seen.Keys).WithDispatched(fault.DispatchedUnknown)
}

// steps returns the presses of the key, so many of them, with the chord's
// modifiers held as real keys.
func (c chord) steps(key *kb.Key, repeat int) ([]step, error) {
	var steps []step
	var held []command // releases the modifiers, the last one first
	var bits int64
	for _, name := range c.modifiers {
		m, err := lookupKey(name)
		if err != nil {
			return nil, fault.From(err).WithDispatched(fault.NotDispatched)
		}
		before := bits
		bits |= modifierBits[name]
		held = append([]command{keyUp(m, before)}, held...)
		steps = append(steps, step{check: true, commands: []command{keyDown(m, bits)}, release: held})
	}
	for i := range repeat {
		steps = append(steps, pressSteps(key, bits, held)...)
		if i > 0 {
			steps[len(steps)-2].wait = pressInterval
		}
	}
	return steps, nil
}

// textSteps returns a press for each character; a line break is the Enter key.
func textSteps(text string) ([]step, error) {
	var steps []step
	var last rune
	for _, r := range strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(text) {
		key, err := lookupKey(string(r))
		if err != nil {
			return nil, fault.From(err).WithDispatched(fault.NotDispatched)
		}
		var bits int64
		if key.Shift {
			bits = bitShift
		}
		steps = append(steps, pressSteps(key, bits, nil)...)
		if r == last {
			steps[len(steps)-2].wait = pressInterval
		}
		last = r
	}
	return steps, nil
}

// pressSteps returns the two steps of one press. They are sent together: a page that
// moves the focus, or leaves, when the key goes down does so after the key is up.
func pressSteps(key *kb.Key, bits int64, held []command) []step {
	return []step{
		{check: true, commands: []command{keyDown(key, bits)}, release: append([]command{keyUp(key, bits)}, held...)},
		{optional: true, commands: []command{keyUp(key, bits)}, release: held},
	}
}

func keyDown(key *kb.Key, bits int64) command {
	return command{method: input.CommandDispatchKeyEvent, params: down(key, bits)}
}

func keyUp(key *kb.Key, bits int64) command {
	return command{method: input.CommandDispatchKeyEvent, params: up(key, bits)}
}

// countKeysDown returns how many keys go down in the first commands of the steps; -1
// means all commands.
func countKeysDown(steps []step, commands int) (keys int) {
	for _, s := range steps {
		for _, c := range s.commands {
			if commands == 0 {
				return keys
			}
			commands--
			if e, ok := c.params.(input.DispatchKeyEventParams); ok && e.Type != input.DispatchKeyEventTypeKeyUp {
				keys++
			}
		}
	}
	return keys
}

// withKeysPressed adds to the error of a run how many keys had gone down by then: a
// call that was sent in part must never be sent again as a whole.
func withKeysPressed(err error, steps []step) error {
	f := fault.From(err)
	if f == nil {
		return nil
	}
	if keys := countKeysDown(steps, commandsSent(f)); keys > 0 {
		return withDispatched(f.With("keys_pressed", keys), fault.WasDispatched)
	}
	return f
}

// withEarlierKeys adds the keys of earlier runs to the error of a later one.
func withEarlierKeys(err error, keys int) error {
	if keys == 0 {
		return err
	}
	f := fault.From(err)
	pressed, _ := f.Evidence["keys_pressed"].(int)
	return withDispatched(f.With("keys_pressed", pressed+keys), fault.WasDispatched)
}
