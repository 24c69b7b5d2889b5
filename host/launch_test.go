package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestOnlySandboxedBrowser(t *testing.T) {
	// Ensure that launch names the sandbox of the only browser of a machine, which can start no host.
	if runtime.GOOS != "linux" {
		t.Skip("snaps are on Linux")
	}
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("PATH", dir)
	if err := os.WriteFile(filepath.Join(dir, "chromium"), []byte("#!/bin/sh\nexec /snap/bin/chromium\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := browserProgram(""); err == nil || !strings.Contains(err.Error(), "Chromium is a snap here") {
		t.Errorf("got %v", err)
	}
}
