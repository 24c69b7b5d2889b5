package mcpserver

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/policy"
)

func TestInstructionsFit(t *testing.T) {
	// Ensure that no client cuts the end of the instructions off, whatever the session may do.
	for _, mode := range []policy.Mode{policy.ModeAct, policy.ModeAsk} {
		if n := len(instructions(mode)); n > maxInstructionBytes {
			t.Errorf("mode %s: %d bytes, at most %d arrive", mode, n, maxInstructionBytes)
		}
	}
}
