package policy

import (
	"testing"
	"time"
)

func TestFreshApproval(t *testing.T) {
	// Ensure that what must be approved each time is not let through by a grant for more, is by an approval for this call, once, and that a refusal still holds for all.
	for _, scope := range []Scope{ScopeOnce, ScopeSession, ScopeAlways} {
		now := time.Unix(1000, 0)
		e, err := New(nil, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		a := NewApprovals(e)
		if err := e.Grant(Grant{Origin: asking().Origin, Effect: EffectInput, Scope: ScopeAlways}); err != nil {
			t.Fatal(err)
		}
		fresh := asking()
		fresh.RequireNewApproval, fresh.Call = true, "pay 10"
		d := e.Decide(fresh)
		if d.Verdict != Ask || e.Decide(asking()).Verdict != Allow {
			t.Fatalf("with a standing grant: %s", d.Verdict)
		}
		approval := a.Open(fresh, d, "pay 10")
		if _, err := a.Answer(Answer{ID: approval.ID, Allow: true, Scope: scope, Face: FacePopup}); err != nil {
			t.Fatal(err)
		}
		other := fresh
		other.Call = "pay 99"
		if got := []Verdict{e.Decide(other).Verdict, e.Decide(fresh).Verdict, e.Decide(fresh).Verdict}; got[0] != Ask || got[1] != Allow || got[2] != Ask {
			t.Errorf("allowed %s: another call, this call, again: %v", scope, got)
		}
		again := a.Open(fresh, e.Decide(fresh), "pay 10")
		if _, err := a.Answer(Answer{ID: again.ID, Allow: false, Scope: ScopeSession, Face: FacePopup}); err != nil {
			t.Fatal(err)
		}
		if got := e.Decide(other).Verdict; got != Deny {
			t.Errorf("after a refusal: %s", got)
		}
	}
}
