package harness

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// Agent answers what the extension's pages request of the hosted agent by a method, which is
// named without its agent_.
type Agent func(method string, params json.RawMessage) (view json.RawMessage, err error)

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

// DebuggingCancelled is of no interest here.
func (p *Played) DebuggingCancelled(int) {}

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

// RegisterPages has the test answer the extension's own pages.
func (p *Played) RegisterPages(m *rpc.Mux) {
	for _, method := range protocol.Methods {
		agentMethod, isAgent := strings.CutPrefix(method.Name, "agent_")
		isChat := strings.HasPrefix(method.Name, "chat_")
		uiMethod, isUI := strings.CutPrefix(method.Name, "ui_")
		switch {
		case method.From != "extension" || method.Name == protocol.MethodAgentCommand:
		case isChat:
			m.HandleFunc(method.Name, func(_ context.Context, _ string, params json.RawMessage) (any, error) {
				return p.answerAgent(method.Name, params)
			})
		case isAgent:
			m.HandleFunc(method.Name, func(_ context.Context, _ string, params json.RawMessage) (any, error) {
				return p.answerAgent(agentMethod, params)
			})
		case isUI:
			m.HandleFunc(method.Name, func(_ context.Context, _ string, params json.RawMessage) (any, error) {
				return p.answerUI(uiMethod, params)
			})
		}
	}
}

// ServeAgent lets the test play the hosted agent.
func (p *Played) ServeAgent(agent Agent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.agent = agent
}

// noAgent is the view of an agent that has never run.
const noAgent = `{"state":{"status":"disconnected"},"rows":[],"approvals":[],"settings":{
	"model":"gpt-realtime-2.1","voice":"cedar","turns":{"mode":"server_vad"},"mode":"act","memory":true,"spending_limit_usd":5,
	"base":"https://api.openai.com/v1","key":{"source":"none","masked":""},"voices":["cedar"]}}`

// answerAgent answers with the test's agent, or with one that is not there.
func (p *Played) answerAgent(method string, params json.RawMessage) (any, error) {
	p.mu.Lock()
	agent := p.agent
	p.mu.Unlock()
	view := json.RawMessage(noAgent)
	if agent != nil {
		var err error
		if view, err = agent(method, params); err != nil {
			return nil, err
		}
	}
	if strings.HasSuffix(method, "view") {
		return view, nil
	}
	var state struct {
		State json.RawMessage `json:"state"`
	}
	err := json.Unmarshal(view, &state)
	return state, err
}

// UIBackend answers what the popup and the options page request of the host by a method, which
// is named without its ui_.
type UIBackend func(method string, params json.RawMessage) (answer json.RawMessage, err error)

// ServeUI lets the test play the host's side of the popup and the options page.
func (p *Played) ServeUI(backend UIBackend) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backend = backend
}

// answerUI answers with the test's backend, or as a host in which nothing happens.
func (p *Played) answerUI(method string, params json.RawMessage) (any, error) {
	p.mu.Lock()
	backend := p.backend
	p.mu.Unlock()
	switch {
	case backend != nil:
		return backend(method, params)
	case method == "grants":
		return json.RawMessage(`{"grants":[]}`), nil
	case method == "storage":
		return json.RawMessage(`{"path":"/home/me/.actions-json/storage","maps":[],"more":false,"errors":[]}`), nil
	}
	return json.RawMessage(`{"running":[],"activity":[],"settings":{"mode":"act","show_actions":false,"pacing_ms":0},"granted":{}}`), nil
}
