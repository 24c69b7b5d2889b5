package mcpserver

import (
	"context"
	"encoding/json"
	"net"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

func TestQuestionAnsweredElsewhere(t *testing.T) {
	// Ensure that a call whose question was answered before its form was made is repeated, also for a client that gets
	// its form by a result: it would learn of a question that is closed.
	for name, row := range map[string]struct {
		waiting []policy.Approval
		repeat  bool
	}{
		"answered": {nil, true},
		"open":     {[]policy.Approval{{ID: "q1"}}, false},
	} {
		ours, theirs := net.Pipe()
		connect := func(stream net.Conn, answer any) *rpc.Conn {
			conn, err := rpc.Connect(t.Context(), stream, rpc.Options{
				Handler: func(context.Context, string, json.RawMessage) (any, error) { return answer, nil },
				MaxIn:   control.MaxFrame, MaxOut: control.MaxFrame,
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close() })
			return conn
		}
		connect(theirs, control.Approvals{Approvals: row.waiting})
		f := &form{session: &mcp.ServerSession{}, rounds: true}
		asked := dispatch.Envelope{Error: fault.New(fault.NeedsApproval, "ask").With("id", "q1")}
		_, repeat := (&Server{}).ask(withForm(t.Context(), f), &control.Client{Conn: connect(ours, nil)}, asked, func(string) {})
		if repeat != row.repeat || (f.pending == nil) != row.repeat {
			t.Errorf("%s: repeat is %t, the form %+v", name, repeat, f.pending)
		}
	}
}
