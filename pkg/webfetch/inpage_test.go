package webfetch

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestPageHandler(t *testing.T) {
	// Ensure that a session which only looks gets no address that the page has not judged, whatever its arguments say, and none at all from an extension that cannot judge.
	for _, test := range []struct {
		looks    bool
		protocol int
		given    string
		want     string // what the page is asked; empty: nothing
	}{
		{true, listedProtocol, `{"url":"u"}`, `{"listed_only":true,"url":"u"}`},
		{true, listedProtocol, `{"url":"u","listed_only":false}`, `{"listed_only":true,"url":"u"}`},
		{true, listedProtocol - 1, `{"url":"u"}`, ""},
		{false, listedProtocol, `{"url":"u"}`, `{"url":"u"}`},
		{false, listedProtocol - 1, `{"url":"u"}`, `{"url":"u"}`},
	} {
		asked := ""
		page := func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
			asked = string(c.Arguments)
			return nil, nil
		}
		_, err := PageHandler(page, test.protocol)(t.Context(), primitive.Call{OnlyLooks: test.looks, Arguments: json.RawMessage(test.given)})
		if asked != test.want || fault.Is(err, fault.CapabilityUnavailable) != (test.want == "") {
			t.Errorf("%+v: the page is asked %s, %v", test, asked, err)
		}
	}
}
