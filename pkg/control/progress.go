package control

import (
	"context"
	"sync"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// MethodProgress is the notification of a step of a call.
const MethodProgress = "call_progress"

// ProgressParams names the step that a call begins.
type ProgressParams struct {
	Progress uint64 `json:"progress"` // the call's number
	Step     string `json:"step"`
}

// progress holds the step callbacks by call.
type progress struct {
	mu        sync.Mutex
	last      uint64
	callbacks map[uint64]func(step string)
}

// CallWithProgress makes a call and calls onStep with each step of a stored action
// before it begins, in order. Where the host ends meanwhile, the outcome of a call that
// acts is unknown.
func (c *Client) CallWithProgress(ctx context.Context, p CallParams, acts bool, onStep func(step string)) (e dispatch.Envelope, err error) {
	if onStep != nil {
		p.Progress = c.progress.add(onStep)
		defer c.progress.remove(p.Progress)
	}
	err = c.Call(ctx, MethodCall, p, &e)
	if lost := fault.From(err); acts && fault.Is(err, fault.TransportFailed) && lost.Dispatched == fault.DispatchedUnknown {
		// The host itself has ended and cannot report what its next start will log.
		err = fault.Wrap(err, fault.OutcomeUnknown, "the host ended while %s ran: %s", p.Name, lost.Message).
			With("cause", lost).WithDispatched(fault.DispatchedUnknown)
	}
	return e, err
}

func (p *progress) add(onStep func(string)) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.callbacks == nil {
		p.callbacks = map[uint64]func(string){}
	}
	p.last++
	p.callbacks[p.last] = onStep
	return p.last
}

func (p *progress) remove(number uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.callbacks, number)
}

// handle passes a step on; one of a call that has ended is ignored.
func (p *progress) handle(step ProgressParams) {
	p.mu.Lock()
	onStep, running := p.callbacks[step.Progress]
	p.mu.Unlock()
	if running {
		onStep(step.Step)
	}
}

// reportStep notifies the client of the step that its call begins. A client that has
// disconnected has cancelled the call, too.
func (c *connection) reportStep(ctx context.Context, progress uint64, step string) {
	if conn := c.conn.Load(); conn != nil {
		_ = conn.Notify(ctx, MethodProgress, ProgressParams{Progress: progress, Step: step})
	}
}
