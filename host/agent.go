package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/voice/openai"
	"github.com/actionsjson/actions-host/pkg/voicekey"
)

// voicePace lets a person follow what the agent does.
const voicePace = 500 * time.Millisecond

// openAgent makes the hosted agent. It starts only when somebody asks.
func (p *profile) openAgent(registry *primitive.Registry, base string) {
	memory := agent.Memory{Log: p.journal}
	changes := &agent.Changes{}
	go p.showChanges(p.browser, changes)
	p.desk = &agent.Desk{
		Approvals: p.dispatcher.Approvals, Answer: p.dispatcher.Answer, Log: p.journal, Memory: memory, Base: base,
		Show:   changes.Put,
		Failed: func(err error) { p.log.Error("the agent's log", "error", err) },
	}
	p.desk.Voice = &voice.Manager{
		Observer: p.desk,
		Options: func(_ context.Context, textOnly bool) (voice.Options, error) {
			return p.agentOptions(textOnly, nil)
		},
	}
	p.dispatcher.Approvals.Changed, p.dispatcher.Approvals.Decided = p.desk.ApprovalsChanged, p.desk.ApprovalDecided
	maps.Copy(registry.Named, p.desk.Voice.Handlers(func(context.Context) (int, error) { return memory.Forget() }))
}

func (p *profile) showChanges(b *browser.Browser, changes *agent.Changes) {
	for {
		change, ok := changes.Next(b.Done())
		if !ok {
			return
		}
		p.tried("showing the agent", b.AgentChanged(context.Background(), change))
	}
}

// AgentCommand does what the user asks of the agent in the extension's pages.
func (p *profile) AgentCommand(ctx context.Context, command string, args json.RawMessage) (json.RawMessage, error) {
	return p.desk.Command(ctx, command, args)
}

// agentOptions make one session of the agent, with a session of its own on the
// call path, which ends with it; or go on with that of an earlier host.
func (p *profile) agentOptions(textOnly bool, from *agent.Kept) (voice.Options, error) {
	settings, err := agent.ReadSettings()
	if err != nil {
		return voice.Options{}, err
	}
	key, _, err := voicekey.Key()
	if err != nil {
		return voice.Options{}, err
	}
	provider, err := openai.New(p.desk.Base, key)
	if err != nil {
		return voice.Options{}, err
	}
	memory := ""
	if settings.Memory {
		if memory, err = p.desk.Memory.Recall(time.Now()); err != nil {
			return voice.Options{}, err
		}
	}
	caller := session.Caller{Kind: policy.SessionVoice, ID: rand.Text()[:8], Mode: policy.ModeAct, AllowCode: p.allowCode}
	if from != nil {
		caller.ID = from.Caller
	}
	own, err := p.state.Open(caller)
	if err != nil {
		return voice.Options{}, err
	}
	own.Limit = agent.ModeNow // the user may change it while the session runs
	own.Pace(voicePace)
	own.SetCurrent(p.firstTab())
	o := voice.Options{
		ID: own.ID, Provider: provider, Memory: memory, SpendingLimit: settings.SpendingLimitUSD,
		Setup: voice.Setup{Model: settings.Model, Voice: settings.Voice, Turns: settings.Turns},
		Tools: &agent.Agent{
			Catalogue: p.dispatcher.Catalogue, Dispatch: p.dispatcher, Session: own,
			Known: func(name string) bool { return slices.Contains(p.hello.Primitives, name) },
			Page:  func() agent.Page { return p.agentPage(own) },
		},
	}
	if !textOnly {
		o.Media, o.Greet = p.browser.Media(), true
	}
	if from != nil {
		o.From = &from.Standing
		own.SetCurrent(from.Tab)
	}
	keeper := p.keepAgent(caller.ID, own)
	o.Keep = keeper.Keep
	o.Ended = func() {
		keeper.Forget()
		if err := p.state.End(context.Background(), caller); err != nil {
			p.log.Error("ending the agent's session", "error", err)
		}
	}
	if err := p.recordAgent(&o, provider); err != nil {
		o.Ended()
		return o, err
	}
	return o, nil
}

// firstTab is where the agent begins: the only claimed tab, or the one that the
// user looks at.
func (p *profile) firstTab() int {
	claimed := p.tabs.List()
	if len(claimed) == 1 {
		return claimed[0].TabID
	}
	for _, tab := range claimed {
		if tab.Active {
			return tab.TabID
		}
	}
	return 0
}

// agentPage describes the agent's current page.
func (p *profile) agentPage(own *dispatch.Session) agent.Page {
	page := agent.Page{Tabs: len(p.tabs.List())}
	if own.Current() == 0 {
		own.SetCurrent(p.firstTab()) // one that was handed over after the start
	}
	tab, ok := p.tabs.Get(own.Current())
	if !ok {
		return page
	}
	page.Current = true
	site := p.actions.Store.Match(tab.URL)
	page.Blocked = site.Blocked()
	if o, err := origin.Parse(tab.URL); err == nil {
		page.Origin = o.String()
	}
	for _, entry := range site.Maps {
		if prompt := entry.Map.Guidance.Prompt; prompt != "" {
			page.Guidance = append(page.Guidance, prompt)
		}
	}
	return page
}
