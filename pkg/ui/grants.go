package ui

import (
	"context"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// Grant is a permission or denial by the user, without the call that it may be for: a
// page has no use for its text.
type Grant struct {
	ID          string        `json:"id"`
	Origin      string        `json:"origin"` // empty: no page
	Effect      policy.Effect `json:"effect"`
	Scope       policy.Scope  `json:"scope"`
	Deny        bool          `json:"deny"`
	SessionID   string        `json:"session_id,omitzero"` // empty: of all sessions
	SessionName string        `json:"session_name,omitzero"`
	Since       time.Time     `json:"since,omitzero"`
	ExpiresAt   time.Time     `json:"expires_at,omitzero"`
}

// Grants are all current grants, by origin, effect and scope.
type Grants struct {
	Grants []Grant `json:"grants"`
}

// Revoked is the number of grants that were revoked, and the remaining ones.
type Revoked struct {
	Revoked int `json:"revoked"`
	Grants
}

func (b *Backend) grants() []Grant {
	names := map[string]string{}
	for _, named := range b.Sessions.Named() {
		names[named.ID] = named.Name
	}
	all := []Grant{}
	for _, g := range b.Path.Policy.Grants() {
		all = append(all, Grant{
			ID: g.ID(), Origin: g.Origin, Effect: g.Effect, Scope: g.Scope, Deny: g.Deny,
			SessionID: g.SessionID, SessionName: names[g.SessionID], Since: g.Since, ExpiresAt: g.ExpiresAt,
		})
	}
	return all
}

// revoke revokes the grants with these ids. A missing one is not an error: it may have
// expired, or been revoked elsewhere, while the page was read.
func (b *Backend) revoke(ctx context.Context, ids []string) (Revoked, error) {
	if len(ids) == 0 {
		return Revoked{}, fault.New(fault.InvalidInput, "revoke needs the ids of the grants").WithDispatched(fault.NotDispatched)
	}
	revoked, err := b.Path.Revoke(ctx, func(g policy.Grant) bool { return slices.Contains(ids, g.ID()) })
	return Revoked{Revoked: len(revoked), Grants: Grants{Grants: b.grants()}}, err
}

// grantCounts counts the grants by origin; those for no page belong to no site.
func (b *Backend) grantCounts() map[string]int {
	count := map[string]int{}
	for _, g := range b.Path.Policy.Grants() {
		if g.Origin != "" {
			count[g.Origin]++
		}
	}
	return count
}
