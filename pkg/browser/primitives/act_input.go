package primitives

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

// mouseFromArguments takes button and modifiers from the arguments.
func mouseFromArguments(c primitive.Call) (mouse, error) {
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
	return command{method: input.CommandDispatchMouseEvent, params: input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseReleased, X: p.X, Y: p.Y, Modifiers: m.modifiers, Button: mouseButtons[m.button].name, ClickCount: count,
	}}
}

// click moves there and clicks so many times, if the target is still where it was. All is sent
// together: a move by itself waits for a frame. Only a target that may draw itself anew when the
// pointer comes to it gets the time for that.
func click(times int64) func(context.Context, *Handlers, primitive.Call, preparedTarget) error {
	return func(ctx context.Context, h *Handlers, c primitive.Call, r preparedTarget) error {
		m, err := mouseFromArguments(c)
		if err != nil {
			return err
		}
		move := m.move(*r.Point, false)
		var presses []command
		for count := range times {
			presses = append(presses, m.press(*r.Point, count+1), m.release(*r.Point, count+1))
		}
		if !r.Settles {
			return h.sendInput(ctx, c, r.pointerInput(step{check: true, commands: append([]command{move}, presses...)}))
		}
		return h.sendInput(ctx, c, r.pointerInput(step{check: true, commands: []command{move}}, step{check: true, settle: true, commands: presses}))
	}
}

// pointerInput returns a run of the mouse for the target.
func (r preparedTarget) pointerInput(steps ...step) realInput {
	return realInput{hold: r.hold, device: devicePointer, documents: []string{r.documentID}, steps: steps}
}

// keyInput returns a run of keys or text for the target.
func (r preparedTarget) keyInput(steps ...step) realInput {
	return realInput{hold: r.hold, device: deviceKeys, documents: []string{r.documentID}, steps: steps}
}

func hover(ctx context.Context, h *Handlers, c primitive.Call, r preparedTarget) error {
	m, err := mouseFromArguments(c)
	if err != nil {
		return err
	}
	return h.sendInput(ctx, c, r.pointerInput(step{commands: []command{m.move(*r.Point, false)}}))
}

// fillText replaces the selection that the page code has made with the text.
func fillText(ctx context.Context, h *Handlers, c primitive.Call, r preparedTarget) error {
	args, err := primitive.Arguments[struct {
		Text string `json:"text"`
	}](c)
	if err != nil {
		return err
	}
	steps := []step{{check: true, commands: []command{{method: input.CommandInsertText, params: input.InsertTextParams{Text: args.Text}}}}}
	if args.Text == "" {
		steps = pressSteps(namedKeys()["Backspace"], 0, nil)
	}
	return trustedInputError(h.sendInput(ctx, c, r.keyInput(steps...)), fault.TrustedTextFailed, "the text")
}

// pressKey presses the key on what the page code has focused.
func pressKey(ctx context.Context, h *Handlers, c primitive.Call, r preparedTarget) error {
	args, err := primitive.Arguments[struct {
		Key       string   `json:"key"`
		Modifiers []string `json:"modifiers"`
	}](c)
	if err != nil {
		return err
	}
	ch, key, err := resolveKey(args.Key, args.Modifiers)
	if err != nil {
		return fault.From(err).WithDispatched(fault.NotDispatched)
	}
	steps, err := ch.steps(key, 1)
	if err != nil {
		return err
	}
	return trustedInputError(withKeysPressed(h.sendInput(ctx, c, r.keyInput(steps...)), steps), fault.TrustedKeyFailed, "the key")
}
