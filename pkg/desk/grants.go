package desk

import (
	"context"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// Grant is what the user has allowed or denied, without the call that it may be
// for: a page has no use for its text.
type Grant struct {
	ID          string        `json:"id"`
	Origin      string        `json:"origin"` // empty: no page
	Effect      policy.Effect `json:"effect"`
	Scope       policy.Scope  `json:"scope"`
	Deny        bool          `json:"deny"`
	SessionID   string        `json:"session_id,omitzero"` // whose it is; empty: everybody's
	SessionName string        `json:"session_name,omitzero"`
	Since       time.Time     `json:"since,omitzero"`
	ExpiresAt   time.Time     `json:"expires_at,omitzero"`
}

// Grants are all that hold, by origin, effect and scope.
type Grants struct {
	Grants []Grant `json:"grants"`
}

// Revoked says how many grants were taken back, and what holds now.
type Revoked struct {
	Revoked int `json:"revoked"`
	Grants
}

func (d *Desk) grants() []Grant {
	names := map[string]string{}
	for _, named := range d.Sessions.Named() {
		names[named.ID] = named.Name
	}
	all := []Grant{}
	for _, g := range d.Path.Policy.Grants() {
		all = append(all, Grant{
			ID: g.ID(), Origin: g.Origin, Effect: g.Effect, Scope: g.Scope, Deny: g.Deny,
			SessionID: g.SessionID, SessionName: names[g.SessionID], Since: g.Since, ExpiresAt: g.ExpiresAt,
		})
	}
	return all
}

// revoke takes back the grants with these ids. One that is gone already is no
// error: it may have ended, or was taken back elsewhere, while the page was read.
func (d *Desk) revoke(ctx context.Context, ids []string) (Revoked, error) {
	if len(ids) == 0 {
		return Revoked{}, fault.New(fault.InvalidInput, "revoke needs the ids of the grants").WithDispatched(fault.NotDispatched)
	}
	revoked, err := d.Path.Revoke(ctx, func(g policy.Grant) bool { return slices.Contains(ids, g.ID()) })
	return Revoked{Revoked: len(revoked), Grants: Grants{Grants: d.grants()}}, err
}

// granted counts the grants by origin; those for no page are nobody's site.
func (d *Desk) granted() map[string]int {
	count := map[string]int{}
	for _, g := range d.Path.Policy.Grants() {
		if g.Origin != "" {
			count[g.Origin]++
		}
	}
	return count
}
