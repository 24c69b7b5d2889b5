package agent

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// MaxChats is how many chats there are at most.
const MaxChats = 8

// ChatPrefix begins the ids of the chats' sessions, which no client may use.
const ChatPrefix = "panel-"

// Chats are the conversations of the side panel: one for each tab under control, which ends
// with that. Its fields are set once.
type Chats struct {
	// NewOptions returns the options of a chat's session; from, if not nil, is that of an
	// earlier host. It sets the chat's Agent.
	NewOptions func(chat *Chat, from *SavedSession) (voice.Options, error)
	// Claimed reports whether a tab is under control.
	Claimed    func(tabID int) bool
	Log        *journal.Journal
	SendChange func(change json.RawMessage)
	OnError    func(err error)

	mu    sync.Mutex
	byTab map[int]*Chat
}

// find returns the chat of a tab; nil if there is none.
func (c *Chats) find(tabID int) *Chat {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byTab[tabID]
}

// list returns all chats.
func (c *Chats) list() (all []*Chat) {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, chat := range c.byTab {
		all = append(all, chat)
	}
	return all
}

// open returns the chat of a tab, a new one if there is none.
func (c *Chats) open(tabID int) (*Chat, error) {
	if !c.Claimed(tabID) {
		return nil, fault.New(fault.TabNotClaimed, "this tab is not under control").WithDispatched(fault.NotDispatched)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if chat := c.byTab[tabID]; chat != nil {
		return chat, nil
	}
	if len(c.byTab) >= MaxChats {
		return nil, fault.New(fault.TooManyChats, "there are %d chats, and no more than that at once", MaxChats).WithDispatched(fault.NotDispatched)
	}
	chat := &Chat{Conversation: Conversation{TabID: tabID, Log: c.Log, SendChange: c.SendChange, OnError: c.OnError}}
	chat.Voice = &voice.Manager{
		Observer:   &chat.Conversation,
		NewOptions: func(context.Context, bool) (voice.Options, error) { return c.NewOptions(chat, nil) },
	}
	if c.byTab == nil {
		c.byTab = map[int]*Chat{}
	}
	c.byTab[tabID] = chat
	return chat, nil
}

// Send sends a message of the user in the chat of a tab, which begins with it. With summary
// the message asks for a summary of the page instead.
func (c *Chats) Send(ctx context.Context, tabID int, text string, mode voice.Mode, summary bool) error {
	if strings.TrimSpace(text) == "" {
		return fault.New(fault.InvalidInput, "the message is empty").WithDispatched(fault.NotDispatched)
	}
	chat, err := c.open(tabID)
	if err != nil {
		return err
	}
	if _, err := chat.Voice.Start(ctx, true); err != nil {
		return err
	}
	if c.find(tabID) != chat { // it was ended meanwhile
		chat.Voice.Stop()
		return fault.New(fault.Cancelled, "the chat was ended").WithDispatched(fault.NotDispatched)
	}
	if !c.Claimed(tabID) { // it was released meanwhile
		c.End(tabID)
		return fault.New(fault.TabNotClaimed, "this tab is not under control").WithDispatched(fault.NotDispatched)
	}
	if summary {
		return chat.summarise(text)
	}
	session, err := chat.Voice.Session()
	if err != nil {
		return err
	}
	return session.Send(text, mode)
}

// Stop ends what the chat of a tab is doing; the chat itself goes on.
func (c *Chats) Stop(tabID int) {
	chat := c.find(tabID)
	if chat == nil {
		return
	}
	chat.stopSummary()
	if session, err := chat.Voice.ActiveOrStarting(); err == nil {
		session.Interrupt()
	}
}

// End ends the chat of a tab and forgets it.
func (c *Chats) End(tabID int) {
	c.mu.Lock()
	chat := c.byTab[tabID]
	if chat != nil {
		delete(c.byTab, tabID)
		chat.close() // before the tab can have another one
	}
	c.mu.Unlock()
	if chat != nil {
		chat.end()
	}
}

// Resume resumes the chat that an earlier host had in the tab.
func (c *Chats) Resume(tabID int, from *SavedSession) error {
	chat, err := c.open(tabID)
	if err != nil {
		return err
	}
	chat.Restore(from.Snapshot.ID, from.Rows)
	chat.restore(from)
	c.SendChange(stale) // a panel may have looked before there was a chat
	options := func(context.Context, bool) (voice.Options, error) { return c.NewOptions(chat, from) }
	return chat.Voice.Resume(context.Background(), true, options, func() {})
}

// Navigated informs the chat of a tab that it shows another page: the user may have gone
// there. What is said of it is the page's own word.
func (c *Chats) Navigated(tabID int, page PageLink) {
	chat := c.find(tabID)
	if chat == nil || !chat.moves(page.URL) {
		return
	}
	session, err := chat.Voice.Session()
	switch {
	case err != nil: // there is no model that could know
	case chat.Sees(page.URL):
		session.AddNote(page.note())
		chat.LogEvent("navigated", page)
	default:
		session.AddNote(unseenNote)
	}
}

// Refresh notifies all chats that their tools may have changed.
func (c *Chats) Refresh() {
	for _, chat := range c.list() {
		chat.Voice.Refresh()
	}
}

func (c *Chats) settingsChanged(settings Settings) {
	for _, chat := range c.list() {
		chat.Voice.Refresh()
		if session, err := chat.Voice.ActiveOrStarting(); err == nil {
			session.LimitSpending(settings.SpendingLimitUSD)
		}
	}
}

func (c *Chats) approvalDecided(a policy.Approval, o policy.Outcome) {
	for _, chat := range c.list() {
		chat.approvalDecided(a, o)
	}
}
