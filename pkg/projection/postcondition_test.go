package projection

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestPostconditionCheck(t *testing.T) {
	// Ensure a condition sees the state and, inside a predicate, the input through $$ (P10).
	c := parse(t, boardProjection).Postconditions[0]
	state := mustRun(t, parse(t, boardProjection), extraction, Options{Internal: true}).State
	for input, want := range map[string]bool{`{"title":"Tea"}`: true, `{"title":"Milk"}`: false, `{}`: false, ``: false} {
		if got, err := c.Check(t.Context(), state, json.RawMessage(input)); err != nil || got != want {
			t.Errorf("%s: %v, %v", input, got, err)
		}
	}
	if _, err := c.Check(t.Context(), json.RawMessage(`{`), nil); err == nil {
		t.Error("a state that is no JSON can be judged")
	}
}

func TestPostconditionAwait(t *testing.T) {
	// Ensure the page gets its time to show the effect, also through readings that fail, and no more than that.
	c := parse(t, boardProjection).Postconditions[0]
	const before, after = `{"lists":[]}`, `{"lists":[{"cards":[{"title":"Tea"}]}]}`
	input := json.RawMessage(`{"title":"Tea"}`)
	notYet := fault.New(fault.RuntimeNotReady, "loading")
	cases := []struct {
		name  string
		at    time.Duration // when the page shows the effect
		fails time.Duration // until when readings fail
		want  fault.Code
		took  time.Duration
	}{
		{"at once", 0, 0, "", 0},
		{"after a while", 1500 * time.Millisecond, 0, "", 1500 * time.Millisecond},
		{"after a navigation", time.Second, 900 * time.Millisecond, "", time.Second},
		{"too late", 3 * time.Second, 0, fault.StatePostconditionFailed, 2 * time.Second},
		{"never readable", 0, time.Hour, fault.RuntimeNotReady, 2 * time.Second},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				err := c.Await(t.Context(), input, func(context.Context) (json.RawMessage, error) {
					switch {
					case time.Since(start) < test.fails:
						return nil, notYet
					case time.Since(start) < test.at:
						return json.RawMessage(before), nil
					}
					return json.RawMessage(after), nil
				})
				if took := time.Since(start).Round(pollInterval); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				if test.want == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				f := wantFault(t, err, test.want)
				if test.want == fault.StatePostconditionFailed {
					if f.Message != "The card is not there." || !strings.Contains(f.Evidence["expected"].(string), "$$.input.title") {
						t.Errorf("fault %v, evidence %v", f, f.Evidence)
					}
					wantJSON(t, f.Evidence["seen"], before)
				}
			})
		})
	}
}

func TestPostconditionAwaitEnds(t *testing.T) {
	// Ensure a cancelled call waits no longer, a condition with settle_ms 0 looks once, and a long state is not repeated whole.
	p := parse(t, boardProjection)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		err := p.Postconditions[0].Await(ctx, nil, func(context.Context) (json.RawMessage, error) { return json.RawMessage(`{}`), nil })
		wantFault(t, err, fault.HandlerTimeout)
		if took := time.Since(start); took != time.Second {
			t.Errorf("took %v", took)
		}
	})
	looks := 0
	long := json.RawMessage(`{"open":true,"text":"` + strings.Repeat("x", 5000) + `"}`)
	err := p.Postconditions[1].Await(t.Context(), nil, func(context.Context) (json.RawMessage, error) {
		looks++
		return long, nil
	})
	f := wantFault(t, err, fault.StatePostconditionFailed)
	if seen, _ := f.Evidence["seen"].(string); looks != 1 || len(seen) != maxSeenBytes || f.Evidence["seen_bytes"] != len(long) {
		t.Errorf("%d looks, evidence %v", looks, f.Evidence)
	}
}
