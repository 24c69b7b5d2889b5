package rpc

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

type word struct {
	Text string `json:"text"`
}

func TestMux(t *testing.T) {
	// Ensure that each method reaches its own handler with decoded parameters, that other parameters reach none and are refused as surely not carried out, and that other methods reach the handler for unknown ones.
	noted := []string{}
	m := NewMux(nothing)
	Handle(m, "shout", func(_ context.Context, p word) (word, error) { return word{p.Text + "!"}, nil })
	Handle(m, "fail", func(context.Context, word) (word, error) { return word{}, fault.New(fault.Cancelled, "no") })
	Notify(m, "note", func(p word) { noted = append(noted, p.Text) })
	m.HandleFunc("raw", func(_ context.Context, method string, params json.RawMessage) (any, error) {
		return method + string(params), nil
	})
	for _, c := range []struct {
		method, params string
		want           any
		code           fault.Code
	}{
		{"shout", `{"text":"a"}`, word{"a!"}, ""},
		{"shout", `{}`, word{"!"}, ""},
		{"shout", `{"TEXT":"a"}`, nil, fault.InvalidMessage},
		{"shout", `{"text":1}`, nil, fault.InvalidMessage},
		{"shout", ``, nil, fault.InvalidMessage},
		{"fail", `{}`, word{}, fault.Cancelled},
		{"note", `{"text":"b"}`, nil, ""},
		{"note", `[]`, nil, fault.InvalidMessage},
		{"raw", `{"any":1}`, `raw{"any":1}`, ""},
		{"Shout", `{}`, nil, fault.CapabilityUnavailable},
	} {
		got, err := m.Serve(t.Context(), c.method, json.RawMessage(c.params))
		if got != c.want {
			t.Errorf("%s %s gave %v", c.method, c.params, got)
		}
		if c.code == "" && err != nil || c.code != "" && !fault.Is(err, c.code) {
			t.Errorf("%s %s failed with %v", c.method, c.params, err)
		}
		if refused := c.code == fault.InvalidMessage; err != nil && refused != (fault.From(err).Dispatched == fault.NotDispatched) {
			t.Errorf("%s %s failed with dispatched %q", c.method, c.params, fault.From(err).Dispatched)
		}
	}
	if len(noted) != 1 || noted[0] != "b" {
		t.Errorf("noted %q", noted)
	}
}

func TestMuxOverAConnection(t *testing.T) {
	// Ensure that a notification's handler that has no result answers a request with an empty object.
	m := NewMux(nothing)
	Notify(m, "note", func(word) {})
	var answer struct{}
	if err := pair(t, m.Serve).Call(t.Context(), "note", word{"a"}, &answer); err != nil {
		t.Error(err)
	}
}

func TestMuxRefusesASecondHandler(t *testing.T) {
	// Ensure that a method cannot get two handlers, of which one would never run.
	m := NewMux(nothing)
	Notify(m, "note", func(word) {})
	defer func() {
		if recover() == nil {
			t.Error("a second handler was registered")
		}
	}()
	Notify(m, "note", func(word) {})
}
