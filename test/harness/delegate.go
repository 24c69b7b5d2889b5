package harness

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
)

// Agent answers what the extension's pages ask of the hosted agent.
type Agent func(command string, args json.RawMessage) (view json.RawMessage, err error)

var _ browser.Delegate = (*Played)(nil)

// Handshake takes the connection over.
func (p *Played) Handshake(_ context.Context, b *browser.Browser, _ protocol.Handshake) ([]int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Host = b
	p.greeting.Do(func() { close(p.greeted) })
	return p.claims, p.refusal
}

// Claim grants.
func (p *Played) Claim(_ context.Context, tab protocol.Tab) ([]int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tabs[tab.TabID] = tab
	p.claims = append(p.claims, tab.TabID)
	return p.claims, nil
}

// Release grants none.
func (p *Played) Release(context.Context, int, string) ([]int, error) { return nil, nil }

// TabChanged remembers the tab.
func (p *Played) TabChanged(tab protocol.Tab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tabs[tab.TabID] = tab
}

// Tab returns the tab as the extension last reported it.
func (p *Played) Tab(id int) protocol.Tab {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tabs[id]
}

// RuntimeReady is of no interest here.
func (p *Played) RuntimeReady(int, string) {}

// RuntimeRemoved is of no interest here.
func (p *Played) RuntimeRemoved(int, string) {}

// Refused is of no interest here.
func (p *Played) Refused(error) {}

// Announced is of no interest here.
func (p *Played) Announced(protocol.Announcements) {}

// LauncherClicked is of no interest here.
func (p *Played) LauncherClicked(protocol.LauncherClick) {}

// DOMEvent remembers the event.
func (p *Played) DOMEvent(e protocol.DomEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, e)
}

// TakeEvents returns the events that came since it was last called.
func (p *Played) TakeEvents() []protocol.DomEvent {
	p.mu.Lock()
	defer p.mu.Unlock()
	events := p.events
	p.events = nil
	return events
}

// ServeAgent lets the test play the hosted agent.
func (p *Played) ServeAgent(agent Agent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.agent = agent
}

// AgentCommand answers with the test's agent, or with one that is not there.
func (p *Played) AgentCommand(_ context.Context, command string, args json.RawMessage) (json.RawMessage, error) {
	p.mu.Lock()
	agent := p.agent
	p.mu.Unlock()
	if agent == nil {
		return json.RawMessage(`{"state":{"status":"disconnected"},"rows":[],"approvals":[]}`), nil
	}
	return agent(command, args)
}

// UIBackend answers what the popup and the options page ask of the host.
type UIBackend func(command string, args json.RawMessage) (answer json.RawMessage, err error)

// ServeUI lets the test play the host's side of the popup and the options page.
func (p *Played) ServeUI(backend UIBackend) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answerUI = backend
}

// UICommand answers with the test's backend, or as a host in which nothing happens.
func (p *Played) UICommand(_ context.Context, command string, args json.RawMessage) (json.RawMessage, error) {
	p.mu.Lock()
	backend := p.answerUI
	p.mu.Unlock()
	switch {
	case backend != nil:
		return backend(command, args)
	case command == "grants":
		return json.RawMessage(`{"grants":[]}`), nil
	case command == "storage":
		return json.RawMessage(`{"path":"/home/me/.actions-json/storage","maps":[],"more":false,"errors":[]}`), nil
	}
	return json.RawMessage(`{"running":[],"activity":[],"settings":{"mode":"act","show_actions":false,"pacing_ms":0}}`), nil
}
