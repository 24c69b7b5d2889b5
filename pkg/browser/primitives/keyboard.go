package primitives

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// pressInterval keeps repeated presses apart: canvas editors take presses that
// come faster as one.
const pressInterval = 25 * time.Millisecond

// maxKeysPerHold bounds the presses that are sent under one hold.
const maxKeysPerHold = 100

// keyboardPress is keyboard.press: trusted input over the debugger, or synthetic in the page.
func (h *Handlers) keyboardPress(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Key       string   `json:"key"`
		Modifiers []string `json:"modifiers"`
		Trusted   bool     `json:"trusted"`
		Repeat    *int     `json:"repeat"`
		Again     bool     `json:"allow_repeat"`
	}](c)
	if err != nil {
		return nil, err
	}
	ch, key, err := resolveKey(args.Key, args.Modifiers)
	if err != nil && args.Trusted { // else the page knows more keys
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	repeat := 1
	if args.Repeat != nil {
		repeat = *args.Repeat
	}
	query := focusQuery{allowRepeat: args.Again}
	if err == nil && len(ch.modifiers) == 0 && canSubmit(key) {
		query.key = key.Key
	}
	if !args.Trusted {
		return h.pressInPage(ctx, c, query, repeat)
	}
	sensitive := false
	for sent := 0; sent < repeat; sent += maxKeysPerHold {
		steps, err := ch.steps(key, min(maxKeysPerHold, repeat-sent))
		if err != nil {
			return nil, err
		}
		secret, err := h.sendKeys(ctx, c, query, steps)
		if err != nil {
			return nil, trustedInputError(withEarlierKeys(err, sent), fault.TrustedKeyFailed, "the key")
		}
		query.allowRepeat, sensitive = true, sensitive || secret
	}
	return primitive.Output(map[string]any{
		"pressed": repeat > 0, "key": ch.key, "modifiers": lowerAll(ch.modifiers), "repeat": repeat, "fidelity": trustedInput, "sensitive": sensitive,
	})
}

// pressInPage makes the page code press the key. A submit that may not have arrived counts too:
// it must not be sent twice.
func (h *Handlers) pressInPage(ctx context.Context, c primitive.Call, query focusQuery, repeat int) (json.RawMessage, error) {
	if query.key != "" && repeat > 0 && slices.Contains(h.KnownPrimitives, prepareKeysPrimitive) {
		found, err := h.prepareKeys(ctx, c, query)
		if err != nil {
			return nil, err
		}
		defer h.submits.recordKey(c.TabID, found.submitKey)
	}
	return h.page(ctx, c)
}

// textType is text.type: trusted over the debugger, one key after the other,
// else in the page.
func (h *Handlers) textType(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Text            string `json:"text"`
		Trusted         bool   `json:"trusted"`
		SelectBackChars int    `json:"select_back_chars"`
	}](c)
	if err != nil {
		return nil, err
	}
	if !args.Trusted {
		return h.page(ctx, c)
	}
	sensitive, sent := false, 0
	send := func(steps []step) error {
		secret, err := h.sendKeys(ctx, c, focusQuery{}, steps)
		if err != nil {
			return trustedInputError(withEarlierKeys(err, sent), fault.TrustedTextFailed, "the text")
		}
		sent, sensitive = sent+countKeysDown(steps, -1), sensitive || secret
		return nil
	}
	for back := args.SelectBackChars; back > 0; back -= maxKeysPerHold {
		steps, err := (chord{"ArrowLeft", []string{"Shift"}}).steps(namedKeys()["ArrowLeft"], min(maxKeysPerHold, back))
		if err != nil {
			return nil, err
		}
		if err := send(steps); err != nil {
			return nil, err
		}
	}
	steps, err := textSteps(args.Text)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(steps, 2*maxKeysPerHold) {
		if err := send(part); err != nil {
			return nil, err
		}
	}
	return primitive.Output(map[string]any{
		"typed": true, "length": len([]rune(args.Text)), "selected_back": args.SelectBackChars, "fidelity": trustedInput, "sensitive": sensitive,
	})
}

// trustedInputError names the failure of trusted input, keeping the codes that say more.
func trustedInputError(err error, code fault.Code, what string) error {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	switch f.Code {
	case fault.HandlerFailed, fault.InternalError:
		return fault.Wrap(f, code, "%s could not be sent: %s", what, f.Message)
	}
	return f
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func lowerAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.ToLower(n)
	}
	return out
}
