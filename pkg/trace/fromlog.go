package trace

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// FromLog returns the call of the id as the log tells it. The records are those of its session,
// from its intent on, in order. The error is invalid_arguments where the log does not say how it
// ended.
func FromLog(callID string, records []journal.Record) (Run, error) {
	run := Run{}
	run.CallID = callID
	ended := false
	for _, r := range records {
		if r.CallID != callID && r.ParentID != callID {
			continue
		}
		run.Records = append(run.Records, r)
		if r.CallID != callID {
			continue
		}
		if run.At.IsZero() {
			run.At, run.Name = r.At, r.Name
		}
		var o journal.Outcome
		if json.Unmarshal(r.Data, &o) != nil || o.OK == nil {
			continue // its intent, or a question about it
		}
		ended = true
		run.Action, run.OK, run.Error = o.ActionName(), o.Succeeded(), o.Error
		run.Meta.DurationMS, run.Meta.Map, run.Meta.Tab = o.DurationMS, o.Map, &primitive.TabRef{TabID: o.TabID, URL: o.URL}
		if len(o.Steps) > 0 {
			run.Meta.Steps = o.Steps
		}
	}
	if !ended {
		return run, fault.New(fault.InvalidArguments, "the log does not say how the call %s ended", callID).
			WithNextStep("actions-host log dump --failed lists the calls that failed. A call that still runs can be traced once it has ended.")
	}
	return run, nil
}
