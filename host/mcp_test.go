package main

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/mcpserver"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
)

func TestMCPSeveralBrowsers(t *testing.T) {
	// Ensure that the tabs of all browsers are listed with their names, that nothing is guessed between two nor taken from another than the named, that a chosen tab stays chosen, and that a browser which has gone is named and comes back.
	mcpHome(t)
	var one, two fakes.Browser
	stopOne := startHost(t, &one, firstID, "Work", "https://one.test/")
	startHost(t, &two, secondID, "Home", "https://two.test/")
	c := mcpClient(t, nil, mcpserver.Options{Wait: 3 * time.Second}) // one wait is to the end

	var list struct {
		Tabs []struct {
			TabID            int `json:"tab_id"`
			Profile, Browser string
			Current          bool
		}
	}
	a := mcpCall(t, c, "browser_claimed_tabs_list", `{`+mcpReport("browser.claimed_tabs.list")+`}`)
	if err := json.Unmarshal(a.Output, &list); err != nil || len(list.Tabs) != 2 || list.Tabs[0].Profile != "Work" || list.Tabs[1].Browser != "chromium" {
		t.Fatalf("%s %v", a.Output, err)
	}
	if f := wantFault(t, direct(t, c, "page.info", ""), fault.AmbiguousRuntime); f.Evidence["candidates"] == nil || f.Dispatched != fault.NotDispatched {
		t.Errorf("%+v", f)
	}
	wantOK(t, direct(t, c, "page.info", `"target_url_contains":"two.test",`))
	wantFault(t, mcpCall(t, c, "browser_claimed_tabs_activate", `{"tab_id":1,`+mcpReport("browser.claimed_tabs.activate")+`}`), fault.AmbiguousRuntime)
	activateIn := func(profile string) mcpAnswer {
		return mcpCall(t, c, "browser_claimed_tabs_activate", `{"tab_id":1,"profile":"`+profile+`",`+mcpReport("browser.claimed_tabs.activate")+`}`)
	}
	wantOK(t, activateIn("Work"))
	wantOK(t, direct(t, c, "page.info", ""))
	if len(one.Calls()) != 1 || len(two.Calls()) != 1 {
		t.Errorf("the first got %d calls, the second %d", len(one.Calls()), len(two.Calls()))
	}

	if f := wantFault(t, activateIn("Away"), fault.BrowserNotConnected); !strings.Contains(f.Message, "Away") || f.Dispatched != fault.NotDispatched {
		t.Errorf("%+v", f)
	}

	stopOne()
	wantFault(t, activateIn("Work"), fault.BrowserNotConnected) // not tab 1 of the only browser that runs
	if f := wantFault(t, direct(t, c, "page.info", ""), fault.BrowserNotConnected); !strings.Contains(f.Message, "Work") {
		t.Errorf("%+v", f)
	}
	if len(two.Calls()) != 1 {
		t.Error("the call went to the other browser")
	}
	var again fakes.Browser
	startHost(t, &again, firstID, "Work", "https://one.test/")
	wantOK(t, direct(t, c, "page.info", ""))
	if len(again.Calls()) != 1 {
		t.Error("the call did not find its browser again")
	}
}

func TestMCPPastOneThatHangs(t *testing.T) {
	// Ensure that a host that does not answer hides no browser behind it.
	mcpHome(t)
	var b fakes.Browser
	startHost(t, &b, firstID, "Work", "https://one.test/")
	hanging, err := net.Listen("unix", filepath.Join(paths.Sockets(), "0.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer hanging.Close()
	c := mcpClient(t, nil, mcpserver.Options{Wait: 2 * time.Second})
	wantOK(t, mcpCall(t, c, "browser_claimed_tabs_list", `{`+mcpReport("browser.claimed_tabs.list")+`}`))
}

func TestMCPAnswers(t *testing.T) {
	// Ensure that an answer is short, that a long one is read on with its literal next, and that arguments which could be read in two ways are refused before anything is sent.
	mcpHome(t)
	text := strings.Repeat("a long page. ", 8000)
	b := fakes.Browser{Page: func(_ context.Context, call protocol.ActionCall) (any, error) {
		if call.Name == "dom.snapshot_text" {
			return map[string]any{"text": text, "truncated": false, "total_chars": len(text)}, nil
		}
		return fakes.Answer(call)
	}}
	startHost(t, &b, firstID, "Work", "https://one.test/")
	c := mcpClient(t, nil, mcpserver.Options{})
	if a := direct(t, c, "page.info", ""); !a.OK || a.Meta != nil {
		t.Errorf("%+v", a)
	}
	if a := mcpCall(t, c, "primitives_call", `{"name":"page.info","detail":true,"arguments":{`+mcpReport("page.info")+`}}`); !a.OK || a.Meta["tab"] == nil {
		t.Errorf("in detail: %+v", a)
	}
	type part struct {
		Text string          `json:"text"`
		Next json.RawMessage `json:"next"`
	}
	var whole strings.Builder
	parts := 0
	for a := direct(t, c, "dom.snapshot_text", ""); ; parts++ {
		wantOK(t, a)
		var p part
		if err := json.Unmarshal(a.Output, &p); err != nil {
			t.Fatal(err)
		}
		whole.WriteString(p.Text)
		if p.Next == nil {
			break
		}
		a = mcpCall(t, c, "primitives_call", string(p.Next))
	}
	var read struct{ Text string }
	if err := json.Unmarshal([]byte(whole.String()), &read); err != nil || read.Text != text || parts < 3 {
		t.Errorf("%d parts, %d of %d characters, %v", parts, len(read.Text), len(text), err)
	}
	calls := len(b.Calls())
	if calls != 3 {
		t.Errorf("reading on made %d calls", calls)
	}
	for _, args := range []string{
		`{"locator":{},"locator":{"selector":"a"},` + mcpReport("locator.text_content") + `}`, `[]`, `"text"`,
	} {
		if f := mcpCall(t, c, "locator_text_content", args).Error; f == nil || f.Dispatched != fault.NotDispatched {
			t.Errorf("%s: %+v", args, f)
		}
	}
	wantFault(t, mcpCall(t, c, "primitives_call", `{"arguments":{}}`), fault.InvalidInput)
	wantFault(t, direct(t, c, "no.such", ""), fault.UnknownPrimitive)
	wantFault(t, mcpCall(t, c, "primitives_call", `{"name":"locator.hover","arguments":{"locator":{"selector":"a"}}}`), fault.PolicyExceptionReportRequired)
	if got := len(b.Calls()); got != calls {
		t.Errorf("%d refused calls were sent", got-calls)
	}
}

func TestMCPLosesItsHost(t *testing.T) {
	// Ensure that an acting call whose host ends while it runs says that its outcome is unknown and is not made again, and that a read after it goes on with the next host.
	mcpHome(t)
	reached, release := make(chan struct{}), make(chan struct{})
	b := fakes.Browser{Page: func(_ context.Context, call protocol.ActionCall) (any, error) {
		close(reached)
		<-release
		return fakes.Answer(call)
	}}
	stop := startHost(t, &b, firstID, "Work", "https://one.test/")
	c := mcpClient(t, nil, mcpserver.Options{})
	answered := make(chan mcpAnswer, 1)
	go func() { answered <- direct(t, c, "pointer.click", `"x":1,"y":2,`) }()
	<-reached
	stop()
	close(release)
	if a := <-answered; a.OK || a.Error.Dispatched != fault.DispatchedUnknown || a.Error.Retryable {
		t.Errorf("%+v", a.Error)
	}
	var next fakes.Browser
	startHost(t, &next, firstID, "Work", "https://one.test/")
	wantOK(t, direct(t, c, "page.info", ""))
	if calls := next.Calls(); len(calls) != 1 || calls[0].Name != "page.info" {
		t.Errorf("the next host got %+v", calls)
	}
}

func TestMCPRestrictions(t *testing.T) {
	// Ensure that mode and origins are the host's own rules for the session, that one which is kept to other pages does not learn what this one is, and that a retest runs without direct primitives until it ends.
	mcpHome(t)
	var b fakes.Browser
	startHost(t, &b, firstID, "Work", "https://one.test/")
	looking := mcpClient(t, nil, mcpserver.Options{Session: control.SessionParams{Mode: policy.ModeAsk}})
	wantFault(t, direct(t, looking, "pointer.click", `"x":1,"y":2,`), fault.PermissionDenied)
	elsewhere := mcpClient(t, nil, mcpserver.Options{Session: control.SessionParams{Origins: []string{"https://other.test"}}})
	if f := wantFault(t, direct(t, elsewhere, "page.info", ""), fault.PermissionDenied); f.Evidence["rule"] != "origins" {
		t.Errorf("%+v", f)
	}
	list := mcpCall(t, elsewhere, "browser_claimed_tabs_list", `{`+mcpReport("browser.claimed_tabs.list")+`}`)
	wantOK(t, list)
	if told := string(list.Output); strings.Contains(told, "one.test") || !strings.Contains(told, "tab_id") {
		t.Errorf("it is told %s", told)
	}
	here := mcpClient(t, nil, mcpserver.Options{Session: control.SessionParams{Origins: []string{"https://*.test"}}})
	wantOK(t, direct(t, here, "page.info", ""))
	wantFault(t, direct(t, here, "browser.navigate", `"url":"https://evil.example/",`), fault.PermissionDenied)

	retesting := mcpClient(t, nil, mcpserver.Options{})
	wantOK(t, mcpCall(t, retesting, "primitives_direct", `{"allowed":false}`))
	if f := wantFault(t, direct(t, retesting, "page.info", ""), fault.PermissionDenied); f.Evidence["rule"] != "stored_only" {
		t.Errorf("%+v", f)
	}
	wantOK(t, mcpCall(t, retesting, "actions_site", `{"mode":"list"}`))
	wantOK(t, mcpCall(t, retesting, "primitives_direct", `{"allowed":true}`))
	wantOK(t, direct(t, retesting, "page.info", ""))
	wantFault(t, mcpCall(t, retesting, "primitives_direct", `{"allowed":"no"}`), fault.InvalidInput)
	for _, call := range b.Calls() {
		if call.Name == "pointer.click" || call.Name == "browser.navigate" {
			t.Errorf("%s reached the page", call.Name)
		}
	}
}

func TestMCPApprovalWait(t *testing.T) {
	// Ensure that a server that was started so waits for the user's answer, does the call when it was allowed and says that it was refused when it was.
	mcpHome(t)
	if err := os.MkdirAll(paths.Data(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(paths.Data(), "settings.json"), []byte(`{"ask_effects":["input"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := fakes.Browser{Page: func(_ context.Context, call protocol.ActionCall) (any, error) { return fakes.Answer(call) }}
	shown := make(chan [2]string, 100)
	b.Shown = func(id, code string) { shown <- [2]string{id, code} }
	startHost(t, &b, firstID, "Work", "https://one.test/")
	c := mcpClient(t, nil, mcpserver.Options{ApprovalWait: 10 * time.Second})
	clients, err := control.Discover(t.Context(), paths.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts, %v", len(clients), err)
	}
	user := clients[0]
	defer user.Close()
	for _, allow := range []bool{true, false} {
		answered := make(chan mcpAnswer, 1)
		go func() { answered <- direct(t, c, "pointer.click", `"x":1,"y":2,`) }()
		var waiting control.Approvals
		for len(waiting.Approvals) == 0 {
			if err := user.Call(t.Context(), control.MethodApprovals, control.Empty{}, &waiting); err != nil {
				t.Fatal(err)
			}
		}
		answer := control.Answer{ID: waiting.Approvals[0].ID, Allow: allow}
		for allow && answer.Code == "" {
			if q := <-shown; q[0] == answer.ID {
				answer.Code = q[1]
			}
		}
		if err := user.Call(t.Context(), control.MethodAnswer, answer, &control.Empty{}); err != nil {
			t.Fatal(err)
		}
		if a := <-answered; allow {
			wantOK(t, a)
		} else {
			wantFault(t, a, fault.PermissionDenied)
		}
	}
	if len(b.Calls()) != 1 {
		t.Errorf("%d calls reached the page", len(b.Calls()))
	}
}
