package rpc

import "sync"

// notificationCounter counts the notifications that arrived and those that were
// handled, which happens in the order of arrival.
type notificationCounter struct {
	mu      sync.Mutex
	arrived uint64
	handled uint64
	waiting []waiter
}

// waiter closes reached once as many notifications were handled.
type waiter struct {
	handled uint64
	reached chan struct{}
}

// countArrived counts a notification that arrived. The goroutine that reads calls it before it
// reads the next message.
func (n *notificationCounter) countArrived() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.arrived++
}

// countHandled counts a notification that was handled.
func (n *notificationCounter) countHandled() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handled++
	unmet := n.waiting[:0]
	for _, w := range n.waiting {
		if w.handled <= n.handled {
			close(w.reached)
		} else {
			unmet = append(unmet, w)
		}
	}
	n.waiting = unmet
}

// caughtUp returns a channel that is closed when all that arrived before this call
// are handled.
func (n *notificationCounter) caughtUp() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	reached := make(chan struct{})
	if n.handled >= n.arrived {
		close(reached)
	} else {
		n.waiting = append(n.waiting, waiter{n.arrived, reached})
	}
	return reached
}
