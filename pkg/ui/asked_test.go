package ui

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/callpath"
)

func TestCallAskedRunsOnceWhatActed(t *testing.T) {
	// Ensure that an action which asks after a step has acted is not made again, and one that has done nothing yet is.
	for acted, want := range map[bool]int{true: 1, false: 2} {
		parts, runs := callpath.New(t, "p", callpath.Example), 0
		action := func(context.Context, primitive.Call) (json.RawMessage, error) {
			if runs++; runs == 2 {
				return json.RawMessage(`{}`), nil
			}
			f := fault.New(fault.NeedsApproval, "a question").With("id", "answered").With("expires_at", time.Now().Add(time.Minute))
			f.Retryable = !acted
			return nil, f
		}
		b := &Backend{Path: &dispatch.Dispatcher{Catalogue: parts.Catalogue, Tabs: parts.Tabs, Policy: parts.Policy, Approvals: parts.Approvals, Journal: parts.Journal,
			Blocked: func(string) []string { return nil }, Handlers: &primitive.Registry{Named: map[string]primitive.Handler{dispatch.SiteTool: action}}}}
		own := &dispatch.Session{ID: "cli", SessionKind: policy.SessionCLI, Mode: policy.ModeAct}
		e, err := b.callAsked(t.Context(), own, 1, dispatch.SiteTool, map[string]any{"mode": "call", "action": "a.b"})
		if err != nil || runs != want || e.OK == acted {
			t.Errorf("acted %t: %d runs, %+v, %v", acted, runs, e.Error, err)
		}
	}
}
