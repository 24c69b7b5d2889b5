package voice

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestAgentByVoice(t *testing.T) {
	// Ensure that a session by voice hears the microphone, that what the user says runs a stored action whose effect the page's server sees, that the model is given the receipt, that stop lets the microphone go, and that the next session remembers the order.
	t.Parallel()
	k := converse(t)
	harness.Must(t, k.home.Call(t, "clipboard.write", `{"text":"makes the document of the call"}`), nil)
	k.document("background_page", offscreenURL, spy)
	k.start()
	if size := k.wire.Call.Peer.Loudest(k.ctx, beep); size < soundMin {
		t.Errorf("the service hears nothing: %d bytes at most", size)
	}
	k.hears("Please order a pot of Da Hong Pao for Ada.")
	k.wire.Finish("completed", realtime.Function{CallID: "c1", Name: "actions_site", Arguments: orderForAda})
	if got := k.results(1)["c1"]; !strings.Contains(got, "Order T-001: Da Hong Pao for Ada") {
		t.Errorf("the model was given %s", got)
	}
	if got := k.orders(); !slices.Equal(got, []string{`{"tea":"Da Hong Pao","name":"Ada","note":""}`}) {
		t.Errorf("the shop received %q", got)
	}
	k.wire.Begin(k.ctx)
	k.wire.Speak("It is ordered.")
	k.shows("speaking")
	k.wire.Finish("completed")
	if got := k.state(); got != "speaking" {
		t.Errorf("while the voice still sounds the state is %s", got)
	}
	k.wire.Hush(false)
	k.shows("listening")
	live := `seen.tracks.filter(t => t.readyState === "live").length`
	if n := k.document("background_page", offscreenURL, live); n != "1" {
		t.Errorf("%s microphones are open", n)
	}
	peer := k.wire.Call.Peer
	harness.Must(t, k.home.Call(t, "runtime.agent.stop", `{}`), nil)
	k.gone(peer)
	harness.Until(t, "the microphone is let go", func() bool {
		n, err := k.evaluate("background_page", offscreenURL, live)
		return err != nil || n == "0" // the document may have gone with the call
	})
	harness.Must(t, k.home.Call(t, "runtime.agent.start", `{"text_only":true}`), nil)
	k.wire = k.service.Next(k.ctx)
	k.told("teahouse.order on " + strings.TrimSuffix(k.shop, "/") + ": done") // what the next session remembers
}

func TestAgentTwoCalls(t *testing.T) {
	// Ensure that two calls of one response are answered together with one follow-up, and that a primitive without a report is refused and touches nothing.
	t.Parallel()
	k := converse(t)
	k.start()
	k.hears("Order, and press the first button.")
	k.wire.Finish("completed",
		realtime.Function{CallID: "c1", Name: "actions_site", Arguments: orderForAda},
		realtime.Function{CallID: "c2", Name: "locator_fill", Arguments: `{"locator":{"selector":"[name=note]"},"text":"unasked"}`})
	got := k.results(2)
	if !strings.Contains(got["c1"], "Order T-001") || !strings.Contains(got["c2"], string(fault.PolicyExceptionReportRequired)) {
		t.Errorf("the model was given %q", got)
	}
	k.wire.Begin(k.ctx) // a second one while this runs fails the test
	k.wire.Speak("Done.")
	k.wire.Finish("completed")
	k.wire.Hush(false)
	k.shows("listening")
	if got := k.orders(); len(got) != 1 || strings.Contains(got[0], "unasked") {
		t.Errorf("the shop received %q", got)
	}
	if note := k.document("page", k.shop, `document.querySelector("[name=note]").value`); note != `""` {
		t.Errorf("the note has %s", note)
	}
}

func TestAgentCallsInOrder(t *testing.T) {
	// Ensure that the calls of one response reach the page one after the other as the model wrote them, and that one whose arguments are no JSON, and one that no tool has, are answered as such among the others.
	t.Parallel()
	k := converse(t)
	k.start()
	k.document("page", k.shop, `(window.notes = [], document.querySelector("[name=note]").addEventListener("input", e => notes.push(e.target.value)), 1)`)
	k.hears("Write the numbers.")
	var calls []realtime.Function
	var want []string
	for n := range 8 {
		number := fmt.Sprint(n + 1)
		want = append(want, `"`+number+`"`)
		calls = append(calls, tool("c"+number, "locator.fill", `"locator":{"selector":"[name=note]"},"text":"`+number+`"`))
	}
	calls = slices.Insert(calls, 3, realtime.Function{CallID: "bad", Name: "locator_fill", Arguments: `{"locator":`}, realtime.Function{CallID: "none", Name: "page_teleport", Arguments: `{}`})
	k.wire.Finish("completed", calls...)
	got := k.results(len(calls))
	for id, output := range got {
		code := map[string]fault.Code{"bad": fault.ToolArgumentParseFailed, "none": fault.UnknownPrimitive}[id]
		if code == "" && !strings.Contains(output, `"ok":true`) || !strings.Contains(output, string(code)) {
			t.Errorf("%s: %s", id, output)
		}
	}
	if notes := k.document("page", k.shop, `notes`); notes != "["+strings.Join(want, ",")+"]" {
		t.Errorf("the page saw %s", notes)
	}
}

func TestAgentBargeIn(t *testing.T) {
	// Ensure that a response which the user talks over runs none of its calls and that the model is told so, and that an interruption ends a voice that outlasts its response.
	t.Parallel()
	k := converse(t)
	k.start()
	k.hears("Order a pot.")
	k.wire.Speak("I shall order a pot of")
	k.shows("speaking")
	k.wire.Speech(true)
	k.wire.Finish("cancelled", realtime.Function{CallID: "c1", Name: "actions_site", Arguments: orderForAda})
	k.wire.Hush(true)
	if got := k.results(1)["c1"]; !strings.Contains(got, "The user interrupted") {
		t.Errorf("the model was told %s", got)
	}
	k.wire.Speech(false)
	k.wire.BeginUnasked()
	k.wire.Transcribe("No, wait.")
	k.wire.Speak("As you like. I have a lot more to say.")
	k.wire.Finish("completed")
	k.shows("speaking")
	replied := make(chan dispatch.Envelope, 1)
	go func() {
		replied <- k.home.Call(t, "runtime.agent.user_message", `{"text":"Be quiet.","mode":"interrupt"}`)
	}()
	k.wire.Expect(k.ctx, "output_audio_buffer.clear")
	k.wire.Hush(true)
	k.wire.Begin(k.ctx)
	k.wire.Write("Yes.")
	k.wire.Finish("completed")
	harness.Must(t, <-replied, nil)
	if got := k.orders(); len(got) != 0 {
		t.Errorf("the shop received %q", got)
	}
}

func TestAgentReconnects(t *testing.T) {
	// Ensure that a session whose service drops the line makes another call by itself, to which what was said and done is carried over, and that it goes on there.
	t.Parallel()
	k := converse(t)
	k.start()
	k.hears("Please order a pot of Da Hong Pao for Ada.")
	k.wire.Finish("completed", realtime.Function{CallID: "c1", Name: "actions_site", Arguments: orderForAda})
	k.results(1)
	k.wire.Begin(k.ctx)
	k.wire.Speak("It is ordered.")
	k.wire.Finish("completed")
	k.wire.Hush(false)
	former := k.wire.Call.Peer
	k.wire.Drop()
	k.next()
	k.gone(former)
	for _, text := range []string{"Please order a pot", "Order T-001", "It is ordered."} {
		k.told(text)
	}
	k.shows("listening")
	if size := k.wire.Call.Peer.Loudest(k.ctx, beep); size < soundMin {
		t.Errorf("the service hears nothing on the new line: %d bytes at most", size)
	}
	k.hears("And what does the shop sell?")
	k.wire.Finish("completed", realtime.Function{CallID: "c2", Name: "actions_site", Arguments: `{"mode":"call","action":"teahouse.guide","arguments":{}}`})
	if got := k.results(1)["c2"]; !strings.Contains(got, "oolong") {
		t.Errorf("the model was given %s", got)
	}
	if got := k.orders(); len(got) != 1 {
		t.Errorf("the shop received %q", got)
	}
}

func TestAgentRefused(t *testing.T) {
	// Ensure that a service which refuses is told with its reason, what to do and no key, that the microphone is let go, and that the next start works.
	t.Parallel()
	k := converse(t)
	k.service.Refuse(http.StatusUnauthorized)
	e := k.home.Call(t, "runtime.agent.start", `{"text_only":false}`)
	if e.OK || e.Error.Code != fault.VoiceRefused || e.Error.NextStep == "" || !strings.Contains(e.Error.Message, "401") || strings.Contains(e.Error.Message, realtime.Key) {
		t.Errorf("the start gave %v: %v", e.OK, e.Error)
	}
	k.shows("error")
	k.service.Refuse(0)
	k.start()
}

func TestAgentWorkerGone(t *testing.T) {
	// Ensure that when the worker ends, and with it the host, in the middle of a tool, the next host goes on with the session by itself: another call with the same conversation and transcript, the model told that the tool's outcome is not known, no order twice, and a stop that lets the microphone go.
	t.Parallel()
	k := converse(t)
	k.start()
	harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`), nil)
	k.hears("Wait for the bell.")
	k.wire.Finish("completed", realtime.Function{CallID: "c1", Name: "locator_wait_for", Arguments: neverRings})
	k.shows("using_tool")
	former := k.wire
	k.closeTarget("service_worker", manifest.ExtensionURL)
	<-former.Ended()
	k.next()
	k.gone(former.Call.Peer)
	k.told("Wait for the bell.")
	k.wire.Begin(k.ctx)
	k.wire.Speak("I am back.")
	k.wire.Finish("completed")
	k.wire.Hush(false)
	k.pane("listening", "Good day.", "Wait for the bell.", "I am back.")
	k.hears("Then order.")
	k.wire.Finish("completed", realtime.Function{CallID: "c2", Name: "actions_site", Arguments: orderForAda})
	if got := k.results(1)["c2"]; !strings.Contains(got, "Order T-001") {
		t.Errorf("the model was given %s", got)
	}
	if got := k.orders(); len(got) != 1 {
		t.Errorf("the shop received %q", got)
	}
	peer := k.wire.Call.Peer
	harness.Must(t, k.home.Call(t, "runtime.agent.stop", `{}`), nil)
	k.gone(peer)
}

func TestAgentOutlivesThePage(t *testing.T) {
	// Ensure that the session goes on over a navigation and the end of its tab, that the model is given the surface of where it is each time, and that a call without a tab says so.
	t.Parallel()
	k := converse(t)
	k.start()
	other := strings.Replace(k.shop, "localhost", "127.0.0.1", 1)
	k.document("page", k.shop, `(setTimeout(() => location.href = "`+other+`"), true)`)
	k.surface("The current tab is on " + strings.TrimSuffix(other, "/"))
	k.hears("Where are we?")
	k.wire.Finish("completed", realtime.Function{CallID: "c1", Name: "actions_site", Arguments: `{"mode":"list"}`})
	if got := k.results(1)["c1"]; strings.Contains(got, "teahouse.order") {
		t.Errorf("the other site has the shop's actions: %s", got)
	}
	k.wire.Begin(k.ctx)
	k.wire.Speak("Elsewhere.")
	k.wire.Finish("completed")
	k.wire.Hush(false)
	background := true
	if _, err := cdp.Call(k.ctx, k.browser.Session(), target.CreateTarget, target.CreateTargetParams{URL: "about:blank", Background: &background}); err != nil {
		t.Fatal(err) // the browser would end with its last tab
	}
	k.closeTarget("page", other)
	k.surface("No tab is handed over yet")
	k.hears("And now?")
	k.wire.Finish("completed", realtime.Function{CallID: "c2", Name: "actions_site", Arguments: orderForAda})
	if got := k.results(1)["c2"]; !strings.Contains(got, `"ok":false`) || !strings.Contains(got, "next_step") {
		t.Errorf("the model was told %s", got)
	}
	if size := k.wire.Call.Peer.Loudest(k.ctx, beep); size < soundMin {
		t.Errorf("the service hears nothing: %d bytes at most", size)
	}
}
