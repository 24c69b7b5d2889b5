package browser

import (
	"context"

	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

var mouseButtons = map[string]struct {
	name input.MouseButton
	bits int64
}{
	"left": {input.MouseButtonLeft, 1}, "right": {input.MouseButtonRight, 2}, "middle": {input.MouseButtonMiddle, 4},
}

// mouse makes the commands of the real mouse.
type mouse struct {
	button    string
	modifiers int64
}

// mouseOf takes button and modifiers from the arguments.
func mouseOf(c primitive.Call) (mouse, error) {
	args, err := primitive.Arguments[struct {
		Button    string   `json:"button"`
		Modifiers []string `json:"modifiers"`
	}](c)
	if err != nil {
		return mouse{}, err
	}
	m := mouse{button: "left"}
	if args.Button != "" {
		m.button = args.Button
	}
	held, err := parseChord("a", args.Modifiers)
	if err != nil {
		return m, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	m.modifiers = held.bits()
	return m, nil
}

func (m mouse) move(p point, pressed bool) command {
	e := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: p.X, Y: p.Y, Modifiers: m.modifiers, Button: input.MouseButtonNone}
	if pressed {
		e.Button, e.Buttons = mouseButtons[m.button].name, mouseButtons[m.button].bits
	}
	return command{method: input.CommandDispatchMouseEvent, params: e}
}

func (m mouse) press(p point, count int64) command {
	b := mouseButtons[m.button]
	return command{method: input.CommandDispatchMouseEvent, params: input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMousePressed, X: p.X, Y: p.Y, Modifiers: m.modifiers, Button: b.name, Buttons: b.bits, ClickCount: count,
	}}
}

func (m mouse) release(p point, count int64) command {
	return command{method: input.CommandDispatchMouseEvent, anywhere: true, params: input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseReleased, X: p.X, Y: p.Y, Modifiers: m.modifiers, Button: mouseButtons[m.button].name, ClickCount: count,
	}}
}

// click moves there and clicks, as often as told, all sent together.
func click(times int64) func(context.Context, *Handlers, primitive.Call, ready) error {
	return func(ctx context.Context, h *Handlers, c primitive.Call, r ready) error {
		m, err := mouseOf(c)
		if err != nil {
			return err
		}
		commands := []command{m.move(*r.Point, false)}
		for count := range times {
			commands = append(commands, m.press(*r.Point, count+1), m.release(*r.Point, count+1))
		}
		return h.Browser.Debugger(c.TabID).On(c.Origin).burst(ctx, commands...)
	}
}

func hover(ctx context.Context, h *Handlers, c primitive.Call, r ready) error {
	m, err := mouseOf(c)
	if err != nil {
		return err
	}
	return h.Browser.Debugger(c.TabID).On(c.Origin).burst(ctx, m.move(*r.Point, false))
}

// fillText puts the text in place of what the page code has selected.
func fillText(ctx context.Context, h *Handlers, c primitive.Call, _ ready) error {
	args, err := primitive.Arguments[struct {
		Text string `json:"text"`
	}](c)
	if err != nil {
		return err
	}
	if args.Text == "" {
		key, err := lookUp("Backspace")
		if err != nil {
			return err
		}
		return named(h.press(ctx, c, chord{key: "Backspace"}, key, 1), fault.TrustedTextFailed, "the text")
	}
	err = h.Browser.Debugger(c.TabID).On(c.Origin).burst(ctx, command{method: input.CommandInsertText, params: input.InsertTextParams{Text: args.Text}})
	return named(err, fault.TrustedTextFailed, "the text")
}

func named(err error, code fault.Code, what string) error {
	if err == nil {
		return nil
	}
	return trusted(err, code, what)
}

// pressKey presses the key on what the page code has focused.
func pressKey(ctx context.Context, h *Handlers, c primitive.Call, _ ready) error {
	args, err := primitive.Arguments[struct {
		Key       string   `json:"key"`
		Modifiers []string `json:"modifiers"`
	}](c)
	if err != nil {
		return err
	}
	ch, key, err := pressed(args.Key, args.Modifiers)
	if err != nil {
		return fault.From(err).WithDispatched(fault.NotDispatched)
	}
	return named(h.press(ctx, c, ch, key, 1), fault.TrustedKeyFailed, "the key")
}
