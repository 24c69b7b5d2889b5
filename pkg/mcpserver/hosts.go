package mcpserver

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// pollInterval is the interval of reading the sockets' folder while waiting for a browser.
const pollInterval = 50 * time.Millisecond

// hosts holds the connections to the running hosts, one for each profile. It is
// safe for concurrent use.
type hosts struct {
	dir   string
	wait  time.Duration
	wants func(control.Status) bool
	// changed is called with the connected hosts when they have changed.
	changed func([]*control.Client)

	mu      sync.Mutex
	byPath  map[string]*control.Client
	dials   map[string]chan struct{} // under way; closed at their end
	silent  map[string]bool          // who did not answer in time: the next dial is not waited for
	differs bool                     // from what changed was called with
	closed  bool
}

func newHosts(o Options, changed func([]*control.Client)) *hosts {
	return &hosts{
		dir: o.Sockets, wait: o.Wait, wants: o.Wants, changed: changed,
		byPath: map[string]*control.Client{}, dials: map[string]chan struct{}{}, silent: map[string]bool{},
	}
}

// connected returns the running hosts, in the order of their profile ids. It waits for
// the first one, so that a browser that is just starting, or a host that restarts, is
// not missed.
func (h *hosts) connected(ctx context.Context) ([]*control.Client, error) {
	return h.await(ctx, func(all []*control.Client) []*control.Client { return all },
		fault.New(fault.BrowserNotConnected, "no browser with the extension is running; waited %s", h.wait))
}

// onAll calls the function with the running hosts, as [hosts.connected] returns them, and calls
// it again if one ended meanwhile: it may be one that restarts. The function only reads.
func (h *hosts) onAll(ctx context.Context, read func([]*control.Client) error) error {
	for end := time.Now().Add(h.wait); ; {
		all, err := h.connected(ctx)
		if err != nil {
			return err
		}
		err = read(all)
		if !fault.Is(err, fault.TransportFailed) || time.Now().After(end) {
			return err
		}
	}
}

// profile returns the host of one profile, and waits for it too.
func (h *hosts) profile(ctx context.Context, id, label string) (*control.Client, error) {
	found, err := h.await(ctx, func(all []*control.Client) []*control.Client {
		return slices.DeleteFunc(all, func(c *control.Client) bool { return c.Status.ProfileID != id })
	}, fault.New(fault.BrowserNotConnected, "the browser of the current tab (%s) is not running; waited %s", label, h.wait).
		WithNextStep("Ask the user to start that browser again, or choose a tab of another one: browser.claimed_tabs.list, then browser.claimed_tabs.activate."))
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

func (h *hosts) await(ctx context.Context, choose func([]*control.Client) []*control.Client, missing *fault.Error) ([]*control.Client, error) {
	wait, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		all, err := h.refresh(ctx) // one that runs has its own time to answer
		if chosen := choose(all); len(chosen) > 0 {
			return chosen, nil
		}
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		select {
		case <-tick.C:
		case <-wait.Done():
			if ctx.Err() != nil {
				return nil, fault.From(ctx.Err()).WithDispatched(fault.NotDispatched)
			}
			return nil, missing.WithDispatched(fault.NotDispatched)
		}
	}
}

// refresh drops the connections that ended and connects to new sockets. One without an
// answer is skipped: a host that was killed leaves its socket behind, and one that hangs is
// waited for once.
func (h *hosts) refresh(ctx context.Context) ([]*control.Client, error) {
	paths, err := control.Sockets(h.dir)
	if err != nil {
		return nil, err
	}
	for _, dial := range h.dialNew(paths) {
		select {
		case <-dial:
		case <-ctx.Done():
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []*control.Client
	for _, path := range paths {
		if c := h.byPath[path]; c != nil {
			all = append(all, c)
		}
	}
	if h.differs {
		h.differs = false
		h.changed(all)
	}
	return all, nil
}

// dialNew dials the sockets without a connection and returns the dials to wait for.
func (h *hosts) dialNew(paths []string) (wait []chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for path, c := range h.byPath {
		select {
		case <-c.Done():
			delete(h.byPath, path)
			h.differs = true
		default:
		}
	}
	for _, path := range paths {
		if h.byPath[path] != nil {
			continue
		}
		end := h.dials[path]
		if end == nil {
			end = make(chan struct{})
			h.dials[path] = end
			go h.dial(path, end)
		}
		if !h.silent[path] {
			wait = append(wait, end)
		}
	}
	return wait
}

// dial connects to a socket for whoever asks: no caller's end ends it.
func (h *hosts) dial(path string, end chan struct{}) {
	c, err := control.Dial(context.Background(), path)
	h.mu.Lock()
	defer h.mu.Unlock()
	defer close(end)
	delete(h.dials, path)
	h.silent[path] = errors.Is(err, context.DeadlineExceeded)
	switch {
	case err != nil:
	case h.closed || !h.wants(c.Status):
		c.Close()
	default:
		h.byPath[path] = c
		h.differs = true
	}
}

// close ends the connections, and with them this process's session.
func (h *hosts) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for path, c := range h.byPath {
		c.Close()
		delete(h.byPath, path)
	}
}
