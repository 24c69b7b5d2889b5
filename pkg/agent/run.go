package agent

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Run runs a function that the model called by its safe name. What it gives is
// the answer of the host's one path: {ok, output} or {ok, error, meta}.
func (a *Agent) Run(ctx context.Context, call voice.ToolCall) voice.Outcome {
	name, ok := a.original(call.Name)
	if !ok {
		return refused(call.Name, fault.New(fault.UnknownPrimitive, "there is no tool %q", call.Name).WithDispatched(fault.NotDispatched))
	}
	arguments := strings.TrimSpace(call.Arguments)
	if arguments == "" {
		arguments = "{}"
	}
	if !json.Valid([]byte(arguments)) {
		return refused(name, fault.New(fault.ToolArgumentParseFailed, "the arguments are not JSON").WithDispatched(fault.NotDispatched))
	}
	e := a.Dispatch.Call(ctx, a.Session, dispatch.Call{Name: name, Arguments: json.RawMessage(arguments)})
	if !e.OK {
		return answered(name, e)
	}
	image := ""
	if e.Output, image = withoutPicture(e.Output); image != "" {
		o := answered(name, e)
		o.Image = image
		return o
	}
	return answered(name, e)
}

// original gives the primitive of a safe name. The names of all public records
// count, so that one that is blocked here is refused by dispatch, by its own name.
func (a *Agent) original(safe string) (string, bool) {
	for name, short := range a.prepared().safe {
		if short == safe || name == safe {
			return name, true
		}
	}
	return "", false
}

func refused(name string, err *fault.Error) voice.Outcome {
	return answered(name, dispatch.Envelope{Name: name, Error: err})
}

func answered(name string, e dispatch.Envelope) voice.Outcome {
	o := voice.Outcome{Name: name, OK: e.OK}
	told := map[string]any{"ok": e.OK}
	if e.OK {
		told["output"] = e.Output
	} else {
		o.Code, o.Why = string(e.Error.Code), e.Error.Message
		told["error"], told["meta"] = e.Error, e.Meta
	}
	var err error
	if o.Output, err = primitive.Output(told); err != nil {
		o.OK, o.Code = false, string(fault.InternalError)
		o.Output = json.RawMessage(`{"ok":false,"error":{"code":"internal_error","message":"the answer cannot be written"}}`)
	}
	return o
}

// maxImage is the longest data URL that is worth sending to a model.
const maxImage = 512_000

// withoutPicture takes the data URL out of an output and gives it apart: a model
// looks at a picture, it does not read its bytes.
func withoutPicture(output json.RawMessage) (rest json.RawMessage, image string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(output, &members) != nil || members["data_url"] == nil {
		return output, ""
	}
	if json.Unmarshal(members["data_url"], &image) != nil || !strings.HasPrefix(image, "data:image/") {
		return output, ""
	}
	delivered := `"input_image"`
	if len(image) > maxImage {
		image, delivered = "", `"omitted_oversize"`
	}
	delete(members, "data_url")
	members["delivered_as"] = json.RawMessage(delivered)
	rest, err := primitive.Output(members)
	if err != nil {
		return output, ""
	}
	return rest, image
}
