package mcpserver

import (
	"context"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// approvalPollInterval is the interval of asking the host whether the user has answered.
const approvalPollInterval = 200 * time.Millisecond

// awaitApproval waits until the user has answered the approval request of a call, if the
// server was started with that option. It reports whether to repeat the call: then it
// runs, or is refused because the user refused.
func (s *Server) awaitApproval(ctx context.Context, client *control.Client, e dispatch.Envelope, onProgress func(string)) bool {
	if _, open := questionOf(e); s.options.ApprovalWait <= 0 || !open {
		return false
	}
	onProgress("waiting for the user's approval")
	ctx, cancel := context.WithTimeout(ctx, min(s.options.ApprovalWait, policy.ApprovalTTL))
	defer cancel()
	return s.awaitAnswer(ctx, client, e)
}

// awaitAnswer waits until the question of a call is answered, and reports whether it was.
func (s *Server) awaitAnswer(ctx context.Context, client *control.Client, e dispatch.Envelope) bool {
	id, open := questionOf(e)
	if !open {
		return false
	}
	tick := time.NewTicker(approvalPollInterval)
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
			// An expired request was not answered: repeating the call would never end.
			return time.Now().Before(expiry(e))
		}
	}
}

// expiry returns when the approval request of an envelope expires.
func expiry(e dispatch.Envelope) time.Time {
	text, _ := e.Error.Evidence["expires_at"].(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return at
}
