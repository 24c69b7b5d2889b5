package voice

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestAgentApproval(t *testing.T) {
	// Ensure that a call which needs approval is asked in the pane and told to the model, that the model hears of the user's answer by itself, and that what was allowed runs once and what was refused not at all.
	t.Parallel()
	k := converse(t, `"ask_effects":["input"]`)
	harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`), nil)
	k.write()

	k.asksFor("c1", orderForAda)
	if n := len(k.orders()); n != 0 {
		t.Fatalf("the shop received %d orders without approval", n)
	}
	k.decide(`"Ada"`, "Allow once")
	k.told("The user has allowed teahouse.order")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", realtime.Function{CallID: "c2", Name: "actions_site", Arguments: orderForAda})
	if got := k.results(1)["c2"]; !strings.Contains(got, "Order T-001") {
		t.Errorf("after the approval the model was given %s", got)
	}
	k.answers("It is ordered.")
	k.asksFor("c3", orderForAda) // once was for one call
	if n := len(k.orders()); n != 1 {
		t.Errorf("the shop received %d orders", n)
	}
	k.decide(`"Ada"`, "Deny")
	k.told("The user has refused teahouse.order")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", realtime.Function{CallID: "c4", Name: "actions_site", Arguments: orderForAda})
	if got := k.results(1)["c4"]; !strings.Contains(got, string(fault.PermissionDenied)) {
		t.Errorf("after the refusal the model was given %s", got)
	}
	k.answers("It was not done.")
	k.pane("listening", "It was not done.")
	if n := len(k.orders()); n != 1 {
		t.Errorf("the shop received %d orders", n)
	}
}

// asksFor lets the model order, and expects that the pane asks and the model is
// told to wait.
func (k *talk) asksFor(callID, arguments string) {
	k.t.Helper()
	answer := k.says("Order.")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", realtime.Function{CallID: callID, Name: "actions_site", Arguments: arguments})
	if got := k.results(1)[callID]; !strings.Contains(got, string(fault.NeedsApproval)) {
		k.t.Fatalf("the model was given %s", got)
	}
	k.answers("Please allow it.")
	harness.Must(k.t, <-answer, nil)
	k.shown("listening", map[string]string{"approvals": "Asked by: Voice agent"})
}

// decide presses an answer to the question with the text.
func (k *talk) decide(question, answer string) {
	k.t.Helper()
	k.press(`(b => (b?.closest("details")?.setAttribute("open", ""), b))([...document.querySelectorAll("#approvals article")].find(a => a.textContent.includes(` + quoted(question) + `))
		?.querySelectorAll("button").values().find(b => b.textContent === ` + quoted(answer) + `))`)
}
