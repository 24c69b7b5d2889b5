package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// shell runs a script after lib.sh, with no other programs than stubs and what lib.sh itself
// needs. A stub is a line of sh.
func shell(t *testing.T, script string, stubs map[string]string) (string, error) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the scripts install with apt on Linux")
	}
	bin := t.TempDir()
	for name, text := range stubs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	bash := ""
	for _, name := range []string{"bash", "basename", "dirname", "id", "readlink", "sh", "uname", "chmod", "touch", "ln"} {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(bin, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		if name == "bash" {
			bash = path
		}
	}
	cmd := exec.Command(bash, "-c", "source ./lib.sh\n"+script)
	cmd.Env = []string{"PATH=" + bin, "BIN=" + bin, "LOG=" + filepath.Join(bin, "log")}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	installed, _ := os.ReadFile(filepath.Join(bin, "log")) // missing where nothing was
	return string(installed), err
}

const needAll = "need_chromium; need_strace; need_cc"

func TestInstallsWhatIsMissing(t *testing.T) {
	// Ensure that what the tests need is installed from lists of packages that were read once, also beside Google Chrome, and that nothing is where all is there.
	apt := `echo "$*" >>"$LOG"; case "$*" in *chromium) touch "$BIN/chromium"; chmod +x "$BIN/chromium" ;; esac`
	root := `exec "$@"`
	got, err := shell(t, needAll, map[string]string{"apt-get": apt, "sudo": root, "google-chrome": ""})
	if want := "update -qq\ninstall -y -qq chromium\ninstall -y -qq strace\ninstall -y -qq gcc libc6-dev\n"; err != nil || got != want {
		t.Errorf("apt-get was run with %q, want %q: %v", got, want, err)
	}
	got, err = shell(t, needAll, map[string]string{"apt-get": apt, "sudo": root, "chromium": "", "gcc": "", "strace": ""})
	if err != nil || got != "" {
		t.Errorf("apt-get was run with %q: %v", got, err)
	}
}

func TestChromiumSnap(t *testing.T) {
	// Ensure that a Chromium that is a snap, which can start no host, ends a script before its tests.
	if got, err := shell(t, `ln -s snap "$BIN/chromium"; need_chromium`, map[string]string{"snap": ""}); err == nil {
		t.Errorf("it goes on; apt-get was run with %q", got)
	}
}
