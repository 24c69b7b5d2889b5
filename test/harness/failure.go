package harness

import (
	"context"
	"testing"
	"time"
)

// loggedCalls is how many of the last calls a failed test shows.
const loggedCalls = "40"

// logFailure shows what the host's log has of a test that has failed: what fails once
// in a hundred runs can often not be made to fail again.
func (h *Home) logFailure(t testing.TB) {
	t.Helper()
	if !t.Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	args := []string{"log", "dump", "--limit", loggedCalls}
	if !h.Began.IsZero() {
		args = append(args, "--since", h.Began.Format(time.RFC3339))
	}
	out, err := h.Command(ctx, args...).CombinedOutput()
	if err != nil {
		t.Logf("the log cannot be shown: %v\n%s", err, out)
		return
	}
	t.Logf("the end of the host's log:\n%s", out)
}
