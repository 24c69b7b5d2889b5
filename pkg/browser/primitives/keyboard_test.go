package primitives

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const keyOrigin = "https://shop.example.com"

// keyboard is a tab that goes to another origin when the key goes down. Like
// the extension, it then refuses what was meant for the first one, and lets go
// of what is pressed.
type keyboard struct {
	leaveAt string
	left    bool
	held    []string
	downs   int
	lost    int // keys that the document does not see
}

func (k *keyboard) answer(_ context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case protocol.MethodActionCall:
		var call protocol.ActionCall
		if err := json.Unmarshal(params, &call); err != nil {
			return nil, err
		}
		output := json.RawMessage(`{"submit_key":null}`)
		if call.Name == verifyKeysPrimitive {
			output, _ = json.Marshal(map[string]any{"keys": k.downs - k.lost, "sensitive": false})
		}
		return protocol.ActionCallOutput{Output: output, RuntimeID: "r"}, nil
	case protocol.MethodInputSend:
		var in protocol.InputSend
		if err := json.Unmarshal(params, &in); err != nil {
			return nil, err
		}
		return k.send(in)
	}
	return protocol.DebuggerResult{Result: json.RawMessage(`{}`)}, nil
}

func (k *keyboard) send(in protocol.InputSend) (any, error) {
	k.downs = 0
	sent := 0
	var release []protocol.InputCommand
	for _, step := range in.Steps {
		if k.left || in.Origin != keyOrigin {
			if step.Optional {
				continue
			}
			k.letGo(release)
			f := fault.New(fault.StateMismatch, "the tab is elsewhere").With("commands", sent)
			if sent > 0 {
				return nil, f.WithDispatched(fault.WasDispatched)
			}
			return nil, f.WithDispatched(fault.NotDispatched)
		}
		for _, c := range step.Commands {
			k.key(c)
			sent++
		}
		release = step.Release
	}
	k.letGo(release)
	return protocol.InputSent{Commands: sent}, nil
}

func (k *keyboard) letGo(release []protocol.InputCommand) {
	for _, c := range release {
		k.key(c)
	}
}

func (k *keyboard) key(c protocol.InputCommand) {
	var e struct{ Type, Key string }
	if json.Unmarshal(c.Params, &e) != nil {
		return
	}
	switch e.Type {
	case "keyDown", "rawKeyDown":
		k.downs++
		k.held = append(k.held, e.Key)
		k.left = k.left || e.Key == k.leaveAt
	case "keyUp":
		k.held = slices.DeleteFunc(k.held, func(held string) bool { return held == e.Key })
	}
}

// handlers returns the handlers of a host whose browser is the keyboard.
func (k *keyboard) handlers(t *testing.T) *Handlers {
	t.Helper()
	b := connect(t, k.answer)
	return &Handlers{Browser: b, Tabs: claimed(t), KnownPrimitives: []string{prepareKeysPrimitive, verifyKeysPrimitive}}
}

func keyCall(t *testing.T, name, args string) primitive.Call {
	t.Helper()
	c := pageCall(t, name, args)
	c.Origin = keyOrigin
	return c
}

func TestTrustedKeysOfAPageThatLeaves(t *testing.T) {
	// Ensure that no key stays held when the page leaves at any of them, that a press which was whole by then went well, and that one cut short says how many keys went down, never that none was sent.
	for name, row := range map[string]struct {
		primitive, args, leaveAt string
		pressed                  int // before the refusal; 0 where all went well
	}{
		"Enter leaves":                 {"keyboard.press", `{"trusted":true,"key":"Enter"}`, "Enter", 0},
		"a chord leaves at its key":    {"keyboard.press", `{"trusted":true,"key":"Control+Shift+Enter"}`, "Enter", 0},
		"the first modifier leaves":    {"keyboard.press", `{"trusted":true,"key":"Control+Shift+Enter"}`, "Control", 1},
		"the last modifier leaves":     {"keyboard.press", `{"trusted":true,"key":"Control+Shift+Enter"}`, "Shift", 2},
		"the first of two presses":     {"keyboard.press", `{"trusted":true,"key":"Enter","repeat":2}`, "Enter", 1},
		"the last character":           {"text.type", `{"trusted":true,"text":"abc"}`, "c", 0},
		"the first character":          {"text.type", `{"trusted":true,"text":"abc"}`, "a", 1},
		"while selecting":              {"text.type", `{"trusted":true,"text":"abc","select_back_chars":3}`, "ArrowLeft", 2},
		"after more than go at a time": {"text.type", `{"trusted":true,"text":"abc","select_back_chars":101}`, "a", 104},
	} {
		t.Run(name, func(t *testing.T) {
			k := &keyboard{leaveAt: row.leaveAt}
			h := k.handlers(t)
			handle := map[string]primitive.Handler{"keyboard.press": h.keyboardPress, "text.type": h.textType}[row.primitive]
			_, err := handle(limited(t), keyCall(t, row.primitive, row.args))
			if len(k.held) > 0 {
				t.Errorf("still held: %v", k.held)
			}
			if row.pressed == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			f := fault.From(err)
			if f == nil || f.Code != fault.StateMismatch || f.Dispatched != fault.WasDispatched || f.Evidence["keys_pressed"] != row.pressed {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func TestTrustedKeysForAnotherPage(t *testing.T) {
	// Ensure that nothing is pressed on a page that was not decided for, and that the error says that nothing was sent.
	k := &keyboard{left: true}
	h := k.handlers(t)
	for name, handle := range map[string]primitive.Handler{"keyboard.press": h.keyboardPress, "text.type": h.textType} {
		args := map[string]string{"keyboard.press": `{"trusted":true,"key":"Shift+a"}`, "text.type": `{"trusted":true,"text":"abc"}`}[name]
		_, err := handle(limited(t), keyCall(t, name, args))
		if f := fault.From(err); f == nil || f.Code != fault.StateMismatch || f.Dispatched != fault.NotDispatched || len(k.held) > 0 {
			t.Errorf("%s: %+v, held %v", name, f, k.held)
		}
	}
}

func TestTrustedKeysUnseen(t *testing.T) {
	// Ensure that keys which the document with the focus did not see are of unknown outcome, never well sent.
	k := &keyboard{lost: 1}
	_, err := k.handlers(t).textType(limited(t), keyCall(t, "text.type", `{"trusted":true,"text":"abc"}`))
	f := fault.From(err)
	if f == nil || f.Code != fault.OutcomeUnknown || f.Dispatched != fault.DispatchedUnknown || f.Evidence["keys_seen"] != 2 || f.Evidence["keys_sent"] != 3 {
		t.Errorf("got %+v", f)
	}
}
