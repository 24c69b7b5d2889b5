package harness

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/launch"
)

// Until waits for a condition that has no event. What a document or a target
// comes to is waited for by AwaitIn and AwaitTargets, what a server gets by its
// record.
func Until(t testing.TB, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(Patience)
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("it did not happen: %s", what)
		}
	}
}

// AwaitIn waits in the target's document until an expression holds there. A document
// that goes meanwhile hands the wait on to the next one; an expression that fails
// does not hold.
func AwaitIn(ctx context.Context, a *Attached, js string) error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	script := strings.Replace(holdsScript, "EXPRESSION", js, 1)
	for {
		_, err := launch.Evaluate[bool](ctx, a, script)
		if err == nil || ctx.Err() != nil || !launch.IsDocumentGone(err) {
			return err
		}
		if err := a.alive(ctx); err != nil {
			return err
		}
	}
}
