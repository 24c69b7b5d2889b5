package browser

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
// the extension, it then refuses what was meant for the first one.
type keyboard struct {
	leaveAt string
	left    bool
	held    []string
}

func (k *keyboard) answer(_ context.Context, _ string, params json.RawMessage) (any, error) {
	var c protocol.DebuggerCommand
	if err := json.Unmarshal(params, &c); err != nil {
		return nil, err
	}
	if c.Origin != "" && (k.left || c.Origin != keyOrigin) {
		return nil, fault.New(fault.StateMismatch, "the tab is elsewhere").WithDispatched(fault.NotDispatched)
	}
	var e struct{ Type, Key string }
	if err := json.Unmarshal(c.Params, &e); err != nil {
		return nil, err
	}
	switch e.Type {
	case "keyDown", "rawKeyDown":
		k.held = append(k.held, e.Key)
		k.left = k.left || e.Key == k.leaveAt
	case "keyUp":
		k.held = slices.DeleteFunc(k.held, func(held string) bool { return held == e.Key })
	}
	return protocol.DebuggerResult{Result: json.RawMessage(`{}`)}, nil
}

func TestTrustedKeysOfAPageThatLeaves(t *testing.T) {
	// Ensure that no key stays held when the page leaves at any of them, that a press which was whole by then went well, and that one cut short says how many keys went down, never that none was sent.
	for name, row := range map[string]struct {
		primitive, args, leaveAt string
		pressed                  int // before the refusal; 0 where all went well
	}{
		"Enter leaves":              {"keyboard.press", `{"trusted":true,"key":"Enter"}`, "Enter", 0},
		"a chord leaves at its key": {"keyboard.press", `{"trusted":true,"key":"Control+Shift+Enter"}`, "Enter", 0},
		"the first modifier leaves": {"keyboard.press", `{"trusted":true,"key":"Control+Shift+Enter"}`, "Control", 1},
		"the last modifier leaves":  {"keyboard.press", `{"trusted":true,"key":"Control+Shift+Enter"}`, "Shift", 2},
		"the first of two presses":  {"keyboard.press", `{"trusted":true,"key":"Enter","repeat":2}`, "Enter", 1},
		"the last character":        {"text.type", `{"trusted":true,"text":"abc"}`, "c", 0},
		"the first character":       {"text.type", `{"trusted":true,"text":"abc"}`, "a", 1},
		"while selecting":           {"text.type", `{"trusted":true,"text":"abc","select_back_chars":3}`, "ArrowLeft", 2},
	} {
		t.Run(name, func(t *testing.T) {
			k := &keyboard{leaveAt: row.leaveAt}
			b, _ := greeted(t, k.answer)
			h := &Handlers{Browser: b}
			handle := map[string]primitive.Handler{"keyboard.press": h.keyboardPress, "text.type": h.textType}[row.primitive]
			_, err := handle(limited(t), primitive.Call{ID: "c", TabID: 1, Origin: keyOrigin, Arguments: json.RawMessage(row.args)})
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
	b, _ := greeted(t, k.answer)
	h := &Handlers{Browser: b}
	for name, handle := range map[string]primitive.Handler{`{"trusted":true,"key":"Shift+a"}`: h.keyboardPress, `{"trusted":true,"text":"abc"}`: h.textType} {
		_, err := handle(limited(t), primitive.Call{ID: "c", TabID: 1, Origin: keyOrigin, Arguments: json.RawMessage(name)})
		if f := fault.From(err); f == nil || f.Code != fault.StateMismatch || f.Dispatched != fault.NotDispatched || len(k.held) > 0 {
			t.Errorf("%s: %+v, held %v", name, f, k.held)
		}
	}
}
