package primitives

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestPressThatNobodySaw(t *testing.T) {
	// Ensure that a press counts as done only where its document, or what it said before it left, has got it.
	gone := fault.New(fault.RuntimeReplaced, "gone")
	for what, row := range map[string]struct {
		document string
		gone     *fault.Error
		last     []string // what a document that is gone had reported
		want     fault.Code
	}{
		"seen":                   {document: `{"taken":false,"seen":["pointerdown"]}`},
		"another event":          {document: `{"taken":false,"seen":["pointerup"]}`, want: fault.OutcomeUnknown},
		"nothing":                {document: `{"taken":false,"seen":[]}`, want: fault.OutcomeUnknown},
		"seen before it left":    {gone: gone, last: []string{"mousedown"}},
		"nothing before it left": {gone: gone, want: fault.OutcomeUnknown},
		"a dialog":               {gone: fault.New(fault.DialogOpen, "a dialog"), want: fault.DialogOpen},
	} {
		b := connect(t, func(_ context.Context, method string, _ json.RawMessage) (any, error) {
			if method == protocol.MethodInputEnd {
				return protocol.InputSeen{Events: append([]string{}, row.last...)}, nil
			}
			if row.gone != nil {
				return nil, row.gone
			}
			return protocol.ActionCallOutput{Output: json.RawMessage(row.document), RuntimeID: "new", URL: "https://example.com/"}, nil
		})
		h := &Handlers{Browser: b, Tabs: claimed(t), KnownPrimitives: []string{"target.dropped"}}
		err := h.requirePointerSeen(limited(t), pageCall(t, "pointer.down", `{"x":1,"y":2}`), newHold(), "", []string{"pointerdown", "mousedown"})
		switch {
		case row.want == "" && err != nil, row.want != "" && !fault.Is(err, row.want):
			t.Errorf("%s: %v", what, err)
		case err != nil && fault.From(err).Dispatched == fault.NotDispatched:
			t.Errorf("%s: it says that nothing was sent", what)
		}
	}
}
