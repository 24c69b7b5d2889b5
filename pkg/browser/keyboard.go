package browser

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// betweenPresses keeps repeated presses apart: canvas editors take presses that
// come faster as one.
const betweenPresses = 25 * time.Millisecond

// keyboardPress is keyboard.press: trusted over the debugger, else in the page.
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
	ch, key, err := pressed(args.Key, args.Modifiers)
	if err != nil && args.Trusted { // else the page knows more keys
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	repeat := 1
	if args.Repeat != nil {
		repeat = *args.Repeat
	}
	submit := ""
	if err == nil && repeat > 0 && len(ch.modifiers) == 0 && submitting(key) && slices.Contains(h.Known, keySubmit) {
		if submit, err = h.keySubmit(ctx, c, key.Key, args.Trusted, args.Again); err != nil {
			return nil, err
		}
	}
	// Also what may not have arrived counts: it must not be sent twice.
	defer h.submits.add(c.TabID, submit)
	if !args.Trusted {
		return h.page(ctx, c)
	}
	if repeat > 0 {
		if err := h.press(ctx, c, ch, key, repeat); err != nil {
			return nil, trusted(err, fault.TrustedKeyFailed, "the key")
		}
	}
	return primitive.Output(map[string]any{
		"pressed": repeat > 0, "key": ch.key, "modifiers": lower(ch.modifiers), "repeat": repeat, "fidelity": "trusted",
	})
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
	if args.SelectBackChars > 0 {
		left, err := lookUp("ArrowLeft")
		if err != nil {
			return nil, err
		}
		if err := h.press(ctx, c, chord{"ArrowLeft", []string{"Shift"}}, left, args.SelectBackChars); err != nil {
			return nil, trusted(err, fault.TrustedTextFailed, "the selection")
		}
	}
	if err := h.typeText(ctx, c, args.Text); err != nil {
		return nil, trusted(err, fault.TrustedTextFailed, "the text")
	}
	return primitive.Output(map[string]any{
		"typed": true, "length": len([]rune(args.Text)), "selected_back": args.SelectBackChars, "fidelity": "trusted",
	})
}

// press holds the modifiers as real keys, presses the key and lets go, whatever
// happens in between.
func (h *Handlers) press(ctx context.Context, c primitive.Call, ch chord, key *kb.Key, repeat int) (err error) {
	t := h.newTyping(c)
	defer func() { err = t.explain(err) }()
	if err := focusEmulated(ctx, t.page); err != nil {
		return err
	}
	defer func() { t.back() }()
	var held int64
	for _, name := range ch.modifiers {
		m, unknown := lookUp(name)
		if unknown != nil {
			return unknown
		}
		held |= modifierBits[name]
		bits := held
		if err := t.down(ctx, m, bits); err != nil {
			return err
		}
		defer func() {
			// Let go even when the call was cut short: a held key would change
			// everything that the user types next.
			if upErr := t.up(context.WithoutCancel(ctx), m, bits&^modifierBits[name]); err == nil {
				err = upErr
			}
		}()
	}
	for i := range repeat {
		if i > 0 {
			if err := wait(ctx, betweenPresses); err != nil {
				return err
			}
		}
		if err := t.down(ctx, key, ch.bits()); err != nil {
			return err
		}
		if err := t.up(ctx, key, ch.bits()); err != nil {
			return err
		}
	}
	return nil
}

func (h *Handlers) typeText(ctx context.Context, c primitive.Call, text string) (err error) {
	t := h.newTyping(c)
	defer func() { err = t.explain(err) }()
	if err := focusEmulated(ctx, t.page); err != nil {
		return err
	}
	defer func() { t.back() }()
	var last rune
	for _, r := range strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(text) {
		if r == last {
			if err := wait(ctx, betweenPresses); err != nil {
				return err
			}
		}
		last = r
		key, err := lookUp(string(r))
		if err != nil {
			return err
		}
		var bits int64
		if key.Shift {
			bits = bitShift
		}
		if err := t.down(ctx, key, bits); err != nil {
			return err
		}
		if err := t.up(ctx, key, bits); err != nil {
			return err
		}
	}
	return nil
}

// typing is one run of keys. What is pressed is for the page that policy decided
// for, which may leave at any key; what is let go of must reach the browser
// wherever the tab is by then.
type typing struct {
	page, tab *Debugger
	keys      int // pressed so far

	aside   func(ctx context.Context) (back func(), err error)
	asideAt time.Time // zero: not yet
	back    func()
}

func (h *Handlers) newTyping(c primitive.Call) *typing {
	tab := h.Browser.Debugger(c.TabID)
	return &typing{page: tab.On(c.Origin), tab: tab, back: func() {}, aside: func(ctx context.Context) (func(), error) {
		return h.aside(ctx, c, passage{Keys: true})
	}}
}

// pass makes the way free for the keys, and keeps it free for long texts.
func (t *typing) pass(ctx context.Context) error {
	if time.Since(t.asideAt) < asideAgain {
		return nil
	}
	back, err := t.aside(ctx)
	if err != nil {
		return err
	}
	t.back, t.asideAt = back, time.Now()
	return nil
}

func (t *typing) down(ctx context.Context, key *kb.Key, bits int64) error {
	if err := t.pass(ctx); err != nil {
		return err
	}
	if _, err := cdp.Call(ctx, t.page, input.DispatchKeyEvent, down(key, bits)); err != nil {
		return err
	}
	t.keys++
	return nil
}

func (t *typing) up(ctx context.Context, key *kb.Key, bits int64) error {
	_, err := cdp.Call(ctx, t.tab, input.DispatchKeyEvent, up(key, bits))
	return err
}

// explain says of a failure that the keys before it were pressed: a call that
// was sent in part must never be sent again as a whole.
func (t *typing) explain(err error) error {
	if f := fault.From(err); f != nil && t.keys > 0 {
		f = f.With("keys_pressed", t.keys)
		f.Dispatched = fault.WasDispatched // the worker speaks for the last key only
		return f
	}
	return err
}

// focusEmulated makes keys reach a tab that is not in front, without bringing
// it there. It holds for as long as the debugger is attached.
func focusEmulated(ctx context.Context, d *Debugger) error {
	if d.browser.debugger.emulates(d.tabID) {
		return nil
	}
	_, err := cdp.Call(ctx, d, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	if err == nil {
		d.browser.debugger.emulating(d.tabID)
	}
	return err
}

// trusted names the failure of trusted input, keeping the codes that say more.
func trusted(err error, code fault.Code, what string) error {
	f := fault.From(err)
	switch f.Code {
	case fault.HandlerFailed, fault.InternalError:
		return fault.Wrap(f, code, "%s could not be sent: %s", what, f.Message)
	}
	return f
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func lower(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.ToLower(n)
	}
	return out
}
