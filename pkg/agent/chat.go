package agent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/automation/skill"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Chat is the conversation of one tab.
type Chat struct {
	Conversation
	// Ask asks the model for one answer without tools, in the chat's own session. It is set
	// with the session.
	Ask func(ctx context.Context, text string, onText func(text string)) (Summary, error)
	// Sees reports whether the model may know the address and title of a page. It is set with
	// the session.
	Sees func(url string) bool

	own         sync.Mutex
	summary     Summary
	code        bool   // the user lets it run code
	url         string // of the page that the model was told of last
	summarising context.CancelFunc
}

// PageLink is a page that a tab shows, with what the host knows to do there.
type PageLink struct {
	URL    string        `json:"url"`
	Title  string        `json:"title"`
	Skills []skill.Brief `json:"skills"`
}

// Summary is a summary of a page.
type Summary struct {
	Text string `json:"text"`
	URL  string `json:"url"` // of the page
}

// of returns the summary's text where it is of the page with that address.
func (s Summary) of(url string) string {
	of, _, _ := strings.Cut(s.URL, "#")
	if shown, _, _ := strings.Cut(url, "#"); shown != of {
		return ""
	}
	return s.Text
}

// unseenNote is what the model gets of a page that it may not know.
const unseenNote = "The tab shows another page now, which you may not see; the user may have gone there."

// note returns what the model gets of the page.
func (p PageLink) note() string {
	if p.Skills == nil {
		p.Skills = []skill.Brief{}
	}
	text, err := json.Marshal(p)
	if err != nil {
		text = []byte("{}") // strings and what was decoded from JSON cannot fail
	}
	return "The tab shows another page now; the user may have gone there.\n" + pagedata.Seal(string(text))
}

// Summary returns the summary that the user asked for last; empty for none.
func (c *Chat) Summary() Summary {
	c.own.Lock()
	defer c.own.Unlock()
	return c.summary
}

// Code reports whether the user lets the chat run code.
func (c *Chat) Code() bool {
	c.own.Lock()
	defer c.own.Unlock()
	return c.code
}

// SetURL records which page the model knows of.
func (c *Chat) SetURL(url string) { c.moves(url) }

// moves records the page and reports whether it is another one.
func (c *Chat) moves(url string) bool {
	c.own.Lock()
	defer c.own.Unlock()
	moved := url != c.url
	c.url = url
	return moved
}

func (c *Chat) setCode(on bool) {
	c.own.Lock()
	c.code = on
	c.own.Unlock()
	c.sendChange("code", on)
	c.Voice.Refresh()
}

func (c *Chat) restore(from *SavedSession) {
	c.own.Lock()
	defer c.own.Unlock()
	c.summary, c.code = from.Summary, from.Code
}

// state returns the state of the session, or that a summary is written.
func (c *Chat) state() voice.State {
	state := c.Voice.State()
	c.own.Lock()
	defer c.own.Unlock()
	if c.summarising != nil && state.Status == voice.Listening {
		state.Status = voice.Thinking
	}
	return state
}

// summarise begins to write a summary of the page, which takes the place of the one before.
func (c *Chat) summarise(text string) error {
	ctx, cancel := context.WithCancel(context.Background())
	c.own.Lock()
	defer c.own.Unlock()
	switch {
	case c.isClosed():
		cancel()
		return fault.New(fault.Cancelled, "the chat was ended").WithDispatched(fault.NotDispatched)
	case c.summarising != nil:
		cancel()
		return fault.New(fault.InvalidInput, "a summary is being written already").WithDispatched(fault.NotDispatched)
	}
	c.summarising = cancel
	go c.writeSummary(ctx, text)
	return nil
}

func (c *Chat) writeSummary(ctx context.Context, text string) {
	c.RowChanged(voice.Row{ID: "ask_" + rand.Text()[:16], Role: "user", Text: text, Done: true})
	c.StateChanged(c.state())
	row := voice.Row{ID: "summary_" + rand.Text()[:16], Role: "assistant"}
	summary, err := c.Ask(ctx, text, func(text string) {
		row.Text = text
		c.putRow(row)
	})
	row.Done = true
	if err == nil {
		row.Text = summary.Text
	}
	if row.Text != "" {
		c.RowChanged(row)
	}
	stopped := ctx.Err() != nil
	c.own.Lock()
	c.summarising()
	c.summarising = nil
	if err == nil && !stopped {
		c.summary = summary
	}
	c.own.Unlock()
	if f := fault.From(err); f != nil && !stopped {
		c.RowChanged(voice.Row{ID: row.ID + "_failed", Role: "note", Text: "There is no summary: " + f.Message, Code: string(f.Code), NextStep: f.NextStep, Done: true})
	}
	c.sendChange("summary", c.Summary().Text)
	c.StateChanged(c.state())
}

func (c *Chat) stopSummary() {
	c.own.Lock()
	defer c.own.Unlock()
	if c.summarising != nil {
		c.summarising()
	}
}

// end stops what a closed chat is doing.
func (c *Chat) end() {
	c.stopSummary()
	c.Voice.Stop()
}
