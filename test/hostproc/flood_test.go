package hostproc

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// talking is a debugger whose page says what the test wants.
type talking struct {
	t        *testing.T
	browser  *fakes.Browser
	commands chan string  // the methods that the host sends
	silent   atomic.Value // a method that gets no answer
}

func (d *talking) command(ctx context.Context, c protocol.DebuggerCommand) (json.RawMessage, error) {
	switch c.Method {
	case "Page.getFrameTree":
		return json.RawMessage(`{"frameTree":{"frame":{"id":"f","loaderId":"l","url":"","domainAndRegistry":"","securityOrigin":"","mimeType":"","secureContextType":"Secure","crossOriginIsolatedContextType":"NotIsolated","gatedAPIFeatures":[]}}}`), nil
	case "Page.createIsolatedWorld":
		return json.RawMessage(`{"executionContextId":9}`), nil
	case "Runtime.addBinding":
	case "Runtime.evaluate":
		var p struct{ Expression string }
		if err := json.Unmarshal(c.Params, &p); err != nil {
			return nil, err
		}
		d.event("Runtime.bindingCalled", fmt.Sprintf(`{"name":"fence","payload":%q,"executionContextId":9}`, p.Expression))
		return json.RawMessage(`{"result":{"type":"undefined"}}`), nil
	default:
		d.commands <- c.Method
	}
	if c.Method == d.silent.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return json.RawMessage(`{}`), nil
}

func (d *talking) event(method, params string) {
	err := d.browser.Conn.Notify(context.Background(), protocol.MethodDebuggerEvent, protocol.DebuggerEvent{TabID: 1, Method: method, Params: json.RawMessage(params)})
	if err != nil {
		d.t.Error(err)
	}
}

func (d *talking) say(text string) {
	d.event("Runtime.consoleAPICalled", fmt.Sprintf(`{"type":"log","executionContextId":1,"timestamp":1,"args":[{"type":"string","value":%q}]}`, text))
}

// commanded expects the commands, in any order: what is sent together is served side
// by side.
func (d *talking) commanded(methods ...string) {
	d.t.Helper()
	var got []string
	for range methods {
		got = append(got, wait(d.t, fmt.Sprintf("the host sends %q", methods), d.commands))
	}
	slices.Sort(got)
	slices.Sort(methods)
	if !slices.Equal(got, methods) {
		d.t.Fatalf("the host sent %q, not %q", got, methods)
	}
}

func TestFloodedConsole(t *testing.T) {
	// Ensure that a recording which the extension has switched off, since the page said too much, says so with the count, is gone on with by the host, without what was said before, and that stop answers and is the last word although the browser does not.
	t.Parallel()
	home := harness.NewHome(t)
	d := &talking{t: t, commands: make(chan string, 100)}
	d.browser = &fakes.Browser{Page: page, Debugger: d.command}
	home.Ready(t, d.browser, shop)
	c := dial(t, home)
	console := func(args string) (out struct {
		Entries   []struct{ Source, Text string }
		Dropped   int
		Recording bool
	}) {
		t.Helper()
		harness.Must(t, call(t, c, direct("browser.console", args)), &out)
		return out
	}
	console(`{}`)
	d.commanded("Target.setAutoAttach", "Runtime.enable", "Log.enable")
	d.say("one")
	d.event("ActionsHost.flooded", `{"domain":"network","dropped":7,"off":true}`) // another recording's
	d.event("ActionsHost.flooded", `{"domain":"console","dropped":3000,"off":true}`)
	paused := console(`{}`)
	if n := len(paused.Entries); n != 2 || paused.Dropped != 3000 || !paused.Recording || paused.Entries[1].Source != "recording" || !strings.Contains(paused.Entries[1].Text, "missing") {
		t.Errorf("while it pauses: %+v", paused)
	}
	d.commanded("Runtime.discardConsoleEntries", "Log.clear", "Runtime.enable", "Log.enable")
	d.event("ActionsHost.flooded", `{"domain":"console","dropped":5,"off":false}`)
	d.say("two")
	after := console(`{}`)
	if n := len(after.Entries); n != 3 || after.Dropped != 3005 || after.Entries[2].Text != "two" {
		t.Errorf("after the pause: %+v", after)
	}

	d.event("ActionsHost.flooded", `{"domain":"console","dropped":1,"off":true}`)
	console(`{}`) // hears of it
	d.silent.Store("Log.disable")
	if stopped := console(`{"stop":true}`); stopped.Recording || len(stopped.Entries) != 4 {
		t.Errorf("stopped: %+v", stopped)
	}
	d.commanded("Log.disable", "Runtime.disable", "Target.setAutoAttach")
	d.silent.Store("")
	if again := console(`{}`); !again.Recording || len(again.Entries) != 4 {
		t.Errorf("started again: %+v", again)
	}
	d.commanded("Target.setAutoAttach", "Runtime.enable", "Log.enable") // and nothing that a pause had left behind
}
