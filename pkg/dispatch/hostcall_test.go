package dispatch

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestCallAsHost(t *testing.T) {
	// Ensure that the host itself may read and show and nothing else, is refused what the map or the user forbids, is logged, and waits for no call in the tab.
	r := newRig(t)
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		if c.Record.Name == "attachment.install" {
			return json.RawMessage(`{"installed":[],"missing":[]}`), nil
		}
		return json.RawMessage(`{"observing":1}`), nil
	}
	watch := func(tabID int, name, args string) error {
		_, err := r.CallAsHost(t.Context(), tabID, name, json.RawMessage(args))
		return err
	}
	release, err := r.lanes.acquire(t.Context(), 1, "other")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	const events = `{"events":["tea:sold"]}`
	if err := watch(1, "signal.observe", events); err != nil {
		t.Fatal(err)
	}
	logged := false
	for _, record := range r.records(t) {
		logged = logged || record.Type == journal.TypeOutcome && record.Name == "signal.observe" && record.SessionID == "host"
	}
	if !logged {
		t.Error("the log does not have it")
	}
	for name, test := range map[string]struct {
		tab        int
		name, args string
		code       fault.Code
	}{
		"a tab that is not claimed":  {2, "signal.observe", events, fault.TabNotClaimed},
		"wrong arguments":            {1, "signal.observe", `{"events":1}`, fault.InvalidInput},
		"a primitive that acts":      {1, "pointer.click", `{"x":1,"y":1}`, fault.InternalError},
		"one that meets no page":     {1, "storage.list", `{}`, fault.InternalError},
		"one that nobody ever wrote": {1, "tea.brew", `{}`, fault.InternalError},
	} {
		if err := watch(test.tab, test.name, test.args); !fault.Is(err, test.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	const none = `{"attachments":[]}`
	if err := watch(1, "attachment.install", none); err != nil {
		t.Errorf("one that shows: %v", err)
	}
	if err := r.Policy.Grant(policy.Grant{Origin: "https://example.com", Effect: policy.EffectView, Scope: policy.ScopeAlways, Deny: true}); err != nil {
		t.Fatal(err)
	}
	if err := watch(1, "attachment.install", none); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("a user who forbids showing: %v", err)
	}
	r.blocked = []string{"signal.observe"}
	if err := watch(1, "signal.observe", events); err == nil {
		t.Error("a map that blocks it was not heard")
	}
	r.blocked = nil
	if err := r.Policy.Grant(policy.Grant{Origin: "https://example.com", Effect: policy.EffectRead, Scope: policy.ScopeAlways, Deny: true}); err != nil {
		t.Fatal(err)
	}
	if err := watch(1, "signal.observe", events); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("a user who forbids reading: %v", err)
	}
}
