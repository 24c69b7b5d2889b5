package browser

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
)

// ChildSession is the debugger's session of a frame in another process.
type ChildSession struct {
	ID            string
	Frame         string // at whose document it begins
	ParentSession string // the session around it; empty for the tab's own
	ParentFrame   string // the frame around it, if the browser reports it
	URL           string // of its document when the session began
}

// Command is one command of the protocol with its parameters.
type Command struct {
	Method string
	Params any
}

// Domain is a domain of the protocol that sends events while it is enabled.
type Domain struct {
	Name string // as a [Flood] names it; empty if none does
	// Enable and Disable switch it on and off in one session. Resume switches it on
	// again where it was off for a while.
	Enable, Disable, Resume []Command
}

// NetworkDomain returns the domain of a page's requests. It buffers no bodies, as none are
// read.
func NetworkDomain() Domain {
	on := []Command{{network.CommandEnable, network.EnableParams{MaxTotalBufferSize: new(int64(0)), MaxResourceBufferSize: new(int64(0))}}}
	return Domain{Name: "network", Enable: on, Resume: on, Disable: []Command{{network.CommandDisable, cdp.Empty{}}}}
}

// Follower describes what a caller needs of a tab's child sessions.
type Follower struct {
	Domain
	// Early makes new frames wait until the enabling commands were sent to them, so that no
	// event is missed.
	Early bool
	// Attached and Detached report sessions, Attached also those that exist already. They are
	// called where the connection is read: they must not block and must not call. Either may be
	// nil.
	Attached func(ChildSession)
	Detached func(session string)
}

// attachTimeout bounds the switching of the attachment to child sessions.
const attachTimeout = 5 * time.Second

// children are the child sessions of one tab: one owner for all followers, as the browser
// attaches to each frame only once.
type children struct {
	d *Debugger // of the tab's own session, beside

	switching sync.Mutex // held while the attachment is switched
	on, early bool       // as it is; guarded by switching

	mu        sync.Mutex
	sessions  map[string]*child
	followers []*Following
	cancel    func() // takes the listener off; nil while there is none
	closed    bool   // the debugger was detached: another owner takes its place
}

// Following is a subscription to the child sessions of a tab. It ends with Stop, and when the
// debugger is detached.
type Following struct {
	Follower
	d       *Debugger
	all     *children
	enabled bool // guarded by all.mu
}

// Follow attaches to the tab's child sessions, unless that was done already, and follows them.
// All are known after [Following.CatchUp].
func (d *Debugger) Follow(ctx context.Context, f Follower) (*Following, error) {
	all := d.browser.debugger.lockChildren(d)
	defer all.switching.Unlock()
	one := &Following{Follower: f, d: d.ForOrigin("").Child(""), all: all}
	all.add(one)
	if err := all.attach(ctx); err != nil {
		all.remove(one)
		return nil, err
	}
	return one, nil
}

// Enable switches the domain on in the tab's own session, which must show a page of
// the origin, as with On, in each child session, and from now on in each that comes.
// The error is that of the tab's own session.
func (f *Following) Enable(ctx context.Context, origin string) error {
	f.all.switching.Lock()
	defer f.all.switching.Unlock()
	for _, one := range f.Domain.Enable {
		if err := f.d.ForOrigin(origin).Call(ctx, one.Method, one.Params, nil); err != nil {
			return err
		}
	}
	f.all.mu.Lock()
	f.enabled = true
	present := f.all.sessionList()
	f.all.mu.Unlock()
	for _, s := range present {
		f.all.send(s, f.Domain.Enable)
	}
	return nil
}

// Stop ends the subscription and disables what no other follower needs. The error is that of
// the tab's own session, awaited as long as the context lasts: what cannot be switched off any
// more has gone with the tab or the debugger.
func (f *Following) Stop(ctx context.Context) error {
	f.all.switching.Lock()
	if f.all.isClosed() {
		f.all.switching.Unlock()
		return nil
	}
	remaining, disable := f.all.remove(f)
	sent, err := f.d.start(ctx, disable)
	for _, s := range remaining {
		f.all.send(s, disable)
	}
	_ = f.all.attach(ctx)
	f.all.switching.Unlock()
	return errors.Join(err, await(ctx, sent))
}

func (c *children) add(f *Following) {
	c.ensureListening()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.followers = append(c.followers, f)
	for _, s := range c.sessions {
		if f.Attached != nil {
			f.Attached(s.ChildSession)
		}
	}
}

// remove returns the sessions that stay for others, and what is to be switched off
// in them and in the tab's own: what the others do not need.
func (c *children) remove(f *Following) (remaining []*child, disable []Command) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.followers = slices.DeleteFunc(c.followers, func(one *Following) bool { return one == f })
	if len(c.followers) > 0 {
		remaining = c.sessionList()
	}
	needed := func(one Command) bool {
		return slices.ContainsFunc(c.followers, func(f *Following) bool {
			return slices.ContainsFunc(f.Disable, func(other Command) bool { return other.Method == one.Method })
		})
	}
	return remaining, slices.DeleteFunc(slices.Clone(f.Disable), needed)
}

// attach makes the browser attach to the frames as the followers need it.
func (c *children) attach(ctx context.Context) error {
	c.mu.Lock()
	on, early := len(c.followers) > 0, slices.ContainsFunc(c.followers, func(f *Following) bool { return f.Early })
	present := c.sessionList()
	c.mu.Unlock()
	if on == c.on && early == c.early {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, attachTimeout)
	defer cancel()
	if _, err := cdp.Call(wait, c.d, target.SetAutoAttach, autoAttachParams(on, early)); err != nil {
		return err
	}
	c.on, c.early = on, early
	for _, s := range present {
		c.send(s, []Command{{target.CommandSetAutoAttach, autoAttachParams(on, early)}})
	}
	if !on {
		c.dropAll()
	}
	return nil
}

// autoAttachParams is for frames only: workers have no documents.
func autoAttachParams(on, early bool) target.SetAutoAttachParams {
	if !on {
		return target.SetAutoAttachParams{Flatten: new(true)}
	}
	return target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: early, Flatten: new(true), Filter: target.Filter{{Type: "iframe"}, {Exclude: true}},
	}
}

// isOrphanedFrame reports whether an event is about a frame that waits for an earlier host's
// debugger.
func (d *debuggers) isOrphanedFrame(e protocol.DebuggerEvent) bool {
	if e.Method != "Target.attachedToTarget" || !bytes.Contains(e.Params, []byte(`"waitingForDebugger":true`)) {
		return false
	}
	d.mu.Lock()
	c := d.children[e.TabID]
	d.mu.Unlock()
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cancel == nil
}
