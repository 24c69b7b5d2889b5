package primitives

import (
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
func click(times int64) func(primitive.Call, preparedTarget) (realInput, error) {
	return func(c primitive.Call, r preparedTarget) (realInput, error) {
		m, err := mouseFromArguments(c)
		if err != nil {
			return realInput{}, err
		}
		move := m.move(*r.Point, false)
		var presses []command
		for count := range times {
			presses = append(presses, m.press(*r.Point, count+1), m.release(*r.Point, count+1))
		}
		if !r.Settles {
			return r.pointerInput(step{check: true, commands: append([]command{move}, presses...)}), nil
		}
		return r.pointerInput(step{check: true, commands: []command{move}}, step{check: true, settle: true, commands: presses}), nil
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

func hover(c primitive.Call, r preparedTarget) (realInput, error) {
	m, err := mouseFromArguments(c)
	if err != nil {
		return realInput{}, err
	}
	return r.pointerInput(step{commands: []command{m.move(*r.Point, false)}}), nil
}

// fillText replaces the selection that the page code has made with the text.
func fillText(c primitive.Call, r preparedTarget) (realInput, error) {
	args, err := primitive.Arguments[struct {
		Text string `json:"text"`
	}](c)
	if err != nil {
		return realInput{}, err
	}
	steps := []step{{check: true, commands: []command{{method: input.CommandInsertText, params: input.InsertTextParams{Text: args.Text}}}}}
	if args.Text == "" {
		steps = pressSteps(namedKeys()["Backspace"], 0, nil)
	}
	return r.keyInput(steps...), nil
}

func fillError(err error, _ realInput) error {
	return trustedInputError(err, fault.TrustedTextFailed, "the text")
}

// pressKey presses the key on what the page code has focused.
func pressKey(c primitive.Call, r preparedTarget) (realInput, error) {
	args, err := primitive.Arguments[struct {
		Key       string   `json:"key"`
		Modifiers []string `json:"modifiers"`
	}](c)
	if err != nil {
		return realInput{}, err
	}
	ch, key, err := resolveKey(args.Key, args.Modifiers)
	if err != nil {
		return realInput{}, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	steps, err := ch.steps(key, 1)
	if err != nil {
		return realInput{}, err
	}
	return r.keyInput(steps...), nil
}

func pressError(err error, in realInput) error {
	return trustedInputError(withKeysPressed(err, in.steps), fault.TrustedKeyFailed, "the key")
}
