package primitive_test

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestSafeNames(t *testing.T) {
	// Ensure that names become what providers take, that two never become the same, and that the way back leads to the right one.
	long := strings.Repeat("x", 100)
	names := []string{"a.b", "a_b", "a..b", "", "ü", long}
	safe := primitive.NewNames(names)
	if safe.Safe("a.b") != "a_b" || safe.Safe("") != "tool" || len(safe.Safe(long)) != 64 {
		t.Errorf("%v", safe)
	}
	seen := map[string]bool{}
	for _, name := range names {
		short := safe.Safe(name)
		if seen[short] || safe.Dotted(short) != name {
			t.Errorf("%q has %q, which leads to %q", name, short, safe.Dotted(short))
		}
		seen[short] = true
	}
	if safe.Safe("c") != "" || safe.Dotted("c") != "c" {
		t.Error("an unknown name is known")
	}
}
