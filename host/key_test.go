package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

func TestInterruptedPrompt(t *testing.T) {
	// Ensure that Ctrl-C ends a command that reads its standard input, and that it stores nothing.
	mcpHome(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := w.WriteString("sk-half"); err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin }()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var stdout, stderr bytes.Buffer
	if exit := runCommand(ctx, []string{"key", "set"}, &stdout, &stderr); exit != exitFailed || !strings.Contains(stderr.String(), "no key was stored") {
		t.Errorf("exit %d, stderr %q", exit, &stderr)
	}
}
