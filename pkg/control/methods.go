package control

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/runhistory"
)

// newMux returns the handlers of a connection's requests.
func (s *Server) newMux(used *connection) *rpc.Mux {
	m := rpc.NewMux(func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		return nil, fault.New(fault.CapabilityUnavailable, "this host does not know the method %q", method)
	})
	rpc.Handle(m, MethodCall, func(ctx context.Context, p callRequest) (any, error) { return s.call(ctx, used, p) })
	rpc.Handle(m, MethodExplain, func(ctx context.Context, p callRequest) (any, error) {
		session, err := s.session(ctx, used, p.Session)
		if err != nil {
			return nil, err
		}
		return s.service.Dispatcher().Explain(session, p.call())
	})
	rpc.Handle(m, MethodStatus, func(context.Context, json.RawMessage) (Status, error) { return s.service.Status(), nil })
	rpc.Handle(m, MethodPing, func(ctx context.Context, _ json.RawMessage) (Pong, error) { return s.ping(ctx) })
	rpc.Handle(m, MethodTabs, func(ctx context.Context, p SessionParams) (any, error) {
		session, err := s.session(ctx, used, p)
		if err != nil {
			return nil, err
		}
		return s.service.TabList(session)
	})
	rpc.Handle(m, MethodLog, func(ctx context.Context, p LogParams) (any, error) { return s.handleLog(ctx, used, MethodLog, p) })
	rpc.Handle(m, MethodLogSessions, func(ctx context.Context, p LogFilter) (any, error) {
		return s.handleLog(ctx, used, MethodLogSessions, LogParams{Filter: p.Filter})
	})
	for _, method := range []string{MethodLogSessionIDs, MethodLogVerify} {
		rpc.Handle(m, method, func(ctx context.Context, _ Empty) (any, error) { return s.handleLog(ctx, used, method, LogParams{}) })
	}
	rpc.Handle(m, MethodApprovals, func(context.Context, json.RawMessage) (Approvals, error) {
		d := s.service.Dispatcher()
		return Approvals{Approvals: append([]policy.Approval{}, d.Approvals.List()...), Grants: append([]policy.Grant{}, d.Policy.Grants()...)}, nil
	})
	rpc.Handle(m, MethodAnswer, func(ctx context.Context, p Answer) (Empty, error) {
		return Empty{}, s.service.Dispatcher().Answer(ctx, policy.Answer{ID: p.ID, Allow: p.Allow, Scope: p.Scope, Code: p.Code, Face: policy.FaceTerminal})
	})
	rpc.Handle(m, MethodFormAnswer, func(ctx context.Context, p FormAnswer) (Empty, error) { return Empty{}, s.answerForm(ctx, used, p) })
	rpc.Handle(m, MethodRevoke, s.revoke)
	rpc.Handle(m, MethodLastRuns, func(context.Context, json.RawMessage) (LastRuns, error) {
		h := s.service.Dispatcher().History
		if h == nil {
			return LastRuns{Actions: []runhistory.Fared{}}, nil
		}
		return LastRuns{Actions: h.All()}, nil
	})
	rpc.Handle(m, MethodCopyPage, func(ctx context.Context, p callRequest) (PageCopy, error) { return s.copyPage(ctx, used, p) })
	rpc.Handle(m, MethodRecord, s.record)
	rpc.Handle(m, MethodRepair, func(ctx context.Context, p repairRequest) (any, error) { return s.repair(ctx, used, p) })
	rpc.Handle(m, MethodStop, s.stop)
	rpc.Handle(m, MethodGoOn, s.goOn)
	return m
}

func (s *Server) answerForm(ctx context.Context, used *connection, p FormAnswer) error {
	session, err := s.session(ctx, used, p.Session)
	if err != nil {
		return err
	}
	if p.Session.Kind != policy.SessionMCP || !p.Session.Form || !used.ownProgram {
		return fault.New(fault.PermissionDenied, "only the MCP server of this program, of the same version, answers for a client's form").
			WithNextStep("Ask the user to answer in the popup of the extension.").WithDispatched(fault.NotDispatched)
	}
	answer := policy.Answer{ID: p.ID, Face: policy.FaceClient, SessionID: session.ID}
	switch p.Answer {
	case string(policy.ScopeOnce), string(policy.ScopeSession):
		answer.Allow, answer.Scope = true, policy.Scope(p.Answer)
	case "deny":
	default:
		return s.service.Dispatcher().RefuseAnswer(ctx, answer, p.Answer)
	}
	return s.service.Dispatcher().Answer(ctx, answer)
}

func (s *Server) call(ctx context.Context, used *connection, p callRequest) (any, error) {
	session, err := s.session(ctx, used, p.Session)
	if err != nil {
		return nil, err
	}
	if p.Progress > 0 {
		ctx = dispatch.WithProgress(ctx, func(step string) { used.reportStep(ctx, p.Progress, step) })
	}
	call := p.call()
	call.Timeout, call.MaxOutputChars = time.Duration(p.TimeoutMS)*time.Millisecond, p.MaxOutputChars
	return s.service.Dispatcher().Call(ctx, session, call), nil
}

func (p callRequest) call() dispatch.Call {
	return dispatch.Call{Name: p.Name, Arguments: p.Arguments, Target: p.Target.target()}
}

func (s *Server) revoke(ctx context.Context, p Revoke) (Revoked, error) {
	revoked, err := s.service.Dispatcher().Revoke(ctx, p.matches)
	if err == nil && len(revoked) == 0 {
		err = fault.New(fault.InvalidArguments, "nothing is allowed for %q, or not any more", p.Origin).
			WithNextStep("actions-host approvals list shows the grants; write the origin as it stands there. What was refused is taken back in the options of the extension.")
	}
	return Revoked{Revoked: revoked}, err
}
