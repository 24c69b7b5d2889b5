package profile

import (
	"context"
	"crypto/rand"
	"os"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/clarify"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/voice/openai"
)

// voiceActionDelay lets a person follow what the agent does.
const voiceActionDelay = 500 * time.Millisecond

// openAgent makes the hosted agent. It starts only when somebody asks.
func (p *profile) openAgent() {
	memory := agent.Memory{Log: p.journal}
	changes := &agent.Changes{}
	go p.showChanges(p.browser, changes)
	p.agent = &agent.Controller{
		Conversation: agent.Conversation{
			Log: p.journal, SendChange: changes.Put,
			OnError: func(err error) { p.log.Error("the agent's log", "error", err) },
		},
		Approvals: p.dispatcher.Approvals, Answer: p.dispatcher.Answer, Questions: &clarify.Questions{CanShow: p.browser.ShowsQuestions},
		Memory: memory, Base: p.settings.VoiceBase, AllowCode: p.settings.AllowCode,
		AllowAPI: func(allow bool) {
			if own := p.agentSession.Load(); own != nil {
				own.AllowAPI(allow)
			}
		},
	}
	p.openChats()
	p.agent.Voice = &voice.Manager{
		Observer: &p.agent.Conversation,
		NewOptions: func(_ context.Context, textOnly bool) (voice.Options, error) {
			return p.agentOptions(textOnly, nil)
		},
	}
	p.dispatcher.Approvals.Changed, p.dispatcher.Approvals.Decided = p.agent.ApprovalsChanged, p.agent.ApprovalDecided
	p.agent.Questions.Changed = p.agent.QuestionsChanged
	p.dispatcher.CanAsk = p.canAsk
	p.handle(p.agent.Questions.Handlers())
	p.handle(p.agent.Voice.Handlers(func(context.Context) (int, error) { return memory.Forget() }))
}

// canAsk reports whether the user can get to see a question of the session. In a browser with windows
// they can open the popup, whose badge shows that a question waits.
func (p *profile) canAsk(ctx context.Context, s *dispatch.Session) bool {
	return s.HasForm() || os.Getenv(paths.EnvUnwatched) != "1" || p.browser.ShowsApprovals(ctx)
}

func (p *profile) showChanges(b *browser.Browser, changes *agent.Changes) {
	for {
		change, ok := changes.Next(b.Done())
		if !ok {
			return
		}
		p.logError("showing the agent", b.AgentChanged(context.Background(), change))
	}
}

// agentOptions returns the options of one agent session, with a session of its own on
// the call path, which ends with it; or of one that continues that of an earlier host.
func (p *profile) agentOptions(textOnly bool, from *agent.SavedSession) (voice.Options, error) {
	settings, err := agent.ReadSettings()
	if err != nil {
		return voice.Options{}, err
	}
	secret, _, err := key.Get(key.OpenAI)
	if err != nil && !fault.Is(err, fault.ModelKeyMissing) { // which the provider says in the voice's words
		return voice.Options{}, err
	}
	provider, err := openai.New(p.agent.Base, secret)
	if err != nil {
		return voice.Options{}, err
	}
	memory := ""
	if settings.Memory {
		if memory, err = p.agent.Memory.Recall(time.Now()); err != nil {
			return voice.Options{}, err
		}
	}
	caller := session.Caller{Kind: policy.SessionVoice, ID: rand.Text()[:8], Mode: policy.ModeAct, AllowCode: p.settings.AllowCode}
	if from != nil {
		caller.ID = from.Caller
	}
	own, err := p.sessions.Open(caller)
	if err != nil {
		return voice.Options{}, err
	}
	p.agentSession.Store(own)
	own.Limit = agent.ModeNow // the user may change it while the session runs
	own.Pace(voiceActionDelay)
	own.SetCurrent(p.firstTab())
	o := voice.Options{
		ID: own.ID, Provider: provider, Memory: memory, SpendingLimit: settings.SpendingLimitUSD,
		Setup: voice.Setup{Model: settings.Model, Voice: settings.Voice, Turns: settings.Turns},
		Tools: &agent.Agent{
			Catalogue: p.dispatcher.Catalogue, Dispatch: p.dispatcher, Session: own,
			HasPagePrimitive: func(name string) bool { return slices.Contains(p.hello.Primitives, name) },
			Page:             func() agent.Page { return p.agentPage(own) },
			Pictures:         agent.PicturesNow,
		},
	}
	if !textOnly {
		o.Media, o.Greet = p.browser.Media(), true
	}
	if from != nil {
		o.ResumeFrom = &from.Snapshot
		own.SetCurrent(from.Tab)
	}
	keeper := p.keepAgent(caller.ID, own)
	o.SaveSnapshot = keeper.Save
	o.Ended = func() {
		keeper.Delete()
		p.endAgent(caller, p.dispatcher.StopSession(own.ID))
	}
	if err := p.recordAgent(&o, provider); err != nil {
		o.Ended()
		return o, err
	}
	return o, nil
}

// endAgent ends the agent's session when its calls have ended. A call of its own
// may have ended it, and that one waits for the agent's end.
func (p *profile) endAgent(caller session.Caller, calls <-chan struct{}) {
	end := func() {
		if err := p.sessions.End(context.Background(), caller); err != nil {
			p.log.Error("ending the agent's session", "error", err)
		}
	}
	select {
	case <-calls:
		end()
	default:
		go func() { <-calls; end() }()
	}
}

// firstTab returns the agent's first tab: the only one that was handed over, or the
// active one.
func (p *profile) firstTab() int {
	if only, err := p.tabs.Resolve(0, tabs.Target{}, false); err == nil {
		return only.TabID
	}
	for _, tab := range p.tabs.List() {
		if tab.Active {
			return tab.TabID
		}
	}
	return 0
}

// agentPage describes the agent's current page.
func (p *profile) agentPage(own *dispatch.Session) agent.Page {
	if own.Current() == 0 {
		own.SetCurrent(p.firstTab()) // one that was handed over after the start
	}
	return p.pageOf(own)
}

// pageOf describes the page of the session's current tab, as far as the session may know it.
func (p *profile) pageOf(own *dispatch.Session) agent.Page {
	page := agent.Page{Tabs: len(p.tabs.List())}
	tab, ok := p.tabs.Get(own.Current())
	if !ok {
		return page
	}
	page.Current = true
	if !own.Sees(tab.URL) {
		return page
	}
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
