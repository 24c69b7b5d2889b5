package voice

import (
	"context"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Manager keeps the one session of a profile and tells everybody what happens in
// it.
type Manager struct {
	// Options makes a new session's options; its error is why none can start.
	Options Maker
	// Observer hears everything: the log, the pane, the popup. It must not block.
	Observer Observer

	feed Feed

	starting sync.Mutex // one Start at a time
	mu       sync.Mutex
	giveUp   context.CancelFunc // ends the connecting; nil where nothing connects
	next     *Session           // that connects
	stopped  bool               // the user has said so, be it that nothing ran yet
	session  *Session
	state    State
}

// Maker makes a session's options.
type Maker func(ctx context.Context, textOnly bool) (Options, error)

var _ Observer = (*Manager)(nil)

// Start begins a session, or gives the state of the one that runs.
func (m *Manager) Start(ctx context.Context, textOnly bool) (State, error) {
	m.starting.Lock()
	defer m.starting.Unlock()
	return m.begin(ctx, textOnly, m.Options)
}

// Resume goes on with the session of an earlier host; what make gives says which
// one in its From, and nil is for none. What the user has said since counts
// more: where a session runs already, nothing is done. Where none is gone on
// with, letGo lets go of what the earlier host left, while none can start.
func (m *Manager) Resume(ctx context.Context, textOnly bool, make Maker, letGo func()) error {
	m.starting.Lock()
	defer m.starting.Unlock()
	if m.running() != nil {
		return nil
	}
	m.mu.Lock()
	stopped := m.stopped
	m.mu.Unlock()
	var err error
	if make != nil && !stopped {
		if _, err = m.begin(ctx, textOnly, make); err == nil {
			return nil
		}
	}
	letGo()
	return err
}

// begin starts a session, unless one runs. Starting is locked.
func (m *Manager) begin(ctx context.Context, textOnly bool, make Maker) (State, error) {
	if m.running() != nil {
		return m.State(), nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m.connecting(cancel, nil)
	defer m.connecting(nil, nil)
	options, err := make(ctx, textOnly)
	if err != nil {
		m.StateChanged(State{Status: Failed, TextOnly: textOnly, Error: fault.From(err)})
		return m.State(), err
	}
	options.Observer = m
	session := newSession(options)
	m.connecting(cancel, session)
	if err := session.connect(ctx); err != nil {
		return m.State(), err
	}
	m.mu.Lock()
	m.session = session
	m.mu.Unlock()
	return m.State(), nil
}

func (m *Manager) connecting(giveUp context.CancelFunc, session *Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.giveUp, m.next = giveUp, session
}

// Stop ends the session, also one that still connects; without one that is no
// error.
func (m *Manager) Stop() State {
	m.mu.Lock()
	giveUp := m.giveUp
	m.stopped = true
	m.mu.Unlock()
	if giveUp != nil {
		giveUp()
	}
	m.starting.Lock()
	defer m.starting.Unlock()
	m.mu.Lock()
	session := m.session
	m.session = nil
	m.mu.Unlock()
	switch {
	case session != nil:
		session.Stop()
	case giveUp != nil: // that it failed is what was asked for
		m.StateChanged(State{Status: Disconnected})
	}
	return m.State()
}

// State is the session's, or disconnected.
func (m *Manager) State() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state.Status == "" {
		return State{Status: Disconnected}
	}
	return m.state
}

// Session is the one that runs; without one the fault is voice_not_running.
func (m *Manager) Session() (*Session, error) {
	if s := m.running(); s != nil {
		return s, nil
	}
	return nil, fault.New(fault.VoiceNotRunning, "no agent is running").WithDispatched(fault.NotDispatched)
}

// Begun is the session that runs, or that connects: its user may mute it and
// write already.
func (m *Manager) Begun() (*Session, error) {
	m.mu.Lock()
	next := m.next
	m.mu.Unlock()
	if next != nil {
		return next, nil
	}
	return m.Session()
}

func (m *Manager) running() *Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.session == nil {
		return nil
	}
	select {
	case <-m.session.Done():
		m.session = nil
		return nil
	default:
		return m.session
	}
}

// Refresh tells the session that other tools may be offered now.
func (m *Manager) Refresh() {
	if s, err := m.Begun(); err == nil {
		s.Refresh()
	}
}

// Feed is what clients read.
func (m *Manager) Feed() *Feed { return &m.feed }

// StateChanged, RowChanged, ToolRan and Note pass on what the session tells.
func (m *Manager) StateChanged(s State) {
	m.mu.Lock()
	changed := m.state.Status != s.Status
	m.state = s
	m.mu.Unlock()
	if changed {
		m.feed.Put("lifecycle", map[string]any{"state": s.Status, "error": s.Error})
	}
	m.Observer.StateChanged(s)
}

// RowChanged passes on a turn of the transcript.
func (m *Manager) RowChanged(r Row) {
	if r.Done && (r.Role == "assistant" || r.Role == "user") {
		m.feed.Put("transcript", map[string]string{"role": r.Role, "text": r.Text})
	}
	m.Observer.RowChanged(r)
}

// ToolRan passes on a tool call.
func (m *Manager) ToolRan(t ToolRun) {
	kind := "tool"
	switch fault.Code(t.Code) {
	case fault.PolicyExceptionReportRequired, fault.PermissionDenied, fault.PrimitiveBlocked, fault.CodeDisabled, fault.NeedsApproval:
		kind = "refusal"
	}
	m.feed.Put(kind, t)
	m.Observer.ToolRan(t)
}

// Note passes on what belongs into the log.
func (m *Manager) Note(kind string, data any) { m.Observer.Note(kind, data) }
