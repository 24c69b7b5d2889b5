package control

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// CopyDecidedBy is the call that decides, as any does, whether its session may read the page; the
// copy is taken by the host itself. It is for people at a terminal: no model is offered it.
const (
	CopyDecidedBy = "page.info"
	copyTool      = "page.copy"
)

// copyPage returns the copy of the page that the call means.
func (s *Server) copyPage(ctx context.Context, used *connection, p callRequest) (out PageCopy, err error) {
	if p.Session.Kind != policy.SessionCLI || p.Name != CopyDecidedBy {
		return out, fault.New(fault.PermissionDenied, "only a person at a terminal saves pages").WithDispatched(fault.NotDispatched)
	}
	session, err := s.session(ctx, used, p.Session)
	if err != nil {
		return out, err
	}
	call := p.call()
	call.Timeout = time.Duration(p.TimeoutMS) * time.Millisecond
	e := s.service.Dispatcher().Call(ctx, session, call)
	if !e.OK {
		return out, e.Error
	}
	raw, err := s.service.Dispatcher().CallAsHost(ctx, e.Meta.Tab.TabID, copyTool, json.RawMessage(`{}`))
	if err != nil {
		return out, err
	}
	out.URL = e.Meta.Tab.URL
	if err := json.Unmarshal(raw, &out.Copy); err != nil {
		return out, fault.Wrap(err, fault.InvalidResult, "the page's copy cannot be read: %v", err)
	}
	decided, err := origin.Parse(out.URL)
	if copied, other := origin.Parse(out.Copy.URL); err != nil || other != nil || copied != decided {
		return PageCopy{}, fault.New(fault.RuntimeReplaced, "the tab went to another site meanwhile, and nothing was saved").WithNextStep("Save again.")
	}
	return out, nil
}
