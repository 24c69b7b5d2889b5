package agent

import (
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/journal"
)

func TestOutcomeOfAReasonThatIsDropped(t *testing.T) {
	// Ensure that the outcome of a stored action is remembered also where a member of its record is of another type, such as a reason of which the log holds the measure.
	line := outcomeLine(journal.Record{Data: json.RawMessage(`{"ok":true,"policy_exception_report":{"reason":{"bytes":6,"redacted":"data"}},"url":"https://a.test/x","action":"search","map":"m"}`)})
	if want := "- 0001-01-01 00:00 search on https://a.test: done"; line != want {
		t.Errorf("%q, not %q", line, want)
	}
}
