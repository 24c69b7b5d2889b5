package projection

import (
	"context"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestLargePage(t *testing.T) {
	// Ensure that a page of 100,000 records has a summary, a whole state and a difference, each of the right records.
	if testing.Short() {
		t.Skip("too long under the race detector")
	}
	const count = 100_000
	p := parse(t, benchProjection)
	in := Extraction{Records: benchRecords(count, -1), URL: "https://a.test/", Title: "Cards"}
	summary := mustRun(t, p, in, Options{Summary: DefaultSummary})
	wantJSON(t, summary.Summary, `{"open":50000}`)
	whole := mustRun(t, p, in, Options{MaxBytes: maxInternalBytes})
	if whole.StateHash != summary.StateHash {
		t.Error("the summary is of another state")
	}
	in.Records = benchRecords(count, 70_000)
	difference, err := mustRun(t, p, in, Options{Internal: true}).Since(t.Context(), whole.State)
	if err != nil {
		t.Fatal(err)
	}
	wantJSON(t, difference.Patches, `[{"op":"replace","path":"/cards/70000/title","value":"Changed"}]`)
	if len(difference.Deltas) != 1 || difference.Deltas[0].Path != "/cards/70000/title" {
		t.Errorf("%+v", difference.Deltas)
	}
}

func TestLargePageIsBounded(t *testing.T) {
	// Ensure that an expression without end over a large page is stopped, and that others get their turn afterwards.
	endless := edited(t, benchProjection, `{\"cards\": [records.cards`, `($f := function($n) { $n > 0 ? $f($n - 1) + $f($n - 1) : 0 }; $f(90); {\"cards\": [records.cards`)
	p := parse(t, edited(t, endless, `in labels}]}`, `in labels}]})`))
	in := Extraction{Records: benchRecords(12_000, -1)}
	_, err := p.Run(t.Context(), in, Options{})
	wantJSON(t, wantFault(t, err, fault.StateProjectionFailed).Evidence["cause"], `"expression_timeout"`)
	mustRun(t, parse(t, benchProjection), in, Options{Internal: true})
}

func TestLargePagesWait(t *testing.T) {
	// Ensure that large records wait for those before them, small ones do not, and that a caller who gives up waits no longer.
	p := parse(t, benchProjection)
	small, many := Extraction{Records: benchRecords(1000, -1)}, Extraction{Records: benchRecords(12_000, -1)}
	if err := large.enter(t.Context(), largeBytes); err != nil {
		t.Fatal(err)
	}
	mustRun(t, p, small, Options{Internal: true})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run(ctx, many, Options{Internal: true})
		ended <- err
	}()
	cancel()
	wantFault(t, <-ended, fault.Cancelled)
	large.leave(largeBytes)
	mustRun(t, p, many, Options{Internal: true})
}
