package dispatch

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

func TestRestrictedSessionIsToldNoOtherAddress(t *testing.T) {
	// Ensure that a session which is kept to some pages learns no address of another one: not as a candidate, not by guessing parts of it, not from where its tab went or what its page opened, and not of a page that nobody can operate.
	r := newRig(t)
	const secret = "https://bank.test/account?id=SECRET"
	claim := func(id int, url string) {
		t.Helper()
		if err := r.Tabs.Claim(tabs.Tab{TabID: id, RuntimeID: "r" + url, URL: url, Title: "SECRET"}); err != nil {
			t.Fatal(err)
		}
	}
	claim(2, secret)
	r.session.Origins = []string{"https://example.com"}
	call := func(target tabs.Target) Envelope {
		e := r.Call(t.Context(), r.session, Call{Name: "page.info", Arguments: report("page.info", `{}`), Target: target})
		if text, err := json.Marshal(e); err != nil || strings.Contains(string(text), "SECRET") || strings.Contains(string(text), "chrome://") {
			t.Errorf("%+v gave %s, %v", target, text, err)
		}
		return e
	}
	guessed, missed := call(tabs.Target{URLContains: "id=SEC"}), call(tabs.Target{URLContains: "id=OTHER"})
	if guessed.Error == nil || missed.Error == nil || guessed.Error.Code != fault.RuntimeNotFound || missed.Error.Code != guessed.Error.Code {
		t.Errorf("a right guess gave %v, a wrong one %v", guessed.Error, missed.Error)
	}
	if e := call(tabs.Target{URLContains: "https://"}); !e.OK || e.Meta.Tab.URL != "https://example.com/" {
		t.Errorf("of the pages that it may know only one matches: %v", e.Error)
	}
	wantCode(t, call(tabs.Target{}), fault.AmbiguousRuntime)
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		r.Tabs.Update(tabs.Tab{TabID: 1, RuntimeID: "r1", URL: secret})
		return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
	}
	r.Opened = func(tabs.Tab, bool) func(context.Context) []primitive.OpenedTab {
		return func(context.Context) []primitive.OpenedTab { return []primitive.OpenedTab{{TabID: 3, URL: secret}} }
	}
	if e := call(tabs.Target{TabID: 1}); !e.OK || e.Meta.Tab.TabID != 1 || len(e.Meta.OpenedTabs) != 1 {
		t.Errorf("%+v", e)
	}
	if all := r.records(t); !strings.Contains(string(all[len(all)-2].Data), secret[:20]) {
		t.Errorf("the log must know where the tab went: %s", all[len(all)-2].Data)
	}
	r.Tabs.Update(tabs.Tab{TabID: 1, RuntimeID: "r1", URL: "chrome://settings/SECRET"})
	wantCode(t, call(tabs.Target{TabID: 1}), fault.RestrictedPage)
}
