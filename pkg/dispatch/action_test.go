package dispatch

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/runhistory"
)

func TestActionNameInEachForm(t *testing.T) {
	// Ensure that the running list, the intent, the outcome, a refusal and the history have the action's name in each form in which a call may give it.
	for _, args := range []string{
		`{"mode":"call","action":"a.b"}`,
		`{"mode":"call","action_name":"a.b"}`,
		`{"mode":"call","name":"a.b"}`,
		`{"mode":"call","arguments":{"action":"a.b"}}`,
		`{"mode":"call","arguments":"{\"action\":\"a.b\"}"}`,
	} {
		r := newRig(t)
		r.History = &runhistory.History{}
		r.Handlers.Named[SiteTool] = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
			if list := r.Running(); len(list) != 1 || list[0].Action != "a.b" {
				t.Errorf("%s: running %+v", args, list)
			}
			c.Meta.Map = "m"
			return json.RawMessage(`{}`), nil
		}
		if e := r.call(t, SiteTool, args); !e.OK {
			t.Fatal(e.Error)
		}
		if err := r.Tabs.Release(1); err != nil {
			t.Fatal(err)
		}
		wantCode(t, r.call(t, SiteTool, args), fault.TabNotClaimed)
		for _, one := range r.records(t) {
			var data journal.Outcome
			if one.Type != journal.TypeIntent && one.Type != journal.TypeOutcome && one.Type != journal.TypePolicy {
				continue
			}
			if err := json.Unmarshal(one.Data, &data); err != nil || data.ActionName() != "a.b" {
				t.Errorf("%s: the %s is of %q, %v", args, one.Type, data.ActionName(), err)
			}
		}
		if _, ok := r.History.Of(runhistory.Action{Map: "m", Name: "a.b"}); !ok {
			t.Errorf("%s: no history", args)
		}
	}
}
