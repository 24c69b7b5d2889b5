package dispatch

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestMet(t *testing.T) {
	// Ensure that the outcome in the log says what the page met as the target, and that the caller pays nothing for it.
	r := newRig(t)
	r.Handlers.Named["locator.click"] = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		c.Meta.Target = &protocol.MetTarget{Tag: "button", Role: "button", Name: "Send the order"}
		return json.RawMessage(`{"clicked":true,"label":"button","tag_name":"button","verified":true,"fidelity":"trusted"}`), nil
	}
	e := r.call(t, "locator.click", `{"locator":{"selector":"#send"}}`)
	if !e.OK {
		t.Fatal(e.Error)
	}
	if raw, err := json.Marshal(e); err != nil || strings.Contains(string(raw), "Send the order") {
		t.Errorf("the answer has it: %s, %v", raw, err)
	}
	var found int
	for _, record := range r.records(t) {
		var o journal.Outcome
		if record.Type == journal.TypeOutcome && json.Unmarshal(record.Data, &o) == nil && o.Target != nil && o.Target.Name == "Send the order" {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d records have the target", found)
	}
}
