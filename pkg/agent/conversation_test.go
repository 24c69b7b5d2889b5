package agent

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/voice"
)

func TestDecisionsAfterAStop(t *testing.T) {
	// Ensure that a question which nobody answers does not wake a chat that the user has stopped, and that the user's own answer does.
	for outcome, wakes := range map[policy.Outcome]bool{policy.Expired: false, policy.Withdrawn: false, policy.Allowed: true, policy.Refused: true} {
		t.Run(string(outcome), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newChats(t)
				if err := c.Send(t.Context(), 1, "Order", voice.Queue, false); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				c.Stop(1)
				c.approvalDecided(policy.Approval{Name: "locator.click", SessionID: "agent:1"}, outcome)
				if last := c.lastRow(1); strings.Contains(last, "locator.click") != wakes {
					t.Errorf("the last row is %q", last)
				}
			})
		})
	}
}
