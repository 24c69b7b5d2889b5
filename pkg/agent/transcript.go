package agent

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/voice"
)

// shownRows is how many turns a page gets that opens late.
const shownRows = 500

// maxLogged bounds a turn's text in the log, in characters.
const maxLogged = 700

// Rows is the transcript, as far as it is kept.
func (d *Desk) Rows() []voice.Row {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]voice.Row{}, d.rows...)
}

// Restore begins with the transcript of an earlier host's session. Turns that
// were not complete will not be.
func (d *Desk) Restore(session string, rows []voice.Row) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rows, d.rowsOf = rows, session
	for i := range d.rows {
		d.rows[i].Done = true
	}
}

// RowChanged shows a turn and logs it when it is complete.
func (d *Desk) RowChanged(r voice.Row) {
	if session := d.Voice.State().SessionID; d.begins(session) {
		d.put(voice.Row{ID: "begins:" + session, Role: "note", Text: newSession, Done: true})
	}
	d.put(r)
	if r.Done && (r.Role == "user" || r.Role == "assistant") {
		text := []rune(r.Text)
		d.Note("transcript", map[string]any{"role": r.Role, "text": string(text[:min(len(text), maxLogged)])})
	}
}

// newSession stands between the turns of two sessions: the model knows nothing
// of what the user reads above it.
const newSession = "A new session. The agent has not heard what stands above."

// begins tells whether the session's first row comes after another session's.
func (d *Desk) begins(session string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	former := d.rowsOf
	d.rowsOf = session
	return former != "" && former != session
}

// put shows a turn, in the place of the one with its id if there is one.
func (d *Desk) put(r voice.Row) {
	d.mu.Lock()
	if i := slices.IndexFunc(d.rows, func(other voice.Row) bool { return other.ID == r.ID }); i >= 0 {
		d.rows[i] = r
	} else {
		d.rows = append(d.rows, r)
		d.rows = d.rows[max(0, len(d.rows)-shownRows):]
	}
	d.mu.Unlock()
	d.show("row", r)
}
