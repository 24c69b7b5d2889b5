package policy

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func asking() Request {
	r := direct("pointer.click", EffectInput)
	r.Ask = []Effect{EffectInput}
	return r
}

func openDB(t *testing.T, path string) *bbolt.DB {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// Ensure a grant for one call allows one of many concurrent calls.
func TestOnceAllowsOneCall(t *testing.T) {
	e := newEngine(t, Grant{Origin: origin, Effect: EffectInput, Scope: ScopeOnce, SessionID: "s1"})
	var allowed atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if e.Decide(asking()).Verdict == Allow {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 1 {
		t.Errorf("%d calls were allowed", allowed.Load())
	}
}

// Ensure that a refusal is known for its origin, effect and session alone, and that an allowance is none.
func TestRefuses(t *testing.T) {
	e := newEngine(t, Grant{Origin: origin, Effect: EffectRead, Scope: ScopeSession, SessionID: "s1", Deny: true},
		Grant{Origin: origin, Effect: EffectView, Scope: ScopeAlways})
	for _, c := range []struct {
		session, origin string
		effect          Effect
		want            bool
	}{{"s1", origin, EffectRead, true}, {"s2", origin, EffectRead, false}, {"s1", "https://other.test", EffectRead, false}, {"s1", origin, EffectView, false}} {
		if got := e.Refuses(c.session, c.origin, c.effect); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// Ensure a grant for one call stays when a longer one covers the call, and when
// the call does not run.
func TestOnceIsNotWasted(t *testing.T) {
	once := Grant{Origin: origin, Effect: EffectInput, Scope: ScopeOnce, SessionID: "s1"}
	e := newEngine(t, once, Grant{Origin: origin, Effect: EffectInput, Scope: ScopeAlways})
	e.Decide(asking())
	if !slices.Contains(e.Grants(), once) {
		t.Error("the grant was used up although another covered the call")
	}

	e = newEngine(t, once)
	r := asking()
	r.Effects, r.Ask = []Effect{EffectInput, EffectTab}, []Effect{EffectInput, EffectTab}
	if d := e.Decide(r); d.Verdict != Ask || !slices.Equal(d.Needs, []Effect{EffectTab}) {
		t.Fatalf("got %s, needs %v", d.Verdict, d.Needs)
	}
	if !slices.Contains(e.Grants(), once) {
		t.Error("the grant was used up by a call that did not run")
	}
}

// Ensure grants of scope always and their denies survive a restart, others do
// not, and a revoked one does not come back.
func TestGrantsPersist(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.db")
	always := Grant{Origin: origin, Effect: EffectInput, Scope: ScopeAlways}
	deny := Grant{Origin: "https://bank.test:8443", Effect: EffectInput, Scope: ScopeAlways, Deny: true}
	revoked := Grant{Origin: origin, Effect: EffectTab, Scope: ScopeAlways}

	db := openDB(t, path)
	e, err := New(BoltStore{db}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []Grant{always, deny, revoked, {Origin: origin, Effect: EffectCode, Scope: ScopeSession, SessionID: "s1"}} {
		if err := e.Grant(g); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Revoke(revoked); err != nil {
		t.Fatal(err)
	}
	if err := e.Revoke(revoked); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("revoking twice: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	e, err = New(BoltStore{openDB(t, path)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Grants(); !slices.Equal(got, []Grant{deny, always}) {
		t.Errorf("after the restart: %+v", got)
	}
}

// Ensure broken stored grants stop the engine instead of losing a deny.
func TestBrokenStore(t *testing.T) {
	for _, text := range []string{`[{"origin":"a"`, `[{"origin":"a","effect":"input","scope":"ever"}]`, `[{"origin":"a","effect":"input","scope":"always","deni":true}]`} {
		db := openDB(t, filepath.Join(t.TempDir(), "policy.db"))
		err := db.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucket([]byte("policy"))
			if err != nil {
				return err
			}
			return bucket.Put([]byte("grants"), []byte(text))
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(BoltStore{db}, nil); !fault.Is(err, fault.StorageUnavailable) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

type brokenStore struct{ err error }

func (s brokenStore) Load() ([]Grant, error) { return nil, nil }
func (s brokenStore) Save([]Grant) error     { return s.err }

// Ensure that what cannot be stored fails to the safe side: an allow does not
// count, a deny counts, a deny cannot be revoked.
func TestStoreFailsSafe(t *testing.T) {
	failure := errors.New("disk full")
	e, err := New(brokenStore{failure}, nil)
	if err != nil {
		t.Fatal(err)
	}
	allow := Grant{Origin: origin, Effect: EffectInput, Scope: ScopeAlways}
	if err := e.Grant(allow); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	if d := e.Decide(asking()); d.Verdict != Ask {
		t.Errorf("an allow that was not stored counts: %s", d.Verdict)
	}
	deny := allow
	deny.Deny = true
	if err := e.Grant(deny); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	if err := e.Revoke(deny); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	if d := e.Decide(asking()); d.Verdict != Deny {
		t.Errorf("a deny does not count: %s", d.Verdict)
	}
}

// countingStore counts how often it is written.
type countingStore struct {
	brokenStore
	saves int
}

func (s *countingStore) Save([]Grant) error {
	s.saves++
	return nil
}

// Ensure that what is granted already is not written again.
func TestGrantAgainWritesNothing(t *testing.T) {
	store := &countingStore{}
	e, err := New(store, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := e.Grant(Grant{Origin: origin, Effect: EffectInput, Scope: ScopeAlways}); err != nil {
			t.Fatal(err)
		}
	}
	if store.saves != 1 {
		t.Errorf("the store was written %d times", store.saves)
	}
}

// Ensure that a deny which could not be stored is stored when it is granted again, and that it is an error until then.
func TestDenyStoredLater(t *testing.T) {
	failure := errors.New("disk full")
	store := &brokenStore{failure}
	e, err := New(store, nil)
	if err != nil {
		t.Fatal(err)
	}
	deny := Grant{Origin: origin, Effect: EffectInput, Scope: ScopeAlways, Deny: true}
	for range 2 {
		if err := e.Grant(deny); !errors.Is(err, failure) {
			t.Errorf("got %v", err)
		}
	}
	store.err = nil
	if err := e.Grant(deny); err != nil || len(e.Grants()) != 1 {
		t.Errorf("got %v with %v", err, e.Grants())
	}
}

// Ensure grants without a meaning are refused.
func TestInvalidGrants(t *testing.T) {
	for _, g := range []Grant{
		{}, {Effect: "all", Scope: ScopeAlways}, {Effect: EffectInput, Scope: "ever"},
		{Effect: EffectInput, Scope: ScopeAlways, SessionID: "s1"}, {Effect: EffectInput, Scope: ScopeOnce},
	} {
		if err := newEngine(t).Grant(g); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%+v: %v", g, err)
		}
	}
}

// Ensure each of two allows of one call is used up once, when the first has ended too.
func TestOnceTwice(t *testing.T) {
	now := time.Unix(1000, 0)
	e, err := New(nil, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []time.Duration{0, 40 * time.Second} {
		g := Grant{Origin: origin, Effect: EffectInput, Scope: ScopeOnce, SessionID: asking().SessionID, ExpiresAt: now.Add(after + ApprovalTTL)}
		if err := e.Grant(g); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(70 * time.Second)
	if first, second := e.Decide(asking()).Verdict, e.Decide(asking()).Verdict; first != Allow || second != Ask {
		t.Errorf("%s, then %s", first, second)
	}
}

// Ensure a session's grants end with it and with their time.
func TestGrantsEnd(t *testing.T) {
	now := time.Unix(1000, 0)
	e, err := New(nil, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	session := Grant{Origin: origin, Effect: EffectInput, Scope: ScopeSession, SessionID: "s1"}
	timed := session
	timed.SessionID, timed.ExpiresAt = "s2", now.Add(time.Minute)
	for _, g := range []Grant{session, timed} {
		if err := e.Grant(g); err != nil {
			t.Fatal(err)
		}
	}
	e.EndSessions("s1")
	if got := e.Grants(); !slices.Equal(got, []Grant{timed}) {
		t.Fatalf("got %+v", got)
	}
	r := asking()
	r.SessionID = "s2"
	if d := e.Decide(r); d.Verdict != Allow {
		t.Errorf("got %s", d.Verdict)
	}
	now = now.Add(time.Minute)
	if d := e.Decide(r); d.Verdict != Ask {
		t.Errorf("an expired grant counts: %s", d.Verdict)
	}
}

func TestDependsOnOrigin(t *testing.T) {
	// Ensure that whether another origin could be decided otherwise is told: for a session that is restricted, an effect that is asked about, and a refusal that counts for the session, and for nothing else.
	refused := func(effect Effect, scope Scope, session string, deny bool) *Engine {
		e, err := New(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if effect != "" {
			if err := e.Grant(Grant{Origin: "https://b.example", Effect: effect, Scope: scope, SessionID: session, Deny: deny}); err != nil {
				t.Fatal(err)
			}
		}
		return e
	}
	look := Request{SessionID: "one", Origin: "https://a.example", Effects: []Effect{EffectView}}
	restricted, asked := look, look
	restricted.Origins, asked.Ask = []string{"https://a.example"}, []Effect{EffectView}
	for name, row := range map[string]struct {
		engine *Engine
		r      Request
		want   bool
	}{
		"nothing":              {refused("", "", "", false), look, false},
		"restricted":           {refused("", "", "", false), restricted, true},
		"asked":                {refused("", "", "", false), asked, true},
		"refused":              {refused(EffectView, ScopeAlways, "", true), look, true},
		"refused to it":        {refused(EffectView, ScopeSession, "one", true), look, true},
		"refused to another":   {refused(EffectView, ScopeSession, "two", true), look, false},
		"another effect":       {refused(EffectInput, ScopeAlways, "", true), look, false},
		"allowed, not refused": {refused(EffectView, ScopeAlways, "", false), look, false},
	} {
		if got := row.engine.DependsOnOrigin(row.r); got != row.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
