package dispatch

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestUnlogged(t *testing.T) {
	// Ensure that the clipboard's text reaches the caller and never the log, whether it was read, written, pasted or refused, and that its length does.
	const text = "private words"
	r := newRig(t)
	r.Handlers.Named["clipboard.read"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
		return json.RawMessage(`{"text":"` + text + `","length":13}`), nil
	}
	r.Handlers.Named["clipboard.write"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
		return json.RawMessage(`{"written":true,"length":13}`), nil
	}
	if e := r.call(t, "clipboard.read", `{}`); !e.OK || !strings.Contains(string(e.Output), text) {
		t.Fatalf("%+v", e)
	}
	if e := r.call(t, "clipboard.write", `{"text":"`+text+`"}`); !e.OK {
		t.Fatalf("%+v", e.Error)
	}
	if e := r.Call(t.Context(), r.session, Call{Name: "clipboard.write", Arguments: value(`{"text":"` + text + `"}`)}); e.OK {
		t.Fatal("a call without a report was let through")
	}
	lengths := 0
	for _, record := range r.records(t) {
		if strings.Contains(string(record.Data), text) {
			t.Errorf("the log has it: %s", record.Data)
		}
		lengths += strings.Count(string(record.Data), `{"length":13}`)
	}
	if lengths != 3 {
		t.Errorf("the log has the length %d times, want 3", lengths)
	}
}

func TestNamesOfKeysAreLogged(t *testing.T) {
	// Ensure that the outcome names a key such as Enter also where the field is secret, or unknown because the key led the page away, and that a character stays out of the log there, also one of several code points.
	r := newRig(t)
	r.Handlers.Named["keyboard.press"] = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		var args struct{ Key string }
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			return nil, err
		}
		return primitive.Output(map[string]any{
			"pressed": true, "key": args.Key, "modifiers": []string{}, "repeat": 1, "fidelity": "synthetic", "effect": "none", "target_label": "x", "sensitive": true,
		})
	}
	for _, key := range []string{"Enter", "q", "e\u0301"} {
		if e := r.call(t, "keyboard.press", `{"key":"`+key+`"}`); !e.OK {
			t.Fatalf("%+v", e.Error)
		}
	}
	var all strings.Builder
	for _, record := range r.records(t) {
		all.Write(record.Data)
	}
	if text := all.String(); !strings.Contains(text, `"key":"Enter"`) || strings.Contains(text, `"key":"q"`) || strings.Contains(text, "\u0301") {
		t.Error(text)
	}
}
