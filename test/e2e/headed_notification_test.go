package e2e

import (
	"os"
	"os/exec"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestHeadedNotification(t *testing.T) {
	// Ensure that in a browser with a window a real press of Allow once in the notification lets the call run, and of Deny refuses it.
	if !harness.Long() {
		t.Skip("it needs a screen of its own")
	}
	display := screen(t, "1280x900x24")
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title><button>Place order</button>`})
	home.OpenNotifying(t, false, []string{"DISPLAY=" + display}, url)
	const click = `{"locator":{"selector":"button"}}`
	// The browser shows its notification in the lower right corner.
	press := func(x string) {
		t.Helper()
		cmd := exec.Command("xdotool", "mousemove", x, "863", "click", "1")
		cmd.Env = append(os.Environ(), "DISPLAY="+display)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	wantCode(t, home.Call(t, "locator.click", click), fault.NeedsApproval)
	harness.Until(t, "Allow once was pressed", func() bool {
		press("980")
		return home.Call(t, "locator.click", click).OK
	})
	wantCode(t, home.Call(t, "locator.click", click), fault.NeedsApproval)
	harness.Until(t, "Deny was pressed", func() bool {
		press("1087")
		e := home.Call(t, "locator.click", click)
		return !e.OK && e.Error.Code == fault.PermissionDenied
	})
}
