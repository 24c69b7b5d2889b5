package rpc

import "sync"

// notices counts the notifications that arrived and those that were handled,
// which happens in the order they came.
type notices struct {
	mu      sync.Mutex
	arrived uint64
	handled uint64
	waiting []waiter
}

// waiter is told when so many were handled.
type waiter struct {
	handled uint64
	reached chan struct{}
}

// came counts one that arrived. It is called by the one who reads, before the
// next message is read.
func (n *notices) came() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.arrived++
}

// took counts one that was handled.
func (n *notices) took() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handled++
	rest := n.waiting[:0]
	for _, w := range n.waiting {
		if w.handled <= n.handled {
			close(w.reached)
		} else {
			rest = append(rest, w)
		}
	}
	n.waiting = rest
}

// caughtUp is closed when all that arrived before this call were handled.
func (n *notices) caughtUp() <-chan struct{} {
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
