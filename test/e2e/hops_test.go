package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestPopupNamesTheBrokenHop(t *testing.T) {
	// Ensure that the popup says in words which hop is broken, with the command that repairs it or finds the cause, and offers no control and no activity meanwhile.
	t.Parallel()
	home := harness.NewHome(t)
	program := func(name, text string, mode os.FileMode) string {
		t.Helper()
		full := filepath.Join(home.Dir, name)
		if err := os.WriteFile(full, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return full
	}
	const install = "actions-host install --browser chromium"
	for name, c := range map[string]struct{ program, extension, state, command string }{
		"another extension": {"/bin/cat", strings.Repeat("a", 32), "installed, but not for this extension", install},
		"moved away":        {filepath.Join(home.Dir, "gone"), manifest.ExtensionID, "The host program", ""},
		"not executable":    {program("plain", "x", 0o644), manifest.ExtensionID, "The host program stopped: Native host has exited.", "actions-host doctor"},
		"ends at once":      {program("ends", "#!/bin/sh\nexit 1\n", 0o755), manifest.ExtensionID, "The host program stopped: Native host has exited.", "actions-host doctor"},
		"says nothing":      {program("silent", "#!/bin/sh\nexec sleep 60\n", 0o755), manifest.ExtensionID, "Starting the host program…", ""},
	} {
		t.Run(name, func(t *testing.T) {
			popup := openPopup(t, home.OpenBroken(t, c.program, c.extension))
			popup.says("state", c.state)
			if c.command != "" {
				popup.says("command", c.command)
			}
			if !eval[bool](popup, `document.getElementById("control").disabled`) {
				t.Error("a tab can be handed over to nobody")
			}
			for _, hidden := range []string{"mode", "activity", "agent", "stop-all"} {
				if text := popup.text(hidden); text != "" {
					t.Errorf("#%s is shown: %q", hidden, text)
				}
			}
			t.Logf("%s: %s | %s", name, popup.text("state"), popup.text("command"))
		})
	}
	t.Run("refuses the profile", func(t *testing.T) {
		refusal := fault.New(fault.DatabaseLocked, "the database of this profile is in use").WithNextStep("Close the other browser that uses it.")
		popup := openPopup(t, harness.PlayRefusing(t, refusal).Launched)
		popup.says("state", "could not open this profile: the database of this profile is in use. Close the other browser that uses it.")
		popup.says("command", "actions-host doctor")
	})
}
