package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// screen starts an X server of the test's own, with a screen of the size and depth, and returns
// its name.
func screen(t *testing.T, size string) string {
	t.Helper()
	for _, program := range []string{"Xvfb", "xdotool"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", size, "-nolisten", "tcp")
	x.ExtraFiles = []*os.File{write}
	if err := x.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	t.Cleanup(func() { _ = x.Process.Signal(syscall.SIGTERM); _ = x.Wait() })
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return ":" + strings.TrimSpace(number)
}
