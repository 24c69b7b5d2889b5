package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

func TestRestrictedSession(t *testing.T) {
	// Ensure that a session that was started for some origins works there, and neither elsewhere nor on the way out, whichever client asks.
	r := newRig(t)
	var reached []string
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		reached = append(reached, c.Record.Name)
		return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
	}
	r.Handlers.Named["browser.navigate"], r.Handlers.Named["browser.open_tab"] = r.page, r.page
	r.session.Origins = []string{"https://example.com"}
	if e := r.call(t, "page.info", `{}`); !e.OK {
		t.Fatal(e.Error)
	}
	for name, args := range map[string]string{
		"browser.navigate": `{"url":"https://evil.test/?secret"}`, "browser.open_tab": `{"url":"https://evil.test/"}`,
	} {
		if f := wantCode(t, r.call(t, name, args), fault.PermissionDenied); f.Dispatched != fault.NotDispatched || f.Evidence["rule"] != "origins" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://evil.test/"})
	wantCode(t, r.call(t, "page.info", `{}`), fault.PermissionDenied)
	wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":1}`), fault.PermissionDenied)
	r.Tabs.Update(tabs.Tab{TabID: 1, URL: "about:blank"})
	wantCode(t, r.call(t, "browser.navigate", `{"url":"https://example.com/"}`), fault.PermissionDenied)
	for _, name := range []string{"runtime.agent.start", "runtime.agent.user_message", "runtime.agent.await_event"} {
		// The hosted agent goes where it is told to, by this session too.
		r.Handlers.Named[name] = r.page
		args := map[string]string{"runtime.agent.user_message": `{"text":"open https://evil.test"}`}[name]
		if f := wantCode(t, r.call(t, name, cmp.Or(args, "{}")), fault.PermissionDenied); f.Evidence["rule"] != "origins" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if len(reached) != 1 {
		t.Errorf("reached: %v", reached)
	}
}
