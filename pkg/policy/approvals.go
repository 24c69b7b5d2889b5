package policy

import (
	"cmp"
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	// ApprovalTTL is how long a question stays open, and how long an allow for
	// one call waits for that call.
	ApprovalTTL = 60 * time.Second

	maxSummary = 500 // characters of an approval's summary
	// maxOpen is how many questions of one session may be open. A session that asks
	// without end must not bury the questions of others.
	maxOpen  = 10
	idLength = 8
)

// Approval is a question that waits for a person.
type Approval struct {
	ID        string      `json:"id"`
	ExpiresAt time.Time   `json:"expires_at"`
	Session   SessionKind `json:"session"`
	SessionID string      `json:"session_id"`
	Caller    string      `json:"caller,omitzero"` // the session's name for people
	Name      string      `json:"name"`
	Origin    string      `json:"origin"`
	Effects   []Effect    `json:"effects"`
	Summary   string      `json:"summary"` // of the arguments, without secrets
	About     About       `json:"about,omitzero"`

	call       string // as in the request
	requireNew bool   // only an allow for this call is asked for
	place      Place
	code       string // stands in nothing that a program reads
	wrongCodes int
}

// Place is the page that a question is about, as the user sees it beside the question.
type Place struct {
	TabID  int // 0: the question is about no tab
	Origin string
}

// Place returns where the question was asked.
func (a Approval) Place() Place { return a.place }

// Shown is a question as only a person gets it: with the code that an answer in a terminal needs.
type Shown struct {
	Approval
	Code string `json:"code"`
}

// Outcome is what became of a question.
type Outcome string

// The outcomes. A question that was withdrawn with its session has none.
const (
	Allowed   Outcome = "allowed"
	Refused   Outcome = "refused"
	Expired   Outcome = "expired"
	Withdrawn Outcome = "withdrawn" // its page is gone
)

// Fault returns the error that informs a caller of the question.
func (a Approval) Fault() *fault.Error {
	return fault.New(fault.NeedsApproval, "%s needs the user's approval of %s on %s", a.Name, joinEffects(a.Effects), originText(a.Origin)).
		With("id", a.ID).With("expires_at", a.ExpiresAt).With("effects", a.Effects).
		WithNextStep("Ask the user to answer it in the popup of the extension, then call again before it expires.").
		WithDispatched(fault.NotDispatched)
}

// Approvals holds the open questions of one profile. Its methods are safe for
// concurrent use.
type Approvals struct {
	engine *Engine
	// Changed, if not nil, is called when a question was asked, answered or
	// withdrawn. It must not block. Set it before the first question.
	Changed func()
	// Decided, if not nil, is called when a question has come to its end. It must
	// not block. Set it before the first question.
	Decided func(Approval, Outcome)

	mu     sync.Mutex
	open   map[string]Approval
	closed []closedQuestion // of the last minutes
	wrong  []time.Time      // when codes were wrong, of the last minutes
}

// closedQuestion is what a late answer is told about.
type closedQuestion struct {
	id      string
	outcome Outcome
	at      time.Time
}

// NewApprovals makes an empty list; its answers become grants of the engine,
// whose clock it uses.
func NewApprovals(engine *Engine) *Approvals {
	return &Approvals{engine: engine, open: map[string]Approval{}}
}

// Open asks what a decision with the verdict ask needs. The summary of the
// arguments must be free of secrets already. A question that is open is not
// asked twice: the same session, call, origin and effects have the same one. A
// session that asks too much loses its oldest question, which counts as refused.
func (a *Approvals) Open(r Request, d Decision, summary string) Approval {
	return a.OpenAt(Place{}, r, d, summary)
}

// OpenAt is Open for a question about a page: it is withdrawn when the page is gone.
func (a *Approvals) OpenAt(at Place, r Request, d Decision, summary string) Approval {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dropExpired()
	for _, open := range a.open {
		if open.SessionID == r.SessionID && open.Name == r.Name && open.call == r.Call && open.Origin == r.Origin && slices.Equal(open.Effects, d.Needs) {
			return open
		}
	}
	a.makeRoom(r.SessionID)
	approval := Approval{
		ID:         strings.ToLower(rand.Text()[:idLength]),
		ExpiresAt:  a.engine.now().Add(ApprovalTTL),
		Session:    r.Session,
		SessionID:  r.SessionID,
		Caller:     r.SessionName,
		Name:       r.Name,
		Origin:     r.Origin,
		Effects:    slices.Clone(d.Needs),
		Summary:    truncate.Characters(strings.ToValidUTF8(summary, "�"), maxSummary),
		About:      r.About,
		call:       r.Call,
		requireNew: r.RequireNewApproval,
		place:      at,
		code:       newCode(),
	}
	a.open[approval.ID] = approval
	time.AfterFunc(ApprovalTTL, a.expire)
	a.changed()
	return approval
}

func (a *Approvals) makeRoom(sessionID string) {
	var own []Approval
	for _, open := range a.open {
		if open.SessionID == sessionID {
			own = append(own, open)
		}
	}
	if len(own) < maxOpen {
		return
	}
	oldest := slices.MinFunc(own, func(x, y Approval) int { return cmp.Or(x.ExpiresAt.Compare(y.ExpiresAt), cmp.Compare(x.ID, y.ID)) })
	a.end(oldest, Expired)
}

// Shown returns the open questions with their codes, the oldest first. It is for what a person
// looks at: nothing that a program can ask for may hold it.
func (a *Approvals) Shown() []Shown {
	list := a.List()
	shown := make([]Shown, len(list))
	for i, approval := range list {
		shown[i] = Shown{approval, approval.code}
	}
	return shown
}

// Withdraw ends the questions whose page is gone and returns them. No answer counts any more.
func (a *Approvals) Withdraw(gone func(Place) bool) []Approval {
	a.mu.Lock()
	defer a.mu.Unlock()
	var withdrawn []Approval
	for _, approval := range a.open {
		if approval.place.TabID != 0 && gone(approval.place) {
			a.end(approval, Withdrawn)
			withdrawn = append(withdrawn, approval)
		}
	}
	if len(withdrawn) > 0 {
		a.changed()
	}
	return withdrawn
}

// List returns the open questions, the oldest first.
func (a *Approvals) List() []Approval {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dropExpired()
	list := make([]Approval, 0, len(a.open))
	for _, approval := range a.open {
		list = append(list, approval)
	}
	slices.SortFunc(list, func(x, y Approval) int {
		return cmp.Or(x.ExpiresAt.Compare(y.ExpiresAt), cmp.Compare(x.ID, y.ID))
	})
	return list
}

// EndSessions withdraws the questions of these sessions.
func (a *Approvals) EndSessions(ids ...string) {
	ended := setOf(ids)
	a.mu.Lock()
	defer a.mu.Unlock()
	before := len(a.open)
	maps.DeleteFunc(a.open, func(_ string, approval Approval) bool { return ended[approval.SessionID] })
	if len(a.open) != before {
		a.changed()
	}
}

// changed reports the change, outside of the lock: the function that is called asks
// for the list.
func (a *Approvals) changed() {
	if a.Changed != nil {
		go a.Changed()
	}
}

// end closes a question and remembers what became of it, for answers that come too late.
func (a *Approvals) end(approval Approval, o Outcome) {
	now := a.engine.now()
	delete(a.open, approval.ID)
	a.closed = append(slices.DeleteFunc(a.closed, func(c closedQuestion) bool { return now.Sub(c.at) > 2*ApprovalTTL }), closedQuestion{approval.ID, o, now})
	a.decided(approval, o)
}

func (a *Approvals) decided(approval Approval, o Outcome) {
	if a.Decided != nil {
		go a.Decided(approval, o)
	}
}

// expire drops and reports expired questions even if nothing else asks for the list.
func (a *Approvals) expire() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dropExpired()
}

func (a *Approvals) dropExpired() {
	now := a.engine.now()
	before := len(a.open)
	for _, approval := range a.open {
		if !now.Before(approval.ExpiresAt) {
			a.end(approval, Expired)
		}
	}
	if len(a.open) < before {
		a.changed()
	}
}
