package agent

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// maxArguments is how many bytes the arguments of one call may have.
const maxArguments = 256 << 10

// Run runs a function that the model called by its safe name. The outcome is the
// answer of the host's one path, with what a page says apart.
func (a *Agent) Run(ctx context.Context, call voice.ToolCall) voice.Outcome {
	name, ok := a.primitiveOf(call.Name)
	if !a.open() {
		return refusedOutcome(call.Name, fault.New(fault.AutomationDisabled, "the chat may not work on pages"))
	}
	if !ok {
		return refusedOutcome(call.Name, fault.New(fault.UnknownPrimitive, "there is no tool %q", call.Name))
	}
	arguments := strings.TrimSpace(call.Arguments)
	if arguments == "" {
		arguments = "{}"
	}
	if len(arguments) > maxArguments {
		return refusedOutcome(name, fault.New(fault.PayloadTooLarge, "the arguments have %d bytes; %d are allowed", len(arguments), maxArguments))
	}
	if !json.Valid([]byte(arguments)) {
		return refusedOutcome(name, fault.New(fault.ToolArgumentParseFailed, "the arguments are not JSON"))
	}
	checked, err := strictjson.Parse([]byte(arguments), strictjson.Limits{})
	if err != nil {
		return refusedOutcome(name, fault.From(err))
	}
	e := a.Dispatch.Call(ctx, a.Session, dispatch.Call{Name: name, Arguments: checked, MaxOutputChars: MaxAnswer})
	record, _ := a.Catalogue.Public(name)
	return outcomeOf(name, e, dispatch.IsForeign(record, e.OK))
}

// LabelArgument returns what a call is about, for people.
func (a *Agent) LabelArgument(call voice.ToolCall) string {
	name, _ := a.primitiveOf(call.Name)
	record, ok := a.Catalogue.Public(name)
	if !ok {
		return ""
	}
	return record.LabelArgument(json.RawMessage(call.Arguments))
}

// primitiveOf returns the primitive of a safe name. The names of all public records
// count, so that one that is blocked here is refused by dispatch, by its own name.
func (a *Agent) primitiveOf(safe string) (string, bool) {
	if a.Toolset != nil {
		record, ok := a.Toolset.Record(safe)
		if !ok {
			return "", false
		}
		return record.Name, true
	}
	names := a.prepared().names
	name := names.Dotted(safe)
	return name, names.Safe(name) != ""
}

func refusedOutcome(name string, err *fault.Error) voice.Outcome {
	return outcomeOf(name, dispatch.Envelope{Name: name, Error: err.WithDispatched(fault.NotDispatched)}, false)
}
