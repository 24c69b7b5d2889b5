package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressInterval is the interval of progress notifications for a call without steps:
// many clients abandon a silent call.
const progressInterval = 5 * time.Second

// progressSender sends a client the progress of its call.
type progressSender struct {
	ctx   context.Context
	req   *mcp.CallToolRequest
	token any

	mu    sync.Mutex
	count float64
}

// newProgressSender returns a sender that sends only to a client that asked for progress.
// The returned function must be called when the call has ended.
func newProgressSender(ctx context.Context, req *mcp.CallToolRequest) (*progressSender, func()) {
	t := &progressSender{ctx: ctx, req: req, token: req.Params.GetProgressToken()}
	if t.token == nil {
		return t, func() {}
	}
	ended := make(chan struct{})
	go func() {
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				t.send("still running")
			case <-ended:
				return
			}
		}
	}()
	return t, func() { close(ended) }
}

// send sends one notification, its number above that of the last one.
func (t *progressSender) send(message string) {
	if t.token == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count++
	// A client that has disconnected has ended the call as well.
	_ = t.req.Session.NotifyProgress(t.ctx, &mcp.ProgressNotificationParams{ProgressToken: t.token, Progress: t.count, Message: message})
}
