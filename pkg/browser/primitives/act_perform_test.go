package primitives

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// withoutPerform is the last protocol whose extensions take an action in three messages.
const withoutPerform = 16

func TestPerform(t *testing.T) {
	// Ensure that an action is one message, three where the extension is older, the target may draw itself anew or the arguments are large, that its mouse events are at the point that the page names, and that all ways have one result.
	ofOne := []string{protocol.MethodActionPerform}
	ofThree := []string{protocol.MethodActionCall, protocol.MethodInputSend, protocol.MethodActionCall}
	for _, c := range []struct {
		number  int
		settles bool
		args    string
		want    []string
	}{
		{protocol.Number, false, onButton, ofOne},
		{protocol.Number, true, onButton, append(ofOne, ofThree[1:]...)},
		{protocol.Number, false, `{"locator":{"name":"` + strings.Repeat("x", maxPerformArguments) + `"}}`, ofThree},
		{withoutPerform, false, onButton, ofThree},
		{withoutPerform, true, onButton, ofThree},
	} {
		s, h := newStageOf(t, c.number)
		s.page["target.prepare"][0].(map[string]any)["settles"] = c.settles
		if _, f := s.acted(t, h, onButton); f != nil {
			t.Fatal(f)
		}
		out, f := s.acted(t, h, c.args) // the first one emulates the focus too
		if f != nil || out["clicked"] != true || out["fidelity"] != "trusted" || !slices.Equal(s.messages, c.want) {
			t.Errorf("%d, settles %v, %d bytes: %v, %v, by %v", c.number, c.settles, len(c.args), out, f, s.messages)
		}
		for _, step := range s.sent[0].Steps {
			for _, command := range step.Commands {
				var at point
				if err := json.Unmarshal(command.Params, &at); err != nil || at != (point{10, 20}) {
					t.Errorf("%d, settles %v: %s, %v", c.number, c.settles, command.Params, err)
				}
			}
		}
	}
}

// interrupted makes a call of locator.click that is given up once the extension has its message, and returns its error. The
// extension has seen that much of it.
func (s *stage) interrupted(t *testing.T, h *Handlers, call primitive.Call, seen protocol.InputSeen) *fault.Error {
	t.Helper()
	s.mu.Lock()
	s.stuck, s.seen = make(chan struct{}), seen
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(limited(t))
	go func() {
		<-s.stuck
		cancel()
	}()
	_, err := h.actions()["locator.click"](ctx, call)
	if err == nil {
		t.Fatal("it succeeded")
	}
	return fault.From(err)
}

func TestPerformInterrupted(t *testing.T) {
	// Ensure that an action which the caller gives up before its input says that nothing was done, that after it nobody knows unless the page has seen it, and that a submit whose outcome is unknown is remembered.
	ready := protocol.ActionCallOutput{Output: json.RawMessage(`{"ref":"abc1","label":"button#b","tag_name":"button","way":"pointer","submit_key":"key"}`), RuntimeID: "r", URL: "https://example.com/", Target: protocol.MetTarget{Tag: "button"}}
	for _, c := range []struct {
		name       string
		seen       protocol.InputSeen
		dispatched fault.Dispatched
		submits    int
		met        bool
	}{
		{"before the target was prepared", protocol.InputSeen{Events: []string{}, Unsent: true}, fault.NotDispatched, 0, false},
		{"before the input", protocol.InputSeen{Events: []string{}, Unsent: true, Prepared: ready}, fault.NotDispatched, 0, true},
		{"in the input", protocol.InputSeen{Events: []string{}, Prepared: ready}, fault.DispatchedUnknown, 1, true},
		{"after it", protocol.InputSeen{Events: []string{"pointerdown"}, Prepared: ready}, fault.WasDispatched, 1, true},
		{"unknown to the extension", protocol.InputSeen{Events: []string{}}, fault.DispatchedUnknown, 0, false},
	} {
		s, h := newStage(t)
		if _, f := s.acted(t, h, onButton); f != nil {
			t.Fatal(f)
		}
		h.submits = submitHistory{}
		call := pageCall(t, "locator.click", onButton)
		call.Meta = &primitive.Meta{}
		if f := s.interrupted(t, h, call, c.seen); f.Code != fault.Cancelled || f.Dispatched != c.dispatched || len(h.submits.recent(1)) != c.submits || (call.Meta.Target != nil) != c.met {
			t.Errorf("%s: %+v, remembered %v, met %v", c.name, f, h.submits.recent(1), call.Meta.Target)
		}
	}
}

func TestPerformKeepsEarlierSubmits(t *testing.T) {
	// Ensure that an action of which the extension knows nothing any more forgets no earlier submit, and that a tab which goes away before the outcome is read does not make the input one that was not sent, and its submit is remembered; a failed action that submits nothing forgets none.
	s, h := newStage(t)
	if _, f := s.acted(t, h, onButton); f != nil {
		t.Fatal(f)
	}
	f := s.interrupted(t, h, pageCall(t, "locator.click", onButton), protocol.InputSeen{Events: []string{}})
	if f.Code != fault.Cancelled || len(h.submits.recent(1)) != 1 {
		t.Errorf("%v, remembered %v", f, h.submits.recent(1))
	}
	s, h = newStage(t)
	s.page["target.verify"] = []any{fault.New(fault.TabNotClaimed, "taken back").WithDispatched(fault.NotDispatched)}
	if _, f := s.acted(t, h, onButton); f == nil || f.Code != fault.TabNotClaimed || f.Dispatched != fault.WasDispatched || len(h.submits.recent(1)) != 1 {
		t.Errorf("taken back after the input: %+v, remembered %v", f, h.submits.recent(1))
	}
	s.page["target.prepare"][0].(map[string]any)["submit_key"] = ""
	s.page["target.verify"] = []any{fault.New(fault.OutcomeUnknown, "not seen").With("reason", "not_seen")}
	if _, f := s.acted(t, h, onButton); f == nil || f.Code != fault.OutcomeUnknown || len(h.submits.recent(1)) != 1 {
		t.Errorf("a failed action that submits nothing: %+v, remembered %v", f, h.submits.recent(1))
	}
}
