package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/fakes"
)

func TestLogOfUnknownProfile(t *testing.T) {
	// Ensure that a label, which only a running browser has, and a slip in an id are answered with the ids of the logs that are there.
	mcpHome(t)
	var b fakes.Browser
	startHost(t, &b, firstID, "Work", "https://one.test/")()
	var stderr bytes.Buffer
	if exit := runCommand(t.Context(), []string{"--profile", "Work", "log", "dump"}, io.Discard, &stderr); exit != exitFailed || !strings.Contains(stderr.String(), firstID) || strings.Contains(stderr.String(), "no log yet") {
		t.Errorf("exit %d, stderr %q", exit, &stderr)
	}
}
