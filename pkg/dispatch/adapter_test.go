package dispatch

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestUnsupportedByTheBrowser(t *testing.T) {
	// Ensure that a primitive whose adapter of the connected browser is unsupported is refused before it is sent, by the browser's name, and runs in all others.
	const name = "a11y.query"
	for browser, supported := range map[string]bool{"chromium": true, "edge": true, "": true, "firefox": false} {
		r := newRig(t)
		r.Browser = browser
		ran := false
		r.Handlers.Named[name] = func(context.Context, primitive.Call) (json.RawMessage, error) {
			ran = true
			return nil, fault.New(fault.TargetNotFound, "nothing matches")
		}
		e := r.call(t, name, `{"name":"Send"}`)
		if supported {
			wantCode(t, e, fault.TargetNotFound)
			continue
		}
		f := wantCode(t, e, fault.CapabilityUnavailable)
		if ran || f.Dispatched != fault.NotDispatched || f.Evidence["browser"] != browser || !strings.Contains(f.Message, "is not available in firefox: Firefox gives extensions no debugger.") {
			t.Errorf("ran %t: %+v", ran, f)
		}
	}
}
