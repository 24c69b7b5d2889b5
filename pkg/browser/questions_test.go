package browser

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestShowsQuestions(t *testing.T) {
	// Ensure that a question is shown exactly where the extension has a page for it, which neither an older extension nor one that is gone has.
	for _, test := range []struct {
		name   string
		answer any
		err    error
		want   bool
	}{
		{"a pane and the popup", protocol.QuestionPages{Open: 2}, nil, true},
		{"no page", protocol.QuestionPages{}, nil, false},
		{"an older extension", nil, fault.New(fault.CapabilityUnavailable, "this extension does not know the request"), false},
	} {
		b, _ := greeted(t, func(_ context.Context, method string, _ json.RawMessage) (any, error) {
			if method != protocol.MethodQuestionPages {
				t.Errorf("%s: asked for %s", test.name, method)
			}
			return test.answer, test.err
		})
		if got := b.ShowsQuestions(t.Context()); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	b, w := greeted(t, nil)
	w.Close()
	if b.ShowsQuestions(t.Context()) {
		t.Error("an extension that is gone shows questions")
	}
}
