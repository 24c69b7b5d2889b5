package voice

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestAgentLines(t *testing.T) {
	// Ensure that a service which refuses or goes away is an end with a reason and what to do, or another connection with the conversation carried over, at every stage, and that nothing is done twice.
	t.Parallel()
	k := converse(t)
	harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`), nil)
	for status, want := range map[int]fault.Code{
		http.StatusUnauthorized: fault.VoiceRefused, http.StatusNotFound: fault.VoiceRefused,
		http.StatusTooManyRequests: fault.VoiceUnresponsive, http.StatusInternalServerError: fault.VoiceUnresponsive,
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) { k.as(t).refused(status, want) })
	}
	for name, cut := range map[string]func(k *talk){
		"before the session is ready": func(*talk) {},
		"at its configuration":        func(k *talk) { k.wire.Expect(k.ctx, "session.update") },
	} {
		t.Run("cut "+name, func(t *testing.T) { k.as(t).stillborn(cut) })
	}
	for _, stage := range stages {
		t.Run("cut "+stage.name, func(t *testing.T) { k.as(t).cut(stage) })
	}
	t.Run("cut while the user speaks", func(t *testing.T) { k.as(t).cutInSpeech() })
}

// refused expects that no session starts, and that the reason is told without the
// key.
func (k *talk) refused(status int, want fault.Code) {
	k.service.Refuse(status)
	defer k.service.Refuse(0)
	e := k.home.Call(k.t, "runtime.agent.start", `{}`)
	if e.OK || e.Error.Code != want || e.Error.NextStep == "" || strings.Contains(e.Error.Message, realtime.Key) {
		k.t.Fatalf("the start gave %v: %v", e.OK, e.Error)
	}
	k.problem(strconv.Itoa(status), e.Error.NextStep)
}

// stillborn expects that a start whose connection is cut tells so, and that the
// next one goes well.
func (k *talk) stillborn(until func(k *talk)) {
	k.service.Silent(true)
	defer k.service.Silent(false)
	started := make(chan *fault.Error, 1)
	go func() { started <- k.home.Call(k.t, "runtime.agent.start", `{}`).Error }()
	k.again()
	until(k)
	k.wire.Drop()
	err := <-started
	if err == nil || err.Code != fault.VoiceUnresponsive {
		k.t.Fatalf("the start gave %v", err)
	}
	k.problem("the voice service", err.NextStep)
	k.service.Silent(false)
	k.write()
	k.shown("listening", nil)
}

// stage is where a conversation stands when its connection is cut.
type stage struct {
	name string
	// reach brings the model, which was asked to order, to the stage.
	reach func(k *talk)
	// told is what the next connection hears of it.
	told []string
	// ordered reports whether the order was placed before.
	ordered bool
}

var order = realtime.Function{CallID: "c1", Name: "actions_site", Arguments: orderForAda}

var stages = []stage{
	{name: "when a response is asked for", reach: func(k *talk) { k.wire.Expect(k.ctx, "response.create") }},
	{name: "while a response comes", reach: func(k *talk) {
		k.wire.Begin(k.ctx)
		k.wire.Write("I shall order")
	}, told: []string{"I shall order"}},
	{name: "while the tool runs", reach: func(k *talk) {
		k.wire.Begin(k.ctx)
		k.wire.Finish("completed", order)
		k.chosen()
	}, told: []string{"Order T-"}, ordered: true},
	{name: "when the tool was answered", reach: func(k *talk) {
		k.wire.Begin(k.ctx)
		k.wire.Finish("completed", order)
		k.results(1)
	}, told: []string{"Order T-"}, ordered: true},
	{name: "when the follow-up is asked for", reach: func(k *talk) {
		k.wire.Begin(k.ctx)
		k.wire.Finish("completed", order)
		k.results(1)
		k.wire.Expect(k.ctx, "response.create")
	}, told: []string{"Order T-"}, ordered: true},
	{name: "at a new surface", reach: func(k *talk) {
		k.wire.Begin(k.ctx)
		k.wire.Write("Elsewhere.")
		k.home.Call(k.t, "browser.navigate", `{"url":"`+strings.Replace(k.shop, "localhost", "127.0.0.1", 1)+`"}`)
		k.wire.Finish("completed", realtime.Function{CallID: "c1", Name: "actions_site", Arguments: `{"mode":"list"}`})
		k.surface("The current tab is on http://127.0.0.1")
	}, told: []string{"Elsewhere."}},
}

// cut expects that the session goes on by itself on another connection: the model
// is told what was said and done and is asked again for what it has not answered.
func (k *talk) cut(s stage) {
	harness.Must(k.t, k.home.Call(k.t, "browser.navigate", `{"url":"`+k.shop+`"}`), nil)
	before := len(k.orders())
	k.write()
	answer := k.says("Please order a pot for Ada.")
	s.reach(k)
	k.wire.Drop()
	k.again()
	for _, text := range append([]string{"Please order a pot for Ada."}, s.told...) {
		k.told(text)
	}
	k.answers("All is well.")
	e := <-answer
	if !e.OK || !strings.Contains(string(e.Output), "All is well.") {
		k.t.Errorf("the message was answered with %v: %s %v", e.OK, e.Output, e.Error)
	}
	k.pane("listening", "Please order a pot for Ada.", "All is well.")
	if n := len(k.orders()) - before; n != map[bool]int{true: 1}[s.ordered] {
		k.t.Errorf("the shop received %d orders", n)
	}
}

// chosen waits until the order's action has begun to work on the page.
func (k *talk) chosen() {
	k.t.Helper()
	harness.Until(k.t, "the action has chosen the tea", func() bool {
		text, err := k.evaluate("page", k.shop, `document.querySelector(".chosen").textContent`)
		return err == nil && strings.Contains(text, "Da Hong Pao")
	})
}

// cutInSpeech expects another call, in which the user is heard.
func (k *talk) cutInSpeech() {
	k.start()
	k.t.Cleanup(func() { k.home.Call(k.t, "runtime.agent.stop", `{}`) })
	k.wire.Speech(true)
	former := k.wire.Call.Peer
	k.wire.Drop()
	k.next()
	k.gone(former)
	k.told("Good day.")
	k.shown("listening", nil)
	k.hears("As I said.")
	k.wire.Speak("I am listening.")
	k.wire.Finish("completed")
	k.wire.Hush(false)
	k.pane("listening", "Good day.", "As I said.", "I am listening.")
}
