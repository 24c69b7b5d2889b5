package primitive_test

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestSafeNames(t *testing.T) {
	// Ensure that names become what providers take, that two never become the same, and that the way back leads to the right one.
	safe := primitive.SafeNames([]string{"a.b", "a_b", "a..b", "", "ü", strings.Repeat("x", 100)})
	if safe["a.b"] != "a_b" || safe[""] != "tool" || len(safe[strings.Repeat("x", 100)]) != 64 {
		t.Errorf("%v", safe)
	}
	seen := map[string]bool{}
	for name, short := range safe {
		if seen[short] {
			t.Errorf("%q shares %q", name, short)
		}
		seen[short] = true
	}
}
