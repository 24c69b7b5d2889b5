package mcpserver

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/policy"
)

func TestInstructionsFit(t *testing.T) {
	// Ensure that no client cuts the end of the instructions off, whatever the session may do.
	for _, mode := range []policy.Mode{policy.ModeAct, policy.ModeAsk} {
		for _, all := range []bool{false, true} {
			if n := len(instructions(mode, all)); n > maxInstructionBytes {
				t.Errorf("mode %s, all %t: %d bytes, at most %d arrive", mode, all, n, maxInstructionBytes)
			}
		}
	}
}
