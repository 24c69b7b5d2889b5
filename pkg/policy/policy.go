// Package policy decides whether a call may run: allow, deny or ask.
//
// Rules of this package:
//   - A decision depends on the request, the rules of policy.json and the grants alone.
//     No page text, no tool description and no output takes part.
//   - A decision goes by one state of policy.json. While the file is broken nothing acts.
//   - The rules are in one order (rules.go); the first that denies decides. A
//     denial names the rule and where it is set.
//   - What is unknown is refused: a mode, an effect or a scope without a meaning
//     never allows anything.
//   - A deny grant beats every other grant. A question that nobody answers in
//     time is a refusal; a refusal is never silent.
package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// SessionKind is the interface that a session came through. No rule treats one
// better than another; the kind is recorded and shown.
type SessionKind string

// The four kinds.
const (
	SessionCLI   SessionKind = "cli"
	SessionMCP   SessionKind = "mcp"
	SessionVoice SessionKind = "voice"
	SessionAgent SessionKind = "agent"
)

// SessionKinds lists all kinds.
var SessionKinds = []SessionKind{SessionCLI, SessionMCP, SessionVoice, SessionAgent}

// Mode is what the user allows a session to do.
type Mode string

// The two modes.
const (
	ModeAsk Mode = "ask" // looks only: effects read and view
	ModeAct Mode = "act" // acts too; code still needs its own setting
)

// allows reports whether the mode permits the effect.
func (m Mode) allows(effect Effect) bool {
	return m == ModeAct || effect == EffectRead || effect == EffectView
}

// Offers reports whether a session of the mode may have calls of the effect at all.
func Offers(mode Mode, allowCode bool, effect Effect) bool {
	return mode.allows(effect) && (allowCode || effect != EffectCode)
}

// Effect is what a call does, as manifest/primitives declares it.
type Effect string

// The six effects, from the weakest to the strongest.
const (
	EffectRead  Effect = "read"
	EffectView  Effect = "view"
	EffectState Effect = "state"
	EffectInput Effect = "input"
	EffectTab   Effect = "tab"
	EffectCode  Effect = "code"
)

// Effects lists all effects.
var Effects = []Effect{EffectRead, EffectView, EffectState, EffectInput, EffectTab, EffectCode}

// ClassDebug is the capability class whose direct calls need a debugger report.
const ClassDebug = "debug"

// Action is a stored action to decide about.
type Action struct {
	Name       string
	Of         string   // where it stands and what it is, whatever else has its name; an approval is for this one
	Primitives []string // that it is going to run, each once or more
}

// Request is a call to decide about. The dispatcher fills it from the dictionary, the
// session and the tab of that moment.
type Request struct {
	Session             SessionKind
	SessionID           string
	SessionName         string // for people, as the caller gave it
	Mode                Mode
	Name                string   // of the primitive or stored action
	ActionOf            string   // Of of the stored action; empty for a primitive
	Call                string   // its name and arguments: what an approval for once is for
	Effects             []Effect // of the call, or of all steps of a stored action
	Primitives          []string // names of a stored action's steps
	Stored              bool     // a stored action, or a step within one
	RunsOthers          bool     // a call that only makes others, each decided by itself: actions.site, primitives.batch
	Class               string   // capability class of a direct primitive
	Origin              string   // scheme://host[:port] of the tab as pkg/origin formats it; empty without a tab
	Origins             []string // patterns of the pages that the session is restricted to; none: it is not
	TargetOrigins       []string // origins that the call operates on or navigates to; Origins must allow each
	AffectsOtherSession bool     // the call instructs another session, ends it or reads from it
	DelegatesCode       bool     // the call instructs a session that may run JavaScript
	StoredOnly          bool     // the session runs no direct primitive for now
	Blocked             []string // names that the matching map blocks
	Report              *Report  // of a direct call
	ReportCall          string   // the earlier call that the report was given with; empty: this one
	AllowCode           bool
	Ask                 []Effect   // effects that need a person's approval by setting
	About               About      // for the words of a question
	AskInPopup          []Effect   // those of Ask that the user has set in the popup alone
	RequireNewApproval  bool       // an approval counts only if it was given for this very call
	Rules               *FileRules // of policy.json; nil: the engine's of this moment
	HandlerAsks         bool       // the call's handler asks the user itself, once it knows what to ask
}

// Verdict is the result of a decision.
type Verdict string

// The three verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
	Ask   Verdict = "ask"
)

// Decision is a verdict with its reasons.
type Decision struct {
	Verdict Verdict      `json:"verdict"`
	Fault   *fault.Error `json:"error,omitempty"` // nil exactly for allow; not dispatched
	Rule    string       `json:"rule"`            // the rule that decided; the last one for allow
	Needs   []Effect     `json:"needs,omitempty"` // effects to approve, for ask
	Trace   []RuleResult `json:"trace"`           // the rules looked at, in order

	usedUp []Grant // grants of scope once that this decision uses up
}

// RuleResult is one line of an explanation.
type RuleResult struct {
	Rule    string `json:"rule"`
	Section string `json:"section"` // where the rule is set: what to change to change it
	Outcome string `json:"outcome"` // passed, not applicable, denied or asked
}

// Scope is how long a grant lasts.
type Scope string

// The three scopes.
const (
	ScopeOnce    Scope = "once"    // one call of the session
	ScopeSession Scope = "session" // until the session ends
	ScopeAlways  Scope = "always"  // until revoked; persisted
)

// grantIDBytes of a hash are enough to distinguish the grants of one person.
const grantIDBytes = 16

// Grant answers in advance the question whether an effect may happen on an
// origin.
type Grant struct {
	Origin    string    `json:"origin"`
	Effect    Effect    `json:"effect"`
	Scope     Scope     `json:"scope"`
	Deny      bool      `json:"deny,omitzero"`
	SessionID string    `json:"session_id,omitzero"` // of scopes once and session
	Call      string    `json:"call,omitzero"`       // the only call it is for; empty: any
	Since     time.Time `json:"since,omitzero"`      // when it was given; zero: not known
	ExpiresAt time.Time `json:"expires_at,omitzero"` // zero: no end but the scope's
}

// ID names the grant to those who need not see the call that it is for, which
// may be long and holds what was to be typed. The same permission has the same id.
func (g Grant) ID() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %t %q %q", g.Origin, g.Effect, g.Scope, g.Deny, g.SessionID, g.Call))
	return hex.EncodeToString(sum[:grantIDBytes])
}

func (g Grant) check() error {
	switch {
	case !slices.Contains(Effects, g.Effect):
		return fault.New(fault.InvalidArguments, "a grant needs one of the effects %v, not %q", Effects, g.Effect)
	case g.Scope != ScopeOnce && g.Scope != ScopeSession && g.Scope != ScopeAlways:
		return fault.New(fault.InvalidArguments, "a grant needs the scope once, session or always, not %q", g.Scope)
	case g.Scope == ScopeAlways && g.SessionID != "":
		return fault.New(fault.InvalidArguments, "a grant of scope always belongs to no session")
	case g.Scope != ScopeAlways && g.SessionID == "":
		return fault.New(fault.InvalidArguments, "a grant of scope %s needs a session", g.Scope)
	}
	return nil
}

// applies reports whether a grant found by origin and effect counts for a session
// and a call at a time.
func (g Grant) applies(sessionID, call string, now time.Time) bool {
	return (g.Scope == ScopeAlways || g.SessionID == sessionID) && (g.Call == "" || g.Call == call) &&
		(g.ExpiresAt.IsZero() || now.Before(g.ExpiresAt))
}
