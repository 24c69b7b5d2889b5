package voice

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
)

// megabyte is a stored action that gives a megabyte.
var megabyte = `{"protocol":"actions.json","version":1,"surface":{"origin":"http://localhost","name":"Large"},"tools":[{
	"name":"large.text","description":"A megabyte.","input_schema":{"type":"object","properties":{},"additionalProperties":false},
	"x_actions":{"static_output":{"text":"` + strings.Repeat("ten bytes ", 100_000) + `"}}}]}`

func TestAgentTroubles(t *testing.T) {
	// Ensure that what a model, a user or a page does in the middle of the work ends in a result for the model and a state for the user: nonsense of the model's, the spending limit, a hidden pane, speech, a navigation, and at last the end of the tab.
	t.Parallel()
	k := converse(t)
	k.home.Map(t, "public", "localhost", "large", megabyte)
	harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`), nil)
	for _, c := range []struct {
		name string
		run  func(k *talk)
	}{
		{"calls that are none", (*talk).nonsense},
		{"an endless stream of arguments", (*talk).endlessArguments},
		{"an output of a megabyte", (*talk).largeOutput},
		{"an unknown event", (*talk).unknownEvent},
		{"the spending limit", (*talk).spendingLimit},
		{"a hidden pane", (*talk).hiddenPane},
		{"speech while a tool runs", (*talk).speechInTool},
		{"a navigation while a tool runs", (*talk).navigationInTool},
		{"the end of the tab while a tool runs", (*talk).closedInTool},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(k.as(t)) })
	}
}

// nonsense: each call gets an answer that says what is wrong, and nothing runs.
func (k *talk) nonsense() {
	k.write()
	k.says("Do it.")
	k.wire.Begin(k.ctx)
	want := map[string]fault.Code{"u1": fault.UnknownPrimitive, "u2": fault.ToolArgumentParseFailed, "u3": fault.InvalidInput, "u4": fault.UnknownPrimitive, "u5": fault.UnknownAction}
	k.wire.Finish("completed",
		realtime.Function{CallID: "u1", Name: "format_disk", Arguments: `{}`},
		realtime.Function{CallID: "u2", Name: "actions_site", Arguments: `{"mode":"call","action":`},
		realtime.Function{CallID: "u3", Name: "actions_site", Arguments: `["list"]`},
		realtime.Function{CallID: "u4", Name: "", Arguments: ""},
		realtime.Function{CallID: "u5", Name: "actions_site", Arguments: `{"mode":"call","action":"teahouse.steal","arguments":{}}`})
	got := k.results(len(want))
	for id, code := range want {
		if !strings.Contains(got[id], string(code)) || !strings.Contains(got[id], "next_step") {
			k.t.Errorf("the call %s was answered with %s", id, got[id])
		}
	}
	k.answers("I cannot.")
	k.pane("listening", "I cannot.", "failed: unknown primitive: there is no tool")
}

// endlessArguments: what comes in pieces without an end is not kept, and the
// session goes on when the service ends the response.
func (k *talk) endlessArguments() {
	k.write()
	k.says("Write a novel.")
	k.wire.Begin(k.ctx)
	piece := strings.Repeat("endless ", 2_000)
	for range 500 { // eight megabytes
		k.wire.Send(`{"type":"response.function_call_arguments.delta","event_id":"e","response_id":"r","item_id":"i","output_index":0,"call_id":"c1","delta":%q}`, piece)
	}
	k.wire.Finish("incomplete")
	k.pane("listening", "The answer broke off")
	k.says("Shorter.")
	k.answers("The end.")
	k.pane("listening", "The end.")
}

// largeOutput: the model gets the first page of it, and the next by the literal call that it names.
func (k *talk) largeOutput() {
	k.write()
	k.says("Read all of it.")
	call := realtime.Function{CallID: "l0", Name: "actions_site", Arguments: `{"mode":"call","action":"large.text","arguments":{}}`}
	read := 0
	for n := range 3 {
		call.CallID = fmt.Sprint("l", n)
		got := k.calls(call)[call.CallID]
		parts := sealed.FindStringSubmatch(got)
		var page struct {
			Output struct {
				Truncated bool
				Offset    int
				Text      string
				Next      struct{ Arguments json.RawMessage }
			}
		}
		if parts == nil || json.Unmarshal([]byte(parts[3]), &page) != nil || len(got) > 8_500 || !page.Output.Truncated ||
			page.Output.Offset != read || !strings.Contains(page.Output.Text, "ten bytes") {
			k.t.Fatalf("page %d: the model was given %d bytes: %.300s", n+1, len(got), got)
		}
		read += utf8.RuneCountInString(page.Output.Text)
		call.Arguments = string(page.Output.Next.Arguments)
	}
	k.answers("It is long.")
	k.pane("listening", "It is long.")
}

// unknownEvent: it changes nothing and stands in the log.
func (k *talk) unknownEvent() {
	session := k.write()
	k.wire.Send(`{"type":"response.telepathy.started","event_id":"e","thought":"tea"}`)
	k.wire.Send(`not JSON at all`)
	k.says("Hello?")
	k.answers("Hello.")
	k.pane("listening", "Hello.")
	harness.Until(k.t, "the log has the event", func() bool {
		e := k.home.Call(k.t, "runtime.session.log", `{"limit":80,"session_id":"`+session+`"}`)
		return e.OK && strings.Contains(string(e.Output), "agent.unknown_event")
	})
}

// spendingLimit: the session stops at it, whoever waits for an answer is told, and
// another session may begin.
func (k *talk) spendingLimit() {
	name := filepath.Join(k.home.Dir, "data", "agent.json")
	if err := os.WriteFile(name, []byte(`{"spending_limit_usd":0.01}`), 0o600); err != nil {
		k.t.Fatal(err)
	}
	defer os.Remove(name)
	k.write()
	first := k.says("How much is it?")
	k.answers("Little.") // $0.0066 each
	harness.Must(k.t, <-first, nil)
	second := k.says("And now?")
	k.answers("More.")
	e := <-second
	if !e.OK && e.Error.Code != fault.SpendingLimitReached {
		k.t.Errorf("the message over the limit was answered with %v", e.Error)
	}
	k.problem("your limit of $0.01", "raise it in the options")
	select {
	case <-k.wire.Ended():
	case <-k.ctx.Done():
		k.t.Error("the connection stays")
	}
	if e := k.home.Call(k.t, "runtime.agent.user_message", `{"text":"Go on."}`); e.OK || e.Error.Code != fault.VoiceNotRunning {
		k.t.Errorf("a message after the end gave %v: %v", e.OK, e.Error)
	}
	k.write()
	k.shown("listening", nil)
}

// hiddenPane: the session needs no pane, which shows all of it when it is back.
func (k *talk) hiddenPane() {
	k.write()
	k.says("Hide.")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", realtime.Function{CallID: "h1", Name: "overlay_menu_hide", Arguments: `{"policy_exception_report":{"kind":"generic","intended_tool":"overlay.menu.hide","actions_json_path":"none","reason":"asked to"}}`})
	if got := k.results(1)["h1"]; !strings.Contains(got, `"hidden":true`) {
		k.t.Fatalf("the model was given %s", got)
	}
	k.answers("I am hidden.")
	k.says("Order.")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", order)
	k.results(1)
	k.answers("Ordered unseen.")
	k.reload()
	harness.Until(k.t, "the pane is open again", func() bool { return k.home.Call(k.t, "overlay.menu.show", `{}`).OK })
	k.pane("listening", "Hide.", "I am hidden.", "Ordered unseen.")
}

// speechInTool: the tool goes on, its result comes at once, and its follow-up
// after the answer to what was said.
func (k *talk) speechInTool() {
	before := len(k.orders())
	k.reload()
	k.start()
	k.t.Cleanup(func() { k.home.Call(k.t, "runtime.agent.stop", `{}`) })
	k.hears("Order a pot.")
	k.wire.Finish("completed", order)
	k.chosen()
	k.hears("The large one, I mean.")
	if got := k.results(1)["c1"]; !strings.Contains(got, "Order T-") {
		k.t.Errorf("the model was given %s", got)
	}
	k.wire.Speak("Let me see.")
	k.wire.Finish("completed") // a request before this would fail the test
	k.wire.Hush(false)
	k.wire.Begin(k.ctx)
	k.wire.Speak("It is ordered already.")
	k.wire.Finish("completed")
	k.wire.Hush(false)
	k.pane("listening", "The large one, I mean.", "Let me see.", "It is ordered already.")
	if n := len(k.orders()) - before; n != 1 {
		k.t.Errorf("the shop received %d orders", n)
	}
}

// navigationInTool: the model is told that the page went, and works on the next.
func (k *talk) navigationInTool() {
	before := len(k.orders())
	k.reload()
	k.write()
	other := strings.Replace(k.shop, "localhost", "127.0.0.1", 1)
	k.says("Order.")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", order)
	k.chosen()
	k.document("page", k.shop, `(setTimeout(() => location.href = "`+other+`"), true)`)
	if got := k.results(1)["c1"]; !strings.Contains(got, `"ok":false`) || !strings.Contains(got, "next_step") {
		k.t.Errorf("the model was given %s", got)
	}
	k.answers("The page has changed.")
	k.pane("listening", "The page has changed.")
	if n := len(k.orders()) - before; n != 0 {
		k.t.Errorf("the shop received %d orders", n)
	}
	harness.Must(k.t, k.home.Call(k.t, "browser.navigate", `{"url":"`+k.shop+`"}`), nil)
}

// closedInTool: the model is told, and the session goes on without a tab.
func (k *talk) closedInTool() {
	k.write()
	answer := k.says("Order.")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", order)
	k.chosen()
	background := true
	if _, err := cdp.Call(k.ctx, k.browser.Session(), target.CreateTarget, target.CreateTargetParams{URL: "about:blank", Background: &background}); err != nil {
		k.t.Fatal(err) // the browser would end with its last tab
	}
	k.closeTarget("page", k.shop)
	if got := k.results(1)["c1"]; !strings.Contains(got, `"ok":false`) || !strings.Contains(got, "next_step") {
		k.t.Errorf("the model was given %s", got)
	}
	k.answers("The tab is gone.")
	harness.Must(k.t, <-answer, nil)
	k.shows("listening")
}
