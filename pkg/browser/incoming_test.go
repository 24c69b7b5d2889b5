package browser

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

func TestCommandsOfProtocol5(t *testing.T) {
	// Ensure that every command of an extension of protocol 5 is served by the method that took its place and answered in the old form, and that an unknown one and one of another shape are refused, surely not carried out.
	o := &owner{}
	_, w := connect(t, o)
	old := hello()
	old.Protocol = 5
	if err := w.Call(limited(t), protocol.MethodHandshake, old, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ method, command, args, want string }{
		{"agent", "view", `{}`, `agent_view {}`},
		{"agent", "start", `{"text_only":true}`, `agent_start {"text_only":true}`},
		{"agent", "stop", `{}`, `agent_stop {}`},
		{"agent", "say", `{"text":"hello","mode":"queue"}`, `agent_send {"text":"hello","mode":"queue"}`},
		{"agent", "interrupt", `{}`, `agent_interrupt {}`},
		{"agent", "mute", `{"input":true,"output":false}`, `agent_mute {"input":true,"output":false}`},
		{"agent", "approve", `{"id":"a","verdict":"allow","scope":"once"}`, `agent_approve {"id":"a","verdict":"allow","scope":"once"}`},
		{"agent", "settings", `{"mode":"ask"}`, `agent_settings {"changes":{"mode":"ask"}}`},
		{"agent", "forget", `{}`, `agent_forget {}`},
		{"ui", "view", `{}`, `ui_view {}`},
		{"ui", "stop", `{"tab_id":7}`, `ui_stop {"tab_id":7}`},
		{"ui", "settings", `{"pacing_ms":250}`, `ui_settings {"changes":{"pacing_ms":250}}`},
		{"ui", "storage", `{}`, `ui_storage {}`},
		{"ui", "import_part", `{"import":"i","index":0,"text":"x"}`, `ui_import_chunk {"import":"i","index":0,"text":"x"}`},
		{"ui", "import", `{"import":"i","parts":1}`, `ui_import {"import":"i","chunks":1}`},
		{"ui", "grants", `{}`, `ui_grants {}`},
		{"ui", "revoke", `{"ids":["g"]}`, `ui_revoke {"ids":["g"]}`},
	} {
		var view protocol.AgentCommandResult
		var err error
		if c.method == "agent" {
			err = w.Call(limited(t), protocol.MethodAgentCommand, protocol.AgentCommand{Command: c.command, Arguments: json.RawMessage(c.args)}, &view)
		} else {
			var answer protocol.DeskAnswer
			err = w.Call(limited(t), protocol.MethodDeskCommand, protocol.DeskCommand{Command: c.command, Arguments: json.RawMessage(c.args)}, &answer)
			view.View = answer.Answer
		}
		notes := o.notes()
		if got := notes[len(notes)-1]; err != nil || got != c.want {
			t.Errorf("%s %s %s: %v, served by %s", c.method, c.command, c.args, err, got)
		}
		var done struct{ Did string }
		if err := json.Unmarshal(view.View, &done); err != nil || done.Did == "" {
			t.Errorf("%s %s answered %s", c.method, c.command, view.View)
		}
	}
	before := o.notes()
	for _, wrong := range []protocol.DeskCommand{{Command: "view_all", Arguments: json.RawMessage(`{}`)}, {Command: "import", Arguments: json.RawMessage(`{"chunks":1}`)}} {
		if err := w.Call(limited(t), protocol.MethodDeskCommand, wrong, nil); err == nil || fault.From(err).Dispatched != fault.NotDispatched {
			t.Errorf("%s %s: %v", wrong.Command, wrong.Arguments, err)
		}
	}
	if after := o.notes(); !slices.Equal(before, after) {
		t.Errorf("served %v", after[len(before):])
	}
}

func TestErrorOfACommandThatActed(t *testing.T) {
	// Ensure that an error of a handler does not claim that nothing was done, even if a bad message was its cause.
	m := rpc.NewMux(nil)
	rpc.Handle(m, protocol.MethodUIStop, func(context.Context, protocol.CallsStop) (protocol.Empty, error) {
		return protocol.Empty{}, fault.New(fault.InvalidMessage, "the log cannot be read")
	})
	handleCommands(m)
	_, err := m.Serve(t.Context(), protocol.MethodDeskCommand, json.RawMessage(`{"command":"stop","arguments":{}}`))
	if !fault.Is(err, fault.InvalidMessage) || fault.From(err).Dispatched == fault.NotDispatched {
		t.Errorf("got %+v", err)
	}
}

func TestCommandsAreComplete(t *testing.T) {
	// Ensure that every method of the extension's own pages has a command of protocol 5, whose extensions know no other way, but for those that came later.
	served := []string{protocol.MethodAgentAnswer, protocol.MethodUIGoOn, protocol.MethodUISkills, protocol.MethodUISkillChange, protocol.MethodUISave, protocol.MethodUIRun, protocol.MethodUIRepair, protocol.MethodUIRecord}
	for _, methods := range []map[string]string{agentMethods, uiMethods} {
		for _, method := range methods {
			served = append(served, method)
		}
	}
	for _, method := range protocol.Methods {
		if method.From == "extension" && pageMethod.MatchString(method.Name) && !slices.Contains(served, method.Name) {
			t.Errorf("%s has none", method.Name)
		}
	}
}
