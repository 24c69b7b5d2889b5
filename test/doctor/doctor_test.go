// Package doctor_test breaks each hop of the chain and looks whether the doctor
// names it.
//
// Rules of this package:
//   - What is run is the built program, in a home of its own; nothing outside of
//     it is written or registered.
//   - A breakage is what a user's machine could have, made with a file, a process
//     or a real browser, never by a switch of the program.
package doctor_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/doctor"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Clean()
	os.Exit(code)
}

// patient is a home whose program is examined.
type patient struct {
	*harness.Home
	env []string // further environment of the program
	bin string   // another program than the built one
	// browser is another program than Chromium.
	browser string
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	return &patient{Home: harness.NewHome(t)}
}

// run runs the program in the patient's home and returns its stdout and status.
func (p *patient) run(t *testing.T, args ...string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := p.Command(ctx, args...)
	if p.bin != "" {
		cmd.Path = p.bin
	}
	cmd.Env = append(cmd.Env, p.env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// hostRuns is an argument for [patient.examine] where a host is running: however busy
// the machine is, it answers. Without it, the tests wait but a moment for none.
const hostRuns = "--wait=20s"

// examine runs doctor --json and checks what holds for every report.
func (p *patient) examine(t *testing.T, args ...string) doctor.Report {
	t.Helper()
	out, exit := p.run(t, append([]string{"doctor", "--json", "--wait", "100ms"}, args...)...)
	var r doctor.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %q", err, out)
	}
	if want := map[bool]int{true: 0, false: 3}[r.OK]; exit != want {
		t.Errorf("exit status %d, ok %t", exit, r.OK)
	}
	for _, h := range r.Hops {
		switch {
		case h.Message == "":
			t.Errorf("%s says nothing", h.Name)
		case h.Status == doctor.Broken && h.Fix == "":
			t.Errorf("%s is broken without a fix: %s", h.Name, h.Message)
		case h.Status == doctor.Skipped != (h.OK == nil):
			t.Errorf("%s is %s and ok is %v", h.Name, h.Status, h.OK)
		case h.WaitsFor != "" && h.WaitsFor != r.Broken:
			t.Errorf("%s waits for %s, broken is %s", h.Name, h.WaitsFor, r.Broken)
		}
	}
	return r
}

// wantBroken fails unless exactly this hop is broken and its text holds the words.
func wantBroken(t *testing.T, r doctor.Report, hop, says string) {
	t.Helper()
	var broken []string
	for _, h := range r.Hops {
		if h.Status == doctor.Broken {
			broken = append(broken, h.Name+": "+h.Message+" → "+h.Fix)
		}
	}
	if r.OK || r.Broken != hop || len(broken) != 1 || !strings.Contains(broken[0], says) {
		t.Errorf("broken is %q: %q; want %s with %q", r.Broken, broken, hop, says)
	}
}

// wantWarning fails unless the hop warns in these words.
func wantWarning(t *testing.T, r doctor.Report, hop, says string) {
	t.Helper()
	for _, h := range r.Hops {
		if h.Name == hop && h.Status == doctor.Warning && strings.Contains(h.Message+h.Fix, says) {
			return
		}
	}
	t.Errorf("no warning of %s with %q in %+v", hop, says, r.Hops)
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	chmod(t, name, mode) // whatever the umask is
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

// manifestOf is where the home's Chromium looks for the host.
func (p *patient) manifestOf() string {
	return filepath.Join(p.profiles(), "NativeMessagingHosts", "com.actionsjson.host.json")
}

func (p *patient) profiles() string { return filepath.Join(p.Dir, "config", "chromium") }

// install sets the home's Chromium up.
func (p *patient) install(t *testing.T) {
	t.Helper()
	if out, exit := p.run(t, "install", "--browser", "chromium"); exit != 0 {
		t.Fatalf("install: %d, %s", exit, out)
	}
}
