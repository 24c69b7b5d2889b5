package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOutHoldsNothingElse(t *testing.T) {
	// Ensure that a folder with anything but an earlier release is refused before it is emptied, and that an earlier one, whole or not, is none of that.
	for name, want := range map[string]bool{"letter.txt": false, "actions-host/": false, "SHA256SUMS": true, "actions-host_0.1.0_linux_amd64.tar.gz": true, "actions-host-extension_0.1.0.zip": true} {
		out := t.TempDir()
		path := filepath.Join(out, name)
		var err error
		if name[len(name)-1] == '/' {
			err = os.Mkdir(path, 0o755)
		} else {
			err = os.WriteFile(path, nil, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := checkOut(out); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, out := range []string{t.TempDir(), filepath.Join(t.TempDir(), "new")} {
		if err := checkOut(out); err != nil {
			t.Error(err)
		}
	}
}
