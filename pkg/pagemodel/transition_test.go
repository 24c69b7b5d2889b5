package pagemodel_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
)

func TestRateLimit(t *testing.T) {
	// Ensure that a transition starts no more often than its map allows, per tab and map, waiting up to two seconds and refusing beyond.
	synctest.Test(t, func(t *testing.T) {
		s := parse(t, `{"transitions":[{"name":"scroll","rate_limit_ms":1000},{"name":"slow","rate_limit_ms":60000},{"name":"free"}]}`)
		scroll, slow, free := s.Transitions[0], s.Transitions[1], s.Transitions[2]
		var pace pagemodel.Transitions
		took := func(tab int, tr pagemodel.Transition, mapPath string) time.Duration {
			t.Helper()
			before := time.Now()
			if err := pace.Start(t.Context(), tab, mapPath, tr); err != nil {
				t.Fatal(err)
			}
			return time.Since(before)
		}
		for i, want := range []time.Duration{0, time.Second, time.Second} {
			if got := took(1, scroll, "m"); got != want {
				t.Errorf("start %d waited %v, want %v", i, got, want)
			}
		}
		if took(2, scroll, "m") != 0 || took(1, scroll, "other map") != 0 || took(1, free, "m") != 0 || took(1, free, "m") != 0 {
			t.Error("another tab, another map or a transition without a limit had to wait")
		}
		if took(1, slow, "m") != 0 {
			t.Error("the first start had to wait")
		}
		f := fault.From(pace.Start(t.Context(), 1, "m", slow))
		if f == nil || f.Code != fault.RateLimited || !f.Retryable || f.Dispatched != fault.NotDispatched || f.Evidence["retry_after_ms"] != int64(60000) {
			t.Fatalf("got %v %v", f, f.Evidence)
		}
		// The refusal takes no place: after the time the next one starts at once.
		<-time.After(time.Minute) // of the test's own clock
		if took(1, slow, "m") != 0 {
			t.Error("the refused start took a place")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		took(1, scroll, "m")
		if err := pace.Start(ctx, 1, "m", scroll); !fault.Is(err, fault.HandlerTimeout) {
			t.Errorf("a wait beyond the caller's time gave %v", err)
		}
	})
}

const converging = `{"states":[{"name":"done","diagnostics":[{"target":{"selector":"#result","text_contains":"Submitted"}}]}],
	"transitions":[
	{"name":"by-state","tool":"send","convergence":{"complete_when":"done","max_attempts":2}},
	{"name":"by-target","tool":"send","convergence":{"complete_when":{"selector":"#result","text_contains":"Submitted"}}},
	{"name":"by-expression","convergence":{"complete_when":"{% states.done and $contains(url, 'form') %}"}},
	{"name":"by-object","convergence":{"complete_when":{"language":"jsonata","expression":"states.done"}}},
	{"name":"in-words","convergence":{"complete_when":"result_text_contains_submitted_name"}},
	{"name":"none"}]}`

func TestConverge(t *testing.T) {
	// Ensure that each form of complete_when is waited for, for two seconds and no longer, and that a failure says what was expected and seen.
	s := parse(t, converging)
	for _, tr := range s.Transitions {
		t.Run(tr.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := form()
				url := func() string { return p.url }
				words := tr.Name == "in-words" || tr.Name == "none"
				before := time.Now()
				// The page answers at the eighth look at the earliest.
				read := func(ctx context.Context, primitive string, args json.RawMessage) (json.RawMessage, error) {
					if len(p.calls) == 8 {
						p.change("#result", func(e *element) { e.text = "Submitted Ada" })
					}
					return p.read(ctx, primitive, args)
				}
				got, err := s.Converge(t.Context(), read, url, tr)
				switch took := time.Since(before); {
				case words:
					if got != pagemodel.Unknown || err != nil || len(p.calls) > 0 {
						t.Errorf("got %v %v, calls %v", got, err, p.calls)
					}
					return
				case got != pagemodel.Holds || err != nil || took < 100*time.Millisecond || took > time.Second:
					t.Fatalf("got %v %v after %v", got, err, took)
				}
				p = form()
				before = time.Now()
				got, err = s.Converge(t.Context(), p.read, url, tr)
				f := fault.From(err)
				if got != pagemodel.Fails || f == nil || f.Code != fault.TransitionNotConverged || time.Since(before) != 2*time.Second {
					t.Fatalf("got %v %v after %v", got, err, time.Since(before))
				}
				if f.Evidence["expected"] == nil || f.Evidence["seen"] == nil || f.Dispatched != fault.WasDispatched || f.Retryable {
					t.Errorf("fault %+v", f)
				}
			})
		})
	}
	var names []string
	for _, tr := range s.TransitionsOf("send") {
		names = append(names, tr.Name)
	}
	if !slices.Equal(names, []string{"by-state", "by-target"}) || len(s.TransitionsOf("")) != 0 || s.Transitions[0].Convergence.MaxAttempts != 2 {
		t.Errorf("performed by send: %v", names)
	}
}

func TestConvergeOverNavigation(t *testing.T) {
	// Ensure that a page that cannot be read for a moment is looked at again, that one that stays so is told, and that a cancelled caller does not wait.
	synctest.Test(t, func(t *testing.T) {
		tr := parse(t, converging).Transitions[1]
		s := parse(t, converging)
		p := form().change("#result", func(e *element) { e.text = "Submitted" })
		broken := 3
		read := func(ctx context.Context, primitive string, args json.RawMessage) (json.RawMessage, error) {
			if broken != 0 {
				broken--
				return nil, fault.New(fault.RuntimeReplaced, "the document is gone")
			}
			return p.read(ctx, primitive, args)
		}
		url := func() string { return p.url }
		if got, err := s.Converge(t.Context(), read, url, tr); got != pagemodel.Holds || err != nil {
			t.Errorf("got %v %v", got, err)
		}
		broken = -1
		if _, err := s.Converge(t.Context(), read, url, tr); !fault.Is(err, fault.TransitionNotConverged) || fault.From(err).Evidence["seen"] == nil {
			t.Errorf("got %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Converge(ctx, read, url, tr); !fault.Is(err, fault.Cancelled) {
			t.Errorf("got %v", err)
		}
	})
}
