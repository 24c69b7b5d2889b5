package control_test

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func TestOnlyTerminalsCopyPages(t *testing.T) {
	// Ensure that no session but that of a terminal gets a page's copy, that no other call can decide about it, and that what may not be read is not copied.
	_, _, c := started(t)
	copyPage := func(change func(*control.CallParams)) error {
		p := pageInfo()
		p.Session.Kind = policy.SessionCLI
		change(&p)
		return c.Call(limited(t), control.MethodCopyPage, p, &control.PageCopy{})
	}
	for _, kind := range []policy.SessionKind{policy.SessionMCP, policy.SessionAgent, policy.SessionVoice} {
		if err := copyPage(func(p *control.CallParams) { p.Session.Kind = kind }); !fault.Is(err, fault.PermissionDenied) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if err := copyPage(func(p *control.CallParams) { p.Name = "runtime.session.log" }); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("by another call: %v", err)
	}
	if err := copyPage(func(p *control.CallParams) { p.Arguments = nil }); !fault.Is(err, fault.PolicyExceptionReportRequired) {
		t.Errorf("without a report: %v", err)
	}
	if err := copyPage(func(p *control.CallParams) { p.Target.TabID = 99 }); !fault.Is(err, fault.TabNotClaimed) && !fault.Is(err, fault.RuntimeNotFound) {
		t.Errorf("of a tab that nobody handed over: %v", err)
	}
	var runs control.LastRuns
	if err := c.Call(limited(t), control.MethodLastRuns, control.Empty{}, &runs); err != nil || runs.Actions == nil || len(runs.Actions) != 0 {
		t.Errorf("the last runs: %+v, %v", runs, err)
	}
}
