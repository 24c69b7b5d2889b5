package primitives

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	// locatorWaitTimeout is the default timeout of locator.wait_for.
	locatorWaitTimeout = time.Second
	// pageWaitTimeout is the default timeout of page.wait_for.
	pageWaitTimeout = 5 * time.Second
	// networkIdleInterval is how long no request may be pending for an idle network.
	networkIdleInterval = 500 * time.Millisecond
	// pollInterval is the interval of checks of a tab.
	pollInterval = 20 * time.Millisecond
	// hangTimeout is how long after the end of a wait the page may be with its answer: one that
	// is busy, or hidden, is late; one that hangs never answers.
	hangTimeout = 5 * time.Second
)

// pageCondition is what page.wait_for waits for.
type pageCondition struct {
	URLContains string          `json:"url_contains"`
	URLMatches  string          `json:"url_matches"`
	LoadState   string          `json:"load_state"`
	Text        string          `json:"text"`
	Locator     json.RawMessage `json:"locator"`
	Stable      int             `json:"stable"`
	TimeoutMS   *int            `json:"timeout_ms"`

	pattern  *regexp.Regexp
	started  time.Time
	deadline time.Time
	limit    time.Duration
}

// pageWaitFor is page.wait_for: the address by the extension's reports of the tab, whatever
// document it shows; the rest by the document that is there then, and by the one that replaces
// it.
func (h *Handlers) pageWaitFor(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	want, err := parsePageCondition(ctx, c)
	if err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	var network *networkWait
	if want.LoadState == "network_idle" {
		if network, err = h.watchNetwork(ctx, c, want); err != nil {
			return nil, err
		}
		defer network.stop(ctx)
	}
	done := map[string]any{"matched": true}
	if err := h.awaitURL(ctx, c, want); err != nil {
		return nil, err
	}
	if want.Text != "" || want.Locator != nil {
		if err := h.awaitDocument(ctx, c, want, "page.shown", nil); err != nil {
			return nil, err
		}
	}
	if want.LoadState != "" || want.Stable > 0 {
		var state struct {
			ReadyState string `json:"ready_state"`
		}
		if err := h.awaitDocument(ctx, c, want, "page.settle", &state); err != nil {
			return nil, err
		}
		done["ready_state"] = state.ReadyState
		if want.Stable > 0 {
			done["stable"] = true
		}
	}
	if network != nil {
		observed, err := network.awaitIdle(ctx, want)
		if err != nil {
			return nil, err
		}
		done["network_observed"] = observed
	}
	tab, _ := h.Tabs.Get(c.TabID)
	done["url"], done["elapsed_ms"] = c.VisibleURL(tab.URL), time.Since(want.started).Milliseconds()
	return primitive.Output(done)
}

func parsePageCondition(ctx context.Context, c primitive.Call) (pageCondition, error) {
	want, err := primitive.Arguments[pageCondition](c)
	if err != nil {
		return want, err
	}
	if want.URLMatches != "" {
		if want.pattern, err = regexp.Compile(want.URLMatches); err != nil {
			return want, fault.Wrap(err, fault.InvalidInput, "url_matches is not a regular expression: %v", err)
		}
	}
	want.limit = pageWaitTimeout
	if want.TimeoutMS != nil {
		want.limit = time.Duration(*want.TimeoutMS) * time.Millisecond
	}
	want.started = time.Now()
	want.limit = browser.WithinCall(ctx, want.limit)
	want.deadline = want.started.Add(want.limit)
	return want, nil
}

func (want pageCondition) matchesURL(url string) bool {
	return strings.Contains(url, want.URLContains) && (want.pattern == nil || want.pattern.MatchString(url))
}

// timeoutError returns the error of a wait that timed out.
func (want pageCondition) timeoutError(message string) *fault.Error {
	return fault.New(fault.Timeout, "%s within %s", message, want.limit).With("timeout_ms", want.limit.Milliseconds())
}

// awaitURL waits until the tab's address is the one that is wanted.
func (h *Handlers) awaitURL(ctx context.Context, c primitive.Call, want pageCondition) error {
	for {
		tab, ok := h.Tabs.Get(c.TabID)
		switch {
		case !ok:
			return fault.New(fault.TabNotClaimed, "the tab was released or closed while it was waited for")
		case c.VisibleURL(tab.URL) == tab.URL && want.matchesURL(tab.URL): // a hidden one is not to be guessed either
			return nil
		case time.Now().After(want.deadline):
			return want.timeoutError("the address did not match").With("url", c.VisibleURL(tab.URL))
		}
		if err := sleep(ctx, pollInterval); err != nil {
			return err
		}
	}
}

// awaitDocument waits with the named internal primitive for what the document itself knows:
// what it shows, or its load state and stability. If the document is replaced meanwhile, it
// goes on with the next one. The output is decoded into out, unless that is nil.
//
// The page ends the wait when its time is over and says what it saw. That answer may be late by
// hangTimeout, which says nothing about what was waited for; then the page hangs.
func (h *Handlers) awaitDocument(ctx context.Context, c primitive.Call, want pageCondition, name string, out any) error {
	for {
		args, err := want.documentArguments(name)
		if err != nil {
			return err
		}
		limited, cancel := context.WithDeadline(ctx, want.deadline.Add(hangTimeout))
		ran, err := h.RunOnce(limited, c, "", name, args)
		hangs := err != nil && limited.Err() != nil && ctx.Err() == nil
		cancel()
		if hangs {
			return want.timeoutError("the page hangs: it did not answer").WithNextStep("Reload the page with browser.navigate and {\"reload\":true}, or wait longer if it works on something.")
		}
		if fault.Is(err, fault.RuntimeNotReady) || fault.Is(err, fault.RuntimeReplaced) {
			if time.Now().After(want.deadline) {
				return want.timeoutError("no document of the tab answered")
			}
			if err = sleep(ctx, pollInterval); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		if out == nil {
			return nil
		}
		if err := json.Unmarshal(ran.Output, out); err != nil {
			return fault.Wrap(err, fault.InvalidResult, "the state of the page cannot be read: %v", err)
		}
		return nil
	}
}

// documentArguments returns the arguments of the internal primitive for the remaining time.
func (want pageCondition) documentArguments(name string) (json.RawMessage, error) {
	args := map[string]any{"timeout_ms": max(0, time.Until(want.deadline).Milliseconds())}
	if name == "page.shown" {
		if want.Text != "" {
			args["text"] = want.Text
		}
		if want.Locator != nil {
			args["locator"] = want.Locator
		}
		return primitive.Output(args)
	}
	switch want.LoadState {
	case "network_idle":
		args["load_state"] = "load"
	case "":
	default:
		args["load_state"] = want.LoadState
	}
	if want.Stable > 0 {
		args["stable"] = want.Stable
	}
	return primitive.Output(args)
}

// locatorWait is a locator.wait_for that goes on in another document.
type locatorWait struct {
	args    map[string]any
	started time.Time
	limit   time.Duration
}

// locatorWaitFor is locator.wait_for. A document waits for its own elements only: when it is
// replaced, or a frame on the way to it shows none yet, the wait goes on for the time that is
// left, with one look at its end.
func (h *Handlers) locatorWaitFor(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	w := locatorWait{started: time.Now(), limit: locatorWaitTimeout}
	var err error
	if w.args, err = primitive.Arguments[map[string]any](c); err != nil {
		return nil, err
	}
	if ms, ok := w.args["timeout_ms"].(float64); ok {
		w.limit = time.Duration(ms) * time.Millisecond
	}
	out, err := h.RunOnce(ctx, c, "", c.Record.Name, c.Arguments)
	if err == nil {
		return out.Output, nil
	}
	if !w.continues(c, err) {
		return nil, err
	}
	began := fault.From(err).Dispatched != fault.NotDispatched
	for {
		if err := sleep(ctx, pollInterval); err != nil {
			return nil, err
		}
		left := max(0, w.limit-time.Since(w.started))
		w.args["timeout_ms"] = left.Milliseconds()
		raw, err := primitive.Output(w.args)
		if err != nil {
			return nil, err
		}
		out, err := h.RunOnce(ctx, c, "", c.Record.Name, raw)
		if err == nil {
			return w.output(out.Output)
		}
		if began && w.wentAway(err) {
			return w.output(fmt.Appendf(nil, `{"matched":true,"state":%q}`, w.args["state"]))
		}
		if left == 0 || !w.continues(c, err) {
			return nil, w.error(err)
		}
	}
}

// continues reports whether the error may only mean that a document is not there yet.
func (w locatorWait) continues(c primitive.Call, err error) bool {
	switch fault.From(err).Code {
	case fault.RuntimeReplaced:
		return c.RuntimeID == ""
	case fault.RuntimeNotReady:
		return true
	case fault.FrameNotFound: // for want of a document of the host: one may come
		state := w.args["state"]
		return state != "hidden" && state != "detached"
	}
	return false
}

// wentAway reports whether what a ref stands for has gone with its document, as was waited for.
func (w locatorWait) wentAway(err error) bool {
	f := fault.From(err)
	return f.Code == fault.StaleRef && f.Evidence["reason"] == "documentChanged" && (w.args["state"] == "hidden" || w.args["state"] == "detached")
}

// output has the page's output tell of the whole wait.
func (w locatorWait) output(output json.RawMessage) (json.RawMessage, error) {
	var members map[string]any
	if err := json.Unmarshal(output, &members); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "the output of the wait cannot be read: %v", err)
	}
	members["elapsed_ms"] = time.Since(w.started).Milliseconds()
	return primitive.Output(members)
}

// error has the page's timeout tell of the whole wait.
func (w locatorWait) error(err error) error {
	f := fault.From(err)
	if f.Code != fault.Timeout {
		return f
	}
	whole := *f.With("timeout_ms", w.limit.Milliseconds())
	whole.Message = "no match within " + w.limit.String()
	return &whole
}
