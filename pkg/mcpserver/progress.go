package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stillRunning is how often a client hears of a call that has nothing else to
// tell: many clients give up on a call that keeps silent.
const stillRunning = 5 * time.Second

// teller tells a client how its call goes on.
type teller struct {
	ctx   context.Context
	req   *mcp.CallToolRequest
	token any

	mu    sync.Mutex
	count float64
}

// newTeller tells nothing to a client that did not ask. The returned function
// must be called when the call has ended.
func newTeller(ctx context.Context, req *mcp.CallToolRequest) (*teller, func()) {
	t := &teller{ctx: ctx, req: req, token: req.Params.GetProgressToken()}
	if t.token == nil {
		return t, func() {}
	}
	ended := make(chan struct{})
	go func() {
		tick := time.NewTicker(stillRunning)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				t.tell("still running")
			case <-ended:
				return
			}
		}
	}()
	return t, func() { close(ended) }
}

// tell sends one notification, its number above that of the last one.
func (t *teller) tell(what string) {
	if t.token == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count++
	// A client that has gone has ended the call as well.
	_ = t.req.Session.NotifyProgress(t.ctx, &mcp.ProgressNotificationParams{ProgressToken: t.token, Progress: t.count, Message: what})
}
