package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// loudBrowser is a program that starts the browser so that it shows what is debugged, as the
// user's own does and a launched one does not.
const loudBrowser = `#!/bin/bash
for a in "$@"; do [ "$a" = --silent-debugger-extension-api ] || args+=("$a"); done
exec chromium "${args[@]}"
`

func TestTheBrowsersOwnCancel(t *testing.T) {
	// Ensure that a click on Cancel in the browser's own bar, in a window, ends the call under way, that its caller is told so, that no more of it reaches the page, and that the next call waits for the user.
	if !harness.Long() {
		t.Skip("needs a window: with --long")
	}
	at := screen(t, "1300x950x24")
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": `<title>Shop</title><textarea id=i oninput="fetch('/typed',{method:'POST'})"></textarea>`})
	loud := filepath.Join(t.TempDir(), "loud")
	if err := os.WriteFile(loud, []byte(loudBrowser), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := home.Command(context.Background(), "launch", "--json", "--browser", loud, url)
	cmd.Env = append(cmd.Environ(), "DISPLAY="+at)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, `"ready":true`) {
		t.Fatalf("%q %v", line, err)
	}
	harness.Until(t, "the field has the focus", func() bool { return home.Call(t, "locator.click", `{"locator":{"selector":"#i"}}`).OK })
	args, err := json.Marshal(map[string]any{"text": strings.Repeat("tea ", 15000), "trusted": true})
	if err != nil {
		t.Fatal(err)
	}
	done := background(t, home, "call", "text.type", string(args), "--json", "--timeout", "60s")
	typed := func() int { return len(received(rec, "POST", "/typed")) }
	harness.Until(t, "it types", func() bool { return typed() > 3 })
	// The button is in the middle of the bar below the address; beside it a click does nothing.
	for x := 900; x > 770; x -= 15 {
		click := exec.Command("xdotool", "mousemove", strconv.Itoa(x), "125", "click", "1")
		click.Env = append(os.Environ(), "DISPLAY="+at)
		if text, err := click.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		select {
		case got := <-done:
			wantCode(t, got, fault.Cancelled)
			if got.Error.Evidence["face"] != "browser" {
				t.Errorf("the caller is told %+v", got.Error)
			}
			before := typed()
			wantCode(t, home.Call(t, "page.info", `{}`), fault.StoppedByUser)
			if n := typed(); n != before {
				t.Errorf("%d changes came after it", n-before)
			}
			return
		case <-time.After(300 * time.Millisecond):
		}
	}
	t.Error("no click ended the call: the browser's bar is not where it was")
}
