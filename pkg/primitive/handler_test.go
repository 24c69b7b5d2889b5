package primitive

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestEither(t *testing.T) {
	// Ensure that an argument is taken by either of its names, and that two different values are refused before anything is done.
	for _, c := range []struct {
		a, b, want string
		refused    bool
	}{{"", "", "", false}, {"x", "", "x", false}, {"", "x", "x", false}, {"x", "x", "x", false}, {"x", "y", "", true}} {
		got, err := Either("short", c.a, "long", c.b)
		if got != c.want || (err != nil) != c.refused {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
		if f := fault.From(err); c.refused && (f.Code != fault.InvalidInput || f.Dispatched != fault.NotDispatched) {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}
