package voice

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/harness/drive"
)

// types writes into the pane's composer like the user.
func (k *talk) types(text string) {
	k.t.Helper()
	pane, detach := drive.Attach(k.browser, k.targets("iframe", paneURL)[0])
	defer detach()
	k.insert(pane, text)
}

// insert is types in one of several panes.
func (k *talk) insert(pane context.Context, text string) {
	k.t.Helper()
	if _, err := chromedp.Run(pane, chromedp.Evaluate[bool](`(document.getElementById("text").focus(), true)`)); err != nil {
		k.t.Fatal(err)
	}
	if _, err := chromedp.Call(pane, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		k.t.Fatal(err)
	}
}

// greeted lets a silent session of the service say that it exists.
func (k *talk) greeted() {
	k.wire.Send(`{"type":"session.created","session":{"id":"sess_late","type":"realtime","object":"realtime.session","expires_at":%d}}`, time.Now().Add(time.Hour).Unix())
}

func TestAgentBeforeItStands(t *testing.T) {
	// Ensure that what the user writes and silences while the session still connects counts once it stands: the message is answered, the microphone is off from the first moment on, and a stop ends the connecting at once.
	t.Parallel()
	k := converse(t)
	harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`), nil)
	harness.Must(t, k.home.Call(t, "clipboard.write", `{"text":"makes the document of the call"}`), nil)
	k.document("background_page", offscreenURL, spy)
	k.service.Silent(true)

	k.press(`document.getElementById("start-text")`)
	k.again()
	k.shown("connecting", nil)
	k.types("Are you there?")
	k.press(`document.getElementById("send")`)
	k.pane("connecting", "Are you there?")
	k.greeted()
	k.told("Are you there?")
	k.answers("Now I am.")
	k.pane("listening", "Are you there?", "Now I am.")
	k.press(`document.getElementById("stop")`)
	k.shown("disconnected", nil)

	k.service.Silent(false)
	k.document("background_page", offscreenURL, `(seen.gate = new Promise(open => seen.open = open), true)`)
	k.press(`document.getElementById("start-voice")`)
	k.shown("connecting", nil)
	k.press(`document.getElementById("mute")`)
	k.shown("connecting", map[string]string{"channels": "microphone off"})
	k.document("background_page", offscreenURL, `(seen.open(), true)`)
	k.next()
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed")
	k.shown("listening", map[string]string{"channels": "microphone off"})
	if on := k.document("background_page", offscreenURL, `seen.tracks.filter(t => t.readyState === "live" && t.enabled).length`); on != "0" {
		t.Errorf("%s microphones can be heard", on)
	}
	if notice := k.document("iframe", paneURL, `document.getElementById("notice").textContent`); notice != `""` {
		t.Errorf("the pane complains: %s", notice)
	}
	k.press(`document.getElementById("stop")`)
	k.gone(k.wire.Call.Peer)

	k.service.Silent(true)
	k.press(`document.getElementById("start-text")`)
	k.again()
	k.types("Never sent")
	k.press(`document.getElementById("send")`)
	k.press(`document.getElementById("stop")`)
	k.shown("disconnected", nil)
}

func TestAgentMessages(t *testing.T) {
	// Ensure that a message reaches the model as it was written, whatever its script, that one which is too long is refused with the reason and stays in the composer whole, and that one of spaces alone is not sent.
	t.Parallel()
	k := converse(t)
	harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`), nil)
	k.write()
	mixed := "שלום 👩‍👩‍👧 \u202eevil\u202c <b>&amp; \"quoted\" 𝄞"
	k.types(mixed)
	k.press(`document.getElementById("send")`)
	if text := k.wire.Expect(k.ctx, "conversation.item.create").Item.Content[0].Text; text != mixed {
		t.Errorf("the model was given %q", text)
	}
	k.answers("Shalom.")
	k.pane("listening", "Shalom.")
	if text := k.document("iframe", paneURL, `document.querySelector(".row.user .words").textContent`); text != quoted(mixed) {
		t.Errorf("the transcript has %s", text)
	}

	long := strings.Repeat("ten bytes ", 10_000)
	k.types(long)
	k.press(`document.getElementById("send")`)
	k.shown("listening", map[string]string{"notice": "20000"})
	if n := k.document("iframe", paneURL, `document.getElementById("text").value.length`); n != "100000" {
		t.Errorf("the composer keeps %s characters", n)
	}
	k.document("iframe", paneURL, `(document.getElementById("text").value = "", true)`)
	k.types(" \n\t ")
	k.press(`document.getElementById("send")`)
	k.document("iframe", paneURL, `(document.getElementById("text").value = "", true)`)
	k.types("Still there?")
	k.press(`document.getElementById("send")`)
	k.told("Still there?") // the next item that the model hears
	k.answers("Yes.")
	k.pane("listening", "Yes.")
}

// published has an address with all that an encoder might touch.
const published = `https://tea.example/a?b=1&c=<x>&d='é'#%26+ü`

func TestAgentAddresses(t *testing.T) {
	// Ensure that an address in an action's output is the same bytes for the model, whole or cut, and that the transcript shows and links what the model repeats of it.
	t.Parallel()
	k := converse(t)
	harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`), nil)
	k.home.Map(t, "public", "localhost", "links", `{"protocol":"actions.json","version":1,"surface":{"origin":"http://localhost","name":"Links"},"tools":[
		{"name":"links.one","description":"An address.","input_schema":{"type":"object","properties":{},"additionalProperties":false},"x_actions":{"static_output":{"url":"`+published+`"}}}]}`)
	k.write()
	k.says("Where is it?")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", realtime.Function{CallID: "a1", Name: "actions_site", Arguments: `{"mode":"call","action":"links.one","arguments":{}}`})
	if got := k.results(1)["a1"]; !strings.Contains(got, published) {
		t.Errorf("the model was given %s", got)
	}
	const link = "https://tea.example/a?b=1&c=x&d=%C3%A9#%26+ü"
	k.answers("It is at " + link + ".")
	k.shown("listening", map[string]string{"log": link})
	if href := k.document("iframe", paneURL, `document.querySelector("#log a").getAttribute("href")`); href != quoted(link) {
		t.Errorf("the link leads to %s", href)
	}
	harness.Must(t, k.home.Call(t, "browser.navigate", `{"url":"`+k.shop+`?a=1&b=2"}`), nil)
	k.says("Which tabs?")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", realtime.Function{CallID: "a2", Name: "browser_claimed_tabs_list", Arguments: `{"policy_exception_report":{"kind":"generic","intended_tool":"browser.claimed_tabs.list","actions_json_path":"none","reason":"asked"}}`})
	if got := k.results(1)["a2"]; !strings.Contains(got, "?a=1&b=2") {
		t.Errorf("the model was given %s", got)
	}
	k.answers("One.")
}
