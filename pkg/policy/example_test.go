package policy_test

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/policy"
)

// A stored action that clicks: refused in mode ask, allowed in mode act, and
// refused again once a person has denied input on the origin.
func ExampleEngine_Decide() {
	engine, err := policy.New(nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	request := policy.Request{
		Session: policy.SessionMCP, SessionID: "s1", Mode: policy.ModeAsk,
		Name: "cart.add", Stored: true, Primitives: []string{"locator.click"},
		Effects: []policy.Effect{policy.EffectInput}, Origin: "https://shop.example",
	}
	show := func(d policy.Decision) { fmt.Println(d.Verdict, d.Rule) }

	show(engine.Decide(request))
	request.Mode = policy.ModeAct
	show(engine.Decide(request))
	err = engine.Grant(policy.Grant{Origin: "https://shop.example", Effect: policy.EffectInput, Scope: policy.ScopeSession, SessionID: "s1", Deny: true})
	if err != nil {
		fmt.Println(err)
	}
	show(engine.Decide(request))
	// Output:
	// deny mode
	// allow approval
	// deny deny_grants
}
