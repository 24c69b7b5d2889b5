package policy

import (
	"testing"
	"time"
)

func TestGrantID(t *testing.T) {
	// Ensure that a grant's id depends on all that makes it another permission, and not on its times.
	base := Grant{Origin: origin, Effect: EffectInput, Scope: ScopeSession, SessionID: "s1", Call: "c"}
	same := base
	same.Since, same.ExpiresAt = time.Unix(1, 0), time.Unix(2, 0)
	if same.ID() != base.ID() || !same.equal(base) {
		t.Error("the times make it another one")
	}
	seen := map[string]Grant{base.ID(): base}
	for _, change := range []func(*Grant){
		func(g *Grant) { g.Origin += "x" }, func(g *Grant) { g.Effect = EffectTab }, func(g *Grant) { g.Scope = ScopeOnce },
		func(g *Grant) { g.Deny = true }, func(g *Grant) { g.SessionID = "s2" }, func(g *Grant) { g.Call = "" },
		func(g *Grant) { g.SessionID, g.Call = `s1" "c`, "" },
	} {
		g := base
		change(&g)
		if other, ok := seen[g.ID()]; ok {
			t.Errorf("%+v and %+v have one id", g, other)
		}
		seen[g.ID()] = g
	}
}

func TestAnswerKeepsItsTime(t *testing.T) {
	// Ensure that a grant knows when the question was answered, and that the same answer again leaves one grant.
	now := time.Unix(1000, 0)
	e, a, approval := ask(t, &now)
	if _, err := a.Answer(Answer{ID: approval.ID, Allow: true, Scope: ScopeAlways, Face: FacePopup}); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	if err := e.Grant(Grant{Origin: approval.Origin, Effect: EffectInput, Scope: ScopeAlways, Since: now}); err != nil {
		t.Fatal(err)
	}
	if grants := e.Grants(); len(grants) != 1 || !grants[0].Since.Equal(time.Unix(1000, 0)) {
		t.Errorf("grants %+v", grants)
	}
}
