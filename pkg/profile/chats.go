package profile

import (
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/chat"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// navigatedDelay is what a page has to get its title before a chat is told of it.
const navigatedDelay = 500 * time.Millisecond

// openChats makes the chats of the side panel. Nothing of their models is made before one
// begins.
func (p *profile) openChats() {
	p.agent.Chats = &agent.Chats{
		NewOptions: p.chatOptions, Claimed: p.claimed, Log: p.journal, SendChange: p.agent.SendChange, OnError: p.agent.OnError,
	}
	p.tabs.Observe(tabs.Observer{AfterRelease: always(func(tabID int) { go p.agent.Chats.End(tabID) })})
}

func (p *profile) claimed(tabID int) bool {
	_, ok := p.tabs.Get(tabID)
	return ok
}

// chatOptions returns the options of a chat's session, with a session of its own on the call
// path that works in the chat's tab.
func (p *profile) chatOptions(of *agent.Chat, from *agent.SavedSession) (voice.Options, error) {
	settings, err := agent.ReadSettings()
	if err != nil {
		return voice.Options{}, err
	}
	models, toolset, err := p.chatMakings.open(p.dispatcher.Catalogue)
	if err != nil {
		return voice.Options{}, err
	}
	caller := session.Caller{Kind: policy.SessionAgent, ID: agent.ChatPrefix + strings.ToLower(rand.Text()[:10]), Mode: policy.ModeAct, AllowCode: p.settings.AllowCode}
	if from != nil {
		caller.ID = from.Caller
	}
	own, err := p.sessions.Open(caller)
	if err != nil {
		return voice.Options{}, err
	}
	own.Limit, own.LimitCode = agent.ModeNow, of.Code // the user may change them while the session runs
	of.Sees = own.Sees
	own.SetCurrent(of.TabID)
	if from != nil {
		own.SetCurrent(from.Tab)
	}
	works := &agent.Agent{
		Catalogue: p.dispatcher.Catalogue, Dispatch: p.dispatcher, Session: own, Toolset: toolset, Gate: agent.AutomationNow,
		HasPagePrimitive: func(name string) bool { return slices.Contains(p.hello.Primitives, name) },
		Page:             func() agent.Page { return p.pageOf(own) },
	}
	asks := &agent.ChatModel{Stepper: models, Prompt: chatPrompt, Keep: chat.Keep, Name: settings.TextModel, Reader: &agent.PageReader{
		Agent: works, Chat: of, Tab: func() (tabs.Tab, bool) { return p.tabs.Get(of.TabID) },
	}}
	o := asks.Options(of)
	o.ID, o.SpendingLimit = own.ID, settings.SpendingLimitUSD
	if from != nil {
		o.ResumeFrom = &from.Snapshot
	}
	keeper := agent.NewSessionStore(agent.ChatPlace(p.journal.Bolt(), of.TabID), func(kept *agent.SavedSession) {
		kept.Caller, kept.BrowserSession, kept.Tab, kept.Rows = caller.ID, p.hello.BrowserSession, own.Current(), of.Rows()
		kept.Summary, kept.Code = of.Summary(), of.Code()
	}, func(err error) { p.log.Error("keeping a chat", "error", err) })
	o.SaveSnapshot = keeper.Save
	o.Ended = func() {
		keeper.Delete()
		p.endAgent(caller, p.dispatcher.StopSession(own.ID))
	}
	return o, nil
}

// resumeChats resumes the chats of the tabs that are still under control.
func (p *profile) resumeChats(claims []int) {
	p.logError("forgetting chats of other tabs", agent.RetainChats(p.journal.Bolt(), claims))
	for _, id := range claims {
		kept, err := agent.LoadSaved(agent.ChatPlace(p.journal.Bolt(), id), p.hello.BrowserSession, time.Now())
		if err == nil && kept != nil {
			err = p.agent.Chats.Resume(id, kept)
		}
		if err != nil {
			p.log.Error("going on with a chat", "error", err)
		}
	}
}

// navigated informs the chat of a tab of the page that is there now.
func (p *profile) navigated(tabID int) {
	p.navigating.do(tabID, func() {
		time.Sleep(navigatedDelay)
		if tab, ok := p.tabs.Get(tabID); ok {
			p.agent.Chats.Navigated(tabID, agent.PageLink{URL: tab.URL, Title: tab.Title, Skills: p.skills.Briefs(tab.URL)})
		}
	})
}

// chatMakings is what all chats share; it is made with the first one.
type chatMakings struct {
	mu      sync.Mutex
	models  *model.Models
	toolset *chat.Toolset
}

// open reads which models and tools there are, once.
func (m *chatMakings) open(c *primitive.Catalogue) (*model.Models, *chat.Toolset, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.models != nil {
		return m.models, m.toolset, nil
	}
	models, err := model.Open()
	if err != nil {
		return nil, nil, err
	}
	toolset, err := chat.Tools(c)
	if err != nil {
		return nil, nil, err
	}
	m.models, m.toolset = models, toolset
	return models, toolset, nil
}

// chatPrompt completes the request for a step.
func chatPrompt(request model.Request, info model.Info, page agent.ChatPage, automation bool) model.Request {
	shown := chat.Page{URL: page.URL, Title: page.Title}
	if page.Text != "" || page.Summary != "" || len(page.Transcript) > 0 {
		content := chat.PageContent{Summary: page.Summary, Text: page.Text, Metadata: chat.Metadata{
			URL: page.URL, Title: page.Title, Source: "page", Extraction: page.Extraction, Truncated: page.Truncated,
			TranscriptProvider: page.TranscriptProvider, MediaDuration: page.MediaDuration,
		}}
		for _, line := range page.Transcript {
			content.Transcript = append(content.Transcript, chat.Line(line))
		}
		shown.Content = content.String()
	}
	return chat.Ask{
		Automation: automation, Tools: request.Tools, Page: shown, Messages: request.Messages,
		Model: request.Model, MaxOutputTokens: request.MaxOutputTokens,
	}.Request(info)
}

// refreshAgents has all conversations look at what they may do anew.
func (p *profile) refreshAgents() {
	p.agent.Voice.Refresh()
	p.agent.Chats.Refresh()
}
