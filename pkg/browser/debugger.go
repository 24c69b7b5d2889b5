package browser

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// Debugger is the Chrome DevTools Protocol of one tab, relayed over
// chrome.debugger: a cdp.Session, over which every typed command of cdproto
// works. The worker attaches at the first command.
type Debugger struct {
	browser *Browser
	tabID   int
	session string // a child session's id; empty for the tab's own
	origin  string // the only one that commands may reach; empty: any
	passive bool   // its commands do not keep the debugger attached
}

var _ cdp.Session = (*Debugger)(nil)

// Debugger returns the tab's relay.
func (b *Browser) Debugger(tabID int) *Debugger { return &Debugger{browser: b, tabID: tabID} }

// ForOrigin returns a relay for commands to pages of one origin only: a page may navigate
// elsewhere at any moment, and the worker then refuses the commands (state_mismatch, not sent).
func (d *Debugger) ForOrigin(origin string) *Debugger {
	bound := *d
	bound.origin = origin
	return &bound
}

// Child returns the relay of a child session, which Target.attachedToTarget named:
// a frame in another process.
func (d *Debugger) Child(session string) *Debugger {
	child := *d
	child.session = session
	return &child
}

// Call sends one command and decodes its result.
func (d *Debugger) Call(ctx context.Context, method string, params, result any) error {
	command, err := d.command(method, params)
	if err != nil {
		return err
	}
	if !d.passive {
		d.browser.debugger.markInUse(d.tabID)
	}
	var out protocol.DebuggerResult
	if method == answerDialog || method == page.CommandStopScreencast { // the browser itself answers these
		err = d.browser.call(ctx, protocol.MethodDebuggerCommand, command, &out)
	} else {
		err = d.browser.callTab(ctx, d.tabID, protocol.MethodDebuggerCommand, command, &out)
	}
	if err != nil || result == nil {
		return err
	}
	if err := jsonv2.Unmarshal(out.Result, result); err != nil {
		return fault.Wrap(err, fault.InvalidResult, "the result of %s is not what was expected: %v", method, err)
	}
	return nil
}

// command returns a command with its parameters as the worker takes it.
func (d *Debugger) command(method string, params any) (protocol.DebuggerCommand, error) {
	raw, err := jsonv2.Marshal(params)
	if err != nil {
		return protocol.DebuggerCommand{}, fault.Wrap(err, fault.InternalError, "the parameters of %s cannot be written: %v", method, err)
	}
	if len(raw) == 0 || string(raw) == "null" {
		raw = []byte("{}")
	}
	return protocol.DebuggerCommand{TabID: d.tabID, SessionID: d.session, Origin: d.origin, Method: method, Params: raw}, nil
}

// Subscribe buffers the tab's events of one method from now on. The channel is
// closed by cancel, when the debugger is detached, and with the connection.
func (d *Debugger) Subscribe(method string) (<-chan jsontext.Value, func()) {
	return d.browser.debugger.subscribe(subscription{tabID: d.tabID, session: d.session, method: method})
}

// Release asks the worker to detach the debugger from the tab.
func (d *Debugger) Release(ctx context.Context) error {
	d.browser.debugger.forgetAttachment(d.tabID)
	return d.browser.call(ctx, protocol.MethodDebuggerRelease, protocol.DebuggerRelease{TabID: d.tabID}, nil)
}

// debuggers delivers events to their subscribers.
type debuggers struct {
	mu    sync.Mutex
	subs  map[*subscription]*queue
	ended bool // the connection is gone: nothing will come

	listeners map[*registeredListener]struct{}
	focused   map[int]bool // tabs whose focus is emulated while the debugger is attached
	inUse     map[int]bool // tabs on which commands rely on the attachment
	children  map[int]*children
}

type subscription struct {
	tabID   int
	session string
	method  string
}

// queue is an unbounded buffer between the connection, which must not wait for
// a slow reader, and the reader.
type queue struct {
	mu     sync.Mutex
	items  []jsontext.Value
	wake   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (d *debuggers) subscribe(s subscription) (<-chan jsontext.Value, func()) {
	q := &queue{wake: make(chan struct{}, 1), closed: make(chan struct{})}
	d.mu.Lock()
	if d.subs == nil {
		d.subs = map[*subscription]*queue{}
	}
	d.subs[&s] = q
	if d.ended {
		q.close()
	}
	d.mu.Unlock()
	out := make(chan jsontext.Value)
	go q.pump(out)
	return out, func() {
		d.mu.Lock()
		delete(d.subs, &s)
		d.mu.Unlock()
		q.close()
	}
}

func (d *debuggers) deliver(e protocol.DebuggerEvent) {
	for _, l := range d.listenersOf(e.TabID) {
		switch {
		case e.SessionID == "":
			l.Event(e.Method, e.Params)
		case l.Child != nil:
			l.Child(e.SessionID, e.Method, e.Params)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for s, q := range d.subs {
		if s.tabID == e.TabID && s.session == e.SessionID && s.method == e.Method {
			q.put(jsontext.Value(json.RawMessage(e.Params)))
		}
	}
}

func (d *debuggers) detached(tabID int, reason string) {
	d.forgetAttachment(tabID)
	d.detachListeners(reason, func(l *registeredListener) bool { return l.tabID == tabID })
	d.mu.Lock()
	defer d.mu.Unlock()
	for s, q := range d.subs {
		if s.tabID == tabID {
			delete(d.subs, s)
			q.close()
		}
	}
}

// forgetAttachment resets the state of an attachment.
func (d *debuggers) forgetAttachment(tabID int) {
	d.mu.Lock()
	delete(d.focused, tabID)
	delete(d.inUse, tabID)
	c := d.children[tabID]
	d.mu.Unlock()
	if c != nil {
		c.close()
	}
}

// close closes all subscriptions, and those to come.
func (d *debuggers) close() {
	d.mu.Lock()
	d.ended = true
	d.mu.Unlock()
	d.detachListeners(connectionEnded, func(*registeredListener) bool { return true })
	d.mu.Lock()
	defer d.mu.Unlock()
	for s, q := range d.subs {
		delete(d.subs, s)
		q.close()
	}
}

func (q *queue) put(v jsontext.Value) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) close() { q.once.Do(func() { close(q.closed) }) }

func (q *queue) pump(out chan<- jsontext.Value) {
	defer close(out)
	for {
		q.mu.Lock()
		items := q.items
		q.items = nil
		q.mu.Unlock()
		for _, v := range items {
			select {
			case out <- v:
			case <-q.closed:
				return
			}
		}
		select {
		case <-q.wake:
		case <-q.closed:
			return
		}
	}
}
