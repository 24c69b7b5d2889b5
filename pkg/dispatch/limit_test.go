package dispatch

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestLimitOfTheMoment(t *testing.T) {
	// Ensure that what the user allows a session counts from the next call on, in both directions.
	r := newRig(t)
	clicked := 0
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		clicked++
		return json.RawMessage(`{"clicked":true}`), nil
	}
	now := policy.ModeAct
	r.session.Limit = func() policy.Mode { return now }
	click := func() Envelope { return r.call(t, "pointer.click", `{"x":1,"y":2}`) }
	click()
	now = policy.ModeAsk
	if f := wantCode(t, click(), fault.PermissionDenied); f.Evidence["rule"] != "mode" {
		t.Errorf("refused by %v", f.Evidence["rule"])
	}
	now = policy.ModeAct
	click()
	if clicked != 2 {
		t.Errorf("%d clicks went through", clicked)
	}
}
