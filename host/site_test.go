package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
)

func TestPrintList(t *testing.T) {
	// Ensure that a person sees the actions with their arguments, the page's states, the author's words, and, of a big map, that there is more and the command for it.
	for output, want := range map[string]string{
		`{"actions":[],"total":0}`: "No map declares actions for this page. actions-host new SITE writes a first one; actions-host call page.snapshot shows the page.\n",
		`{"actions":[{"name":"a.b","description":"Do it.","input_schema":{"properties":{"q":{},"n":{}},"required":["q"]}}],"total":3,
			"next":{"mode":"list","offset":1},"state_projections":[{"name":"a.state"}],"guidance":[{"prompt":"Be kind."}]}`: "a.b q [n]\n    Do it.\n\n" +
			"1 of 3 actions; the next: actions-host call actions.site '{\"mode\":\"list\",\"offset\":1}'\n\n" +
			"The page's state can be read: a.state\n\nFrom the map's author: Be kind.\n",
	} {
		var out bytes.Buffer
		a := &app{stdout: &out}
		if err := a.printList(dispatch.Envelope{OK: true, Output: json.RawMessage(output)}); err != nil || out.String() != want {
			t.Errorf("printed %q, %v, wanted %q", out.String(), err, want)
		}
	}
}
