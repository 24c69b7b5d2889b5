package voice

import (
	"net/http"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestAgentInterruptedTool(t *testing.T) {
	// Ensure that an interruption in the middle of a tool ends it, that the model is told so instead of its result, and that the message comes next.
	t.Parallel()
	k := converse(t)
	k.home.Map(t, "public", "localhost", "bell", `{"protocol":"actions.json","version":1,"tools":[{"name":"bell.order","description":"Order when the bell rings.","input_schema":{"type":"object"},
		"workflow":{"version":1,"expression_language":"jsonata","steps":[
			{"id":"choose","primitive":"locator.click","args":{"locator":{"selector":"[data-tea='Da Hong Pao'] button"}}},
			{"id":"bell","primitive":"locator.wait_for","args":{"locator":{"selector":"#bell"},"timeout_ms":30000}},
			{"id":"send","primitive":"locator.click","args":{"locator":{"selector":"#send"}}}]}}]}`)
	k.start()
	k.hears("Order a pot.")
	k.wire.Finish("completed", realtime.Function{CallID: "c1", Name: "actions_site", Arguments: `{"mode":"call","action":"bell.order","arguments":{}}`})
	k.chosen()
	replied := make(chan dispatch.Envelope, 1)
	go func() {
		replied <- k.home.Call(t, "runtime.agent.user_message", `{"text":"Stop that.","mode":"interrupt"}`)
	}()
	if got := k.results(1)["c1"]; !strings.Contains(got, "The user interrupted") {
		t.Errorf("the model was told %s", got)
	}
	k.wire.Begin(k.ctx)
	k.wire.Write("I stopped.")
	k.wire.Finish("completed")
	harness.Must(t, <-replied, nil)
	k.shows("listening")
	if got := k.orders(); len(got) != 0 {
		t.Errorf("the shop received %q", got)
	}
}

func TestAgentServiceDown(t *testing.T) {
	// Ensure that a service which is down for a while after it dropped the line is tried again, and that the pane then shows the conversation as before.
	t.Parallel()
	k := converse(t)
	k.start()
	harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`), nil)
	k.service.Refuse(http.StatusServiceUnavailable)
	former := k.wire
	k.wire.Drop()
	k.gone(former.Call.Peer)
	k.shows("connecting")
	k.service.Refuse(0)
	k.next()
	k.told("Good day.")
	k.hears("Are you there?")
	k.wire.Speak("Yes.")
	k.wire.Finish("completed")
	k.wire.Hush(false)
	k.pane("listening", "Good day.", "Are you there?", "Yes.")
	k.reload()
	k.pane("listening", "Good day.", "Are you there?", "Yes.")
}
