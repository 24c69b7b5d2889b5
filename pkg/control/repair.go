package control

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/site"
)

// RepairParams requests the repair of a stored action on a claimed page.
type RepairParams struct {
	CallParams
	Propose bool `json:"propose,omitzero"` // say only what would take the place of what is gone
}

// RepairCall returns the parameters for an action with its input.
func RepairCall(p CallParams, action string, input json.RawMessage, propose bool) (RepairParams, error) {
	args, err := json.Marshal(map[string]any{"mode": "preview", "action": action, "arguments": input})
	p.Name, p.Arguments = dispatch.SiteTool, args
	return RepairParams{p, propose}, err
}

type repairRequest struct {
	callRequest
	Propose bool `json:"propose,omitzero"`
}

// repair mends the map of the action that the call previews. It is for people at a terminal: no
// model is offered it, and what is written was allowed by a person who saw it.
func (s *Server) repair(ctx context.Context, used *connection, p repairRequest) (any, error) {
	if p.Session.Kind != policy.SessionCLI || p.Name != dispatch.SiteTool {
		return nil, fault.New(fault.PermissionDenied, "only a person at a terminal repairs maps").WithDispatched(fault.NotDispatched)
	}
	session, err := s.session(ctx, used, p.Session)
	if err != nil {
		return nil, err
	}
	call := p.call()
	call.Timeout, call.MaxOutputChars = time.Duration(p.TimeoutMS)*time.Millisecond, p.MaxOutputChars
	return s.service.Dispatcher().Call(site.ForRepair(ctx, p.Propose), session, call), nil
}
