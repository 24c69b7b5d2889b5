package webfetch

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// listedProtocol is the first protocol whose extension looks for an address in the page.
const listedProtocol = 11

// PageHandler returns the handler of page.fetch around that of the page. A GET can change things:
// who may only look gets addresses that stand in the page, which the page itself judges.
func PageHandler(page primitive.Handler, protocol int) primitive.Handler {
	return func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		if !c.OnlyLooks {
			return page(ctx, c)
		}
		if protocol < listedProtocol {
			return nil, fault.New(fault.CapabilityUnavailable, "this version of the extension cannot tell whether the address stands in the page").
				WithNextStep("Update the extension, or read the page instead.").WithDispatched(fault.NotDispatched)
		}
		var args map[string]json.RawMessage
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			return nil, fault.Wrap(err, fault.InternalError, "the arguments cannot be read: %v", err)
		}
		args["listed_only"] = json.RawMessage("true")
		var err error
		if c.Arguments, err = json.Marshal(args); err != nil {
			return nil, fault.Wrap(err, fault.InternalError, "the arguments cannot be written: %v", err)
		}
		return page(ctx, c)
	}
}
