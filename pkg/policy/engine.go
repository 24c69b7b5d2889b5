package policy

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Store keeps grants of scope always.
type Store interface {
	Load() ([]Grant, error)
	Save(grants []Grant) error // replaces all; on disk when it returns
}

// Engine decides with the grants it holds. Its methods are safe for concurrent
// use.
type Engine struct {
	// File returns the rules of policy.json of this moment; nil: there are none. Set it before
	// the first decision.
	File func() *FileRules

	store Store
	now   func() time.Time

	mu      sync.Mutex
	grants  map[grantKey][]Grant
	unsaved bool // the store may have others
}

type grantKey struct {
	origin string
	effect Effect
}

// New makes an engine with the store's grants. A nil store keeps nothing, a nil
// now is time.Now. The fault is the store's, or storage_unavailable for a grant
// that makes no sense: a broken deny must not be left out silently.
func New(store Store, now func() time.Time) (*Engine, error) {
	if now == nil {
		now = time.Now
	}
	e := &Engine{store: store, now: now, grants: map[grantKey][]Grant{}}
	if store == nil {
		return e, nil
	}
	grants, err := store.Load()
	if err != nil {
		return nil, err
	}
	for _, g := range grants {
		if err := g.check(); err != nil || g.Scope != ScopeAlways {
			return nil, fault.New(fault.StorageUnavailable, "a stored grant is broken: %+v", g)
		}
		e.add(g)
	}
	return e, nil
}

// FileRules returns the rules of policy.json of this moment.
func (e *Engine) FileRules() *FileRules {
	if e.File == nil {
		return nil
	}
	return e.File()
}

// withRules adds the rules of policy.json to a request that was made without.
func (e *Engine) withRules(r Request) Request {
	if r.Rules == nil {
		r.Rules = e.FileRules()
	}
	return r
}

// Decide decides about a call. Grants of scope once that the verdict needed are
// used up.
func (e *Engine) Decide(r Request) Decision {
	r = e.withRules(r)
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.decide(r)
	for _, g := range d.usedUp {
		e.remove(g, func(other Grant) bool { return g == other }) // one like it may have ended already
	}
	return d
}

// Explain is Decide without using up anything.
func (e *Engine) Explain(r Request) Decision {
	r = e.withRules(r)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.decide(r)
}

// DependsOnOrigin reports whether the decision about a request could be another one for
// another origin, but for the few that policy.json denies.
func (e *Engine) DependsOnOrigin(r Request) bool {
	if e.withRules(r).Rules.Restricts(r.Session) {
		return true
	}
	if len(r.Origins) > 0 || slices.ContainsFunc(r.Effects, func(effect Effect) bool { return slices.Contains(r.Ask, effect) }) {
		return true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	for key, grants := range e.grants {
		if slices.Contains(r.Effects, key.effect) && slices.ContainsFunc(grants, func(g Grant) bool { return g.Deny && g.applies(r.SessionID, r.Call, now) }) {
			return true
		}
	}
	return false
}

// Refuses reports whether the user has refused the effect on the origin, to the session or to all.
func (e *Engine) Refuses(sessionID, origin string, effect Effect) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	return slices.ContainsFunc(e.grantsFor(origin, effect), func(g Grant) bool {
		return g.Deny && g.Call == "" && g.applies(sessionID, "", now)
	})
}

// grantsFor returns the grants for the origin and the effect, and those that deny the effect on its host without a
// final dot.
func (e *Engine) grantsFor(origin string, effect Effect) []Grant {
	grants := e.grants[grantKey{origin, effect}]
	plain := withoutFinalDot(origin)
	if plain == origin {
		return grants
	}
	denying := slices.DeleteFunc(slices.Clone(e.grants[grantKey{plain, effect}]), func(g Grant) bool { return !g.Deny })
	return slices.Concat(grants, denying)
}

func (e *Engine) decide(r Request) Decision {
	now := e.now()
	return decide(r, func(effect Effect) []Grant {
		var applying []Grant
		for _, g := range e.grantsFor(r.Origin, effect) {
			if g.applies(r.SessionID, r.Call, now) {
				applying = append(applying, g)
			}
		}
		return applying
	})
}

// Grant adds a grant; the same one twice counts once, except that each grant of
// scope once allows its own call. One of scope always is on disk when Grant
// returns. When it cannot be stored, a deny counts until the host ends and an
// allow does not count.
func (e *Engine) Grant(g Grant) error {
	if err := g.check(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dropExpired()
	if g.Scope != ScopeOnce && slices.ContainsFunc(e.grants[g.key()], g.equal) {
		if g.Scope == ScopeAlways {
			return e.flush() // the first attempt may have failed
		}
		return nil
	}
	e.add(g)
	err := e.save(g)
	if err != nil && !g.Deny {
		e.remove(g, g.equal)
	}
	return err
}

// Revoke removes a grant. The fault is invalid_arguments when there is none like
// it. When a revoked grant cannot be removed from the disk, a deny stays and an allow
// does not count until the host ends; [Engine.Flush] tries again.
func (e *Engine) Revoke(g Grant) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.remove(g, g.equal) {
		return fault.New(fault.InvalidArguments, "there is no such grant")
	}
	err := e.save(g)
	if err != nil && g.Deny {
		e.add(g)
	}
	return err
}

// Flush stores the grants if the last attempt failed.
func (e *Engine) Flush() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.flush()
}

// EndSessions drops what was granted for these sessions.
func (e *Engine) EndSessions(ids ...string) {
	ended := setOf(ids)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.retain(func(g Grant) bool { return g.Scope == ScopeAlways || !ended[g.SessionID] })
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// Grants lists the grants in force, by origin, effect and scope.
func (e *Engine) Grants() []Grant {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dropExpired()
	return e.sorted()
}

func (e *Engine) sorted() []Grant {
	var all []Grant
	for _, grants := range e.grants {
		all = append(all, grants...)
	}
	slices.SortStableFunc(all, func(a, b Grant) int {
		return cmp.Or(cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Effect, b.Effect),
			cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.SessionID, b.SessionID))
	})
	return all
}

func (e *Engine) save(changed Grant) error {
	if e.store == nil || changed.Scope != ScopeAlways {
		return nil
	}
	e.unsaved = true
	return e.flush()
}

func (e *Engine) flush() error {
	if !e.unsaved {
		return nil
	}
	err := e.store.Save(slices.DeleteFunc(e.sorted(), func(g Grant) bool { return g.Scope != ScopeAlways }))
	e.unsaved = err != nil
	return err
}

func (e *Engine) dropExpired() {
	now := e.now()
	e.retain(func(g Grant) bool { return g.ExpiresAt.IsZero() || now.Before(g.ExpiresAt) })
}

func (e *Engine) retain(keep func(Grant) bool) {
	for key, grants := range e.grants {
		kept := slices.DeleteFunc(grants, func(g Grant) bool { return !keep(g) })
		if len(kept) == 0 {
			delete(e.grants, key)
			continue
		}
		e.grants[key] = kept
	}
}

func (e *Engine) add(g Grant) { e.grants[g.key()] = append(e.grants[g.key()], g) }

func (e *Engine) remove(g Grant, same func(Grant) bool) bool {
	key := g.key()
	at := slices.IndexFunc(e.grants[key], same)
	if at < 0 {
		return false
	}
	e.grants[key] = slices.Delete(e.grants[key], at, at+1)
	if len(e.grants[key]) == 0 {
		delete(e.grants, key)
	}
	return true
}

func (g Grant) key() grantKey { return grantKey{g.Origin, g.Effect} }

// equal leaves the times out: two grants that differ only by them are the same
// permission.
func (g Grant) equal(other Grant) bool {
	g.Since, other.Since = time.Time{}, time.Time{}
	g.ExpiresAt, other.ExpiresAt = time.Time{}, time.Time{}
	return g == other
}
