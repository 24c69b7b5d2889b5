package profile

import (
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/policy"
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
func (p *profile) chatOptions(chat *agent.Chat, from *agent.SavedSession) (voice.Options, error) {
	settings, err := agent.ReadSettings()
	if err != nil {
		return voice.Options{}, err
	}
	stepper, err := p.stepper()
	if err != nil {
		return voice.Options{}, err
	}
	toolset, err := p.chatTools()
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
	own.Limit, own.LimitCode = agent.ModeNow, chat.Code // the user may change them while the session runs
	own.SetCurrent(chat.TabID)
	if from != nil {
		own.SetCurrent(from.Tab)
	}
	works := &agent.Agent{
		Catalogue: p.dispatcher.Catalogue, Dispatch: p.dispatcher, Session: own, Toolset: toolset, Gate: agent.AutomationNow,
		HasPagePrimitive: func(name string) bool { return slices.Contains(p.hello.Primitives, name) },
		Page:             func() agent.Page { return p.pageOf(own.Current()) },
	}
	asks := &agent.ChatModel{Stepper: stepper, Prompt: chatPrompt, Name: settings.TextModel, Reader: &agent.PageReader{
		Agent: works, Chat: chat, Tab: func() (tabs.Tab, bool) { return p.tabs.Get(chat.TabID) },
	}}
	o := asks.Options(chat)
	o.ID, o.SpendingLimit = own.ID, settings.SpendingLimitUSD
	if from != nil {
		o.ResumeFrom = &from.Snapshot
	}
	keeper := agent.NewSessionStore(agent.ChatPlace(p.journal.Bolt(), chat.TabID), func(kept *agent.SavedSession) {
		kept.Caller, kept.BrowserSession, kept.Tab, kept.Rows = caller.ID, p.hello.BrowserSession, own.Current(), chat.Rows()
		kept.Summary, kept.Code = chat.Summary(), chat.Code()
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

// navigated tells the chat of a tab which page is there now.
func (p *profile) navigated(tabID int) {
	time.AfterFunc(navigatedDelay, func() {
		if tab, ok := p.tabs.Get(tabID); ok {
			p.agent.Chats.Navigated(tabID, agent.PageLink{URL: tab.URL, Title: tab.Title})
		}
	})
}

// stepper returns what asks the models.
func (p *profile) stepper() (model.Stepper, error) {
	if p.models == nil {
		return nil, fault.New(fault.CapabilityUnavailable, "this host asks no chat models")
	}
	return p.models, nil
}

// chatTools returns the tools of a chat.
func (p *profile) chatTools() (agent.Toolset, error) { return nil, nil }

// chatPrompt completes the request for a step.
func chatPrompt(request model.Request, _ model.Info, page agent.ChatPage, _ bool) model.Request {
	if page.URL != "" {
		request.System += "\n\n" + pagedata.Seal(page.URL+"\n"+page.Title+"\n"+page.Summary+"\n"+page.Text)
	}
	return request
}

// refreshAgents has all conversations look at what they may do anew.
func (p *profile) refreshAgents() {
	p.agent.Voice.Refresh()
	p.agent.Chats.Refresh()
}
