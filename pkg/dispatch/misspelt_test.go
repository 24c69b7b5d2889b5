package dispatch

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestMisspeltArgumentsAreNotLogged(t *testing.T) {
	// Ensure that text for a page which stands under a name that the primitive does not have is not in the log of the refusal, while the arguments that it has are.
	r := newRig(t)
	r.Handlers.Named["locator.fill"] = r.page
	for _, args := range []string{
		`{"locator":{"selector":"#login"},"txt":"hunter2"}`, `{"locator":{"selector":"#login"},"te.xt":"hunter2"}`,
		`{"locator":{"selector":"#login"},"Text":["hunter2"],"text":"hunter2"}`,
	} {
		wantCode(t, r.call(t, "locator.fill", args), fault.InvalidInput)
		all := r.records(t)
		logged := string(all[len(all)-2].Data)
		if strings.Contains(logged, "hunter2") || !strings.Contains(logged, "#login") {
			t.Errorf("%s is logged as %s", args, logged)
		}
	}
}
