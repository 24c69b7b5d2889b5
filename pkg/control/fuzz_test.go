package control_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// FuzzCall sends a host any message on its socket.
func FuzzCall(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`))
	h := newHost(f, "0123456789abcdef")
	h.ending = func([]control.SessionParams) {}
	h.open = func(p control.SessionParams) *dispatch.Session {
		return &dispatch.Session{ID: p.ID, SessionKind: policy.SessionMCP, Mode: policy.ModeAsk}
	}
	var acted atomic.Value // a call that should not have come to the page
	h.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		if c.Record.Acts() || !json.Valid(c.Arguments) || c.TabID != 1 {
			acted.Store(c.Record.Name + " " + string(c.Arguments))
		}
		return json.RawMessage(info), nil
	}
	path := filepath.Join(folder(f), "run", "h.sock")
	serve(f, path, h)
	f.Fuzz(func(t *testing.T, message []byte) {
		// Ensure that the host goes on whatever it is sent, that each answer is a result or a declared error with what to do, and that a session that may only look never acts.
		if len(message) == 0 || len(message) > 64<<10 {
			return
		}
		c := dialRaw(t, path)
		defer c.Close()
		c.send(framed(string(message)))
		c.send(framed(`{"jsonrpc":"2.0","id":"the last one","method":"ping"}`))
		for {
			a := c.next()
			switch {
			case a.Error != nil:
				wantDeclared(t, a.Error.Data.Code, a.Error.Data.NextStep)
			case a.Method != "" && a.Params != nil && a.Method != control.MethodProgress:
				wantDeclared(t, a.Params.Code, a.Params.NextStep)
			}
			if string(a.ID) == `"the last one"` {
				break
			}
		}
		if call := acted.Load(); call != nil {
			t.Errorf("the page was reached by %s", call)
		}
	})
}

func wantDeclared(t *testing.T, code, next string) {
	t.Helper()
	if !fault.Known(fault.Code(code)) || next == "" {
		t.Errorf("an error with the code %q and the next step %q", code, next)
	}
}
