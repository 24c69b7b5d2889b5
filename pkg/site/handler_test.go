package site_test

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestHandlerThatIsNoStep(t *testing.T) {
	// Ensure that a tool bound to a primitive which no workflow may have as a step is a fault of its map, decided about by nobody and run by nothing: such a tool could run itself without end, or choose the caller's tab.
	dict := primitive.Load()
	tried := 0
	for _, name := range dict.Names() {
		if dict.Step(name) {
			continue
		}
		tried++
		t.Run(name, func(t *testing.T) {
			r := shop(t, tool("go", open+`"x_actions":{"handler":"`+name+`","binding":{"arguments":{"mode":"call","action":"go"}}}`))
			_, err := r.call(t, "go", `{}`)
			if f := wantCode(t, err, fault.InvalidMap); f.Dispatched != fault.NotDispatched || f.NextStep == "" {
				t.Errorf("got %+v", f)
			}
			if len(r.authorized)+len(r.ran) > 0 {
				t.Errorf("authorized %v, ran %v", r.authorized, r.ran)
			}
		})
	}
	for _, name := range []string{"actions.site", "browser.claimed_tabs.activate"} {
		if dict.Step(name) || dict.Effect(name) == "" {
			t.Errorf("%s is not among the %d that were tried", name, tried)
		}
	}
}
