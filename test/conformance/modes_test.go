package conformance

import (
	"flag"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// onlyLooks reports whether the primitive is one for the mode ask: its cases run there,
// where nothing else is allowed.
func onlyLooks(r *primitive.Record) bool {
	effect := policy.Effect(r.Effect)
	return (effect == policy.EffectRead || effect == policy.EffectView) && !dispatch.MayAct(r)
}

// modes counts the calls of what only looks that the mode ask allowed. A few do more with
// some arguments; each must do something there.
type modes map[string]int

func (m modes) ran(name string, mode policy.Mode) {
	if mode == policy.ModeAsk {
		m[name]++
	}
}

func (m modes) refused(name string) { m[name]-- }

// check fails the test for a primitive that was refused whenever a case looked with it.
func (m modes) check(t *testing.T) {
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // some cases alone
	}
	for name, allowed := range m {
		if allowed == 0 {
			t.Errorf("no case runs %s in the mode ask, although it only looks", name)
		}
	}
}
