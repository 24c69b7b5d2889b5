package profile

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func TestNoClientIsTheHostedAgent(t *testing.T) {
	// Ensure that a client of the socket cannot take the session of the hosted agent or of a chat, by whose grants it would act and whose end it would be.
	for _, s := range []control.SessionParams{{Kind: policy.SessionVoice, ID: "abcdefgh"}, {Kind: policy.SessionAgent, ID: agent.ChatPrefix + "abcdefghij"}} {
		if _, err := new(profile).Session(s); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%s gave %v", s.Kind, err)
		}
	}
}
