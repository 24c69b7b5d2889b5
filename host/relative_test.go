package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/paths"
)

func TestRelativePlaces(t *testing.T) {
	// Ensure that a launched browser, whose host runs in another folder, gets the places that a command uses.
	if runtime.GOOS != "linux" {
		t.Skip("the browser of this test is a shell script")
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"browser":       "#!/bin/sh\necho \"$ACTIONS_HOST_HOME $ACTIONS_HOST_STORAGE $ACTIONS_HOST_VOICE_RECORD\" >places\nexit 1\n",
		"manifest.json": "{}",
	} {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(paths.EnvHome, "demo")
	t.Setenv(paths.EnvStorage, "../maps")
	t.Setenv(paths.EnvVoiceRecord, "sessions")
	runCommand(t.Context(), []string{"launch", "--headless", "--browser", "./browser", "--extension", ".", "about:blank"}, io.Discard, io.Discard)
	got, err := os.ReadFile("places")
	if want := filepath.Join(here, "demo") + " " + filepath.Join(filepath.Dir(here), "maps") + " " + filepath.Join(here, "sessions"); err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("the browser got %q, want %q: %v", got, want, err)
	}
}

func TestRelativePlacesOfHost(t *testing.T) {
	// Ensure that a host refuses a relative place, which is in whichever folder its browser starts it, and makes none there.
	t.Chdir(t.TempDir())
	t.Setenv(paths.EnvHome, "demo")
	var stderr bytes.Buffer
	stdin, stdout := io.Pipe()
	stdout.Close()
	if exit := runNative(t.Context(), manifest.ExtensionURL, stdin, stdout, &stderr); exit != exitUsage || !strings.Contains(stderr.String(), "not an absolute path") {
		t.Errorf("exit %d, stderr %q", exit, &stderr)
	}
	if _, err := os.Stat("demo"); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
}
