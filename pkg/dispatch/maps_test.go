package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// useMap makes the dispatcher decide by the map, and returns how to replace it.
func useMap(t testing.TB, d *Dispatcher, text string) (store *storage.Store, replace func(text string)) {
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
	d.Blocked = func(url string) []string { return store.Match(url).Blocked() }
	return store, replace
}

var siteCall = Call{Name: SiteTool, Arguments: value(`{"mode":"call","action":"a"}`)}

const (
	openMap    = `{"protocol":"actions.json","version":1,"tools":[]}`
	otherMap   = `{"protocol":"actions.json","version":1,"tools":[],"requires":{"primitive_dictionary":{"blocked_primitives":["pointer.click"]}}}`
	blockedMap = `{"protocol":"actions.json","version":1,"tools":[],"requires":{"primitive_dictionary":{"blocked_primitives":["page.info"]}}}`
)

func TestMapsOfACall(t *testing.T) {
	// Ensure that all steps of a stored action see the maps as they were at its first one, and the next call the maps as
	// they are then.
	r := newRig(t)
	store, replace := useMap(t, r.Dispatcher, openMap)
	var seen []string
	r.Handlers.Named[SiteTool] = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		for range 2 {
			seen = append(seen, fmt.Sprint(store.View(ctx, c.URL).Blocked()))
			if _, err := r.Step(ctx, "page.info", nil); err != nil {
				return nil, err
			}
			replace(otherMap)
		}
		return json.RawMessage(`{}`), nil
	}
	for range 2 {
		if e := r.Call(t.Context(), r.session, siteCall); !e.OK {
			t.Error(e.Error)
		}
	}
	if len(seen) != 4 || seen[0] != seen[1] || seen[1] == seen[2] || seen[2] != seen[3] {
		t.Errorf("the maps of the calls were %q", seen)
	}
}

func TestMapsAfterTheLane(t *testing.T) {
	// Ensure that a call that waited for its tab's lane runs with the maps as they are after it.
	r := newRig(t)
	store, replace := useMap(t, r.Dispatcher, openMap)
	hold, began, asked := make(chan struct{}), make(chan string, 2), make(chan struct{}, 8)
	r.Blocked = func(url string) []string {
		defer func() { asked <- struct{}{} }()
		return store.Match(url).Blocked()
	}
	r.Handlers.Named[SiteTool] = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		began <- fmt.Sprint(store.View(ctx, c.URL).Blocked())
		<-hold
		return json.RawMessage(`{}`), nil
	}
	done := make(chan Envelope, 2)
	run := func() { done <- r.Call(t.Context(), r.session, siteCall) }
	go run()
	first := <-began
	for len(asked) > 0 {
		<-asked
	}
	go run()
	<-asked // the second is decided and waits, or is going to
	replace(otherMap)
	close(hold)
	if second := <-began; second == first {
		t.Error("the call that waited has the maps of before")
	}
	for range 2 {
		if e := <-done; !e.OK {
			t.Error(e.Error)
		}
	}
}

func TestBlockedAtOnce(t *testing.T) {
	// Ensure that a step is refused by the maps of that moment, also by one that changed while its stored action ran.
	r := newRig(t)
	_, replace := useMap(t, r.Dispatcher, openMap)
	r.Handlers.Named[SiteTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		if _, err := r.Step(ctx, "page.info", nil); err != nil {
			t.Errorf("the first step: %v", err)
		}
		replace(blockedMap)
		return r.Step(ctx, "page.info", nil)
	}
	wantCode(t, r.Call(t.Context(), r.session, siteCall), fault.PrimitiveBlocked)
	wantCode(t, r.call(t, "page.info", `{}`), fault.PrimitiveBlocked)
	replace(openMap)
	if e := r.call(t, "page.info", `{}`); !e.OK {
		t.Error(e.Error)
	}
}

func TestBlockedWithoutATab(t *testing.T) {
	// Ensure that what a map blocks is refused to a session at work on its page also where the call needs no tab.
	r := newRig(t)
	r.session.SetCurrent(1)
	_, replace := useMap(t, r.Dispatcher, strings.Replace(otherMap, "pointer.click", "browser.open_tab", 1))
	opened := 0
	r.Handlers.Named["browser.open_tab"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
		opened++
		return json.RawMessage(`{"opened":true,"claimed":false,"tab":{"tab_id":2,"active":false,"current":false,"title":"t","url":"https://thief.example/","loading":false,"runtime_id":"r","host":"thief.example","window_id":1}}`), nil
	}
	call := Call{Name: "browser.open_tab", Arguments: report("browser.open_tab", `{"url":"https://thief.example/"}`)}
	if e := r.Call(t.Context(), r.session, call); e.OK || e.Error.Code != fault.PrimitiveBlocked || opened != 0 {
		t.Errorf("%+v, opened %d times", e.Error, opened)
	}
	replace(openMap)
	if e := r.Call(t.Context(), r.session, call); !e.OK || opened != 1 {
		t.Errorf("%+v, opened %d times", e.Error, opened)
	}
}
