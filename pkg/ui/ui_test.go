package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// open makes a backend on a real database and an empty storage folder.
func open(t *testing.T, dir string, watched bool) *Backend {
	t.Helper()
	log, err := journal.Open(filepath.Join(dir, "j.db"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	b, err := Open(log, watched)
	if err != nil {
		t.Fatal(err)
	}
	if b.Store, err = storage.Open(filepath.Join(dir, "storage")); err != nil {
		t.Fatal(err)
	}
	if b.Tabs, err = tabs.Open(log.Bolt()); err != nil {
		t.Fatal(err)
	}
	engine, err := policy.New(policy.BoltStore{DB: log.Bolt()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Path = &dispatch.Dispatcher{Catalogue: primitive.Load(), Policy: engine, Approvals: policy.NewApprovals(engine), Journal: log}
	b.Sessions = &session.Sessions{Path: b.Path}
	return b
}

func (b *Backend) request(t *testing.T, method, params string) (any, error) {
	t.Helper()
	m := rpc.NewMux(func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		return nil, fmt.Errorf("no handler for %s", method)
	})
	b.Register(m)
	return m.Serve(t.Context(), method, json.RawMessage(params))
}

func (b *Backend) ask(t *testing.T, method, params string, into any) {
	t.Helper()
	answer, err := b.request(t, method, params)
	if err != nil {
		t.Fatalf("%s %s: %v", method, params, err)
	}
	raw, err := json.Marshal(answer)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSettings(t *testing.T) {
	// Ensure that each member is kept by itself, that what nobody set stays a default of the place where the profile runs, and that nothing wrong is kept.
	dir := t.TempDir()
	b := open(t, dir, true)
	if got, want := b.Choices(), (dispatch.Choices{Mode: policy.ModeAct, Show: true}); !reflect.DeepEqual(got, want) {
		t.Fatalf("the defaults are %+v", got)
	}
	var v View
	b.ask(t, protocol.MethodUISettings, `{"changes":{"pacing_ms":250}}`, &v)
	b.ask(t, protocol.MethodUISettings, `{"changes":{"mode":"ask"}}`, &v)
	b.ask(t, protocol.MethodUISettings, `{"changes":{"ask_first":true,"sites":{"https://a.test":"ask","https://b.test":"first"}}}`, &v)
	v = View{}
	b.ask(t, protocol.MethodUISettings, `{"changes":{"sites":{"https://b.test":"first"}}}`, &v)
	sites := map[string]dispatch.SiteChoice{"https://b.test": dispatch.SiteFirst}
	want := Settings{Mode: policy.ModeAsk, ShowActions: true, PacingMS: 250, AskFirst: true, Sites: sites}
	if !reflect.DeepEqual(v.Settings, want) {
		t.Fatalf("the settings are %+v", v.Settings)
	}
	for _, wrong := range []string{`{"mode":"all"}`, `{"pacing_ms":-1}`, `{"pacing_ms":10001}`, `{"show_actions":"yes"}`, `{"speed":1}`, `{"sites":{"https://a.test":"act"}}`, `{"sites":{"a.test":"ask"}}`, `{"sites":{"https://A.test/":"ask"}}`, `[]`} {
		_, err := b.request(t, protocol.MethodUISettings, `{"changes":`+wrong+`}`)
		if err == nil || fault.From(err).Dispatched != fault.NotDispatched {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if err := b.log.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, dir, false)
	if got := *b.settings.Load(); !reflect.DeepEqual(got, Settings{Mode: policy.ModeAsk, PacingMS: 250, AskFirst: true, Sites: sites}) {
		t.Errorf("after a restart without a window: %+v", got)
	}
}

func TestActivity(t *testing.T) {
	// Ensure that recent activity holds whole calls, refusals and hand-overs, the newest first, with the name of the action that ran, and neither steps nor what the host looked at itself.
	b := open(t, t.TempDir(), true)
	add := func(r journal.Record, data string) {
		t.Helper()
		r.Data = json.RawMessage(data)
		if err := b.log.Commit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	add(journal.Record{Type: journal.TypeClaim}, `{"tab_id":3,"url":"https://tea.example/","title":"Tea"}`)
	add(journal.Record{Type: journal.TypeIntent, SessionID: "mcp:a", CallID: "c1", Name: dispatch.SiteTool}, `{"arguments":{"mode":"call","action":"cart.add"}}`)
	add(journal.Record{Type: journal.TypeOutcome, SessionID: "mcp:a", CallID: "s1", ParentID: "c1", Name: "locator.click"}, `{"ok":true}`)
	add(journal.Record{Type: journal.TypeOutcome, SessionID: dispatch.OwnSession, CallID: "h1", Name: "page.info"}, `{"ok":true}`)
	add(journal.Record{Type: journal.TypeOutcome, SessionID: "mcp:a", CallID: "c1", Name: dispatch.SiteTool}, `{"ok":true,"tab_id":3,"url":"https://tea.example/cart"}`)
	add(journal.Record{Type: journal.TypePolicy, SessionID: "cli", CallID: "c2", Name: "locator.click"}, `{"ok":false,"arguments":{"locator":{"name":"Buy"}},"error":{"code":"permission_denied","message":"no"}}`)
	add(journal.Record{Type: journal.TypePolicy, SessionID: "cli", CallID: "c3"}, `{"approval":"x","allow":true}`)
	got, err := b.activity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range got {
		lines = append(lines, strings.TrimSpace(fmt.Sprint(a.Type, " ", a.SessionID, " ", a.Name, " ", a.Argument, " ", a.Action, " ", a.Code, " ", a.Host)))
	}
	want := []string{"policy cli locator.click Buy  permission_denied", "outcome mcp:a actions.site  cart.add  tea.example", "claim      tea.example"}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("activity:\n%s", strings.Join(lines, "\n"))
	}
	for i := range 3 * maxActivity {
		add(journal.Record{Type: journal.TypeOutcome, SessionID: "cli", CallID: fmt.Sprint("n", i), Name: "page.info"}, `{"ok":true}`)
	}
	if got, err = b.activity(t.Context()); err != nil || len(got) != maxActivity {
		t.Errorf("%d rows, %v", len(got), err)
	}
}

func TestImportParts(t *testing.T) {
	// Ensure that only a whole upload is imported, that a new one replaces one which was left, and that parts out of order or too many are refused.
	b := open(t, t.TempDir(), true)
	bundle := `{"protocol":"actions.json.storage.bundle","version":1,"entries":[{"path":"scopes/public/notes.md","content":"x"}]}`
	refused := func(method, params string, code fault.Code) {
		t.Helper()
		if _, err := b.request(t, method, params); !fault.Is(err, code) || fault.From(err).Dispatched != fault.NotDispatched {
			t.Errorf("%s %.80s: %v", method, params, err)
		}
	}
	piece := func(id string, index int, text string) string {
		raw, err := json.Marshal(protocol.ImportChunk{Import: id, Index: index, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	var nothing struct{}
	b.ask(t, protocol.MethodUIImportChunk, piece("left", 0, "{"), &nothing)
	b.ask(t, protocol.MethodUIImportChunk, piece("good", 0, bundle[:20]), &nothing)
	refused(protocol.MethodUIImportChunk, piece("good", 2, "x"), fault.InvalidInput)
	refused(protocol.MethodUIImportChunk, piece("", 0, "x"), fault.InvalidInput)
	refused(protocol.MethodUIImport, `{"import":"good","chunks":2}`, fault.InvalidInput)
	refused(protocol.MethodUIImport, `{"import":"left","chunks":1}`, fault.InvalidInput)
	b.ask(t, protocol.MethodUIImportChunk, piece("good", 1, bundle[20:]), &nothing)
	var done Imported
	b.ask(t, protocol.MethodUIImport, `{"import":"good","chunks":2}`, &done)
	if done.Result.UpdatedCount != 1 || done.Stored.Path != b.Store.Root() {
		t.Errorf("imported %+v", done)
	}
	refused(protocol.MethodUIImport, `{"import":"good","chunks":2}`, fault.InvalidInput)
	for i := range 4 {
		b.ask(t, protocol.MethodUIImportChunk, piece("large", i, strings.Repeat("x", 16<<20)), &nothing)
	}
	refused(protocol.MethodUIImportChunk, piece("large", 4, "x"), fault.PayloadTooLarge)
}
