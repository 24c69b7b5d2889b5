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
}

// Outcome is what became of a question.
type Outcome string

// The outcomes. A question that was withdrawn with its session has none.
const (
	Allowed Outcome = "allowed"
	Refused Outcome = "refused"
	Expired Outcome = "expired"
)

// Fault returns the error that informs a caller of the question.
func (a Approval) Fault() *fault.Error {
	return fault.New(fault.NeedsApproval, "%s needs the user's approval of %s on %s", a.Name, joinEffects(a.Effects), originText(a.Origin)).
		With("id", a.ID).With("expires_at", a.ExpiresAt).With("effects", a.Effects).
		WithNextStep("Ask the user to answer (actions-host approvals allow " + a.ID + ", or the popup), then call again before it expires.").
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

	mu   sync.Mutex
	open map[string]Approval
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
	delete(a.open, oldest.ID)
	a.decided(oldest, Expired)
}

// Answer closes a question with a grant, or a deny, for each of its effects. The
// fault is invalid_arguments when the question is unknown, answered or expired
// (which was a refusal already), and the store's when scope always could not be
// kept.
func (a *Approvals) Answer(id string, allow bool, scope Scope) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dropExpired()
	approval, ok := a.open[id]
	if !ok {
		return fault.New(fault.InvalidArguments, "no question with the id %q is open; one that is not answered within %s is refused", id, ApprovalTTL).
			WithNextStep("See what is open with actions-host approvals list, or call again to be asked again.")
	}
	if approval.requireNew && allow {
		scope = ScopeOnce // a wider one would not count for it, and was not asked for
	}
	grants := make([]Grant, len(approval.Effects))
	for i, effect := range approval.Effects {
		grants[i] = approval.grant(effect, allow, scope, a.engine.now())
		if err := grants[i].check(); err != nil {
			return err
		}
	}
	delete(a.open, id)
	a.changed()
	for _, g := range grants {
		if err := a.engine.Grant(g); err != nil {
			return err
		}
	}
	a.decided(approval, map[bool]Outcome{true: Allowed, false: Refused}[allow])
	return nil
}

func (a Approval) grant(effect Effect, allow bool, scope Scope, now time.Time) Grant {
	g := Grant{Origin: a.Origin, Effect: effect, Scope: scope, Deny: !allow, SessionID: a.SessionID, Since: now}
	switch scope {
	case ScopeAlways:
		g.SessionID = ""
	case ScopeOnce:
		// Permission for one call must not lie about until some later call
		// happens to match it, and the user has seen this call, not another one
		// with the same effect. A refusal holds for all that comes until it expires.
		g.ExpiresAt = now.Add(ApprovalTTL)
		if allow {
			g.Call = a.call
		}
	}
	return g
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
	for id, approval := range a.open {
		if !now.Before(approval.ExpiresAt) {
			delete(a.open, id)
			a.decided(approval, Expired)
		}
	}
	if len(a.open) < before {
		a.changed()
	}
}
