package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

// Conversation is a session with its transcript. It reports the session's events to the pages
// and to the log. Its fields are set once.
type Conversation struct {
	Voice *voice.Manager
	// TabID is the tab of a chat; 0 for the spoken conversation.
	TabID int
	Log   *journal.Journal
	// SendChange sends a change to the pages. It must not block.
	SendChange func(change json.RawMessage)
	// OnError receives errors of the log.
	OnError func(err error)

	mu          sync.Mutex
	rows        []voice.Row
	rowsSession string // the session of the last row
	closed      bool   // it sends no more changes
}

var _ voice.Observer = (*Conversation)(nil)

func (c *Conversation) sendChange(member string, value any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.send(member, value)
	}
}

func (c *Conversation) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// send sends a change, with mu held.
func (c *Conversation) send(member string, value any) {
	change := map[string]any{member: value}
	if c.TabID != 0 {
		change["tab_id"] = c.TabID
		change = map[string]any{"chat": change}
	}
	text, err := json.Marshal(change)
	if err != nil {
		c.OnError(fault.Wrap(err, fault.InternalError, "the %s cannot be shown: %v", member, err))
		return
	}
	c.SendChange(text)
}

func (c *Conversation) approvalDecided(a policy.Approval, o policy.Outcome) {
	session, err := c.Voice.Session()
	if err != nil || a.SessionID != c.Voice.State().SessionID {
		return // of another session, or of one that is over
	}
	message := decisionMessage(a.Name, o)
	if o == policy.Expired || o == policy.Withdrawn {
		session.AddEvent(message)
		return
	}
	session.AddSystemMessage(message)
}

// decisionMessage returns what the model gets of a decision. The name of a page's tool is the page's own word.
func decisionMessage(name string, o policy.Outcome) string {
	if strings.HasPrefix(name, registry.ActionPrefix) {
		return fmt.Sprintf(decisionMessages[o], "the page's tool named below") + "\n" + pagedata.Seal(name)
	}
	return fmt.Sprintf(decisionMessages[o], name)
}

var decisionMessages = map[policy.Outcome]string{
	policy.Allowed:   "The user has allowed %s. Call it again now, with the same arguments.",
	policy.Refused:   "The user has refused %s. Do not call it again and look for no other way to the same end. Say that it was not done.",
	policy.Withdrawn: "The page that %s was meant for is gone, so nobody could answer. Nothing was done. Look at the page before you go on.",
	policy.Expired:   "Nobody answered in time whether %s may run, which counts as a refusal. Say so; call it again only if the user still wants it.",
}

// StateChanged sends the state to the pages.
func (c *Conversation) StateChanged(s voice.State) { c.sendChange("state", s) }

// ToolRan needs no record of its own: the call path has written it.
func (c *Conversation) ToolRan(voice.ToolRun) {}

// LogEvent adds an event to the log.
func (c *Conversation) LogEvent(kind string, data any) {
	raw, err := json.Marshal(map[string]any{"event": kind, "data": data})
	if err == nil {
		session := c.Voice.State().SessionID
		err = c.Log.Append(context.Background(), journal.Record{SessionID: session, Type: journal.TypeLifecycle, Name: "agent." + kind, Data: raw})
	}
	if err != nil {
		c.OnError(err)
	}
}
