package hostproc

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// onTerminal runs the program with a terminal of 100 columns as its output and
// gives what the terminal got.
func onTerminal(t *testing.T, home *harness.Home, env []string, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal can be made here: %v", err)
	}
	defer master.Close()
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 100}); err != nil {
		t.Fatal(err)
	}
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := home.Command(context.Background(), args...)
	cmd.Env = append(append(cmd.Env, "TERM=xterm", "NO_COLOR="), env...)
	cmd.Stdout = side
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	side.Close()
	// The master gives an error instead of an end when the last writer has gone.
	text, _ := io.ReadAll(master)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return string(text)
}

func TestLogColours(t *testing.T) {
	// Ensure that a person's terminal gets colours and lines that fit, that NO_COLOR and a dumb terminal get none, and that a page's own control characters reach no terminal.
	t.Parallel()
	home := harness.NewHome(t)
	home.Ready(t, &fakes.Browser{Page: page}, shop)
	harness.Must(t, home.Call(t, "pointer.click", `{"x":1,"y":1}`), nil)
	harness.Must(t, home.Call(t, "runtime.session.name", `{"name":"a\u001b[35mb"}`), nil)
	coloured := onTerminal(t, home, nil, "log", "dump")
	if !strings.Contains(coloured, "\x1b[32m✓ \x1b[0m\x1b[1mpointer.click") {
		t.Errorf("without colours: %q", coloured)
	}
	if strings.Contains(coloured, "\x1b[35m") || !strings.Contains(coloured, `a\u001b[35mb`) {
		t.Errorf("a page's colour: %q", coloured)
	}
	for name, env := range map[string]string{"NO_COLOR": "NO_COLOR=1", "a dumb terminal": "TERM=dumb"} {
		plain := onTerminal(t, home, []string{env}, "log", "dump")
		if strings.Contains(plain, "\x1b") || !strings.Contains(plain, "✓ pointer.click") {
			t.Errorf("%s: %q", name, plain)
		}
		for line := range strings.Lines(plain) {
			if width := len([]rune(strings.TrimRight(line, "\r\n"))); width > 100 && !strings.Contains(line, `\u001b`) {
				t.Errorf("%s: a line of %d columns: %s", name, width, line)
			}
		}
	}
	if sessions := onTerminal(t, home, nil, "log", "sessions"); !strings.Contains(sessions, "\x1b[1mcli") {
		t.Errorf("sessions: %q", sessions)
	}
	if text := onTerminal(t, home, nil, "log", "dump", "--json"); strings.Contains(text, "\x1b") {
		t.Errorf("JSON with colours: %q", text)
	}
}
