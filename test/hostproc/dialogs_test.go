package hostproc

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/browser/primitives"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// dialogOn returns the dialog that the list shows on a tab.
func dialogOn(t *testing.T, c *control.Client, tabID int) *browser.Dialog {
	t.Helper()
	e := call(t, c, direct("browser.claimed_tabs.list", `{}`))
	var list struct{ Tabs []primitives.ClaimedTab }
	if err := json.Unmarshal(e.Output, &list); err != nil {
		t.Fatalf("%s: %v", e.Output, err)
	}
	for _, tab := range list.Tabs {
		if tab.TabID == tabID {
			return tab.Dialog
		}
	}
	t.Fatalf("tab %d is not listed", tabID)
	return nil
}

func TestDialogAndCalls(t *testing.T) {
	// Ensure that a page which never answers because of its dialog frees the call at once, that the late answer is dropped, that the next calls are not sent, and that an answer which came before the dialog stands.
	t.Parallel()
	home := harness.NewHome(t)
	release := make(chan struct{})
	var clicks atomic.Int32
	b := &fakes.Browser{}
	b.Page = func(ctx context.Context, c protocol.ActionCall) (any, error) {
		if c.Name != "pointer.click" {
			return fakes.Answer(c)
		}
		if !c.Acts {
			t.Error("the extension is not told that a click acts")
		}
		if clicks.Add(1) == 1 {
			if err := b.Dialog(context.Background(), c.TabID, "confirm", "Delete it?"); err != nil {
				t.Error(err)
			}
			<-release // frozen; it pays no heed to being taken back
		}
		return fakes.Answer(c)
	}
	b.Debugger = func(_ context.Context, command protocol.DebuggerCommand) (json.RawMessage, error) {
		if command.Method == "Page.handleJavaScriptDialog" && dialogOn(t, dial(t, home), 1) == nil {
			return nil, fault.New(fault.HandlerFailed, "Page.handleJavaScriptDialog: No dialog is showing")
		}
		return json.RawMessage(`{}`), nil
	}
	p := home.Ready(t, b, shop, shop)
	c := dial(t, home)
	f := wantCode(t, call(t, c, at(clickCall(), 1)), fault.DialogOpen)
	if f.Dispatched != fault.WasDispatched || f.Retryable {
		t.Errorf("%+v", f)
	}
	if d := dialogOn(t, c, 1); d == nil || d.Message != "Delete it?" || dialogOn(t, c, 2) != nil {
		t.Errorf("the list shows %+v", d)
	}
	before := len(b.Calls())
	for range 3 {
		if f := wantCode(t, call(t, c, at(clickCall(), 1)), fault.DialogOpen); f.Dispatched != fault.NotDispatched {
			t.Errorf("dispatched %q", f.Dispatched)
		}
	}
	if len(b.Calls()) != before {
		t.Errorf("the page saw %d more calls", len(b.Calls())-before)
	}
	if e := call(t, c, at(clickCall(), 2)); !e.OK {
		t.Errorf("the other tab: %+v", e.Error)
	}
	if e := call(t, c, at(direct("browser.dismiss_dialog", `{}`), 1)); !e.OK {
		t.Fatalf("%+v", e.Error)
	}
	if err := b.DialogClosed(patient(t), 1); err != nil {
		t.Fatal(err)
	}
	close(release)
	if e := call(t, c, at(clickCall(), 1)); !e.OK {
		t.Errorf("after the answer: %+v", e.Error)
	}
	wantCode(t, call(t, c, at(direct("browser.dismiss_dialog", `{}`), 1)), fault.NoDialog)

	// A dialog right after the answer is the next call's.
	if err := b.Dialog(patient(t), 1, "alert", "late"); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "it is known", func() bool { return dialogOn(t, c, 1) != nil })
	wantCode(t, call(t, c, at(direct("page.info", `{}`), 1)), fault.DialogOpen)
	// The debugging has ended: nothing is known any more, and calls have their time.
	if err := b.Detach(patient(t), 1, "target_closed"); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "it is forgotten", func() bool { return dialogOn(t, c, 1) == nil })
	if e := call(t, c, at(direct("page.info", `{}`), 1)); !e.OK {
		t.Errorf("%+v", e.Error)
	}
	hangUp(t, p)
	for _, r := range records(t, home) {
		if r.Type == journal.TypeInterrupted {
			t.Errorf("an intent stayed open: %+v", r)
		}
	}
}

func TestOpenedTabs(t *testing.T) {
	// Ensure that a claim follows open_tab only by the user's setting, that the tabs which a page opens during a call are in its answer, and that two closes at once leave one tab.
	t.Parallel()
	for _, allowed := range []bool{false, true} {
		home := harness.NewHome(t)
		if allowed {
			home.Settings(t, `{"claim_opened_tabs":true}`)
		}
		b := &fakes.Browser{}
		b.Page = func(ctx context.Context, c protocol.ActionCall) (any, error) {
			if c.Name == "page.unsaved" {
				return json.RawMessage(`{"fields":[],"files":0}`), nil
			}
			if c.Name == "pointer.click" {
				for id, opener := range map[int]int{50: 1, 51: 2} {
					if err := b.OpenedBy(ctx, opener, id, "https://next.example.com/"); err != nil {
						return nil, err
					}
				}
			}
			return fakes.Answer(c)
		}
		home.Ready(t, b, shop, shop)
		c := dial(t, home)
		// A message that crosses the answer may be told too late, rarely.
		e := call(t, c, at(clickCall(), 1))
		for try := 1; try < 3 && e.OK && len(e.Meta.OpenedTabs) == 0; try++ {
			e = call(t, c, at(clickCall(), 1))
		}
		if !e.OK || len(e.Meta.OpenedTabs) != 1 || e.Meta.OpenedTabs[0].TabID != 50 || e.Meta.OpenedTabs[0].Claimed {
			t.Errorf("%+v %+v", e.Error, e.Meta)
		}
		e = call(t, c, direct("browser.open_tab", `{"url":"https://new.example.com/"}`))
		var out struct{ Claimed bool }
		if err := json.Unmarshal(e.Output, &out); err != nil || out.Claimed != allowed {
			t.Fatalf("allowed %v: %s %v", allowed, e.Output, err)
		}
		wantCode(t, call(t, c, direct("browser.open_tab", `{"url":"file:///etc/passwd"}`)), fault.UnsafeURL)
		if allowed {
			continue
		}
		answers := make(chan dispatch.Envelope, 2)
		for _, id := range []int{1, 2} {
			go func() { answers <- call(t, dial(t, home), at(direct("browser.close_tab", `{}`), id)) }()
		}
		codes := []fault.Code{}
		for range 2 {
			if e := <-answers; e.Error != nil {
				codes = append(codes, e.Error.Code)
			}
		}
		if !slices.Equal(codes, []fault.Code{fault.LastClaimedTab}) {
			t.Errorf("the two closes failed with %v", codes)
		}
	}
}
