package policyfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// stands are the origins that each pattern of these tests stands for, written out.
var stands = map[string][]string{
	"https://a.test":     {"https://a.test"},
	"https://*.a.test":   {"https://x.a.test", "https://y.x.a.test"},
	"https://x.a.test":   {"https://x.a.test"},
	"https://*.x.a.test": {"https://y.x.a.test"},
	"https://a.test:*":   {"https://a.test", "https://a.test:8443"},
	"http://a.test":      {"http://a.test"},
	"https://b.test":     {"https://b.test"},
}

// pages are all of these origins, and those of strangers.
var pages = []string{"", "https://a.test", "https://x.a.test", "https://y.x.a.test", "https://a.test:8443", "http://a.test", "https://b.test", "https://evila.test", "https://a.test.evil.test"}

// drawn is a policy file as the tests write it.
type drawn struct {
	Ask         []string     `json:"ask_effects"`
	Allow, Deny []drawnEntry `json:"-"`
}

type drawnEntry struct {
	Origins  []string `json:"origins"`
	Sessions []string `json:"sessions,omitempty"`
}

func (e drawnEntry) isFor(kind string) bool {
	return len(e.Sessions) == 0 || slices.Contains(e.Sessions, kind)
}

// text writes an entry a line, so that the lines of the denies are known.
func (d drawn) text() string {
	lines := []string{"{", `"ask_effects": ` + asJSON(d.Ask) + ","}
	for _, list := range []struct {
		name    string
		entries []drawnEntry
	}{{"deny", d.Deny}, {"allow", d.Allow}} {
		lines = append(lines, fmt.Sprintf("%q: [", list.name))
		for i, e := range list.entries {
			comma := ","
			if i == len(list.entries)-1 {
				comma = ""
			}
			lines = append(lines, asJSON(e)+comma)
		}
		lines = append(lines, map[string]string{"deny": "],", "allow": "]"}[list.name])
	}
	return strings.Join(append(lines, "}"), "\n")
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// oracleContradicts looks whether a deny takes all from a pattern that is allowed, for one kind.
func (d drawn) oracleContradicts() bool {
	for _, kind := range policy.SessionKinds {
		for _, a := range d.Allow {
			for _, b := range d.Deny {
				if !a.isFor(string(kind)) || !b.isFor(string(kind)) {
					continue
				}
				for _, allowed := range a.Origins {
					for _, denied := range b.Origins {
						if !slices.ContainsFunc(stands[allowed], func(o string) bool { return !slices.Contains(stands[denied], o) }) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// oracle decides a second time about a page: it returns the line of the entry that denies, -1 where the kind
// is not allowed there, -2 where the user is asked, and 0.
func (d drawn) oracle(kind, effect string, places []string) int {
	var forms []string
	for _, place := range places {
		forms = append(forms, place)
		if host, ok := strings.CutPrefix(place, "http://"); ok { // none has a port here
			forms = append(forms, "https://"+host)
		}
	}
	for _, place := range forms {
		for i, e := range d.Deny {
			for _, pattern := range e.Origins {
				if e.isFor(kind) && slices.Contains(stands[pattern], place) {
					return i + 4
				}
			}
		}
	}
	for _, place := range places {
		restricted, allowed := false, false
		for _, e := range d.Allow {
			for _, pattern := range e.Origins {
				restricted = restricted || e.isFor(kind)
				allowed = allowed || e.isFor(kind) && slices.Contains(stands[pattern], place)
			}
		}
		if restricted && !allowed {
			return -1
		}
	}
	if slices.Contains(d.Ask, effect) {
		return -2
	}
	return 0
}

// TestFileAgainstOracle ensures that files are refused exactly where their lines contradict each other, and that
// decisions about pages are those of the simple implementation, with the line that it names.
func TestFileAgainstOracle(t *testing.T) {
	patterns := make([]string, 0, len(stands))
	for pattern := range stands {
		patterns = append(patterns, pattern)
	}
	slices.Sort(patterns)
	kinds := []string{"cli", "mcp", "voice", "agent"}
	effects := []string{"read", "view", "state", "input", "tab", "code"}
	entry := rapid.Custom(func(t *rapid.T) drawnEntry {
		return drawnEntry{
			Origins:  rapid.SliceOfN(rapid.SampledFrom(patterns), 1, 2).Draw(t, "origins"),
			Sessions: rapid.SliceOfNDistinct(rapid.SampledFrom(kinds), 0, 2, rapid.ID).Draw(t, "sessions"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		d := drawn{
			Ask:   rapid.SliceOfNDistinct(rapid.SampledFrom(effects), 0, 3, rapid.ID).Draw(t, "ask"),
			Allow: rapid.SliceOfN(entry, 0, 2).Draw(t, "allow"), Deny: rapid.SliceOfN(entry, 0, 3).Draw(t, "deny"),
		}
		rules, err := Parse("policy.json", []byte(d.text()))
		if contradicts := d.oracleContradicts(); (err != nil) != contradicts {
			t.Fatalf("%s: %v, the oracle says %t", d.text(), err, contradicts)
		}
		if err != nil {
			return
		}
		engine, err := policy.New(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		engine.File = func() *policy.FileRules { return rules }
		for range 8 {
			kind, effect := rapid.SampledFrom(kinds).Draw(t, "kind"), rapid.SampledFrom(effects).Draw(t, "effect")
			places := rapid.SliceOfN(rapid.SampledFrom(pages), 1, 2).Draw(t, "places")
			got := engine.Decide(policy.Request{
				Session: policy.SessionKind(kind), SessionID: "s", Mode: policy.ModeAct, Name: "t.do", Stored: true, AllowCode: true,
				Effects: []policy.Effect{policy.Effect(effect)}, Origin: places[0], TargetOrigins: places, Ask: rules.AskEffects(),
			})
			if want := d.oracle(kind, effect, places); want != outcome(got) {
				t.Fatalf("%s\n%s %s %q: %+v, the oracle says %d", d.text(), kind, effect, places, got.Fault, want)
			}
			sees := rules.Permits(policy.SessionKind(kind), places[0])
			if want := d.oracle(kind, "", places[:1]) == 0; sees != want {
				t.Fatalf("%s\n%s sees %q: %t, the oracle says %t", d.text(), kind, places[0], sees, want)
			}
		}
	})
}

// outcome is a decision as the oracle writes it.
func outcome(d policy.Decision) int {
	if d.Verdict == policy.Allow {
		return 0
	}
	line := 0
	section, _ := d.Fault.Evidence["section"].(string)
	_, _ = fmt.Sscanf(section, "policy.json:%d", &line)
	switch {
	case d.Fault.Code == fault.NeedsApproval && line == 2:
		return -2
	case d.Rule == "policy_file_allow" && line == 0:
		return -1
	case d.Rule == "policy_file_deny" && strings.HasPrefix(d.Fault.Message, section+" denies "):
		return line
	}
	return -99
}
