package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

const origin = "https://example.test"

// direct is a direct call that every rule lets pass.
func direct(name string, effect Effect) Request {
	kind := KindGeneric
	if effect == EffectCode {
		kind = KindDebugger
	}
	return Request{
		Session: SessionMCP, SessionID: "s1", Mode: ModeAct, Name: name, Effects: []Effect{effect}, Class: "portable", Origin: origin,
		AllowCode: true, Report: &Report{Kind: kind, IntendedTool: name, ActionsJSONPath: "none", Reason: "no action"},
	}
}

func newEngine(t testing.TB, grants ...Grant) *Engine {
	t.Helper()
	e, err := New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range grants {
		if err := e.Grant(g); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// Ensure each rule denies what it is for, in the rules' order, and names itself.
func TestRules(t *testing.T) {
	denyInput := Grant{Origin: origin, Effect: EffectInput, Scope: ScopeAlways, Deny: true}
	tests := []struct {
		name   string
		change func(*Request)
		grants []Grant
		code   fault.Code // empty: allowed
		rule   string
	}{
		{"plain direct call", func(r *Request) {}, nil, "", ruleAsk},
		{"unknown mode", func(r *Request) { r.Mode = "do" }, nil, fault.PermissionDenied, ruleRequest},
		{"unknown kind", func(r *Request) { r.Session = "web" }, nil, fault.PermissionDenied, ruleRequest},
		{"no effect", func(r *Request) { r.Effects = nil }, nil, fault.PermissionDenied, ruleRequest},
		{"unknown effect", func(r *Request) { r.Effects = []Effect{"look"} }, nil, fault.PermissionDenied, ruleRequest},
		{"allowed page", func(r *Request) { r.Origins, r.TargetOrigins = []string{"https://*.test"}, []string{origin} }, nil, "", ruleAsk},
		{"another session", func(r *Request) { r.Origins, r.AffectsOtherSession = []string{"https://*.test"}, true }, nil, fault.PermissionDenied, ruleOrigins},
		{"a session that may run code", func(r *Request) { r.AffectsOtherSession, r.DelegatesCode, r.AllowCode = true, true, false }, nil, fault.CodeDisabled, ruleCode},
		{"a session that may run code, of one that may", func(r *Request) { r.AffectsOtherSession, r.DelegatesCode, r.AllowCode = true, true, true }, nil, "", ruleAsk},
		{"another session of one that is free", func(r *Request) { r.AffectsOtherSession = true }, nil, "", ruleAsk},
		{"no page met", func(r *Request) { r.Origins = []string{"https://other.test"} }, nil, "", ruleAsk},
		{"another page", func(r *Request) {
			r.Origins, r.TargetOrigins = []string{"https://other.test"}, []string{origin}
		}, nil, fault.PermissionDenied, ruleOrigins},
		{"a page without an origin", func(r *Request) { r.Origins, r.TargetOrigins = []string{"https://*.test"}, []string{""} }, nil, fault.PermissionDenied, ruleOrigins},
		{"the way out of an allowed page", func(r *Request) {
			r.Origins, r.TargetOrigins = []string{origin}, []string{"https://other.test", origin}
		}, nil, fault.PermissionDenied, ruleOrigins},
		{"direct in a retest", func(r *Request) { r.StoredOnly = true }, nil, fault.PermissionDenied, ruleStored},
		{"stored in a retest", func(r *Request) { r.StoredOnly, r.Stored = true, true }, nil, "", ruleAsk},
		{"blocked name", func(r *Request) { r.Blocked = []string{"pointer.click"} }, nil, fault.PrimitiveBlocked, ruleBlocked},
		{"blocked step", func(r *Request) {
			r.Stored, r.Primitives, r.Blocked = true, []string{"page.info", "text.insert"}, []string{"text.insert"}
		}, nil, fault.PrimitiveBlocked, ruleBlocked},
		{"blocked step of actions.site", func(r *Request) {
			r.RunsOthers, r.Primitives, r.Blocked = true, []string{"text.insert"}, []string{"text.insert"}
		}, nil, fault.PrimitiveBlocked, ruleBlocked},
		{"another name blocked", func(r *Request) { r.Blocked = []string{"pointer"} }, nil, "", ruleAsk},
		{"blocked before mode", func(r *Request) { r.Mode, r.Blocked = ModeAsk, []string{"pointer.click"} }, nil, fault.PrimitiveBlocked, ruleBlocked},
		{"ask mode input", func(r *Request) { r.Mode = ModeAsk }, nil, fault.PermissionDenied, ruleMode},
		{"ask mode read", func(r *Request) { r.Mode, r.Effects = ModeAsk, []Effect{EffectRead} }, nil, "", ruleAsk},
		{"ask mode view", func(r *Request) { r.Mode, r.Effects = ModeAsk, []Effect{EffectView} }, nil, "", ruleAsk},
		{"ask mode state", func(r *Request) { r.Mode, r.Effects = ModeAsk, []Effect{EffectState} }, nil, fault.PermissionDenied, ruleMode},
		{"ask mode tab", func(r *Request) { r.Mode, r.Effects = ModeAsk, []Effect{EffectTab} }, nil, fault.PermissionDenied, ruleMode},
		{"ask mode stored, one acting step", func(r *Request) { r.Mode, r.Stored, r.Effects = ModeAsk, true, []Effect{EffectRead, EffectInput} }, nil, fault.PermissionDenied, ruleMode},
		{"code off", func(r *Request) { *r = direct("debug.run", EffectCode); r.AllowCode = false }, nil, fault.CodeDisabled, ruleCode},
		{"code off in a stored step", func(r *Request) { r.Stored, r.AllowCode, r.Effects = true, false, []Effect{EffectRead, EffectCode} }, nil, fault.CodeDisabled, ruleCode},
		{"code off before report", func(r *Request) { *r = direct("debug.run", EffectCode); r.AllowCode, r.Report = false, nil }, nil, fault.CodeDisabled, ruleCode},
		{"code on", func(r *Request) { *r = direct("debug.run", EffectCode) }, nil, "", ruleAsk},
		{"no report", func(r *Request) { r.Report = nil }, nil, fault.PolicyExceptionReportRequired, ruleReport},
		{"no report on a read", func(r *Request) { r.Report, r.Effects = nil, []Effect{EffectRead} }, nil, fault.PolicyExceptionReportRequired, ruleReport},
		{"report of another tool", func(r *Request) { r.Report.IntendedTool = "text.insert" }, nil, fault.PolicyExceptionReportRequired, ruleReport},
		{"debugger for a generic call", func(r *Request) { r.Report.Kind = KindDebugger }, nil, fault.PolicyExceptionReportRequired, ruleReport},
		{"generic for class debug", func(r *Request) { r.Class = ClassDebug }, nil, fault.PolicyExceptionReportRequired, ruleReport},
		{"debugger for class debug", func(r *Request) { r.Class, r.Report.Kind = ClassDebug, KindDebugger }, nil, "", ruleAsk},
		{"unknown kind of report", func(r *Request) { r.Report.Kind = "Generic" }, nil, fault.PolicyExceptionReportRequired, ruleReport},
		{"empty path", func(r *Request) { r.Report.ActionsJSONPath = " " }, nil, fault.PolicyExceptionReportRequired, ruleReport},
		{"path missing", func(r *Request) { r.Report.ActionsJSONPath = "missing" }, nil, "", ruleAsk},
		{"empty reason", func(r *Request) { r.Report.Reason = "\n" }, nil, fault.PolicyExceptionReportRequired, ruleReport},
		{"stored needs no report", func(r *Request) { r.Stored, r.Report = true, nil }, nil, "", ruleAsk},
		{"actions.site needs no report", func(r *Request) { r.RunsOthers, r.Report = true, nil }, nil, "", ruleAsk},
		{"refused origin", func(r *Request) {}, []Grant{denyInput}, fault.PermissionDenied, ruleDenied},
		{"refused origin of a stored action", func(r *Request) { r.Stored = true }, []Grant{denyInput}, fault.PermissionDenied, ruleDenied},
		{"refused origin with a final dot", func(r *Request) { r.Origin += "." }, []Grant{denyInput}, fault.PermissionDenied, ruleDenied},
		{"approved without the final dot", func(r *Request) { r.Origin, r.Ask = origin+".", []Effect{EffectInput} },
			[]Grant{{Origin: origin, Effect: EffectInput, Scope: ScopeAlways}}, fault.NeedsApproval, ruleAsk},
		{"another port", func(r *Request) { r.Origin += ":8443" }, []Grant{denyInput}, "", ruleAsk},
		{"another effect", func(r *Request) { r.Effects = []Effect{EffectTab} }, []Grant{denyInput}, "", ruleAsk},
		{"a deny beats an allow", func(r *Request) { r.Ask = []Effect{EffectInput} },
			[]Grant{{Origin: origin, Effect: EffectInput, Scope: ScopeAlways}, denyInput}, fault.PermissionDenied, ruleDenied},
		{"approval needed", func(r *Request) { r.Ask = []Effect{EffectInput} }, nil, fault.NeedsApproval, ruleAsk},
		{"approval of another effect", func(r *Request) { r.Ask = []Effect{EffectTab} }, nil, "", ruleAsk},
		{"approved", func(r *Request) { r.Ask = []Effect{EffectInput} },
			[]Grant{{Origin: origin, Effect: EffectInput, Scope: ScopeSession, SessionID: "s1"}}, "", ruleAsk},
		{"approved for another session", func(r *Request) { r.Ask = []Effect{EffectInput} },
			[]Grant{{Origin: origin, Effect: EffectInput, Scope: ScopeSession, SessionID: "s2"}}, fault.NeedsApproval, ruleAsk},
		{"no grant opens code", func(r *Request) { *r = direct("debug.run", EffectCode); r.AllowCode = false },
			[]Grant{{Origin: origin, Effect: EffectCode, Scope: ScopeAlways}}, fault.CodeDisabled, ruleCode},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := direct("pointer.click", EffectInput)
			tt.change(&r)
			d := newEngine(t, tt.grants...).Decide(r)
			if d.Rule != tt.rule || d.Trace[len(d.Trace)-1].Rule != tt.rule {
				t.Errorf("rule %s decided (%v), want %s", d.Rule, d.Fault, tt.rule)
			}
			if tt.code == "" {
				if d.Verdict != Allow || d.Fault != nil {
					t.Fatalf("got %s (%v), want allow", d.Verdict, d.Fault)
				}
				return
			}
			if d.Verdict == Allow || d.Fault == nil || d.Fault.Code != tt.code || (d.Verdict == Ask) != (tt.code == fault.NeedsApproval) {
				t.Fatalf("got %s (%v), want %s", d.Verdict, d.Fault, tt.code)
			}
			if d.Fault.Evidence["rule"] != tt.rule || d.Fault.Evidence["section"] == "" || d.Fault.Dispatched != fault.NotDispatched {
				t.Errorf("the fault does not say where the rule stands: %+v", d.Fault)
			}
		})
	}
}

// Ensure over every combination of kind, mode, effect, stored, blocked and
// report that the verdict follows from the rules written down a second time.
func TestEveryCombination(t *testing.T) {
	for _, kind := range []SessionKind{SessionCLI, SessionMCP, SessionVoice, SessionAgent} {
		for _, mode := range []Mode{ModeAsk, ModeAct} {
			for _, effect := range Effects {
				for bits := range 16 {
					r := direct("some.name", effect)
					r.Session, r.Mode = kind, mode
					r.Stored, r.AllowCode = bits&1 != 0, bits&2 != 0
					if bits&4 != 0 {
						r.Blocked = []string{"some.name"}
					}
					if bits&8 != 0 {
						r.Report = nil
					}
					want := fault.Code("")
					switch {
					case bits&4 != 0:
						want = fault.PrimitiveBlocked
					case mode == ModeAsk && effect != EffectRead && effect != EffectView:
						want = fault.PermissionDenied
					case effect == EffectCode && bits&2 == 0:
						want = fault.CodeDisabled
					case bits&1 == 0 && bits&8 != 0:
						want = fault.PolicyExceptionReportRequired
					}
					d := newEngine(t).Decide(r)
					got := fault.Code("")
					if d.Fault != nil {
						got = d.Fault.Code
					}
					if got != want {
						t.Errorf("%s %s %s %04b: got %q, want %q", kind, mode, effect, bits, got, want)
					}
				}
			}
		}
	}
}

// Ensure the report's fault teaches: it names the problem and shows an example
// that passes when it is sent back.
func TestReportExamplePasses(t *testing.T) {
	for _, effect := range []Effect{EffectInput, EffectCode} {
		r := direct("some.name", effect)
		r.Report = nil
		d := newEngine(t).Decide(r)
		if d.Fault == nil || d.Fault.Evidence["problem"] == "" {
			t.Fatalf("no problem named: %v", d.Fault)
		}
		example, err := json.Marshal(d.Fault.Evidence["example"])
		if err != nil {
			t.Fatal(err)
		}
		args, err := strictjson.Parse(example, strictjson.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, r.Report, err = SplitReport(args); err != nil {
			t.Fatal(err)
		}
		if d := newEngine(t).Decide(r); d.Verdict != Allow {
			t.Errorf("the example %s is refused: %v", example, d.Fault)
		}
	}
}

// Ensure an explanation lists the rules up to the deciding one and uses up no
// grant.
func TestExplain(t *testing.T) {
	e := newEngine(t, Grant{Origin: origin, Effect: EffectInput, Scope: ScopeOnce, SessionID: "s1"})
	r := direct("pointer.click", EffectInput)
	r.Ask = []Effect{EffectInput}
	for range 2 {
		if d := e.Explain(r); d.Verdict != Allow || len(d.Trace) != len(rules) {
			t.Fatalf("got %+v", d)
		}
	}
	r.Mode = ModeAsk
	var names []string
	for _, line := range e.Explain(r).Trace {
		names = append(names, line.Rule)
	}
	if want := []string{ruleRequest, ruleFileState, ruleFileDeny, ruleFileAllow, ruleOrigins, ruleBlocked, ruleMode}; !slices.Equal(names, want) {
		t.Errorf("trace %v, want %v", names, want)
	}
}

// BenchmarkDecide decides with 1,000 grants of 200 origins.
func BenchmarkDecide(b *testing.B) {
	e := newEngine(b)
	for i := range 1000 {
		g := Grant{Origin: fmt.Sprintf("https://host%d.test", i%200), Effect: Effects[i/200], Scope: ScopeAlways, Deny: i%7 == 0}
		if err := e.Grant(g); err != nil {
			b.Fatal(err)
		}
	}
	r := direct("pointer.click", EffectInput)
	r.Origin, r.Ask = "https://host77.test", []Effect{EffectInput, EffectTab}
	b.ReportAllocs()
	var all []time.Duration
	for b.Loop() {
		started := time.Now()
		e.Decide(r)
		all = append(all, time.Since(started))
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds())/1000, "p99-us")
}
