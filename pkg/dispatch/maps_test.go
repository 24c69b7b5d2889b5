package dispatch

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// useMap makes the dispatcher decide by the map, and returns how to replace it.
func useMap(t testing.TB, d *Dispatcher, text string) (replace func(text string)) {
	t.Helper()
	root := t.TempDir()
	name := filepath.Join(root, "scopes", "private", "sites", "example.com", storage.MapName)
	replace = func(text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replace(text)
	store, err := storage.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	d.Blocked = func(ctx context.Context, url string) []string { return store.View(ctx, url).Blocked() }
	return replace
}

const (
	openMap    = `{"protocol":"actions.json","version":1,"tools":[]}`
	blockedMap = `{"protocol":"actions.json","version":1,"tools":[],"requires":{"primitive_dictionary":{"blocked_primitives":["page.info"]}}}`
)

func TestMapsOfACall(t *testing.T) {
	// Ensure that all steps of a call are decided by the maps as they were at its first one, and the next call by the
	// maps as they are then.
	r := newRig(t)
	replace := useMap(t, r.Dispatcher, openMap)
	r.Handlers.Named[SiteTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		for range 2 {
			if _, err := r.Step(ctx, "page.info", nil); err != nil {
				return nil, err
			}
			replace(blockedMap)
		}
		return json.RawMessage(`{}`), nil
	}
	call := Call{Name: SiteTool, Arguments: value(`{"mode":"call","action":"a"}`)}
	if e := r.Call(t.Context(), r.session, call); !e.OK {
		t.Errorf("the map changed the rules of a call that ran: %v", e.Error)
	}
	wantCode(t, r.Call(t.Context(), r.session, call), fault.PrimitiveBlocked)
	wantCode(t, r.call(t, "page.info", `{}`), fault.PrimitiveBlocked)
	replace(openMap)
	if e := r.call(t, "page.info", `{}`); !e.OK {
		t.Error(e.Error)
	}
}
