package agent

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Run runs a function that the model called by its safe name. The output is the
// answer of the host's one path: {ok, output} or {ok, error, meta}.
func (a *Agent) Run(ctx context.Context, call voice.ToolCall) voice.Outcome {
	name, ok := a.primitiveOf(call.Name)
	if !ok {
		return refusedOutcome(call.Name, fault.New(fault.UnknownPrimitive, "there is no tool %q", call.Name).WithDispatched(fault.NotDispatched))
	}
	arguments := strings.TrimSpace(call.Arguments)
	if arguments == "" {
		arguments = "{}"
	}
	if !json.Valid([]byte(arguments)) {
		return refusedOutcome(name, fault.New(fault.ToolArgumentParseFailed, "the arguments are not JSON").WithDispatched(fault.NotDispatched))
	}
	checked, err := strictjson.Parse([]byte(arguments), strictjson.Limits{})
	if err != nil {
		return refusedOutcome(name, fault.From(err).WithDispatched(fault.NotDispatched))
	}
	e := a.Dispatch.Call(ctx, a.Session, dispatch.Call{Name: name, Arguments: checked})
	image := takePicture(&e)
	o := outcomeOf(name, e)
	o.Image = image
	return o
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
	names := a.prepared().names
	name := names.Dotted(safe)
	return name, names.Safe(name) != ""
}

func refusedOutcome(name string, err *fault.Error) voice.Outcome {
	return outcomeOf(name, dispatch.Envelope{Name: name, Error: err})
}

func outcomeOf(name string, e dispatch.Envelope) voice.Outcome {
	o := voice.Outcome{Name: name, OK: e.OK, Stopped: e.Meta.Stopped}
	answer := map[string]any{"ok": e.OK}
	if e.OK {
		answer["output"] = e.Output
	} else {
		o.Code, o.Reason = string(e.Error.Code), e.Error.Message
		answer["error"], answer["meta"] = e.Error, e.Meta
	}
	var err error
	if o.Output, err = primitive.Output(answer); err != nil {
		o.OK, o.Code = false, string(fault.InternalError)
		o.Output = json.RawMessage(`{"ok":false,"error":{"code":"internal_error","message":"the answer cannot be written"}}`)
	}
	return o
}

// maxImage is the longest data URL that is worth sending to a model.
const maxImage = 512_000

// takePicture takes the picture out of an output, which says what became of it, and
// returns it. One that is too large is left out.
func takePicture(e *dispatch.Envelope) string {
	image, rest := e.Picture()
	if image == "" {
		return ""
	}
	delivered := `"input_image"`
	if len(image) > maxImage {
		image, delivered = "", `"omitted_oversize"`
	}
	rest["delivered_as"] = json.RawMessage(delivered)
	output, err := primitive.Output(rest)
	if err != nil {
		return ""
	}
	e.Output = output
	return image
}
