// Package logview shows the log to people: lines for a terminal, sessions with
// their counts, a report of one session, and plain text within a limit.
//
// Rules of this package:
//   - It reads records and changes nothing.
//   - What a record holds may come from a page. Texts are put into one line and
//     shortened here; whoever writes to a terminal or to HTML escapes them.
//   - A record that cannot be understood is shown as what it is, never left out.
//   - Nothing here asks for the time: the caller passes now and its zone.
package logview

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/redact"
)

// siteTool runs stored actions; people want to read the action's name instead.
const siteTool = "actions.site"

// kind is the meaning of a record to a reader.
type kind int

const (
	noted    kind = iota
	started       // a call is about to be sent
	ended         // it ended, well or not
	refused       // it was not let through
	asked         // it waits for a person
	answered      // who was asked has answered
	spoken        // a turn of a conversation
)

// entry is a record together with its decoded data.
type entry struct {
	journal.Record
	payload data
	decided journal.PolicyEvent
	kind    kind
}

// data has the members of all kinds of records.
type data struct {
	journal.Outcome
	redact.Truncation

	ID        string    `json:"id"` // of an approval's question
	ExpiresAt time.Time `json:"expires_at"`
	Effects   []string  `json:"effects"`
	Summary   string    `json:"summary"`

	Name   string          `json:"name"`   // of a named session
	Client json.RawMessage `json:"client"` // of a started one
	Event  string          `json:"event"`
	Data   json.RawMessage `json:"data"`
	Reason string          `json:"reason"`
	Title  string          `json:"title"`

	Problem          string `json:"problem"`
	ExtensionVersion string `json:"extension_version"`
	Browser          struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"browser"`
}

func read(r journal.Record) entry {
	e := entry{Record: r}
	// Records of all kinds are decoded by one type: members of another kind's
	// form stay empty.
	_ = json.Unmarshal(r.Data, &e.payload)
	if r.Type == journal.TypePolicy {
		_ = json.Unmarshal(r.Data, &e.decided)
	}
	d := &e.payload
	if d.Truncated {
		d.begin()
	}
	switch {
	case r.Type == journal.TypeIntent:
		e.kind = started
	case r.Type == journal.TypeOutcome, r.Type == journal.TypeInterrupted:
		e.kind = ended
	case r.Type == journal.TypePolicy && d.Error != nil && d.Error.Code == fault.NeedsApproval:
		e.kind = noted // the question before it says more
	case r.Type == journal.TypePolicy && (d.Error != nil || d.Truncated && r.CallID != ""): // questions are short
		e.kind = refused
	case r.Type == journal.TypePolicy && !d.ExpiresAt.IsZero():
		e.kind = asked
	case r.Type == journal.TypePolicy && e.decided.Allow != nil:
		e.kind = answered
	case r.Type == journal.TypeLifecycle && d.Event == "transcript":
		e.kind = spoken
	}
	return e
}

// begin reads how the call ended from the start of an outcome that was cut.
func (d *data) begin() {
	decoder := json.NewDecoder(strings.NewReader(d.Head))
	for {
		name, err := decoder.Token()
		if err != nil || name == "output" || name == "arguments" {
			return
		}
		switch name {
		case "ok":
			d.OK = new(bool)
			err = decoder.Decode(d.OK)
		case "duration_ms":
			err = decoder.Decode(&d.DurationMS)
		}
		if err != nil {
			return
		}
	}
}

// failed reports whether the call did not end well.
func (e entry) failed() bool {
	return e.kind == refused || e.Type == journal.TypeInterrupted || e.kind == ended && e.payload.Failed()
}

// unknown reports whether the call ended and its record had no room for how.
func (e entry) unknown() bool {
	return e.kind == ended && e.payload.Truncated && e.payload.OK == nil
}

// fault is why it failed, nil if it did not.
func (e entry) fault() *fault.Error {
	if e.Type == journal.TypeInterrupted {
		return fault.New(fault.OutcomeUnknown, "the host ended while the call ran")
	}
	return e.payload.Error
}

func (e entry) took() time.Duration {
	return time.Duration(e.payload.DurationMS * float64(time.Millisecond))
}

// subject is the name of what was called: of a stored action its own.
func (e entry) subject() string {
	name := e.Name
	if name == "" {
		name = e.payload.Name
	}
	if name != siteTool {
		return name
	}
	if action := e.payload.ActionName(); action != "" {
		return action
	}
	var args struct {
		Mode string `json:"mode"`
	}
	// Without arguments the tool's name is all there is.
	_ = json.Unmarshal(e.payload.Arguments, &args)
	return joined(" ", name, args.Mode)
}

// arguments are those that say what the call was for: of a stored action its own.
func (e entry) arguments() json.RawMessage {
	if e.Name != siteTool {
		return e.payload.Arguments
	}
	var args struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(e.payload.Arguments, &args)
	return args.Arguments
}

// place is the origin where it happened, empty where none is known.
func (e entry) place() string {
	for _, url := range []string{e.payload.Origin, e.payload.URL} {
		if o, err := origin.Parse(url); err == nil {
			return o.String()
		}
	}
	return ""
}

// turn returns the role and the text of a conversation's turn.
func (e entry) turn() (role, text string) {
	var t struct {
		Role string `json:"role"`
		Text string `json:"text"`
	}
	_ = json.Unmarshal(e.payload.Data, &t)
	return t.Role, t.Text
}

// Kind of a session, by its id.
func sessionKind(id string) string {
	kind, _, _ := strings.Cut(id, ":")
	return kind
}
