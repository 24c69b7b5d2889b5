package policy

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	web "github.com/actionsjson/actions-host/pkg/origin"
)

// originRule is a rule for a pattern in a line.
func originRule(t testing.TB, line int, pattern string, sessions ...SessionKind) OriginRule {
	t.Helper()
	parsed, err := web.ParsePattern(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return OriginRule{Pattern: parsed, Text: pattern, Sessions: sessions, Line: line}
}

func TestFileRules(t *testing.T) {
	// Ensure that the file's rules come before what a session, a grant or an answer could allow, and that a refusal names line and reason.
	deny := &FileRules{Path: "/data/policy.json", Deny: []OriginRule{originRule(t, 7, "https://*.test")}}
	deny.Deny[0].Reason = "bank"
	forMCP := &FileRules{Path: "/data/policy.json", Deny: []OriginRule{originRule(t, 7, "https://bank.test", SessionMCP)}}
	allow := &FileRules{Path: "/data/policy.json", Allow: []OriginRule{originRule(t, 4, "https://other.test", SessionMCP)}}
	voice := &FileRules{Path: "/data/policy.json", Allow: []OriginRule{originRule(t, 4, "https://other.test", SessionVoice)}}
	asked := &FileRules{Path: "/data/policy.json", Ask: []AskRule{{EffectInput, 3}}}
	broken := &FileRules{Path: "/data/policy.json", Problem: fault.New(fault.InvalidInput, "/data/policy.json:2: it is broken")}
	unknown := &FileRules{Path: "/data/policy.json", Problem: broken.Problem, Unknown: true}
	for name, row := range map[string]struct {
		rules         *FileRules
		change        func(*Request)
		rule, section string
		message       string
	}{
		"no page":               {deny, func(r *Request) { r.Origin, r.TargetOrigins = "", nil }, "", "", ""},
		"a denied page":         {deny, nil, ruleFileDeny, "/data/policy.json:7", "policy.json:7 denies https://example.test (bank)"},
		"a denied target":       {deny, func(r *Request) { r.Origin, r.TargetOrigins = "https://a.example", []string{"https://b.test"} }, ruleFileDeny, ":7", "https://b.test"},
		"an origin of its own":  {deny, func(r *Request) { r.Origins = []string{origin} }, ruleFileDeny, ":7", ""},
		"with a final dot":      {deny, func(r *Request) { r.Origin = "https://example.test." }, ruleFileDeny, ":7", "denies https://example.test. (bank)"},
		"by http":               {deny, func(r *Request) { r.Origin, r.TargetOrigins = "https://a.example", []string{"http://b.test"} }, ruleFileDeny, ":7", "denies http://b.test (bank)"},
		"allowed without a dot": {allow, func(r *Request) { r.Origin, r.TargetOrigins = "https://other.test.", []string{"https://other.test."} }, ruleFileAllow, "", ""},
		"another kind":          {forMCP, func(r *Request) { r.Session, r.Origin = SessionCLI, "https://bank.test" }, "", "", ""},
		"through another agent": {forMCP, func(r *Request) { r.AffectsOtherSession = true }, ruleFileDeny, ":7", "reaches another one"},
		"another that is kept":  {deny, func(r *Request) { r.AffectsOtherSession, r.Origin = true, "https://a.example" }, "", "", ""},
		"not allowed":           {allow, func(r *Request) { r.TargetOrigins = []string{origin} }, ruleFileAllow, "", "https://other.test (policy.json:4)"},
		"allowed":               {allow, func(r *Request) { r.Origin, r.TargetOrigins = "https://other.test", []string{"https://other.test"} }, "", "", ""},
		"a page without origin": {allow, func(r *Request) { r.Origin, r.TargetOrigins = "", []string{""} }, ruleFileAllow, "", ""},
		"allowed to another":    {voice, func(r *Request) { r.TargetOrigins = []string{origin} }, "", "", ""},
		"out by another agent":  {allow, func(r *Request) { r.AffectsOtherSession = true }, ruleFileAllow, "", "reaches another session"},
		"asked":                 {asked, func(r *Request) { r.Ask = asked.AskEffects() }, ruleAsk, "/data/policy.json:3", ""},
		"broken and acting":     {broken, nil, ruleFileState, "", "policy.json:2: it is broken"},
		"broken and reading":    {broken, func(r *Request) { r.Effects = []Effect{EffectRead, EffectView} }, "", "", ""},
		"broken, both":          {broken, func(r *Request) { r.Effects = []Effect{EffectRead, EffectTab} }, ruleFileState, "", ""},
		"never known":           {unknown, func(r *Request) { r.Effects = []Effect{EffectRead} }, ruleFileState, "", "nothing runs"},
	} {
		e := newEngine(t, Grant{Origin: origin, Effect: EffectView, Scope: ScopeAlways})
		e.File = func() *FileRules { return row.rules }
		r := direct("pointer.click", EffectInput)
		if row.change != nil {
			row.change(&r)
		}
		d := e.Decide(r)
		if row.rule == "" {
			if d.Verdict != Allow {
				t.Errorf("%s: %+v", name, d.Fault)
			}
			continue
		}
		section, _ := d.Fault.Evidence["section"].(string)
		if d.Rule != row.rule || !strings.HasSuffix(section, row.section) || !strings.Contains(d.Fault.Message, row.message) || d.Fault.NextStep == "" || d.Trace[len(d.Trace)-1].Section != section {
			t.Errorf("%s: %s in %q, %+v", name, d.Rule, section, d.Fault)
		}
	}
}

func TestFileDependsOnOrigin(t *testing.T) {
	// Ensure that rules which allow origins make decisions depend on them, for the kinds of sessions that they are for, and that rules which deny some are told apart.
	e := newEngine(t)
	for _, row := range []struct {
		rules *FileRules
		want  bool
	}{
		{nil, false}, {&FileRules{}, false}, {&FileRules{Unknown: true}, true},
		{&FileRules{Deny: []OriginRule{originRule(t, 1, "https://a.test")}}, false},
		{&FileRules{Allow: []OriginRule{originRule(t, 1, "https://a.test", SessionMCP)}}, true},
		{&FileRules{Allow: []OriginRule{originRule(t, 1, "https://a.test", SessionVoice)}}, false},
	} {
		e.File = func() *FileRules { return row.rules }
		if got := e.DependsOnOrigin(direct("browser.screenshot", EffectRead)); got != row.want {
			t.Errorf("%+v: %t", row.rules, got)
		}
	}
	denies := &FileRules{Deny: []OriginRule{originRule(t, 1, "https://a.test", SessionCLI)}}
	if !denies.Denies(SessionCLI) || denies.Denies(SessionMCP) {
		t.Error("a deny counts for the kind that it names")
	}
}

func TestDenialOfOtherForms(t *testing.T) {
	// Ensure that a deny entry also covers the host with a final dot and the http form; an allow entry covers neither.
	deny := &FileRules{Path: "/data/policy.json", Deny: []OriginRule{originRule(t, 7, "https://*.bank.test"), originRule(t, 8, "https://bank.test:8443")}}
	for origin, want := range map[string]bool{
		"https://www.bank.test": false, "https://www.bank.test.": false, "https://bank.test.:8443": false, "https://bank.test.:444": true, "https://other.test.": true,
		"http://www.bank.test": false, "http://www.bank.test.": false, "http://www.bank.test:443": false, "http://bank.test:8443": false,
		"http://bank.test": true, "http://www.bank.test:8080": true, "http://other.test": true,
	} {
		if deny.Permits(SessionMCP, origin) != want {
			t.Errorf("%s is permitted: %t", origin, !want)
		}
	}
	allow := &FileRules{Path: "/data/policy.json", Allow: []OriginRule{originRule(t, 4, "https://*.bank.test")}}
	if !allow.Permits(SessionMCP, "https://www.bank.test") || allow.Permits(SessionMCP, "https://www.bank.test.") || allow.Permits(SessionMCP, "http://www.bank.test") {
		t.Error("what allows a host allows another form of it, or not itself")
	}
	plain := &FileRules{Path: "/data/policy.json", Deny: []OriginRule{originRule(t, 7, "http://bank.test")}}
	if plain.Permits(SessionMCP, "http://bank.test") || !plain.Permits(SessionMCP, "https://bank.test") {
		t.Error("what denies http denies https, or not itself")
	}
}
