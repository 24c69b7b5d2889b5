package primitives

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestPageWaitFor(t *testing.T) {
	// Ensure that what the page says of a wait that failed counts although it comes late, that a page which hangs ends the wait soon after its time, and that one which replaces its documents ends it by its time.
	const limit = 900 * time.Millisecond
	for name, test := range map[string]struct {
		answers  time.Duration // after it was asked
		answer   *fault.Error
		evidence any // of the wait
		least    time.Duration
		most     time.Duration
	}{
		"late answer":       {3 * time.Second, fault.New(fault.Timeout, "never idle").With("stable", false), false, 3 * time.Second, 3 * time.Second},
		"hangs":             {time.Hour, nil, nil, limit + hangTimeout, limit + hangTimeout},
		"replaced for ever": {10 * time.Millisecond, fault.New(fault.RuntimeReplaced, "gone"), nil, limit, limit + 50*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t, func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
					if err := sleep(ctx, test.answers); err != nil {
						return nil, err
					}
					return nil, test.answer
				})
				h := &Handlers{Browser: b, Tabs: claimed(t), KnownPrimitives: []string{"page.settle"}}
				started := time.Now()
				_, err := h.pageWaitFor(limited(t), pageCall(t, "page.wait_for", `{"stable":300,"timeout_ms":900}`))
				took, failed := time.Since(started), fault.From(err)
				if !fault.Is(err, fault.Timeout) || failed.Evidence["stable"] != test.evidence || took < test.least || took > test.most {
					t.Errorf("%v after %s, evidence %v", err, took, failed.Evidence)
				}
			})
		})
	}
}
