package policy

import (
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	web "github.com/actionsjson/actions-host/pkg/origin"
)

// FileRules are the rules of policy.json at one moment. They do not change. Nil has none.
type FileRules struct {
	Path string
	// Problem is why the file as it is now does not count; the rules are those of its last
	// good state, under which nothing acts.
	Problem *fault.Error
	// Unknown says that there was no good state: nothing runs.
	Unknown         bool
	Ask             []AskRule
	Allow, Deny     []OriginRule
	UploadFolders   []string
	PrivateNetworks []netip.Prefix
}

// AskRule is an effect that needs a person's approval.
type AskRule struct {
	Effect Effect
	Line   int
}

// OriginRule allows or denies the origins of one pattern.
type OriginRule struct {
	Pattern  web.Pattern
	Text     string        // of the pattern
	Sessions []SessionKind // that it is for; none: all
	Reason   string        // in the user's words
	Line     int
}

// For reports whether the rule is for sessions of the kind.
func (r OriginRule) For(kind SessionKind) bool {
	return len(r.Sessions) == 0 || slices.Contains(r.Sessions, kind)
}

// AskEffects returns the effects that need a person's approval.
func (f *FileRules) AskEffects() []Effect {
	if f == nil {
		return nil
	}
	var effects []Effect
	for _, r := range f.Ask {
		effects = append(effects, r.Effect)
	}
	return effects
}

// Permits reports whether sessions of the kind may operate the origin, as far as the file
// says; it is empty for a page without one.
func (f *FileRules) Permits(kind SessionKind, origin string) bool {
	if f == nil {
		return true
	}
	_, _, denied := f.denying(kind, origin)
	_, allowed := f.allowing(kind, origin)
	return !f.Unknown && !denied && allowed
}

// Restricts reports whether sessions of the kind are kept to the origins that the file allows.
func (f *FileRules) Restricts(kind SessionKind) bool {
	return f != nil && (f.Unknown || slices.ContainsFunc(f.Allow, func(r OriginRule) bool { return r.For(kind) }))
}

// Denies reports whether the file denies any origin to sessions of the kind.
func (f *FileRules) Denies(kind SessionKind) bool {
	return f != nil && slices.ContainsFunc(f.Deny, func(r OriginRule) bool { return r.For(kind) })
}

// denying returns the first rule that denies one of the origins to the kind of session.
func (f *FileRules) denying(kind SessionKind, origins ...string) (OriginRule, string, bool) {
	for _, origin := range origins {
		for _, restricted := range RestrictedAs(origin) {
			if r, ok := matching(f.Deny, kind, restricted); ok {
				return r, origin, true
			}
		}
	}
	return OriginRule{}, "", false
}

// RestrictedAs returns the origin and those whose restrictions hold for it, too: that of its host without a final
// dot, which is the same machine, and for http the https one, to which browsers change an address of a host that
// they know by it. They keep a port other than 80.
func RestrictedAs(origin string) []string {
	all := []string{origin, withoutFinalDot(origin)}
	if o, err := web.Parse(all[1]); err == nil && o.Scheme == "http" {
		o.Scheme = "https"
		if o.Port == 80 {
			o.Port = 443
		}
		all = append(all, o.String())
	}
	return slices.Compact(all)
}

// withoutFinalDot returns the origin with its host without a final dot.
func withoutFinalDot(origin string) string {
	o, err := web.Parse(origin)
	host, dotted := strings.CutSuffix(o.Host, ".")
	if err != nil || !dotted {
		return origin
	}
	o.Host = host
	return o.String()
}

// allowing returns the first rule that allows the origin to the kind of session. It is
// allowed without one where no rule is for the kind.
func (f *FileRules) allowing(kind SessionKind, origin string) (rule OriginRule, allowed bool) {
	if r, ok := matching(f.Allow, kind, origin); ok {
		return r, true
	}
	return OriginRule{}, !f.Restricts(kind)
}

func matching(rules []OriginRule, kind SessionKind, origin string) (OriginRule, bool) {
	o, err := web.Parse(origin)
	if err != nil {
		return OriginRule{}, false
	}
	for i := range rules {
		if r := &rules[i]; r.Pattern.Matches(o) && r.For(kind) {
			return *r, true
		}
	}
	return OriginRule{}, false
}

// askingLine returns the line that has the effect asked for, 0 for none.
func (f *FileRules) askingLine(effect Effect) int {
	if f != nil {
		for _, r := range f.Ask {
			if r.Effect == effect {
				return r.Line
			}
		}
	}
	return 0
}

// section names a line of the file where a rule is set.
func (f *FileRules) section(line int) string { return f.Path + ":" + strconv.Itoa(line) }

// name is a line of the file in a message.
func (f *FileRules) name(line int) string {
	return filepath.Base(f.Path) + ":" + strconv.Itoa(line)
}

// fileState refuses what a broken file leaves undecided.
func (e *evaluation) fileState() (string, *fault.Error) {
	f := e.Rules
	if f == nil {
		return NotApplicable, nil
	}
	if f.Problem == nil {
		return Passed, nil
	}
	consequence := "only reading goes on, by the rules that it had before"
	if f.Unknown {
		consequence = "nothing runs until it has rules"
	} else if !slices.ContainsFunc(e.Effects, func(effect Effect) bool { return !ModeAsk.allows(effect) }) {
		return Passed, nil
	}
	return Denied, fault.New(fault.PermissionDenied, "%s; %s", f.Problem.Message, consequence).
		WithNextStep("The user corrects that line of the file, which is read again at the next call. Nothing else helps: do not edit it yourself.")
}

// fileDeny keeps sessions away from what the file denies, and from sending another session there.
func (e *evaluation) fileDeny() (string, *fault.Error) {
	f := e.Rules
	if f == nil || len(f.Deny) == 0 {
		return NotApplicable, nil
	}
	if e.AffectsOtherSession {
		for _, r := range f.Deny {
			if r.For(e.Session) && !r.For(SessionVoice) {
				e.section = f.section(r.Line)
				return Denied, fault.New(fault.PermissionDenied, "%s denies %s to this session, and %s reaches another one, which may go there", f.name(r.Line), r.Text, e.Name).
					WithNextStep("Work on a page yourself, or leave this to the user.")
			}
		}
	}
	places := e.TargetOrigins
	if !slices.Contains(places, e.Origin) {
		places = append(slices.Clone(places), e.Origin)
	}
	r, origin, denied := f.denying(e.Session, places...)
	if !denied {
		return Passed, nil
	}
	e.section = f.section(r.Line)
	why := ""
	if r.Reason != "" {
		why = " (" + r.Reason + ")"
	}
	return Denied, fault.New(fault.PermissionDenied, "%s denies %s%s", f.name(r.Line), originText(origin), why).
		With("origin", origin).With("pattern", r.Text).
		WithNextStep("Leave this part to the user, and try no other way there. Only the user may change that line of the file.")
}

// fileAllow keeps sessions of a kind to what the file allows it, as --origin does for one.
func (e *evaluation) fileAllow() (string, *fault.Error) {
	f := e.Rules
	switch {
	case f == nil || !f.Restricts(e.Session):
		return NotApplicable, nil
	case e.AffectsOtherSession:
		return Denied, fault.New(fault.PermissionDenied, "%s keeps sessions of the kind %s to some origins, and %s reaches another session, which is not kept to them", filepath.Base(f.Path), e.Session, e.Name).
			WithNextStep("Work on a page of an allowed origin yourself.")
	case len(e.TargetOrigins) == 0:
		return NotApplicable, nil
	}
	line := 0
	for _, target := range e.TargetOrigins {
		r, allowed := f.allowing(e.Session, target)
		if !allowed {
			return Denied, fault.New(fault.PermissionDenied, "%s allows sessions of the kind %s only %s, and this is %s", filepath.Base(f.Path), e.Session, f.allowed(e.Session), originText(target)).
				WithNextStep("Work on a page of an allowed origin. Only the user may allow another one in that file.")
		}
		line = r.Line
	}
	e.section = f.section(line)
	return Passed, nil
}

// maxNamedOrigins bounds the patterns that a refusal names.
const maxNamedOrigins = 5

// allowed lists what the kind of session is allowed, each with its line.
func (f *FileRules) allowed(kind SessionKind) string {
	var names []string
	for _, r := range f.Allow {
		if !r.For(kind) {
			continue
		}
		if len(names) == maxNamedOrigins {
			names = append(names, "…")
			break
		}
		names = append(names, r.Text+" ("+f.name(r.Line)+")")
	}
	return strings.Join(names, ", ")
}
