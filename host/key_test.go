package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"github.com/zalando/go-keyring"

	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/paths"
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

func TestKeyRemoveWithoutKeychain(t *testing.T) {
	// Ensure that key remove does not claim that no key is set where the keychain may still hold one.
	t.Setenv(paths.EnvHome, "")
	t.Setenv(key.Environment(key.OpenAI), "")
	t.Cleanup(xdg.Reload) // after the variable is back
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	xdg.Reload()
	for _, silent := range []bool{false, true} {
		keyring.MockInit()
		if silent {
			keyring.MockInitWithError(errors.New("no session bus"))
		}
		var stdout, stderr bytes.Buffer
		if exit := runCommand(t.Context(), []string{"key", "remove"}, &stdout, &stderr); exit != exitDone {
			t.Errorf("exit %d, stderr %q", exit, &stderr)
		}
		if got := strings.Contains(stdout.String(), "no key is set"); got == silent {
			t.Errorf("silent is %t, stdout %q", silent, &stdout)
		}
		if got := strings.Contains(stderr.String(), "may still hold a key"); got != silent {
			t.Errorf("silent is %t, stderr %q", silent, &stderr)
		}
	}
}
