package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/mcpserver"
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

func TestWaitIsForAnAbsentBrowser(t *testing.T) {
	// Ensure that --wait 0 finds a browser that runs, also by doctor and mcp, and does not wait for one that does not.
	mcpHome(t)
	var stdout, stderr bytes.Buffer
	if exit := runCommand(t.Context(), []string{"tabs", "--wait", "0"}, &stdout, &stderr); exit != exitBroken {
		t.Errorf("nobody: exit %d, stderr %q", exit, &stderr)
	}
	var b fakes.Browser
	startHost(t, &b, firstID, "Work", "https://one.test/")
	stdout.Reset()
	stderr.Reset()
	if exit := runCommand(t.Context(), []string{"tabs", "--wait", "0"}, &stdout, &stderr); exit != exitDone {
		t.Errorf("exit %d, stdout %q, stderr %q", exit, &stdout, &stderr)
	}
	stdout.Reset()
	runCommand(t.Context(), []string{"doctor", "--wait", "0"}, &stdout, &stderr)
	if !strings.Contains(stdout.String(), "✓ browser") {
		t.Errorf("doctor: %s", &stdout)
	}
	wantOK(t, direct(t, mcpClient(t, nil, mcpserver.Options{Wait: 1}), "page.info", ""))
}
