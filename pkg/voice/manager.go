package voice

import (
	"context"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Manager holds the one session of a profile and passes its events on.
type Manager struct {
	// NewOptions returns a new session's options; its error is why none can start.
	NewOptions OptionsFunc
	// Observer receives all events, for the log, the pane and the popup. It must not
	// block.
	Observer Observer

	feed Feed

	starting      sync.Mutex // one Start at a time
	mu            sync.Mutex
	cancelConnect context.CancelFunc // ends the connecting; nil where nothing connects
	nextSession   *Session           // that connects
	stopped       bool               // by the user, even if nothing was running yet
	session       *Session
	state         State
}

// OptionsFunc returns a session's options.
type OptionsFunc func(ctx context.Context, textOnly bool) (Options, error)

var _ Observer = (*Manager)(nil)

// Start begins a session, or returns the state of the one that runs.
func (m *Manager) Start(ctx context.Context, textOnly bool) (State, error) {
	m.starting.Lock()
	defer m.starting.Unlock()
	return m.begin(ctx, textOnly, m.NewOptions)
}

// Resume resumes the session of an earlier host: the one in the From of what make
// returns; a nil make is for none. What the user has done since takes precedence: if
// a session runs already, Resume does nothing. If none is resumed, it calls release to
// release what the earlier host left, while no session can start.
func (m *Manager) Resume(ctx context.Context, textOnly bool, make OptionsFunc, release func()) error {
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
	release()
	return err
}

// begin starts a session, unless one runs. It waits for one that is ending. Starting is locked.
func (m *Manager) begin(ctx context.Context, textOnly bool, make OptionsFunc) (State, error) {
	if s := m.running(); s != nil {
		if s.ctx.Err() == nil {
			return m.State(), nil
		}
		select {
		case <-s.Done():
		case <-ctx.Done():
			return m.State(), fault.From(ctx.Err())
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m.setConnecting(cancel, nil)
	defer m.setConnecting(nil, nil)
	options, err := make(ctx, textOnly)
	if err != nil {
		m.StateChanged(State{Status: Failed, TextOnly: textOnly, Error: fault.From(err)})
		return m.State(), err
	}
	options.Observer = m
	session := newSession(options)
	m.setConnecting(cancel, session)
	if err := session.connect(ctx); err != nil {
		return m.State(), err
	}
	m.mu.Lock()
	m.session = session
	m.mu.Unlock()
	return m.State(), nil
}

func (m *Manager) setConnecting(cancelConnect context.CancelFunc, session *Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cancelConnect, m.nextSession = cancelConnect, session
}

// Stop ends the session, also one that still connects. Without one it does nothing.
func (m *Manager) Stop() State {
	m.mu.Lock()
	cancelConnect := m.cancelConnect
	m.stopped = true
	m.mu.Unlock()
	if cancelConnect != nil {
		cancelConnect()
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
	case cancelConnect != nil: // it failed as requested
		m.StateChanged(State{Status: Disconnected})
	}
	return m.State()
}

// State returns the session's state, or disconnected.
func (m *Manager) State() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state.Status == "" {
		return State{Status: Disconnected}
	}
	return m.state
}

// Session returns the running session; without one the fault is voice_not_running.
func (m *Manager) Session() (*Session, error) {
	if s := m.running(); s != nil {
		return s, nil
	}
	return nil, fault.New(fault.VoiceNotRunning, "no agent is running").WithDispatched(fault.NotDispatched)
}

// ActiveOrStarting returns the session that runs or connects: the user may already mute it and
// write to it.
func (m *Manager) ActiveOrStarting() (*Session, error) {
	m.mu.Lock()
	next := m.nextSession
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

// Refresh notifies the session that its tools may have changed.
func (m *Manager) Refresh() {
	if s, err := m.ActiveOrStarting(); err == nil {
		s.Refresh()
	}
}

// Feed returns the events for clients.
func (m *Manager) Feed() *Feed { return &m.feed }

// StateChanged passes on a state.
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

// LogEvent passes on an event for the log.
func (m *Manager) LogEvent(kind string, data any) { m.Observer.LogEvent(kind, data) }
