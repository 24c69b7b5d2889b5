package mcpserver

import (
	"context"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// askAgain is how often the host is asked whether the user has answered.
const askAgain = 200 * time.Millisecond

// approved waits, where the server was started so, until the user has answered
// what a call asked. It tells whether the call is worth making again: then it
// runs, or its refusal says that the user refused.
func (s *Server) approved(ctx context.Context, client *control.Client, e dispatch.Envelope, tell func(string)) bool {
	if s.options.ApprovalWait <= 0 || e.OK || e.Error.Code != fault.NeedsApproval {
		return false
	}
	id := e.Error.Evidence["id"]
	tell("waiting for the user's approval")
	ctx, cancel := context.WithTimeout(ctx, min(s.options.ApprovalWait, policy.ApprovalTime))
	defer cancel()
	tick := time.NewTicker(askAgain)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
		var waiting control.Approvals
		if err := client.Call(ctx, control.MethodApprovals, control.Empty{}, &waiting); err != nil {
			return false
		}
		at := slices.IndexFunc(waiting.Approvals, func(a policy.Approval) bool { return a.ID == id })
		if at < 0 {
			// One that has run out is no answer: asking anew would never end.
			return time.Now().Before(expiry(e))
		}
	}
}

// expiry is when the question of an envelope runs out.
func expiry(e dispatch.Envelope) time.Time {
	text, _ := e.Error.Evidence["expires_at"].(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return at
}
