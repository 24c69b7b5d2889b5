package harness

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/launch"
)

// Targets returns everything that the browser shows, tabs included.
func Targets(t testing.TB, b *launch.Browser) []*target.Info {
	t.Helper()
	found, err := targets(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func targets(ctx context.Context, b *launch.Browser) ([]*target.Info, error) {
	found, err := cdp.Call(ctx, b.Session(), target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{}}})
	if err != nil {
		return nil, err
	}
	return found.TargetInfos, nil
}

// AwaitTargets waits until find finds in the browser's targets what it looks for. It
// looks again whenever one comes, changes or goes.
func AwaitTargets[T any](t testing.TB, b *launch.Browser, what string, find func([]*target.Info) (T, bool)) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	line := b.NewClient()
	defer line.Close()
	// Tabs and workers are reported only where they are asked for.
	if _, err := cdp.Call(ctx, b.Session(), target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true, Filter: target.Filter{{}}}); err != nil {
		t.Fatal(err)
	}
	for {
		all, err := targets(ctx, b)
		if err == nil {
			if found, ok := find(all); ok {
				return found
			}
			err = nextTarget(ctx, line)
		}
		if err != nil {
			t.Fatalf("it did not happen: %s: %v", what, err)
		}
	}
}

// nextTarget waits for an event about a target.
func nextTarget(ctx context.Context, line *launch.Client) error {
	for {
		m, err := line.Receive(ctx)
		if err != nil || m.SessionID == "" && strings.HasPrefix(m.Method, "Target.target") {
			return err
		}
	}
}
