package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/fakes"
)

func TestWaitForTheNamedProfile(t *testing.T) {
	// Ensure that --wait waits for the profile that --profile names, also while another one runs, and that a profile which does not come is named.
	mcpHome(t)
	var work, home fakes.Browser
	startHost(t, &work, firstID, "Work", "https://one.test/")
	var stdout, stderr bytes.Buffer
	if exit := runCommand(t.Context(), []string{"tabs", "--profile", "Home", "--wait", "100ms"}, &stdout, &stderr); exit != exitBroken || !strings.Contains(stderr.String(), `"Home"`) {
		t.Errorf("exit %d, stderr %q", exit, &stderr)
	}
	stderr.Reset()
	ended := make(chan int)
	go func() {
		ended <- runCommand(t.Context(), []string{"tabs", "--profile", "Home", "--wait", "60s"}, &stdout, &stderr)
	}()
	startHost(t, &home, secondID, "Home", "https://two.test/")
	if exit := <-ended; exit != exitDone || strings.Contains(stdout.String(), "https://one.test/") { // its own tab may come later
		t.Errorf("exit %d, stdout %q, stderr %q", exit, &stdout, &stderr)
	}
}
