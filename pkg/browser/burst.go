package browser

import (
	"context"
	"errors"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// command is one command of the protocol with its parameters.
type command struct {
	method string
	params any
	// anywhere sends it wherever the tab is by then: what is pressed must be let
	// go of.
	anywhere bool
}

// burst sends commands in their order without waiting for the answers in
// between: the browser takes a whole click in the time of one answer, and the
// page has no time to change under it. The first failure is what it gives; it
// says "no" only if nothing at all was sent. A dialog that opens ends the wait.
func (d *Debugger) burst(ctx context.Context, commands ...command) error {
	guarded, leave, err := d.browser.dialogs.enter(ctx, d.tabID)
	if err != nil {
		return err
	}
	defer leave()
	var sent []*rpc.Pending
	var failed error
	for _, c := range commands {
		var one *rpc.Pending
		if one, failed = d.start(guarded, c); failed != nil {
			break
		}
		sent = append(sent, one)
	}
	done := 0
	for _, one := range sent {
		var out protocol.DebuggerResult
		if err := one.Await(guarded, &out); err == nil {
			done++
		} else if failed == nil {
			failed = err
		}
	}
	if failed == nil {
		return nil
	}
	var opened *fault.Error
	if ctx.Err() == nil && errors.As(context.Cause(guarded), &opened) {
		return opened
	}
	if done > 0 {
		f := *fault.From(failed)
		f.Dispatched = fault.WasDispatched // the failure speaks for its own command only
		return &f
	}
	return failed
}

func (d *Debugger) start(ctx context.Context, c command) (*rpc.Pending, error) {
	raw, err := jsonv2.Marshal(c.params)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the parameters of %s cannot be written: %v", c.method, err)
	}
	d.browser.debugger.use(d.tabID)
	origin := d.origin
	if c.anywhere {
		origin = ""
	}
	return d.browser.start(ctx, protocol.MethodDebuggerCommand, protocol.DebuggerCommand{
		TabID: d.tabID, SessionID: d.session, Origin: origin, Method: c.method, Params: raw,
	})
}
