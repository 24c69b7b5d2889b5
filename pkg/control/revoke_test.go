package control

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/policy"
)

func TestRevokeLeavesDenials(t *testing.T) {
	// Ensure that a client of the socket, which may be an agent, takes back what was allowed and never what a person refused.
	const origin = "https://shop.example"
	for _, c := range []struct {
		revoke Revoke
		grant  policy.Grant
		want   bool
	}{
		{Revoke{Origin: origin}, policy.Grant{Origin: origin, Effect: policy.EffectInput}, true},
		{Revoke{Origin: origin}, policy.Grant{Origin: origin, Effect: policy.EffectInput, Deny: true}, false},
		{Revoke{Origin: origin, Effect: policy.EffectRead}, policy.Grant{Origin: origin, Effect: policy.EffectInput}, false},
		{Revoke{Origin: origin}, policy.Grant{Origin: "https://other.example", Effect: policy.EffectInput}, false},
	} {
		if got := c.revoke.matches(c.grant); got != c.want {
			t.Errorf("%+v of %+v: %v", c.revoke, c.grant, got)
		}
	}
}
