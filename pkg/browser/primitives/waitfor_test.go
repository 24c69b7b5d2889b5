package primitives

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// unready is a page that gives one error after the other, and then that the wait is over.
func unready(t *testing.T, errs ...*fault.Error) (h *Handlers, timeouts func() []float64) {
	t.Helper()
	var calls atomic.Int32
	asked := make(chan float64, 100)
	b := connect(t, func(_ context.Context, _ string, params json.RawMessage) (any, error) {
		var call struct {
			Arguments struct {
				TimeoutMS float64 `json:"timeout_ms"`
			}
		}
		if err := json.Unmarshal(params, &call); err != nil {
			return nil, err
		}
		asked <- call.Arguments.TimeoutMS
		if at := int(calls.Add(1)) - 1; at < len(errs) {
			return nil, errs[at]
		}
		return protocol.ActionCallOutput{Output: json.RawMessage(`{"matched":true,"state":"visible","elapsed_ms":0}`), RuntimeID: "new", URL: "https://example.com/"}, nil
	})
	return &Handlers{Browser: b, Tabs: claimed(t), KnownPrimitives: []string{"locator.wait_for"}}, func() (all []float64) {
		for {
			select {
			case ms := <-asked:
				all = append(all, ms)
			default:
				return all
			}
		}
	}
}

func TestLocatorWaitGoesOn(t *testing.T) {
	// Ensure that a wait for an element goes on, for the time that is left, when its document is replaced, is not ready or is not there yet.
	h, timeouts := unready(t, fault.New(fault.RuntimeReplaced, "gone"), fault.New(fault.RuntimeNotReady, "loading"), fault.New(fault.FrameNotFound, "no frame of the host"))
	out, err := h.locatorWaitFor(limited(t), pageCall(t, "locator.wait_for", `{"locator":{"selector":"p","frame":{"host":"b.test"}},"timeout_ms":5000}`))
	if err != nil {
		t.Fatal(err)
	}
	var whole struct {
		Elapsed float64 `json:"elapsed_ms"`
	}
	if err := json.Unmarshal(out, &whole); err != nil || whole.Elapsed < 3*float64(pollInterval.Milliseconds()) {
		t.Errorf("the wait of several parts gives %s, %v", out, err)
	}
	all := timeouts()
	if len(all) != 4 || all[0] != 5000 {
		t.Fatalf("the page was asked to wait %v", all)
	}
	for i := range all[1:] {
		if all[i+1] > all[i]-float64(pollInterval.Milliseconds()) {
			t.Errorf("the page was asked to wait %v: each part has what is left", all)
		}
	}
}

func TestLocatorWaitEnds(t *testing.T) {
	// Ensure that a wait whose document never comes ends with its own time and says why, that a timeout in a later document tells of the whole wait, and that other errors and states end it at once.
	const args = `{"locator":{"selector":"p","frame":"#o"},"timeout_ms":30}`
	var loading []*fault.Error
	for range 100 {
		loading = append(loading, fault.New(fault.RuntimeNotReady, "loading"))
	}
	h, timeouts := unready(t, loading...)
	_, err := h.locatorWaitFor(limited(t), pageCall(t, "locator.wait_for", args))
	if all := timeouts(); !fault.Is(err, fault.RuntimeNotReady) || len(all) < 2 || all[len(all)-1] != 0 {
		t.Errorf("got %v after waits of %v: one more look when the time is over", err, all)
	}
	h, _ = unready(t, loading[0], fault.New(fault.Timeout, "no match was visible within 7 ms").With("timeout_ms", 7).With("match_count", 0))
	_, err = h.locatorWaitFor(limited(t), pageCall(t, "locator.wait_for", args))
	if f := fault.From(err); f.Code != fault.Timeout || !strings.Contains(f.Message, "30ms") || f.Evidence["timeout_ms"] != int64(30) || f.Evidence["match_count"] == nil {
		t.Errorf("the timeout of a later part says %v, %v", f, f.Evidence)
	}
	for state, ends := range map[string]*fault.Error{"visible": fault.New(fault.InvalidSelector, "p["), "detached": fault.New(fault.FrameNotFound, "no frame of the host")} {
		h, timeouts = unready(t, ends)
		_, err = h.locatorWaitFor(limited(t), pageCall(t, "locator.wait_for", `{"locator":{"selector":"p"},"state":"`+state+`"}`))
		if all := timeouts(); !fault.Is(err, ends.Code) || len(all) != 1 {
			t.Errorf("%s: got %v after %d calls", state, err, len(all))
		}
	}
}

func TestLocatorWaitOfARefEndsWithItsDocument(t *testing.T) {
	// Ensure that what a ref stands for counts as gone when its document is replaced while its end is waited for, and not where another state is, or nothing was looked for yet.
	replaced := fault.New(fault.RuntimeReplaced, "gone").WithDispatched(fault.DispatchedUnknown)
	stale := fault.New(fault.StaleRef, "another document gave it").With("reason", "documentChanged")
	for name, c := range map[string]struct {
		state string
		first *fault.Error
		ok    bool
	}{
		"hidden":       {"hidden", replaced, true},
		"detached":     {"detached", replaced, true},
		"visible":      {"visible", replaced, false},
		"not sent":     {"hidden", fault.New(fault.RuntimeReplaced, "gone").WithDispatched(fault.NotDispatched), false},
		"stale before": {"hidden", stale, false},
	} {
		h, _ := unready(t, c.first, stale)
		out, err := h.locatorWaitFor(limited(t), pageCall(t, "locator.wait_for", `{"locator":{"ref":"abc1"},"state":"`+c.state+`","timeout_ms":5000}`))
		if c.ok != strings.Contains(string(out), `"matched":true`) || !c.ok && !fault.Is(err, fault.StaleRef) {
			t.Errorf("%s: %s %v", name, out, err)
		}
	}
}
