package browser

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// child is one session. Its life ends when the session ends or its frame crashes.
type child struct {
	ChildSession
	initialized  chan struct{} // closed when the enabling commands were sent
	life         context.Context
	end          context.CancelFunc
	crashed      bool
	unresponsive bool // it did not answer the last fence
}

func (c *children) sessionList() (list []*child) {
	for _, s := range c.sessions {
		list = append(list, s)
	}
	return list
}

// ensureListening starts listening to the tab's events, unless it does already.
func (c *children) ensureListening() {
	c.mu.Lock()
	listening := c.cancel != nil
	if !listening {
		c.cancel = func() {}
	}
	c.mu.Unlock()
	if listening {
		return
	}
	cancel := c.d.Listen(Listener{
		Event:    func(method string, params json.RawMessage) { c.handleEvent("", method, params) },
		Child:    c.handleEvent,
		Detached: func(string) { c.close() },
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		c.cancel = cancel
	}
}

// handleEvent handles an event of a session.
func (c *children) handleEvent(session, method string, params json.RawMessage) {
	var e struct {
		SessionID  string `json:"sessionId"`
		Waiting    bool   `json:"waitingForDebugger"`
		TargetInfo struct {
			Type        string `json:"type"`
			TargetID    string `json:"targetId"`
			ParentFrame string `json:"parentFrameId"`
			URL         string `json:"url"`
		} `json:"targetInfo"`
	}
	switch method {
	case FloodEvent:
		c.flooded(session, params)
	case "Target.attachedToTarget":
		if json.Unmarshal(params, &e) == nil && e.TargetInfo.Type == "iframe" {
			c.sessionAttached(ChildSession{ID: e.SessionID, Frame: e.TargetInfo.TargetID, ParentSession: session, ParentFrame: e.TargetInfo.ParentFrame, URL: e.TargetInfo.URL}, e.Waiting)
		}
	case "Target.detachedFromTarget":
		if json.Unmarshal(params, &e) == nil {
			c.sessionDetached(e.SessionID)
		}
	case "Inspector.targetCrashed":
		c.setAlive(session, false)
	case "Inspector.targetReloadedAfterCrash":
		c.setAlive(session, true)
	}
}

// sessionAttached adds a session and initializes it.
func (c *children) sessionAttached(info ChildSession, waiting bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel == nil || c.sessions[info.ID] != nil {
		return
	}
	s := &child{ChildSession: info, initialized: make(chan struct{})}
	s.life, s.end = context.WithCancel(context.Background())
	c.sessions[info.ID] = s
	for _, f := range c.followers {
		if f.Attached != nil {
			f.Attached(info)
		}
	}
	go c.initialize(s, waiting)
}

// initialize sends a new session the commands of all followers. A frame that waits for the
// debugger goes on afterwards.
func (c *children) initialize(s *child, waiting bool) {
	defer close(s.initialized)
	c.mu.Lock()
	early := slices.ContainsFunc(c.followers, func(f *Following) bool { return f.Early })
	commands := []Command{{target.CommandSetAutoAttach, autoAttachParams(true, early)}, {"Page.enable", cdp.Empty{}}, {"Inspector.enable", cdp.Empty{}}}
	for _, f := range c.followers {
		if f.enabled {
			commands = append(commands, f.Domain.Enable...)
		}
	}
	c.mu.Unlock()
	if waiting {
		commands = append(commands, Command{"Runtime.runIfWaitingForDebugger", cdp.Empty{}})
	}
	c.start(s, commands)
}

// send sends commands in their order, after those that initialize the session: they were
// chosen earlier, and must not undo these.
func (c *children) send(s *child, commands []Command) {
	<-s.initialized
	c.start(s, commands)
}

// start sends commands in their order. It does not wait for the answers: a frame that is about
// to be loaded answers late, one that hangs never.
func (c *children) start(s *child, commands []Command) {
	c.mu.Lock()
	life := s.life
	c.mu.Unlock()
	// What cannot be sent has gone with the connection or the session.
	sent, _ := c.d.Child(s.ID).start(life, commands)
	go func() { _ = await(life, sent) }()
}

// start sends commands in their order, without waiting for the answers.
func (d *Debugger) start(ctx context.Context, commands []Command) (sent []*rpc.Pending, err error) {
	for _, one := range commands {
		command, err := d.command(one.Method, one.Params)
		if err != nil {
			return sent, err
		}
		pending, err := d.browser.start(ctx, protocol.MethodDebuggerCommand, command)
		if err != nil {
			return sent, err
		}
		sent = append(sent, pending)
	}
	return sent, nil
}

// await waits for the answers and returns the joined errors.
func await(ctx context.Context, sent []*rpc.Pending) error {
	var failed error
	for _, one := range sent {
		failed = errors.Join(failed, one.Await(ctx, nil))
	}
	return failed
}

// sessionDetached removes a session and those within it.
func (c *children) sessionDetached(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(id)
}

func (c *children) drop(id string) {
	s := c.sessions[id]
	if s == nil {
		return
	}
	delete(c.sessions, id)
	s.end()
	for _, f := range c.followers {
		if f.Detached != nil {
			f.Detached(id)
		}
	}
	for _, inner := range c.sessionList() {
		if inner.ParentSession == id {
			c.drop(inner.ID)
		}
	}
}

// setAlive records whether a frame has crashed: it answers nothing until it is loaded again.
func (c *children) setAlive(session string, alive bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[session]
	if s == nil || s.crashed != alive {
		return
	}
	s.end()
	s.crashed = !alive
	if alive {
		s.life, s.end = context.WithCancel(context.Background())
	}
}

// dropAll removes all sessions: they have no followers any more.
func (c *children) dropAll() {
	c.mu.Lock()
	cancel := c.cancel
	c.cancel = nil
	for _, s := range c.sessionList() {
		c.drop(s.ID)
	}
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// close removes all sessions and followers: the next follower attaches anew.
func (c *children) close() {
	all := &c.d.browser.debugger
	all.mu.Lock()
	if all.children[c.d.tabID] == c {
		delete(all.children, c.d.tabID)
	}
	all.mu.Unlock()
	c.mu.Lock()
	for _, s := range c.sessionList() {
		c.drop(s.ID)
	}
	cancel := c.cancel
	c.cancel, c.followers, c.closed = nil, nil, true
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// lockChildren returns the owner of the tab's child sessions with its attachment locked.
func (d *debuggers) lockChildren(tab *Debugger) *children {
	for {
		d.mu.Lock()
		c := d.children[tab.tabID]
		if c == nil {
			own := tab.Passive().ForOrigin("").Child("")
			c = &children{d: own, sessions: map[string]*child{}}
			if d.children == nil {
				d.children = map[int]*children{}
			}
			d.children[tab.tabID] = c
		}
		d.mu.Unlock()
		c.switching.Lock()
		if !c.isClosed() {
			return c
		}
		c.switching.Unlock()
	}
}

func (c *children) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// releaseWaitingFrames resumes the frames of a tab that wait for an earlier host's debugger.
func (b *Browser) releaseWaitingFrames(tabID int) {
	ctx, cancel := context.WithTimeout(context.Background(), attachTimeout)
	defer cancel()
	// If it fails, the worker resumes them.
	_, _ = cdp.Call(ctx, b.Debugger(tabID).Passive(), target.SetAutoAttach, autoAttachParams(false, false))
}
