package browser

import (
	"context"
	"encoding/json"
	"time"
)

// FloodEvent is the worker's own event of a session with more events than could pass; its
// parameters are a [Flood].
const FloodEvent = "ActionsHost.flooded"

// FloodDelay is how long a domain stays off after a flood.
const FloodDelay = 2 * time.Second

// Flood describes the events of a domain that did not pass.
type Flood struct {
	Domain  string `json:"domain"`  // console or network
	Dropped uint64 `json:"dropped"` // events, since the last such event
	Off     bool   `json:"off"`     // the domain is off in this session of the browser
}

// flooded enables the domain of a session again after a while, if it is still followed then.
func (c *children) flooded(session string, params json.RawMessage) {
	var f Flood
	if json.Unmarshal(params, &f) == nil && f.Off {
		time.AfterFunc(FloodDelay, func() { c.resume(session, f.Domain) })
	}
}

// resume holds the lock, so that no follower can stop meanwhile: what that one disables stays
// disabled.
func (c *children) resume(session, domain string) {
	c.switching.Lock()
	defer c.switching.Unlock()
	c.mu.Lock()
	var again []Command
	for _, f := range c.followers {
		if f.enabled && f.Name == domain {
			again = f.Resume
		}
	}
	s := c.sessions[session]
	c.mu.Unlock()
	switch {
	case again == nil:
	case s != nil:
		c.send(s, again)
	case session == "":
		// It fails only with the connection or the debugger, and then all followers are
		// notified.
		if sent, err := c.d.start(context.Background(), again); err == nil {
			go func() { _ = await(context.Background(), sent) }()
		}
	}
}
