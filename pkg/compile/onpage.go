package compile

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Read runs a primitive that only reads on the open page.
type Read func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)

// OnPage returns a Check on the page that is open at the address. A locator of another page
// stays unchecked.
func OnPage(ctx context.Context, open string, read Read) func(string, json.RawMessage, *Met) Verdict {
	in := func(state string, locator map[string]any) Verdict {
		locator["strict"] = true
		raw, err := json.Marshal(map[string]any{"locator": locator, "state": state, "timeout_ms": 0})
		if err != nil {
			return Unchecked
		}
		_, err = read(ctx, "locator.wait_for", raw)
		switch {
		case err == nil:
			return One
		case fault.Is(err, fault.MultipleTargets):
			return Several
		case fault.Is(err, fault.Timeout), fault.Is(err, fault.TargetNotFound), fault.Is(err, fault.FrameNotFound):
			return None
		}
		return Unchecked
	}
	// What is there and not shown now, as in a dialog that is closed, proves nothing for or against
	// a way that finds what is shown.
	try := func(locator map[string]any) Verdict {
		verdict := in("attached", locator)
		if verdict == One && locator["selector"] != nil && in("visible", locator) == None {
			return Unchecked
		}
		return verdict
	}
	return func(address string, raw json.RawMessage, t *Met) Verdict {
		var locator map[string]any
		if !samePage(open, address) || json.Unmarshal(raw, &locator) != nil {
			return Unchecked
		}
		verdict := try(locator)
		if verdict != One || t == nil || t.Selector == "" || locator["selector"] != nil || isBrittle(t.Selector) {
			return verdict
		}
		// What the selector of the target finds has to be the same.
		own := map[string]any{"selector": t.Selector}
		if locator["frame"] != nil {
			own["frame"] = locator["frame"]
		}
		locator["selector"] = t.Selector
		if in("attached", locator) == None && in("attached", own) == One {
			return None
		}
		return One
	}
}

// samePage reports whether two addresses are of one page: parameters and fragments aside.
func samePage(a, b string) bool {
	x, err := url.Parse(a)
	y, err2 := url.Parse(b)
	return err == nil && err2 == nil && x.Scheme == y.Scheme && x.Host == y.Host && x.Path == y.Path
}
