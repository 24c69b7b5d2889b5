// Package logview shows the log to people: lines for a terminal, sessions with
// their counts, a report of one session, and plain text within a limit.
//
// Rules of this package:
//   - It reads records and changes nothing.
//   - What a record holds may come from a page. Texts are put into one line and
//     shortened here; whoever writes to a terminal or to HTML escapes them.
//   - A record that cannot be understood is shown as what it is, never left out.
//   - Nothing here asks for the time: the caller says what now is and where.
package logview

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// siteTool runs stored actions; people want to read the action's name instead.
const siteTool = "actions.site"

// kind is what a record means to a reader.
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

// entry is a record together with what its data says.
type entry struct {
	journal.Record
	payload data
	kind    kind
}

// data has the members of all kinds of records.
type data struct {
	OK         *bool           `json:"ok"`
	DurationMS float64         `json:"duration_ms"`
	Arguments  json.RawMessage `json:"arguments"`
	Output     json.RawMessage `json:"output"`
	Error      *fault.Error    `json:"error"`
	TabID      int             `json:"tab_id"`
	URL        string          `json:"url"`
	Origin     string          `json:"origin"`
	Action     string          `json:"action"`
	Map        string          `json:"map"`
	Steps      []actionStep    `json:"steps"`
	Effect     string          `json:"effect"`
	Report     *policy.Report  `json:"policy_exception_report"`

	ID        string    `json:"id"` // of an approval's question
	ExpiresAt time.Time `json:"expires_at"`
	Effects   []string  `json:"effects"`
	Summary   string    `json:"summary"`
	Approval  string    `json:"approval"` // of its answer
	Allow     *bool     `json:"allow"`
	Scope     string    `json:"scope"`

	Name   string          `json:"name"`   // of a named session
	Client json.RawMessage `json:"client"` // of a started one
	Event  string          `json:"event"`
	Data   json.RawMessage `json:"data"`
	Reason string          `json:"reason"`
	Title  string          `json:"title"`

	Truncated bool   `json:"truncated"` // the record was too large; its start is in Head
	Head      string `json:"head"`

	Problem          string `json:"problem"`
	ExtensionVersion string `json:"extension_version"`
	Browser          struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"browser"`
}

// actionStep is a step as the outcome of its action lists it.
type actionStep struct {
	ID        string `json:"id"`
	Primitive string `json:"primitive"`
	OK        bool   `json:"ok"`
	Skipped   bool   `json:"skipped"`
}

func read(r journal.Record) entry {
	e := entry{Record: r}
	// Records of all kinds are decoded by one type: members of another kind's
	// form stay empty.
	_ = json.Unmarshal(r.Data, &e.payload)
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
	case r.Type == journal.TypePolicy && d.Error != nil:
		e.kind = refused
	case r.Type == journal.TypePolicy && !d.ExpiresAt.IsZero():
		e.kind = asked
	case r.Type == journal.TypePolicy && d.Allow != nil:
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
	return e.kind == refused || e.Type == journal.TypeInterrupted || e.kind == ended && e.payload.OK != nil && !*e.payload.OK
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
	if e.payload.Action != "" {
		return e.payload.Action
	}
	var args struct {
		Mode   string `json:"mode"`
		Action string `json:"action"`
	}
	// Without arguments the tool's name is all there is.
	_ = json.Unmarshal(e.payload.Arguments, &args)
	switch {
	case args.Action != "":
		return args.Action
	case args.Mode != "":
		return siteTool + " " + args.Mode
	default:
		return name
	}
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
