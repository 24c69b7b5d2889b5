package browser

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// minProtocolRepl is the first protocol whose extensions run code in a sandbox.
const minProtocolRepl = 12

// replRuns are the runs of code in the extension's sandbox.
type replRuns struct {
	mu   sync.Mutex
	byID map[string]*replRun
}

type replRun struct {
	requests chan replRequest
	ended    chan struct{}
}

type replRequest struct {
	step   protocol.ReplStep
	answer chan replAnswer // never blocks
}

type replAnswer struct {
	value json.RawMessage
	err   error
}

// RunRepl runs code in the extension's sandbox. What the code asks for meanwhile is served
// by the caller's goroutine, one step after the other; the context of a step ends with the run.
func (b *Browser) RunRepl(ctx context.Context, params protocol.ReplRun, serve func(context.Context, protocol.ReplStep) (json.RawMessage, error)) (protocol.ReplResult, error) {
	var result protocol.ReplResult
	if !b.supportsRepl.Load() {
		return result, fault.New(fault.CapabilityUnavailable, "the extension in this browser runs no code of its own").
			WithNextStep("Update the extension and restart the browser.").WithDispatched(fault.NotDispatched)
	}
	run := b.repls.begin(params.RunID)
	defer b.repls.end(params.RunID)
	steps, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		err := b.call(ctx, protocol.MethodReplRun, params, &result)
		cancel()
		done <- err
	}()
	for {
		select {
		case request := <-run.requests:
			value, err := serve(steps, request.step)
			request.answer <- replAnswer{value, err}
		case err := <-done:
			return result, err
		}
	}
}

func (r *replRuns) begin(id string) *replRun {
	run := &replRun{requests: make(chan replRequest), ended: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID == nil {
		r.byID = map[string]*replRun{}
	}
	r.byID[id] = run
	return run
}

func (r *replRuns) end(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.byID[id].ended)
	delete(r.byID, id)
}

// handleStep handles what the code of a run asks for.
func (r *replRuns) handleStep(ctx context.Context, p protocol.ReplStep) (protocol.ReplStepResult, error) {
	over := fault.New(fault.Cancelled, "the run has ended").WithDispatched(fault.NotDispatched)
	r.mu.Lock()
	run, ok := r.byID[p.RunID]
	r.mu.Unlock()
	if !ok {
		return protocol.ReplStepResult{}, over
	}
	request := replRequest{p, make(chan replAnswer, 1)}
	select {
	case run.requests <- request:
	case <-run.ended:
		return protocol.ReplStepResult{}, over
	case <-ctx.Done():
		return protocol.ReplStepResult{}, fault.From(ctx.Err())
	}
	select {
	case answer := <-request.answer:
		return protocol.ReplStepResult{Value: answer.value}, answer.err
	case <-ctx.Done():
		return protocol.ReplStepResult{}, fault.From(ctx.Err())
	}
}
