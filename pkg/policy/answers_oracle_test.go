package policy

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// permission is a grant of the model: a sentence that holds until its time.
type permission struct {
	origin, session, call string // an empty session is all, an empty call is any
	effect                Effect
	scope                 Scope
	deny                  bool
	until                 time.Time // zero: no end
}

// question is an open question of the model.
type question struct {
	id, origin, session, call string
	effects                   []Effect
	until                     time.Time
}

// life is the model of what a person was asked and has answered: two plain lists.
type life struct {
	now         time.Time
	permissions []permission
	questions   []question
}

func (l *life) tick(d time.Duration) {
	l.now = l.now.Add(d)
	l.permissions = slices.DeleteFunc(l.permissions, func(p permission) bool { return !p.until.IsZero() && !l.now.Before(p.until) })
	l.questions = slices.DeleteFunc(l.questions, func(q question) bool { return !l.now.Before(q.until) })
}

// decide is what should become of a call, and uses up what allows it once.
func (l *life) decide(r Request) (v Verdict, needs []Effect) {
	holds := func(e Effect, deny bool, scopes ...Scope) int {
		return slices.IndexFunc(l.permissions, func(p permission) bool {
			return p.deny == deny && p.effect == e && p.origin == r.Origin && (p.session == "" || p.session == r.SessionID) && (p.call == "" || p.call == r.Call) && slices.Contains(scopes, p.scope)
		})
	}
	for _, e := range r.Effects {
		if holds(e, true, ScopeOnce, ScopeSession, ScopeAlways) >= 0 {
			return Deny, nil
		}
	}
	var once []Effect
	for _, e := range r.Effects {
		switch {
		case holds(e, false, ScopeSession, ScopeAlways) >= 0:
		case holds(e, false, ScopeOnce) >= 0:
			once = append(once, e)
		default:
			needs = append(needs, e)
		}
	}
	if len(needs) > 0 {
		return Ask, needs
	}
	for _, e := range once {
		i := holds(e, false, ScopeOnce)
		l.permissions = slices.Delete(l.permissions, i, i+1)
	}
	return Allow, nil
}

func (l *life) ask(id string, r Request, needs []Effect) {
	var own []question
	for _, q := range l.questions {
		if q.session == r.SessionID && q.call == r.Call && q.origin == r.Origin && slices.Equal(q.effects, needs) {
			return
		}
		if q.session == r.SessionID {
			own = append(own, q)
		}
	}
	if len(own) == maxOpen {
		l.close(own[0].id)
	}
	l.questions = append(l.questions, question{id, r.Origin, r.SessionID, r.Call, needs, l.now.Add(ApprovalTTL)})
}

func (l *life) close(id string) {
	l.questions = slices.DeleteFunc(l.questions, func(q question) bool { return q.id == id })
}

func (l *life) answer(q question, allow bool, scope Scope) {
	l.close(q.id)
	for _, e := range q.effects {
		p := permission{origin: q.origin, session: q.session, effect: e, scope: scope, deny: !allow}
		switch {
		case scope == ScopeAlways:
			p.session = ""
		case scope == ScopeOnce:
			p.until = l.now.Add(ApprovalTTL)
			if allow {
				p.call = q.call
			}
		}
		if scope == ScopeOnce || !slices.Contains(l.permissions, p) {
			l.permissions = append(l.permissions, p)
		}
	}
}

func (l *life) end(session string) {
	l.permissions = slices.DeleteFunc(l.permissions, func(p permission) bool { return p.session == session })
	l.questions = slices.DeleteFunc(l.questions, func(q question) bool { return q.session == session })
}

func (l *life) restart() {
	l.questions = nil
	l.permissions = slices.DeleteFunc(l.permissions, func(p permission) bool { return p.scope != ScopeAlways })
}

// kept is a store in memory.
type kept struct{ grants []Grant }

func (k *kept) Load() ([]Grant, error) { return k.grants, nil }
func (k *kept) Save(g []Grant) error   { k.grants = slices.Clone(g); return nil }

// Ensure that whatever is asked and answered, in whichever order and time, over sessions that
// end and hosts that start again, the same is open, granted and decided as in the model.
func TestAnswersAgainstOracle(t *testing.T) {
	sessions, origins, calls := []string{"s1", "s1", "s2"}, []string{"https://a.test", "https://a.test", ""}, []string{"x", "x", "y"}
	effects := [][]Effect{{EffectInput}, {EffectTab}, {EffectInput, EffectTab}, {EffectTab, EffectInput}}
	rapid.Check(t, func(t *rapid.T) {
		l := &life{now: time.Unix(1000, 0)}
		store := &kept{}
		var e *Engine
		var a *Approvals
		restart := func(t *rapid.T) {
			var err error
			if e, err = New(store, func() time.Time { return l.now }); err != nil {
				t.Fatal(err)
			}
			a = NewApprovals(e)
			l.restart()
		}
		restart(t)
		t.Repeat(map[string]func(*rapid.T){
			"call": func(t *rapid.T) {
				r := Request{
					Session: SessionMCP, SessionID: rapid.SampledFrom(sessions).Draw(t, "session"), Mode: ModeAct, Stored: true, Name: "site.act",
					Call: rapid.SampledFrom(calls).Draw(t, "call"), Origin: rapid.SampledFrom(origins).Draw(t, "origin"),
					Effects: rapid.SampledFrom(effects).Draw(t, "effects"), Ask: []Effect{EffectInput, EffectTab},
				}
				d := e.Decide(r)
				if v, needs := l.decide(r); d.Verdict != v || !slices.Equal(d.Needs, needs) {
					t.Fatalf("%s of %v, want %s of %v", d.Verdict, d.Needs, v, needs)
				}
				if d.Verdict == Ask {
					l.ask(a.Open(r, d, "").ID, r, d.Needs)
				}
			},
			"answer": func(t *rapid.T) {
				if len(l.questions) == 0 {
					t.Skip("nothing is asked")
				}
				q := rapid.SampledFrom(l.questions).Draw(t, "question")
				allow, scope := rapid.Bool().Draw(t, "allow"), rapid.SampledFrom([]Scope{ScopeOnce, ScopeOnce, ScopeSession, ScopeAlways}).Draw(t, "scope")
				if _, err := a.Answer(Answer{ID: q.id, Allow: allow, Scope: scope, Face: FacePopup}); err != nil {
					t.Fatal(err)
				}
				l.answer(q, allow, scope)
				if _, err := a.Answer(Answer{ID: q.id, Allow: true, Scope: ScopeAlways, Face: FacePopup}); !fault.Is(err, fault.InvalidArguments) {
					t.Fatalf("a second answer: %v", err)
				}
			},
			"revoke": func(t *rapid.T) {
				grants := e.Grants()
				if len(grants) == 0 {
					t.Skip("nothing is granted")
				}
				g := rapid.SampledFrom(grants).Draw(t, "grant")
				if err := e.Revoke(g); err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(l.permissions, func(p permission) bool { // the first one of those given twice
					p.until = g.ExpiresAt
					return p == permission{g.Origin, g.SessionID, g.Call, g.Effect, g.Scope, g.Deny, g.ExpiresAt}
				})
				l.permissions = slices.Delete(l.permissions, i, i+1)
			},
			"wait": func(t *rapid.T) { l.tick(time.Duration(rapid.IntRange(1, 40).Draw(t, "seconds")) * time.Second) },
			"end": func(t *rapid.T) {
				id := rapid.SampledFrom(sessions).Draw(t, "session")
				e.EndSessions(id)
				a.EndSessions(id)
				l.end(id)
			},
			"restart": restart,
			"": func(t *rapid.T) {
				l.tick(time.Millisecond) // no two questions are of one time
				var open []question
				for _, q := range a.List() {
					open = append(open, question{q.ID, q.Origin, q.SessionID, q.call, q.Effects, q.ExpiresAt})
				}
				if got, want := fmt.Sprint(open), fmt.Sprint(l.questions); got != want {
					t.Fatalf("open are %s, want %s", got, want)
				}
			},
		})
		wantGrants(t, e.Grants(), l.permissions)
	})
}

// wantGrants compares what is granted with the model, in any order.
func wantGrants(t *rapid.T, grants []Grant, permissions []permission) {
	var got, want []string
	for _, g := range grants {
		got = append(got, fmt.Sprint(permission{g.Origin, g.SessionID, g.Call, g.Effect, g.Scope, g.Deny, g.ExpiresAt}))
	}
	for _, p := range permissions {
		want = append(want, fmt.Sprint(p))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("granted is %q, want %q", got, want)
	}
}
