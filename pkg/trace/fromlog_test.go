package trace

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
)

func TestFromLog(t *testing.T) {
	// Ensure that a call of the log comes with its steps and how it ended, without those of others, and that one that has not ended, or is not there, is refused.
	at := time.Date(2026, 11, 24, 20, 0, 0, 0, time.UTC)
	records := []journal.Record{
		{Seq: 1, At: at, Type: journal.TypeIntent, CallID: "a", Name: "actions.site", Data: json.RawMessage(`{"arguments":{"action":"tea.find"},"tab_id":7}`)},
		{Seq: 2, Type: journal.TypeIntent, CallID: "b", Name: "locator.click"},
		{Seq: 3, Type: journal.TypeOutcome, CallID: "a1", ParentID: "a", Name: "locator.fill", Data: json.RawMessage(`{"ok":false}`)},
		{Seq: 4, Type: journal.TypePolicy, CallID: "a", Data: json.RawMessage(`{"origin":"https://tea.example","scope":"once"}`)},
		{Seq: 5, Type: journal.TypeOutcome, CallID: "a", Data: json.RawMessage(`{"ok":false,"duration_ms":12,"action":"tea.find","tab_id":7,"url":"https://tea.example/","map":"m/actions.json","steps":[{"id":"s"}],"error":{"code":"workflow_step_failed","message":"no"}}`)},
		{Seq: 6, Type: journal.TypeOutcome, CallID: "c", Name: "page.info", Data: json.RawMessage(`{"ok":true}`)},
	}
	run, err := FromLog("a", records)
	if err != nil || run.Action != "tea.find" || run.OK || run.Error.Code != fault.WorkflowStepFailed || !run.At.Equal(at) || len(run.Records) != 4 ||
		run.Meta.Tab.TabID != 7 || run.Meta.Tab.URL != "https://tea.example/" || run.Meta.Map != "m/actions.json" || run.Meta.Steps == nil || run.Arguments != nil {
		t.Errorf("%+v, %v", run, err)
	}
	for _, wrong := range []string{"b", "z"} {
		if _, err := FromLog(wrong, records); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
