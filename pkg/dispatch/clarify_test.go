package dispatch

import (
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/clarify"
)

func TestQuestionsHaveTime(t *testing.T) {
	// Ensure that a question to the user outlasts the common time limit of a call, and that the caller's own limit still holds.
	if limit := timeout(Call{Name: clarifyTool}); limit <= clarify.TTL {
		t.Errorf("a question is open for %v, its call for %v", clarify.TTL, limit)
	}
	if limit := timeout(Call{Name: clarifyTool, Timeout: time.Second}); limit != time.Second {
		t.Errorf("a call of a second has %v", limit)
	}
}
