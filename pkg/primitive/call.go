package primitive

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// Session is the caller as a handler sees it.
type Session interface {
	// Current returns the id of the session's current tab, 0 for none.
	Current() int
	// SetCurrent changes it.
	SetCurrent(tabID int)
	// Kind returns cli, mcp, voice or agent.
	Kind() string
	// SessionID names it in the log and is the key of its stored data.
	SessionID() string
	// Sees reports whether it may know the address and title of a page.
	Sees(url string) bool
	// Name and SetName are the name that the caller gave it, for people.
	Name() string
	SetName(name string)
	// Finish reports whether the session's last action was looked at; the fault is
	// unverified_action where it has to be looked at first.
	Finish() (verified bool, err error)
	// Pace sets the least time between two paced primitives.
	Pace(every time.Duration)
}

// Call is one call as a handler sees it: looked up, validated, allowed.
type Call struct {
	ID        string
	Record    *Record
	Arguments json.RawMessage
	TabID     int    // 0 where no tab is involved
	RuntimeID string // set only when the caller named a document
	Origin    string // the origin that policy decided for; the page refuses another
	// FrameOrigins are further origins that policy decided for: the call may go
	// on into frames of theirs.
	FrameOrigins []string
	// Permit decides for one more origin, for what can go on without it.
	Permit func(origin string) error
	// PermitFor is Permit for other effects than the call's own.
	PermitFor func(origin string, effects ...string) error
	// WouldPermit returns the error of Permit without asking the user or using up a grant;
	// DependsOnOrigin reports whether Permit could refuse any other origin than those of DeniesOrigins.
	WouldPermit     func(origin string) error
	DependsOnOrigin func() bool
	// DeniesOrigins reports whether the user's policy file denies some origins to the session.
	// Permit refuses them; few pages have anything of theirs.
	DeniesOrigins func() bool
	// Confirm asks the user, whatever the settings are.
	Confirm func(Question) error
	// OnlyLooks reports that the session is in the mode ask.
	OnlyLooks bool
	// AllowsAPI reports whether the user lets a grant for an origin cover requests that write.
	AllowsAPI  bool
	URL        string // of the tab when the call was decided
	Stored     bool   // a step of a stored action, whose author knows what follows
	Authorized bool   // a step of a stored action that was decided as a whole
	Session    Session
	Shown      string // the name that the page shows meanwhile; empty: nothing is shown
	// ShownArgument is what it is about, as [Record.LabelArgument] returns it.
	ShownArgument string
	Meta          *Meta // about the run; the handler adds to it
	// LeaveLane lets other calls into the tab before this one has ended, for a handler that
	// from now on only waits. A step among others of a stored action stays in its lane.
	LeaveLane func()
	// Detach returns a context that outlives the call and ends when the user stops the tab's
	// calls or the session ends; the function must be called when what goes on has ended.
	Detach func() (ctx context.Context, ended func())
}

// Question asks the user for a grant of the call's effect on the origin.
type Question struct {
	Name   string // of what is to run
	Origin string
	// Arguments are its arguments, as the user sees them; a grant for one call
	// is for the name with these. Nil means the call's own.
	Arguments          json.RawMessage
	RequireNewApproval bool // only a grant for this very call counts
	// CoveredBy is a further effect whose standing grant on the origin answers the question.
	CoveredBy string
}

// Meta is the information about the run in an envelope, apart from the output.
type Meta struct {
	DurationMS      float64 `json:"duration_ms"`
	Tab             *TabRef `json:"tab,omitzero"`
	RateLimitWaitMS float64 `json:"rate_limit_wait_ms,omitzero"`
	Map             string  `json:"map,omitzero"`        // path of the map whose action ran
	MapErrors       any     `json:"map_errors,omitzero"` // maps of this page that do not load
	Steps           any     `json:"steps,omitzero"`      // summaries of the workflow's steps
	Postcondition   any     `json:"postcondition,omitzero"`
	// Announcements are the texts of live regions, where the session asked for them:
	// the page's own words.
	Announcements any `json:"announcements,omitzero"`
	// OpenedTabs are the tabs and windows that the page opened during the call.
	OpenedTabs []OpenedTab `json:"opened_tabs,omitzero"`
	// Nudge tells a model that it goes round in circles.
	Nudge *Nudge `json:"nudge,omitzero"`
	// Navigated is the navigation of the tab since the session's last call, which did not
	// ask for it.
	Navigated *Navigation `json:"navigated,omitzero"`
	// LogDamage is what was found wrong with the log's file since the acting call before;
	// the log goes on.
	LogDamage string `json:"log_damage,omitzero"`
	// Already reports that a stored action found everything done and changed nothing; it stands
	// in the envelope, where every caller sees it.
	Already bool `json:"-"`
	// Repaired names the stored action that the call mended: its trial, which proved it, is a run.
	Repaired string `json:"-"`
	// Attachments and Done are what the handler hands over beside its output; its record
	// must allow it. What a page returns cannot be one.
	Attachments []Attachment `json:"-"`
	Done        *Done        `json:"-"`
	// Target is what the page met as the target of the call, Destination where a drag ended;
	// for the log.
	Target, Destination *protocol.MetTarget `json:"-"`
	// Acted reports that the call, or a step of it, was to act, and Classes are the classes of
	// what was. Both are for code that runs several calls.
	Acted   bool     `json:"-"`
	Classes []string `json:"-"`
	// Stopped reports that the user stopped the call, which may have succeeded before
	// it noticed. It is for code that runs several calls, not for the answer.
	Stopped bool `json:"-"`
}

// Brief returns what a caller must know of a run that succeeded: the errors of maps, the
// opened tabs, the page's announcements, a navigation that nobody asked for, a nudge, a
// damaged log; nil for nothing.
func (m Meta) Brief() map[string]any {
	brief := map[string]any{}
	if m.MapErrors != nil {
		brief["map_errors"] = m.MapErrors
	}
	if len(m.OpenedTabs) > 0 {
		brief["opened_tabs"] = m.OpenedTabs
	}
	if m.Announcements != nil {
		brief["announcements"] = m.Announcements
	}
	if m.Navigated != nil {
		brief["navigated"] = m.Navigated
	}
	if m.Nudge != nil {
		brief["nudge"] = m.Nudge
	}
	if m.LogDamage != "" {
		brief["log_damage"] = m.LogDamage
	}
	if len(brief) == 0 {
		return nil
	}
	return brief
}

// IsForeign reports whether there is anything in it that a page or the author of a map chose:
// an address, a name, a text.
func (m Meta) IsForeign() bool {
	return m.Tab != nil || m.Map != "" || m.MapErrors != nil || m.Steps != nil || m.Postcondition != nil ||
		m.Announcements != nil || len(m.OpenedTabs) > 0 || m.Navigated != nil
}

// Attachment is a picture to look at or a document to read.
type Attachment struct {
	Kind    Special `json:"kind"`
	DataURL string  `json:"data_url"`
	Title   string  `json:"title,omitzero"`
}

// Attach hands over a picture or a document.
func (m *Meta) Attach(a Attachment) { m.Attachments = append(m.Attachments, a) }

// Done is a model's own word on its task, which ends with it.
type Done struct {
	Summary string `json:"summary"`
	Outcome string `json:"outcome"` // success, partial or failed
}

// Nudge is advice to a model about its own calls, in the host's words.
type Nudge struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Navigation is where a tab was and where it is: the addresses are the page's words.
type Navigation struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// OpenedTab is a tab that a claimed tab's page opened; the call stays on its own.
type OpenedTab struct {
	TabID   int    `json:"tab_id"`
	URL     string `json:"url"` // where it is going: the page's word
	Claimed bool   `json:"claimed"`
}

// TabRef names the tab and the document that a call ran on.
type TabRef struct {
	TabID     int    `json:"tab_id"`
	RuntimeID string `json:"runtime_id"`
	URL       string `json:"url"`
}

// Handler runs a primitive. Its context carries the deadline.
type Handler func(ctx context.Context, call Call) (json.RawMessage, error)

// Registry maps names to handlers; routes page share one.
type Registry struct {
	Page  Handler
	Named map[string]Handler
}

// Handler returns the handler of a record.
func (g *Registry) Handler(r *Record) (Handler, error) {
	if h, ok := g.Named[r.Name]; ok {
		return h, nil
	}
	if r.Route == RoutePage && g.Page != nil {
		return g.Page, nil
	}
	return nil, fault.New(fault.MissingHandler, "nothing runs %s", r.Name).WithDispatched(fault.NotDispatched)
}

// Missing lists names without a handler and handlers without a name.
func (g *Registry) Missing(c *Catalogue) (unhandled, unnamed []string) {
	for _, name := range c.names {
		r, _ := c.Record(name)
		if _, err := g.Handler(r); err != nil {
			unhandled = append(unhandled, name)
		}
	}
	for name := range g.Named {
		if _, ok := c.records[name]; !ok {
			unnamed = append(unnamed, name)
		}
	}
	slices.Sort(unnamed)
	return unhandled, unnamed
}

// VisibleURL returns an address as the session may know it: empty for a page of an origin that is
// hidden from it, to which the tab may have gone since the call was decided.
func (c Call) VisibleURL(url string) string {
	if c.Session != nil && !c.Session.Sees(url) {
		return ""
	}
	return url
}

// PermittedOrigins returns a function that reports for one call whether its session may see what
// is of an origin, as permit decides, which is [Call.Permit] or WouldPermit. A tab goes from page
// to page and shows frames of others: each origin is decided for as the page's own was.
func (c Call) PermittedOrigins(permit func(origin string) error) func(origin string) bool {
	known := map[string]bool{c.Origin: true}
	return func(origin string) bool {
		if origin == "" {
			return c.Session.Sees("") // nothing can be granted for it: only unrestricted sessions see it
		}
		allowed, decided := known[origin]
		if !decided {
			allowed = permit(origin) == nil
			known[origin] = allowed
		}
		return allowed
	}
}
