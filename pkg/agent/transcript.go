package agent

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/voice"
)

// maxRows is how many turns a page receives when it opens.
const maxRows = 500

// maxLogged bounds a turn's text in the log, in characters.
const maxLogged = 700

// Rows returns the transcript, as far as it is kept.
func (c *Conversation) Rows() []voice.Row {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]voice.Row{}, c.rows...)
}

// Restore begins with the transcript of an earlier host's session. Its partial turns
// are marked as done: they will not be completed.
func (c *Conversation) Restore(session string, rows []voice.Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows, c.rowsSession = rows, session
	for i := range c.rows {
		c.rows[i].Done = true
	}
}

// RowChanged shows a turn and logs it when it is complete.
func (c *Conversation) RowChanged(r voice.Row) {
	if session := c.Voice.State().SessionID; c.startsSession(session) {
		c.putRow(voice.Row{ID: "begins:" + session, Role: "note", Text: newSession, Done: true})
	}
	c.putRow(r)
	if r.Done && (r.Role == "user" || r.Role == "assistant") {
		text := []rune(r.Text)
		c.LogEvent("transcript", map[string]any{"role": r.Role, "text": string(text[:min(len(text), maxLogged)])})
	}
}

// newSession separates the turns of two sessions: the model knows nothing of the turns
// above it.
const newSession = "A new session. The agent has not heard what stands above."

// startsSession reports whether the session's first row follows another session's.
func (c *Conversation) startsSession(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	former := c.rowsSession
	c.rowsSession = session
	return former != "" && former != session
}

// putRow shows a turn; it replaces the one with the same id.
func (c *Conversation) putRow(r voice.Row) {
	c.mu.Lock()
	if i := slices.IndexFunc(c.rows, func(other voice.Row) bool { return other.ID == r.ID }); i >= 0 {
		c.rows[i] = r
	} else {
		c.rows = append(c.rows, r)
		c.rows = c.rows[max(0, len(c.rows)-maxRows):]
	}
	c.mu.Unlock()
	c.sendChange("row", r)
}

// close shows an empty conversation and lets nothing of this one be shown after it: what it does
// may end late, when its tab has another one.
func (c *Conversation) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows, c.rowsSession = nil, ""
	c.send("state", voice.State{Status: voice.Disconnected, TextOnly: true})
	c.send("code", false)
	c.send("rows", []voice.Row{})
	c.send("summary", "")
	c.closed = true
}
