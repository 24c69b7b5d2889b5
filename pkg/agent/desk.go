package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/voicekey"
)

// Desk is where the user meets the agent: it does what the extension's pages ask
// and tells them, and the log, what happens. Its fields are set once.
type Desk struct {
	Voice     *voice.Manager
	Approvals *policy.Approvals
	// Answer decides an open question for the user and logs that.
	Answer func(ctx context.Context, id string, allow bool, scope policy.Scope) error
	Log    *journal.Journal
	Memory Memory
	Base   string // the voice service's address
	// Show takes a change for the pages. It must not block.
	Show func(change json.RawMessage)
	// Failed takes what could not be logged.
	Failed func(err error)

	saving sync.Mutex // one change of the settings at a time

	mu     sync.Mutex
	rows   []voice.Row
	rowsOf string // the session of the last row
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

// Command does what the user asks. It gives the whole view to who asks for that,
// else the state alone: what changes is shown as it changes.
func (d *Desk) Command(ctx context.Context, command string, args json.RawMessage) (json.RawMessage, error) {
	if err := d.do(ctx, command, args); err != nil {
		return nil, err
	}
	if command == "view" {
		return json.Marshal(d.view())
	}
	return json.Marshal(map[string]voice.State{"state": d.Voice.State()})
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
		return d.Answer(ctx, a.ID, a.Verdict == "allow", a.Scope)
	}
	session, err := d.Voice.Begun()
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
	d.saving.Lock()
	defer d.saving.Unlock()
	settings, err := ReadSettings()
	if err != nil {
		settings = DefaultSettings()   // a broken file is replaced by what the user sets now
		settings.Mode = policy.ModeAsk // which the file may have said
	}
	if settings, err = settings.Change(members); err != nil {
		return err
	}
	if err := settings.Save(); err != nil {
		return err
	}
	d.show("settings", d.settings())
	d.Voice.Refresh()
	if session, err := d.Voice.Begun(); err == nil { // without one the next begins with it
		session.LimitSpending(settings.SpendingLimitUSD)
	}
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
	return view{State: d.Voice.State(), Rows: d.Rows(), Approvals: append([]policy.Approval{}, d.Approvals.List()...), Settings: d.settings()}
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

// ApprovalDecided tells the agent what became of its question: it may speak of
// something else by then, and would not ask again by itself.
func (d *Desk) ApprovalDecided(a policy.Approval, o policy.Outcome) {
	session, err := d.Voice.Session()
	if err != nil || a.SessionID != d.Voice.State().SessionID {
		return // of another session, or of one that is over
	}
	session.Inform(fmt.Sprintf(decided[o], a.Name))
}

var decided = map[policy.Outcome]string{
	policy.Allowed: "The user has allowed %s. Call it again now, with the same arguments.",
	policy.Refused: "The user has refused %s. Do not call it again and look for no other way to the same end. Say that it was not done.",
	policy.Expired: "Nobody answered in time whether %s may run, which counts as a refusal. Say so; call it again only if the user still wants it.",
}

// StateChanged shows the state and logs its changes.
func (d *Desk) StateChanged(s voice.State) { d.show("state", s) }

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
