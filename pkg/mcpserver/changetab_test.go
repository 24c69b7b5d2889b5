package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestActionsThatChangeTheTab(t *testing.T) {
	// Ensure that a stored action with a step that opens or closes a tab, in a group too, or one whose steps are not known, has the current tab asked for again, and any other not.
	for steps, want := range map[string]bool{
		`[{"id":"a","primitive":"locator.click","ok":true}]`:                                     false,
		`[{"id":"a","primitive":"browser.open_tab","ok":true}]`:                                  true,
		`[{"id":"g","steps":[{"id":"a","primitive":"browser.close_tab","ok":true}]},{"id":"b"}]`: true,
		`null`: true, // a handler
		`{}`:   true,
	} {
		var meta any
		if err := json.Unmarshal([]byte(steps), &meta); err != nil {
			t.Fatal(err)
		}
		e := dispatch.Envelope{Name: dispatch.SiteTool, OK: true, Meta: primitive.Meta{Steps: meta}}
		if got := mayChangeTab(e); got != want {
			t.Errorf("%s: %t", steps, got)
		}
		if e.OK = false; !mayChangeTab(e) {
			t.Errorf("%s: not where it failed", steps)
		}
	}
	if !mayChangeTab(dispatch.Envelope{Name: dispatch.BatchTool, OK: true}) {
		t.Error("not in a batch")
	}
}
