package dispatch

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestFinish(t *testing.T) {
	// Ensure that a task is not called done, twice at most, while an action has no successful look after it; that an action which was not sent needs none, and that one whose caller asked for what it changed has had it.
	r := newRig(t)
	page := r.page
	r.Handlers.Named["page.snapshot"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
		return json.RawMessage(`{"diff":"","unchanged":true,"url":"u","title":"t","ref_count":0,"node_count":0,"truncated":false,"total_chars":0,"secrets_redacted":0}`), nil
	}
	act := func(output string, err error) {
		t.Helper()
		r.Handlers.Named["locator.click"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
			return json.RawMessage(output), err
		}
		r.call(t, "locator.click", `{"locator":{"selector":"b"}}`)
	}
	refused := func(times int, verified bool) {
		t.Helper()
		for i := range times + 1 {
			got, err := r.session.Finish()
			if want := i < times; fault.Is(err, fault.UnverifiedAction) != want || !want && got != verified {
				t.Fatalf("time %d: %t, %v", i+1, got, err)
			}
		}
	}
	refused(0, true)
	act(`{"label":"b","tag_name":"button","verified":null,"clicked":true,"fidelity":"trusted"}`, nil)
	refused(2, false)
	r.call(t, "page.info", `{}`)
	refused(0, true)
	act(``, fault.New(fault.TargetNotFound, "none").WithDispatched(fault.NotDispatched))
	refused(0, true)
	act(``, fault.New(fault.TransportFailed, "lost"))
	r.page = failing(fault.TargetNotFound)
	r.call(t, "page.info", `{}`)
	refused(2, false)
	r.page = page
	r.call(t, "page.info", `{}`)
	refused(0, true)
}
