package policy

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Face is where a person answered a question, stopped calls or let agents go on.
type Face string

// The faces. Only what is typed in a terminal proves by a code that a person has seen the question:
// the others show it themselves, and no program can reach them.
const (
	FacePopup        Face = "popup"
	FacePane         Face = "pane"
	FaceNotification Face = "notification"
	FacePanel        Face = "panel"
	FaceClient       Face = "client"   // the form of the client that asked
	FaceTerminal     Face = "terminal" // an answer with the code, or a stop
	FacePage         Face = "page"     // of stops alone, as those below
	FaceKeyboard     Face = "keyboard"
	FaceBrowser      Face = "browser" // its own way to end the debugging
)

// Answer is what a person says to a question.
type Answer struct {
	ID    string
	Allow bool
	Scope Scope // empty: once
	Face  Face
	// Code is the one that the question shows; an allow in a terminal needs it.
	Code string
	// SessionID is the session whose client shows the form: it answers no question of another.
	SessionID string
}

const (
	// codeSigns has no signs that look or sound alike.
	codeSigns  = "234679acdefhjkmnprtwxy"
	codeLength = 5

	// maxWrongCodes refuse a question.
	maxWrongCodes = 3
	// maxWrongCodesInAll stop all answers by a code for a while: a program could else have questions
	// asked, and guess, without end.
	maxWrongCodesInAll = 30
	wrongCodesInterval = 10 * time.Minute
)

// newCode returns a code that cannot be foreseen.
func newCode() string {
	code := make([]byte, codeLength)
	for i := range code {
		at, err := rand.Int(rand.Reader, big.NewInt(int64(len(codeSigns))))
		if err != nil {
			panic(err) // not reachable: crypto/rand ends the program instead
		}
		code[i] = codeSigns[at.Int64()]
	}
	return string(code)
}

// Answered is a question after an answer to it, counted or not.
type Answered struct {
	Approval
	Outcome Outcome // empty while it is open
	Scope   Scope   // that the answer counted for
}

// Answer closes a question with a grant, or a deny, for each of its effects. The fault is invalid_arguments when the
// question is unknown, answered or expired (which was a refusal already) or the code is missing or
// wrong, permission_denied when it was wrong too often, and the store's when scope always could not
// be kept.
func (a *Approvals) Answer(answer Answer) (Answered, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dropExpired()
	if answer.Scope == "" {
		answer.Scope = ScopeOnce
	}
	approval, ok := a.open[answer.ID]
	if !ok {
		return Answered{}, a.notOpen(answer.ID)
	}
	if err := a.checkFace(approval, answer); err != nil {
		_, open := a.open[approval.ID]
		return Answered{approval, map[bool]Outcome{false: Refused}[open], ScopeOnce}, err
	}
	if approval.requireNew && answer.Allow {
		answer.Scope = ScopeOnce // a wider one would not count for it, and was not asked for
	}
	if err := a.close(approval, answer.Allow, answer.Scope); err != nil {
		return Answered{Approval: approval}, err
	}
	return Answered{approval, outcomeOf(answer.Allow), answer.Scope}, nil
}

func outcomeOf(allow bool) Outcome {
	if allow {
		return Allowed
	}
	return Refused
}

// close ends the question with its grants; it stays open where one of them means nothing.
func (a *Approvals) close(approval Approval, allow bool, scope Scope) error {
	grants := make([]Grant, len(approval.Effects))
	for i, effect := range approval.Effects {
		grants[i] = approval.grant(effect, allow, scope, a.engine.now())
		if err := grants[i].check(); err != nil {
			return err
		}
	}
	delete(a.open, approval.ID)
	a.changed()
	var failed []error
	for _, g := range grants {
		failed = append(failed, a.engine.Grant(g))
	}
	a.end(approval, outcomeOf(allow && errors.Join(failed...) == nil))
	return errors.Join(failed...)
}

// checkFace reports what is wrong with where the answer comes from. Too many wrong codes refuse
// the question.
func (a *Approvals) checkFace(approval Approval, answer Answer) error {
	switch answer.Face {
	case FacePopup, FacePane, FaceNotification, FacePanel:
		return nil
	case FaceClient:
		if approval.SessionID != answer.SessionID || answer.Scope == ScopeAlways {
			return fault.New(fault.InvalidArguments, "a client's form answers the questions of its own session, once or for the session")
		}
		return nil
	}
	if !answer.Allow {
		return nil
	}
	given := strings.ToLower(strings.Map(dropSpace, answer.Code))
	if given == "" {
		return fault.New(fault.InvalidArguments, "an answer in a terminal needs the code that the question shows").
			WithNextStep("Ask the user to answer in the popup of the extension.")
	}
	now := a.engine.now()
	a.wrong = slices.DeleteFunc(a.wrong, func(at time.Time) bool { return now.Sub(at) > wrongCodesInterval })
	if len(a.wrong) >= maxWrongCodesInAll {
		return fault.New(fault.RateLimited, "too many codes were wrong: no code is taken for now").
			With("retry_after_ms", a.wrong[0].Add(wrongCodesInterval).Sub(now).Milliseconds()).
			WithNextStep("Ask the user to answer in the popup of the extension.")
	}
	if subtle.ConstantTimeCompare([]byte(given), []byte(approval.code)) == 1 {
		return nil
	}
	return a.takeWrongCode(approval, now)
}

func (a *Approvals) takeWrongCode(approval Approval, now time.Time) error {
	a.wrong = append(a.wrong, now)
	approval.wrongCodes++
	a.open[approval.ID] = approval
	if approval.wrongCodes < maxWrongCodes {
		return fault.New(fault.InvalidArguments, "this is not the code of the question %s; %d wrong ones refuse it", approval.ID, maxWrongCodes).
			With("wrong_codes", approval.wrongCodes).
			WithNextStep("Ask the user to answer in the popup of the extension.")
	}
	if err := a.close(approval, false, ScopeOnce); err != nil {
		return err
	}
	return fault.New(fault.PermissionDenied, "the question %s is refused: %d codes were wrong", approval.ID, maxWrongCodes).
		With("wrong_codes", approval.wrongCodes).
		WithNextStep("Look for no other way to the same end. Tell the user that it was refused.")
}

// dropSpace lets a code be typed in groups.
func dropSpace(r rune) rune {
	if r == ' ' || r == '-' {
		return -1
	}
	return r
}

// notOpen returns the error of an answer to a question that is not open.
func (a *Approvals) notOpen(id string) error {
	const next = "See what is open with actions-host approvals list, or call again to be asked again."
	if at := slices.IndexFunc(a.closed, func(c closedQuestion) bool { return c.id == id }); at >= 0 {
		return fault.New(fault.InvalidArguments, "the question %q is %s already", id, a.closed[at].outcome).
			With("outcome", a.closed[at].outcome).WithNextStep(next)
	}
	return fault.New(fault.InvalidArguments, "no question with the id %q is open; one that is not answered within %s is refused", id, ApprovalTTL).
		WithNextStep(next)
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
