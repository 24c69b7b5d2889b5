package agent

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/voicekey"
)

// shownRows is how many turns a page gets that opens late.
const shownRows = 500

// maxLogged bounds a turn's text in the log, in characters.
const maxLogged = 700

// Desk is where the user meets the agent: it does what the extension's pages ask
// and tells them, and the log, what happens. Its fields are set once.
type Desk struct {
	Voice     *voice.Manager
	Approvals *policy.Approvals
	Log       *journal.Journal
	Memory    Memory
	Base      string // the voice service's address
	// Show takes a change for the pages. It must not block.
	Show func(change json.RawMessage)
	// Failed takes what could not be logged.
	Failed func(err error)

	mu   sync.Mutex
	rows []voice.Row
}

var _ voice.Observer = (*Desk)(nil)

// Key is the provider's key as it is shown.
type Key struct {
	Source voicekey.Source `json:"source"`
	Masked string          `json:"masked"`
}

// shownSettings are the settings with what can only be read.
type shownSettings struct {
	Settings
	Base   string   `json:"base"`
	Key    Key      `json:"key"`
	Voices []string `json:"voices"`
}

// view is all that a page shows.
type view struct {
	State     voice.State       `json:"state"`
	Rows      []voice.Row       `json:"rows"`
	Approvals []policy.Approval `json:"approvals"`
	Settings  shownSettings     `json:"settings"`
}

// Command does what the user asks, and gives the view as it then is.
func (d *Desk) Command(ctx context.Context, command string, args json.RawMessage) (json.RawMessage, error) {
	if err := d.do(ctx, command, args); err != nil {
		return nil, err
	}
	return json.Marshal(d.view())
}

func (d *Desk) do(ctx context.Context, command string, args json.RawMessage) error {
	var a struct {
		TextOnly bool         `json:"text_only"`
		Text     string       `json:"text"`
		Mode     voice.Mode   `json:"mode"`
		Input    bool         `json:"input"`
		Output   bool         `json:"output"`
		ID       string       `json:"id"`
		Verdict  string       `json:"verdict"`
		Scope    policy.Scope `json:"scope"`
	}
	if command == "settings" {
		return d.change(args)
	}
	if err := strictjson.Decode(args, &a, strictjson.Limits{}); err != nil {
		return fault.From(err).WithDispatched(fault.NotDispatched)
	}
	switch command {
	case "view":
		return nil
	case "start":
		_, err := d.Voice.Start(ctx, a.TextOnly)
		return err
	case "stop":
		d.Voice.Stop()
		return nil
	case "forget":
		_, err := d.Memory.Forget()
		return err
	case "approve":
		return d.Approvals.Answer(a.ID, a.Verdict == "allow", a.Scope)
	}
	session, err := d.Voice.Session()
	if err != nil {
		return err
	}
	switch command {
	case "say":
		return session.Tell(a.Text, a.Mode)
	case "interrupt":
		session.Interrupt()
		return nil
	case "mute":
		return session.Mute(ctx, a.Input, a.Output)
	}
	return fault.New(fault.InvalidInput, "the agent does not know the command %q", command)
}

func (d *Desk) change(members json.RawMessage) error {
	settings, err := ReadSettings()
	if err != nil {
		settings = DefaultSettings() // a broken file is replaced by what the user sets now
	}
	if settings, err = settings.Change(members); err != nil {
		return err
	}
	if err := settings.Save(); err != nil {
		return err
	}
	d.show("settings", d.settings())
	d.Voice.Refresh()
	return nil
}

func (d *Desk) settings() shownSettings {
	settings, err := ReadSettings()
	if err != nil {
		settings = DefaultSettings()
	}
	key, source, _ := voicekey.Key() // without one the source says so
	return shownSettings{Settings: settings, Base: d.Base, Key: Key{source, voicekey.Mask(key)}, Voices: Voices}
}

func (d *Desk) view() view {
	d.mu.Lock()
	rows := slices.Clone(d.rows)
	d.mu.Unlock()
	return view{State: d.Voice.State(), Rows: append([]voice.Row{}, rows...), Approvals: append([]policy.Approval{}, d.Approvals.List()...), Settings: d.settings()}
}

func (d *Desk) show(part string, value any) {
	change, err := json.Marshal(map[string]any{part: value})
	if err != nil {
		d.Failed(fault.Wrap(err, fault.InternalError, "the %s cannot be shown: %v", part, err))
		return
	}
	d.Show(change)
}

// ApprovalsChanged tells that a question was asked, answered or is over.
func (d *Desk) ApprovalsChanged() {
	d.show("approvals", append([]policy.Approval{}, d.Approvals.List()...))
}

// StateChanged shows the state and logs its changes.
func (d *Desk) StateChanged(s voice.State) { d.show("state", s) }

// RowChanged shows a turn and logs it when it is complete.
func (d *Desk) RowChanged(r voice.Row) {
	d.mu.Lock()
	if i := slices.IndexFunc(d.rows, func(other voice.Row) bool { return other.ID == r.ID }); i >= 0 {
		d.rows[i] = r
	} else {
		d.rows = append(d.rows, r)
		d.rows = d.rows[max(0, len(d.rows)-shownRows):]
	}
	d.mu.Unlock()
	d.show("row", r)
	if r.Done && (r.Role == "user" || r.Role == "assistant") {
		text := []rune(r.Text)
		d.Note("transcript", map[string]any{"role": r.Role, "text": string(text[:min(len(text), maxLogged)])})
	}
}

// ToolRan needs no record of its own: the call path has written it.
func (d *Desk) ToolRan(voice.ToolRun) {}

// Note puts what happened into the log.
func (d *Desk) Note(kind string, data any) {
	raw, err := json.Marshal(map[string]any{"event": kind, "data": data})
	if err == nil {
		session := d.Voice.State().SessionID
		err = d.Log.Append(context.Background(), journal.Record{SessionID: session, Type: journal.TypeLifecycle, Name: "agent." + kind, Data: raw})
	}
	if err != nil {
		d.Failed(err)
	}
}
