package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/actionsjson/actions-host/pkg/clarify"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Controller serves the agent's user: it handles the requests of the extension's pages and
// reports events to them and to the log. Its fields are set once.
type Controller struct {
	Voice     *voice.Manager
	Approvals *policy.Approvals
	Questions *clarify.Questions
	// Answer decides an open question for the user and logs that.
	Answer func(ctx context.Context, answer policy.Answer) error
	// AllowAPI lets the agent's grants for an origin cover requests that write, or takes that
	// back.
	AllowAPI func(allow bool)
	Log      *journal.Journal
	Memory   Memory
	Base     string // the voice service's address
	// SendChange sends a change to the pages. It must not block.
	SendChange func(change json.RawMessage)
	// OnError receives errors of the log.
	OnError func(err error)

	saving sync.Mutex // one change of the settings at a time
	asking sync.Mutex // the list that is sent last is the newest one

	mu          sync.Mutex
	rows        []voice.Row
	rowsSession string // the session of the last row
}

var _ voice.Observer = (*Controller)(nil)

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
	return nil
}

func (c *Controller) settings() shownSettings {
	settings, err := ReadSettings()
	if err != nil {
		settings = DefaultSettings()
	}
	secret, source, _ := key.Get(key.OpenAI) // without one the source is none
	return shownSettings{Settings: settings, Base: c.Base, Key: Key{source, key.Mask(secret)}, Voices: Voices}
}

func (c *Controller) view() view {
	return view{
		State: c.Voice.State(), Rows: c.Rows(), Approvals: c.Approvals.Shown(),
		Questions: c.Questions.List(), Settings: c.settings(),
	}
}

func (c *Controller) sendChange(member string, value any) {
	change, err := json.Marshal(map[string]any{member: value})
	if err != nil {
		c.OnError(fault.Wrap(err, fault.InternalError, "the %s cannot be shown: %v", member, err))
		return
	}
	c.SendChange(change)
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

// ApprovalDecided notifies the agent of the decision about its request: it may be
// busy with something else by then, and would not ask again by itself.
func (c *Controller) ApprovalDecided(a policy.Approval, o policy.Outcome) {
	session, err := c.Voice.Session()
	if err != nil || a.SessionID != c.Voice.State().SessionID {
		return // of another session, or of one that is over
	}
	session.AddSystemMessage(fmt.Sprintf(decisionMessages[o], a.Name))
}

var decisionMessages = map[policy.Outcome]string{
	policy.Allowed:   "The user has allowed %s. Call it again now, with the same arguments.",
	policy.Refused:   "The user has refused %s. Do not call it again and look for no other way to the same end. Say that it was not done.",
	policy.Withdrawn: "The page that %s was meant for is gone, so nobody could answer. Nothing was done. Look at the page before you go on.",
	policy.Expired:   "Nobody answered in time whether %s may run, which counts as a refusal. Say so; call it again only if the user still wants it.",
}

// StateChanged sends the state to the pages.
func (c *Controller) StateChanged(s voice.State) { c.sendChange("state", s) }

// ToolRan needs no record of its own: the call path has written it.
func (c *Controller) ToolRan(voice.ToolRun) {}

// LogEvent adds an event to the log.
func (c *Controller) LogEvent(kind string, data any) {
	raw, err := json.Marshal(map[string]any{"event": kind, "data": data})
	if err == nil {
		session := c.Voice.State().SessionID
		err = c.Log.Append(context.Background(), journal.Record{SessionID: session, Type: journal.TypeLifecycle, Name: "agent." + kind, Data: raw})
	}
	if err != nil {
		c.OnError(err)
	}
}
