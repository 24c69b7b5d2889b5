package agent

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/actionsjson/actions-host/pkg/clarify"
	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Controller serves the agent's user: it handles the requests of the extension's pages and
// reports events to them and to the log. Its fields are set once. The conversation is the
// spoken one.
type Controller struct {
	Conversation
	// Chats are the side panel's; nil: there are none.
	Chats     *Chats
	Approvals *policy.Approvals
	Questions *clarify.Questions
	// Answer decides an open question for the user and logs that.
	Answer func(ctx context.Context, answer policy.Answer) error
	// AllowAPI lets the agent's grants for an origin cover requests that write, or takes that
	// back.
	AllowAPI func(allow bool)
	Memory   Memory
	Base     string // the voice service's address
	// AllowCode reports whether the settings let any session run code.
	AllowCode bool

	saving sync.Mutex // one change of the settings at a time
	asking sync.Mutex // the list that is sent last is the newest one
}

// Key is the provider's key as the user sees it.
type Key struct {
	Source key.Source `json:"source"`
	Masked string     `json:"masked"`
}

// shownSettings are the settings with what can only be read.
type shownSettings struct {
	Settings
	Base   string   `json:"base"`
	Key    Key      `json:"key"`
	Voices []string `json:"voices"`
	// AllowCode is what settings.json says.
	AllowCode bool `json:"allow_code"`
}

// view is the whole state that a page shows.
type view struct {
	State     voice.State        `json:"state"`
	Rows      []voice.Row        `json:"rows"`
	Approvals []policy.Shown     `json:"approvals"`
	Questions []clarify.Question `json:"questions"`
	Settings  shownSettings      `json:"settings"`
}

func (c *Controller) changeSettings(members json.RawMessage) error {
	c.saving.Lock()
	defer c.saving.Unlock()
	settings, err := ReadSettings()
	if err != nil {
		settings = DefaultSettings()   // a broken file is replaced by what the user sets now
		settings.Mode = policy.ModeAsk // the file may have set it
	}
	if settings, err = settings.Change(members); err != nil {
		return err
	}
	if err := settings.Save(); err != nil {
		return err
	}
	c.sendChange("settings", c.settings())
	c.Voice.Refresh()
	if session, err := c.Voice.ActiveOrStarting(); err == nil { // without one the next begins with it
		session.LimitSpending(settings.SpendingLimitUSD)
	}
	c.Chats.settingsChanged(settings)
	return nil
}

func (c *Controller) settings() shownSettings {
	settings, err := ReadSettings()
	if err != nil {
		settings = DefaultSettings()
	}
	secret, source, _ := key.Get(key.OpenAI) // without one the source is none
	return shownSettings{Settings: settings, Base: c.Base, Key: Key{source, key.Mask(secret)}, Voices: Voices, AllowCode: c.AllowCode}
}

func (c *Controller) view() view {
	return view{
		State: c.Voice.State(), Rows: c.Rows(), Approvals: c.Approvals.Shown(),
		Questions: c.Questions.List(), Settings: c.settings(),
	}
}

// ApprovalsChanged sends the open approvals to the pages, after a change of them.
func (c *Controller) ApprovalsChanged() {
	c.asking.Lock()
	defer c.asking.Unlock()
	c.sendChange("approvals", c.Approvals.Shown())
}

// QuestionsChanged sends the open questions of models to the pages, after a change of them.
func (c *Controller) QuestionsChanged() {
	c.asking.Lock()
	defer c.asking.Unlock()
	c.sendChange("questions", c.Questions.List())
}

// ApprovalDecided notifies the conversation that asked of the decision: it may be busy with
// something else by then, and would not ask again by itself.
func (c *Controller) ApprovalDecided(a policy.Approval, o policy.Outcome) {
	c.approvalDecided(a, o)
	c.Chats.approvalDecided(a, o)
}
