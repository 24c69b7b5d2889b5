// Package harness starts the real program and a real browser for tests.
//
// Rules of this package:
//   - What is tested is what users run: the built binary and the built extension.
//   - Nothing of the machine's user is touched: homes are folders of the tests.
//   - A test that drives browsers has a turn for all of them; one test more than
//     there are cores has one, in all packages together.
//   - Tests share browsers, one after the other, but for those that kill, refuse,
//     configure or judge the whole of one.
//   - Every process that is started is ended by its own handle.
//   - Waiting is for a condition, with a deadline that fails the test.
package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// Home is a place for data, state and sockets: of one test, or of a shared browser.
type Home struct {
	Dir   string
	bin   string
	codes *codes
	// Unwatched has the hosts that are started take their browser for one without windows.
	Unwatched bool
	shared    *launch.Browser // nil: every browser is the test's own
	Began     time.Time       // what the log has from before is another test's
}

// NewHome makes one for the test alone.
func NewHome(t testing.TB) *Home {
	t.Helper()
	home, err := newHome(Host(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		home.logFailure(t)
		os.RemoveAll(home.Dir)
	})
	return home
}

// newHome makes a home. Its path is short: a socket's address has 107 bytes.
func newHome(bin string) (*Home, error) {
	dir, err := os.MkdirTemp("", "ah-")
	return &Home{Dir: dir, bin: bin, codes: &codes{byID: map[string]string{}}}, err
}

// browserEnv is the environment that makes the browser's host live in this home.
func (h *Home) browserEnv() []string { return []string{paths.EnvHome + "=" + h.Dir, "HOME=" + h.Dir} }

// Env is the environment that makes the program live in this home.
func (h *Home) Env() []string {
	return append(os.Environ(), paths.EnvHome+"="+h.Dir, "HOME="+h.Dir, "XDG_CONFIG_HOME="+filepath.Join(h.Dir, "config"))
}

// Sockets is the folder of this home's sockets.
func (h *Home) Sockets() string { return filepath.Join(h.Dir, "run") }

// Map writes an actions.json for a host into the home's storage folder.
func (h *Home) Map(t testing.TB, scope, host, surface, text string) string {
	t.Helper()
	name := filepath.Join(h.Dir, "storage", "scopes", filepath.FromSlash(scope), "sites", host, surface, "actions.json")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// Settings writes the home's settings.json.
func (h *Home) Settings(t testing.TB, text string) {
	t.Helper()
	h.data(t, "settings.json", text)
}

// AgentSettings writes the home's agent.json.
func (h *Home) AgentSettings(t testing.TB, text string) {
	t.Helper()
	h.data(t, "agent.json", text)
}

// Models writes the home's models.json.
func (h *Home) Models(t testing.TB, text string) {
	t.Helper()
	h.data(t, "models.json", text)
}

// Policy writes the home's policy.json and returns its path.
func (h *Home) Policy(t testing.TB, text string) string {
	t.Helper()
	return h.data(t, "policy.json", text)
}

func (h *Home) data(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(h.Dir, "data", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Result is the result of one run of the program.
type Result struct {
	Stdout, Stderr string
	Exit           int
}

// Run runs the program with the arguments. As Call does, it fails the test and
// returns a result all the same: a test may wait for that in another goroutine.
func (h *Home) Run(t testing.TB, args ...string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := h.Command(ctx, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Errorf("actions-host %v: %v", args, err)
		return Result{Stderr: err.Error(), Exit: -1}
	}
	return Result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// Command prepares a run of the program.
func (h *Home) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.bin, args...)
	cmd.Env = h.Env()
	return cmd
}

// Call makes one primitive call from the terminal and returns its envelope.
func (h *Home) Call(t testing.TB, name, args string, flags ...string) dispatch.Envelope {
	t.Helper()
	return h.envelope(t, append([]string{"call", name, args, "--json"}, flags...)...)
}

// SiteCall calls a stored action.
func (h *Home) SiteCall(t testing.TB, action, args string, flags ...string) dispatch.Envelope {
	t.Helper()
	return h.envelope(t, append([]string{"site", "call", action, args, "--json"}, flags...)...)
}

func (h *Home) envelope(t testing.TB, args ...string) dispatch.Envelope {
	t.Helper()
	r := h.Run(t, args...)
	var e dispatch.Envelope
	if err := json.Unmarshal([]byte(r.Stdout), &e); err != nil {
		t.Errorf("actions-host %v printed %q (stderr %q, exit %d): %v", args, r.Stdout, r.Stderr, r.Exit, err)
		e.Error = fault.From(err)
	}
	return e
}

// Pictured takes the picture of an answer, a data URL, beside its output.
type Pictured interface{ SetPicture(dataURL string) }

// Must fails the test unless the envelope is ok; it decodes the output.
func Must(t testing.TB, e dispatch.Envelope, into any) {
	t.Helper()
	if !e.OK {
		t.Fatalf("%s failed: %v %v", e.Name, e.Error, e.Error.Evidence)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(e.Output, into); err != nil {
		t.Fatalf("output %s: %v", e.Output, err)
	}
	if p, ok := into.(Pictured); ok {
		p.SetPicture(e.Picture())
	}
}
