package policy

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// oracle decides a second time, as a plain list of conditions over all grants.
// It returns the fault's code, empty for allow.
func oracle(r Request, grants []Grant) fault.Code {
	greatest := map[Effect]bool{}
	for _, e := range r.Effects {
		greatest[e] = true
	}
	for _, b := range r.Blocked {
		if b == r.Name {
			return fault.PrimitiveBlocked
		}
		for _, p := range r.Primitives {
			if b == p {
				return fault.PrimitiveBlocked
			}
		}
	}
	acts := greatest[EffectState] || greatest[EffectInput] || greatest[EffectTab] || greatest[EffectCode]
	if r.Mode == ModeAsk && acts {
		return fault.PermissionDenied
	}
	if greatest[EffectCode] && !r.AllowCode {
		return fault.CodeDisabled
	}
	if !r.Stored && !r.RunsOthers {
		debugger := greatest[EffectCode] || r.Class == "debug"
		if r.Report == nil || (r.Report.Kind == "debugger") != debugger || r.Report.IntendedTool != r.Name {
			return fault.PolicyExceptionReportRequired
		}
	}
	matches := func(g Grant, e Effect) bool {
		return g.Origin == r.Origin && g.Effect == e && (g.SessionID == "" || g.SessionID == r.SessionID)
	}
	for _, g := range grants {
		for e := range greatest {
			if g.Deny && matches(g, e) {
				return fault.PermissionDenied
			}
		}
	}
	for _, a := range r.Ask {
		covered := !greatest[a]
		for _, g := range grants {
			covered = covered || matches(g, a)
		}
		if !covered {
			return fault.NeedsApproval
		}
	}
	return ""
}

// Ensure the engine agrees with the oracle over random requests and grants, and
// that exactly the grants of scope once that a decision needed are used up.
func TestAgainstOracle(t *testing.T) {
	names := []string{"pointer.click", "text.insert", "page.info"}
	origins := []string{"", "https://a.test", "https://a.test:8443", "http://a.test"}
	rapid.Check(t, func(t *rapid.T) {
		e, err := New(nil, func() time.Time { return time.Unix(0, 0) })
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 12).Draw(t, "grants") {
			g := Grant{
				Origin: rapid.SampledFrom(origins).Draw(t, "origin"),
				Effect: rapid.SampledFrom(Effects).Draw(t, "effect"),
				Scope:  rapid.SampledFrom([]Scope{ScopeOnce, ScopeSession, ScopeAlways}).Draw(t, "scope"),
				Deny:   rapid.IntRange(0, 3).Draw(t, "deny") == 0,
			}
			if g.Scope != ScopeAlways {
				g.SessionID = rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "session")
			}
			if err := e.Grant(g); err != nil {
				t.Fatal(err)
			}
		}
		// Several calls in a row: what one uses up, the next one lacks.
		for range rapid.IntRange(1, 4).Draw(t, "calls") {
			r := Request{
				Session: SessionMCP, SessionID: rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "caller"),
				Mode:       rapid.SampledFrom([]Mode{ModeAct, ModeAct, ModeAsk}).Draw(t, "mode"),
				Name:       rapid.SampledFrom(names).Draw(t, "name"),
				Effects:    rapid.SliceOfN(rapid.SampledFrom(Effects), 1, 4).Draw(t, "effects"),
				Primitives: rapid.SliceOfN(rapid.SampledFrom(names), 0, 2).Draw(t, "primitives"),
				Stored:     rapid.Bool().Draw(t, "stored"),
				RunsOthers: rapid.Bool().Draw(t, "site"),
				Class:      rapid.SampledFrom([]string{"portable", "debug"}).Draw(t, "class"),
				Origin:     rapid.SampledFrom(origins).Draw(t, "tab"),
				Blocked:    rapid.SliceOfN(rapid.SampledFrom(append(names, "other")), 0, 1).Draw(t, "blocked"),
				AllowCode:  rapid.Bool().Draw(t, "code"),
				Ask:        rapid.SliceOfN(rapid.SampledFrom(Effects), 0, 3).Draw(t, "ask"),
			}
			if rapid.Bool().Draw(t, "reported") {
				r.Report = &Report{
					Kind:            rapid.SampledFrom([]string{KindGeneric, KindDebugger}).Draw(t, "kind"),
					IntendedTool:    rapid.SampledFrom(names).Draw(t, "intended"),
					ActionsJSONPath: "none", Reason: "x",
				}
			}
			before := e.Grants()
			want := oracle(r, before)
			d := e.Decide(r)
			got := fault.Code("")
			if d.Fault != nil {
				got = d.Fault.Code
			}
			if got != want || (d.Verdict == Allow) != (want == "") {
				t.Fatalf("%+v with %+v: got %s %q, want %q", r, before, d.Verdict, got, want)
			}
			usedUp := len(before) - len(e.Grants())
			if usedUp != len(d.usedUp) || usedUp > 0 && got != "" && got != fault.PermissionDenied {
				t.Fatalf("%d grants are gone, %d were needed, the verdict is %q", usedUp, len(d.usedUp), got)
			}
		}
	})
}
