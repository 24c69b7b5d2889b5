package browser

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	// pageWait is how long page.wait_for waits where the caller says nothing.
	pageWait = 5 * time.Second
	// networkQuiet is how long no request may be under way for an idle network.
	networkQuiet = 500 * time.Millisecond
	// answerGrace is what an answer of the page may take beyond the time that
	// the page was given.
	answerGrace = 250 * time.Millisecond
	// betweenLooks is the time from one look at a tab to the next.
	betweenLooks = 20 * time.Millisecond
)

// pageCondition is what page.wait_for waits for.
type pageCondition struct {
	URLContains string `json:"url_contains"`
	URLMatches  string `json:"url_matches"`
	LoadState   string `json:"load_state"`
	Stable      int    `json:"stable"`
	TimeoutMS   *int   `json:"timeout_ms"`

	pattern  *regexp.Regexp
	started  time.Time
	deadline time.Time
	limit    time.Duration
}

// pageWaitFor is page.wait_for: the address by what the extension tells of the
// tab, whatever document it shows; the rest by the document that is there then,
// and by the one that replaces it.
func (h *Handlers) pageWaitFor(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	want, err := parsePageCondition(ctx, c)
	if err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	done := map[string]any{"matched": true}
	if err := h.awaitURL(ctx, c, want); err != nil {
		return nil, err
	}
	if want.LoadState != "" || want.Stable > 0 {
		state, err := h.settled(ctx, c, want)
		if err != nil {
			return nil, err
		}
		done["ready_state"] = state
		if want.Stable > 0 {
			done["stable"] = true
		}
	}
	if want.LoadState == "network_idle" {
		observed, err := h.networkIdle(ctx, c, want)
		if err != nil {
			return nil, err
		}
		done["network_observed"] = observed
	}
	tab, _ := h.Tabs.Get(c.TabID)
	done["url"], done["elapsed_ms"] = tab.URL, time.Since(want.started).Milliseconds()
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
	want.limit = pageWait
	if want.TimeoutMS != nil {
		want.limit = time.Duration(*want.TimeoutMS) * time.Millisecond
	}
	want.started = time.Now()
	// What the wait came to is told before the call itself ends.
	if end, ok := ctx.Deadline(); ok {
		want.limit = max(0, min(want.limit, end.Add(-answerGrace).Sub(want.started).Truncate(time.Millisecond)))
	}
	want.deadline = want.started.Add(want.limit)
	return want, nil
}

func (want pageCondition) at(url string) bool {
	return strings.Contains(url, want.URLContains) && (want.pattern == nil || want.pattern.MatchString(url))
}

// late is the error of a wait whose time is over.
func (want pageCondition) late(message string) *fault.Error {
	return fault.New(fault.Timeout, "%s within %s", message, want.limit).With("timeout_ms", want.limit.Milliseconds())
}

// awaitURL waits until the tab's address is the one that is wanted.
func (h *Handlers) awaitURL(ctx context.Context, c primitive.Call, want pageCondition) error {
	for {
		tab, ok := h.Tabs.Get(c.TabID)
		switch {
		case !ok:
			return fault.New(fault.TabNotClaimed, "the tab was released or closed while it was waited for")
		case want.at(tab.URL):
			return nil
		case time.Now().After(want.deadline):
			return want.late("the address did not match").With("url", tab.URL)
		}
		if err := wait(ctx, betweenLooks); err != nil {
			return err
		}
	}
}

// settled waits for the document's own part: how far it has loaded, whether it
// keeps still. A document that goes away meanwhile hands the wait on to the one
// that follows, and one that is not there yet is waited for.
func (h *Handlers) settled(ctx context.Context, c primitive.Call, want pageCondition) (string, error) {
	bounded, cancel := context.WithDeadline(ctx, want.deadline.Add(answerGrace))
	defer cancel()
	for {
		args, err := want.forDocument()
		if err != nil {
			return "", err
		}
		raw, err := h.inPage(bounded, c, "page.settle", args)
		if fault.Is(err, fault.RuntimeNotReady) || fault.Is(err, fault.RuntimeReplaced) {
			err = wait(bounded, betweenLooks)
			if err == nil {
				continue
			}
		}
		if err != nil {
			if bounded.Err() != nil && ctx.Err() == nil {
				return "", want.late("the page did not come to rest")
			}
			return "", err
		}
		var state struct {
			ReadyState string `json:"ready_state"`
		}
		if err := json.Unmarshal(raw, &state); err != nil {
			return "", fault.Wrap(err, fault.InvalidResult, "the state of the page cannot be read: %v", err)
		}
		return state.ReadyState, nil
	}
}

// forDocument gives the arguments of the document's part, for the time that is
// left.
func (want pageCondition) forDocument() (json.RawMessage, error) {
	args := map[string]any{"timeout_ms": max(0, time.Until(want.deadline).Milliseconds())}
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

// networkIdle waits until no request of the tab has been under way for a while.
func (h *Handlers) networkIdle(ctx context.Context, c primitive.Call, want pageCondition) (observed bool, err error) {
	for {
		traffic, err := h.Browser.Traffic(ctx, c.TabID)
		if err != nil {
			return false, err
		}
		quiet := time.Duration(traffic.QuietMS) * time.Millisecond
		if traffic.Pending == 0 && quiet >= networkQuiet {
			return traffic.Observed, nil
		}
		left := time.Until(want.deadline)
		if left <= 0 {
			return false, want.late("the network did not become idle").
				With("pending_requests", traffic.Pending).With("quiet_ms", traffic.QuietMS).With("network_observed", traffic.Observed)
		}
		next := 50 * time.Millisecond
		if traffic.Pending == 0 {
			next = max(next, networkQuiet-quiet)
		}
		if err := wait(ctx, min(next, left)); err != nil {
			return false, err
		}
	}
}

// Traffic tells how busy the tab's network is.
func (b *Browser) Traffic(ctx context.Context, tabID int) (protocol.TabTraffic, error) {
	var out protocol.TabTraffic
	err := b.call(ctx, protocol.MethodTabTraffic, protocol.TabTrafficQuery{TabID: tabID}, &out)
	return out, err
}
