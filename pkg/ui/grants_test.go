package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/session"
)

const teaShop, mail = "https://tea.example", "https://mail.example:8443"

// grant adds grants to the backend's policy engine.
func (b *Backend) grant(t *testing.T, grants ...policy.Grant) {
	t.Helper()
	for _, g := range grants {
		if err := b.Path.Policy.Grant(g); err != nil {
			t.Fatal(err)
		}
	}
}

// revokedEvents returns the revoked grants of the log.
func (b *Backend) revokedEvents(t *testing.T) (events []string) {
	t.Helper()
	err := b.log.Backwards(t.Context(), journal.Filter{}, func(r journal.Record) bool {
		var data journal.PolicyEvent
		if err := json.Unmarshal(r.Data, &data); err != nil {
			t.Error(err)
		}
		if r.Type == journal.TypePolicy && data.Event == "grant_revoked" {
			events = append(events, strings.TrimSpace(fmt.Sprintln(r.SessionID, data.Origin, data.Effect, data.Scope, *data.Deny)))
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(events)
	return events
}

func TestGrants(t *testing.T) {
	// Ensure that the page learns what holds, where, for whom by name and for how long, but not the call that an answer was for, and that the popup learns how many hold for a site.
	b := open(t, t.TempDir(), true)
	var listed Grants
	b.ask(t, protocol.MethodUIGrants, `{}`, &listed)
	if listed.Grants == nil || len(listed.Grants) != 0 {
		t.Fatalf("without a grant: %+v", listed)
	}
	named, err := b.Sessions.Open(session.Caller{Kind: policy.SessionMCP, ID: "k3fj"})
	if err != nil {
		t.Fatal(err)
	}
	named.SetName("Claude Code")
	since := time.Date(2026, 11, 21, 14, 59, 0, 0, time.UTC)
	ends := time.Now().Add(time.Minute).UTC()
	b.grant(t,
		policy.Grant{Origin: teaShop, Effect: policy.EffectInput, Scope: policy.ScopeAlways, Since: since},
		policy.Grant{Origin: teaShop, Effect: policy.EffectInput, Scope: policy.ScopeSession, SessionID: "mcp:k3fj", Deny: true, Since: since},
		policy.Grant{Origin: mail, Effect: policy.EffectTab, Scope: policy.ScopeOnce, SessionID: "cli", Call: `text.type {"text":"my secret"}`, Since: since, ExpiresAt: ends},
		policy.Grant{Effect: policy.EffectState, Scope: policy.ScopeAlways, Deny: true},
	)
	var raw json.RawMessage
	b.ask(t, protocol.MethodUIGrants, `{}`, &raw)
	if strings.Contains(string(raw), "secret") {
		t.Fatal(string(raw))
	}
	b.ask(t, protocol.MethodUIGrants, `{}`, &listed)
	ids := map[string]bool{}
	for i := range listed.Grants {
		ids[listed.Grants[i].ID] = true
		listed.Grants[i].ID = ""
	}
	want := []Grant{
		{Effect: policy.EffectState, Scope: policy.ScopeAlways, Deny: true},
		{Origin: mail, Effect: policy.EffectTab, Scope: policy.ScopeOnce, SessionID: "cli", Since: since, ExpiresAt: ends},
		{Origin: teaShop, Effect: policy.EffectInput, Scope: policy.ScopeAlways, Since: since},
		{Origin: teaShop, Effect: policy.EffectInput, Scope: policy.ScopeSession, SessionID: "mcp:k3fj", SessionName: "Claude Code", Deny: true, Since: since},
	}
	if !slices.Equal(listed.Grants, want) || len(ids) != len(want) {
		t.Errorf("the page is told %+v, with %d ids", listed.Grants, len(ids))
	}
	var v View
	b.ask(t, protocol.MethodUIView, `{}`, &v)
	if len(v.Granted) != 2 || v.Granted[teaShop] != 2 || v.Granted[mail] != 1 {
		t.Errorf("the popup is told %v", v.Granted)
	}
}

func TestRevoke(t *testing.T) {
	// Ensure that revoking takes back the very grants that were named, on disk and in the log, that one which is gone is told and no error, and that what names none is refused.
	dir := t.TempDir()
	b := open(t, dir, true)
	allow := policy.Grant{Origin: teaShop, Effect: policy.EffectInput, Scope: policy.ScopeAlways}
	deny := policy.Grant{Origin: teaShop, Effect: policy.EffectInput, Scope: policy.ScopeSession, SessionID: "cli", Deny: true}
	kept := policy.Grant{Origin: teaShop, Effect: policy.EffectInput, Scope: policy.ScopeSession, SessionID: "mcp"}
	other := policy.Grant{Origin: mail, Effect: policy.EffectInput, Scope: policy.ScopeAlways}
	b.grant(t, allow, deny, kept, other)
	for _, wrong := range []string{`{}`, `{"ids":[]}`, `{"ids":"all"}`, `{"ids":["x"],"origin":"y"}`, `[]`} {
		if _, err := b.request(t, protocol.MethodUIRevoke, wrong); !fault.Is(err, fault.InvalidInput) && !fault.Is(err, fault.InvalidMessage) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if _, err := b.revoke(t.Context(), nil); fault.From(err).Dispatched != fault.NotDispatched {
		t.Errorf("without ids: %v", err)
	}
	revoke := func(want int, ids ...string) {
		t.Helper()
		args, err := json.Marshal(map[string]any{"ids": ids})
		if err != nil {
			t.Fatal(err)
		}
		var done Revoked
		b.ask(t, protocol.MethodUIRevoke, string(args), &done)
		if done.Revoked != want || len(done.Grants.Grants) != len(b.Path.Policy.Grants()) {
			t.Errorf("revoked %+v, not %d", done, want)
		}
	}
	revoke(0, "nonsense")
	revoke(1, deny.ID())
	revoke(0, deny.ID())
	revoke(1, allow.ID(), deny.ID())
	if left := b.Path.Policy.Grants(); !slices.Equal(left, []policy.Grant{other, kept}) {
		t.Errorf("left: %+v", left)
	}
	want := []string{"cli https://tea.example input session true", "https://tea.example input always false"}
	if got := b.revokedEvents(t); !slices.Equal(got, want) {
		t.Errorf("the log: %q", got)
	}
	if err := b.log.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, dir, true)
	if left := b.Path.Policy.Grants(); !slices.Equal(left, []policy.Grant{other}) {
		t.Errorf("after a restart: %+v", left)
	}
}

// fullDisk is a store that keeps nothing new while it is full.
type fullDisk struct {
	policy.BoltStore
	full bool
}

func (s *fullDisk) Save(grants []policy.Grant) error {
	if s.full {
		return fault.New(fault.StorageUnavailable, "the disk is full")
	}
	return s.BoltStore.Save(grants)
}

func TestRevokeStoredLater(t *testing.T) {
	// Ensure that revoked grants which stay on disk are an error each time until they are gone from there, that none of them counts meanwhile, and that each is in the log once.
	b := open(t, t.TempDir(), true)
	store := &fullDisk{BoltStore: policy.BoltStore{DB: b.log.Bolt()}}
	engine, err := policy.New(store, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Path.Policy = engine
	var ids []string
	for _, effect := range []policy.Effect{policy.EffectInput, policy.EffectTab} {
		allow := policy.Grant{Origin: teaShop, Effect: effect, Scope: policy.ScopeAlways}
		b.grant(t, allow)
		ids = append(ids, allow.ID())
	}
	store.full = true
	for range 2 {
		if _, err := b.revoke(t.Context(), ids); !fault.Is(err, fault.StorageUnavailable) {
			t.Errorf("got %v", err)
		}
		if len(engine.Grants()) != 0 {
			t.Errorf("these count: %v", engine.Grants())
		}
	}
	store.full = false
	if _, err := b.revoke(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	if kept, err := store.Load(); err != nil || len(kept) != 0 {
		t.Errorf("after a restart: %v, %v", kept, err)
	}
	if events := b.revokedEvents(t); len(events) != len(ids) {
		t.Errorf("the log: %q", events)
	}
}

func TestRevokeMany(t *testing.T) {
	// Ensure that two hundred grants are listed and taken back at once, each in the log.
	b := open(t, t.TempDir(), true)
	const many = 200
	for i := range many {
		b.grant(t, policy.Grant{Origin: fmt.Sprintf("https://%d.%s.example", i, strings.Repeat("long", 15)), Effect: policy.EffectInput, Scope: policy.ScopeAlways})
	}
	var listed Grants
	b.ask(t, protocol.MethodUIGrants, `{}`, &listed)
	var args struct {
		IDs []string `json:"ids"`
	}
	for _, g := range listed.Grants {
		args.IDs = append(args.IDs, g.ID)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	var done Revoked
	started := time.Now()
	b.ask(t, protocol.MethodUIRevoke, string(raw), &done)
	t.Logf("%v", time.Since(started).Round(time.Millisecond))
	if done.Revoked != many || len(done.Grants.Grants) != 0 || len(b.revokedEvents(t)) != many {
		t.Errorf("revoked %d, left %d, logged %d", done.Revoked, len(done.Grants.Grants), len(b.revokedEvents(t)))
	}
}
