package agent

import (
	"encoding/json"
	"sync"
)

// maxChanges is how many changes may wait for the browser.
const maxChanges = 256

// stale notifies the pages that they may show old state: they request the view.
var stale = json.RawMessage(`{"stale":true}`)

// Changes is a queue of the changes of the view for the browser. If too many wait,
// one message that the view is stale replaces all of them: nothing is lost without
// the pages knowing. The zero value is ready for use.
type Changes struct {
	mu      sync.Mutex
	waiting []json.RawMessage
	stale   bool          // the one that waits is stale; the view will have what comes meanwhile
	wake    chan struct{} // closed with the next change
}

// Put adds a change; it never waits.
func (c *Changes) Put(change json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.stale:
	case len(c.waiting) == maxChanges:
		c.waiting, c.stale = []json.RawMessage{stale}, true
	default:
		c.waiting = append(c.waiting, change)
	}
	if c.wake != nil {
		close(c.wake)
		c.wake = nil
	}
}

// Next waits for the oldest change; there is none once done is closed.
func (c *Changes) Next(done <-chan struct{}) (change json.RawMessage, ok bool) {
	for {
		c.mu.Lock()
		if len(c.waiting) > 0 {
			change := c.waiting[0]
			c.waiting, c.stale = c.waiting[1:], false
			c.mu.Unlock()
			return change, true
		}
		if c.wake == nil {
			c.wake = make(chan struct{})
		}
		wake := c.wake
		c.mu.Unlock()
		select {
		case <-wake:
		case <-done:
			return nil, false
		}
	}
}
