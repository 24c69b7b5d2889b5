package control

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/actionsjson/actions-host/pkg/dispatch"
)

// MethodProgress is the notification that tells a step of a call.
const MethodProgress = "call_progress"

// ProgressParams tells the step that a call begins.
type ProgressParams struct {
	Progress uint64 `json:"progress"` // the call's number
	Step     string `json:"step"`
}

// progress holds who wants to hear of the steps of which call.
type progress struct {
	mu     sync.Mutex
	last   uint64
	tellBy map[uint64]func(step string)
}

// CallTelling makes a call and tells each step of a stored action before it
// begins, in order.
func (c *Client) CallTelling(ctx context.Context, p CallParams, tell func(step string)) (e dispatch.Envelope, err error) {
	p.Progress = c.progress.add(tell)
	defer c.progress.remove(p.Progress)
	err = c.Call(ctx, MethodCall, p, &e)
	return e, err
}

func (p *progress) add(tell func(string)) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tellBy == nil {
		p.tellBy = map[uint64]func(string){}
	}
	p.last++
	p.tellBy[p.last] = tell
	return p.last
}

func (p *progress) remove(number uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tellBy, number)
}

// hear passes a step on; one of a call that has ended is of no interest.
func (p *progress) hear(params json.RawMessage) error {
	told, err := decode[ProgressParams](params)
	if err != nil {
		return err
	}
	p.mu.Lock()
	tell := p.tellBy[told.Progress]
	p.mu.Unlock()
	if tell != nil {
		tell(told.Step)
	}
	return nil
}

// tell tells the client the step that its call begins. A client that has gone
// has cancelled the call, too.
func (c *connection) tell(ctx context.Context, progress uint64, step string) {
	if conn := c.conn.Load(); conn != nil {
		_ = conn.Notify(ctx, MethodProgress, ProgressParams{Progress: progress, Step: step})
	}
}
