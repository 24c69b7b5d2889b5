package textmodel

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// connection is one conversation with a chat model.
type connection struct {
	provider *Provider
	life     context.Context
	end      context.CancelFunc
	events   chan voice.Event

	mu      sync.Mutex
	setup   voice.Setup
	entries []model.Message
	calls   map[string]string // the names of the calls so far, by id
	running string            // the id of the response that runs; empty for none
	cancel  context.CancelFunc
	fresh   bool // the user has written since the last step
	asked   int  // how many of the entries the running step was asked with
}

// Answer returns nothing: there is no sound.
func (c *connection) Answer() string { return "" }

// Next waits for the next event.
func (c *connection) Next(ctx context.Context) (voice.Event, error) {
	select {
	case e := <-c.events:
		return e, nil
	case <-c.life.Done():
		return nil, fault.New(fault.VoiceNotRunning, "the conversation has ended")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Configure replaces instructions and tools, from the next step on.
func (c *connection) Configure(_ context.Context, setup voice.Setup) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setup = setup
	return nil
}

// Add puts an item into the conversation.
func (c *connection) Add(_ context.Context, item voice.Item) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh = c.fresh || item.Message != nil && item.Message.Role == "user"
	message := c.messageOf(item)
	message.ID = item.ID
	c.entries = append(c.entries, message)
	return nil
}

// Delete removes an item that was added with an id.
func (c *connection) Delete(_ context.Context, itemID string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.entries {
		if e.ID == itemID {
			c.entries = append(c.entries[:i:i], c.entries[i+1:]...)
			if i < c.asked {
				c.asked--
			}
			break
		}
	}
	return nil
}

// Respond begins a step.
func (c *connection) Respond(_ context.Context, id string, _ bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != "" {
		return fault.New(fault.InternalError, "a step runs already")
	}
	ctx, cancel := context.WithCancel(c.life)
	c.running, c.cancel = "resp_"+rand.Text()[:16], cancel
	fresh := c.fresh
	c.fresh = false
	go c.respond(ctx, step{id: c.running, request: id, fresh: fresh}, c.makeRequest())
	return nil
}

// Cancel ends the step; its response then ends as cancelled.
func (c *connection) Cancel(_ context.Context, responseID string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if responseID != "" && responseID == c.running {
		c.cancel()
	}
	return nil
}

// Close ends the conversation and its step.
func (c *connection) Close() error {
	c.end()
	return nil
}

func (c *connection) emit(e voice.Event) {
	select {
	case c.events <- e:
	case <-c.life.Done():
	}
}
