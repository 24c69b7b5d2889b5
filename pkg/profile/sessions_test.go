package profile

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func TestNoClientIsTheHostedAgent(t *testing.T) {
	// Ensure that a client of the socket cannot take the hosted agent's session, by whose grants it would act and whose end it would be.
	_, err := new(profile).Session(control.SessionParams{Kind: policy.SessionVoice, ID: "abcdefgh"})
	if !fault.Is(err, fault.InvalidInput) {
		t.Errorf("gave %v", err)
	}
}
