package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// Played is a real browser with the real extension whose host is the test.
type Played struct {
	Host     *browser.Browser // the latest connection
	Launched *launch.Browser

	listener net.Listener
	refusal  error // of every handshake
	mu       sync.Mutex
	claims   []int
	tabs     map[int]protocol.Tab
	events   []protocol.DomEvent
	agent    Agent
	desk     Desk
}

// Agent answers what the extension's pages ask of the hosted agent.
type Agent func(command string, args json.RawMessage) (view json.RawMessage, err error)

var _ browser.Delegate = (*Played)(nil)

// Play starts a browser whose native messaging host is this test.
func Play(t testing.TB, urls ...string) *Played {
	t.Helper()
	return play(t, nil, nil, urls)
}

// PlayWith is Play with further arguments of the browser.
func PlayWith(t testing.TB, args []string, urls ...string) *Played {
	t.Helper()
	return play(t, nil, args, urls)
}

// PlayRefusing is Play with a host that answers every handshake with the error.
func PlayRefusing(t testing.TB, refusal error) *Played {
	t.Helper()
	return play(t, refusal, nil, nil)
}

// bridge builds the program that hands the browser's stream to a test, once a
// test binary, beside the host.
var bridge = sync.OnceValues(func() (string, error) {
	bin, err := built()
	if err != nil {
		return "", err
	}
	name := filepath.Join(filepath.Dir(bin), "bridge")
	build := exec.Command("go", "build", "-o", name, "./test/fakes/bridge")
	build.Dir = Root()
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return name, nil
})

func play(t testing.TB, refusal error, args, urls []string) *Played {
	t.Helper()
	bin := Host(t)
	bridge, err := bridge()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "ah-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() }) // a test may have closed it before
	p := &Played{tabs: map[int]protocol.Tab{}, listener: listener, refusal: refusal}
	go func() {
		for {
			stream, err := listener.Accept()
			if err != nil {
				return
			}
			if _, err := browser.Connect(context.Background(), stream, "test", p); err != nil {
				t.Error(err)
			}
		}
	}()
	p.Launched = start(t, bin, installed(bridge), []string{"ACTIONS_TEST_SOCKET=" + socket, "HOME=" + dir}, args, urls)
	return p
}

// Connection is the connection of now; nil before the first handshake.
func (p *Played) Connection() *browser.Browser {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Host
}

// Quit ends the host for good: one that the browser starts later finds no test.
func (p *Played) Quit(t testing.TB) {
	t.Helper()
	if err := p.listener.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Connection().Close(); err != nil {
		t.Error(err)
	}
}

// Open starts a browser with the real host from within the test, which can so
// reach into the browser itself.
func (h *Home) Open(t testing.TB, urls ...string) *launch.Browser {
	t.Helper()
	return start(t, h.bin, installed(h.bin), []string{paths.EnvHome + "=" + h.Dir, "HOME=" + h.Dir}, nil, urls)
}

// OpenWith is Open with further arguments and environment of the browser.
func (h *Home) OpenWith(t testing.TB, env, args []string, urls ...string) *launch.Browser {
	t.Helper()
	env = append([]string{paths.EnvHome + "=" + h.Dir, "HOME=" + h.Dir}, env...)
	return start(t, h.bin, installed(h.bin), env, args, urls)
}

// OpenUninstalled starts a browser that knows of no host, and so claims nothing.
func (h *Home) OpenUninstalled(t testing.TB) *launch.Browser {
	t.Helper()
	return start(t, h.bin, func(string) error { return nil }, []string{"HOME=" + h.Dir}, nil, nil)
}

func start(t testing.TB, bin string, install func(path string) error, env, args, urls []string) *launch.Browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	b, err := launch.Start(t.Context(), launch.Options{
		Program: program, Extension: filepath.Join(filepath.Dir(filepath.Dir(bin)), "extension", "dist"),
		Headless: true, URLs: urls, Args: args, Env: env,
		Manifest: install,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// installed gives what writes the host manifest of a program.
func installed(program string) func(path string) error {
	return func(path string) error { return hostManifest(path, program) }
}

func hostManifest(path, program string) error {
	text, err := json.Marshal(map[string]any{
		"name": manifest.HostName, "description": "test", "path": program, "type": "stdio",
		"allowed_origins": []string{"chrome-extension://" + manifest.ExtensionID + "/"},
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// Handshake takes the connection over.
func (p *Played) Handshake(_ context.Context, b *browser.Browser, _ protocol.Handshake) ([]int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Host = b
	return p.claims, p.refusal
}

// Claim grants.
func (p *Played) Claim(_ context.Context, tab protocol.Tab) ([]int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tabs[tab.TabID] = tab
	p.claims = append(p.claims, tab.TabID)
	return p.claims, nil
}

// Release grants none.
func (p *Played) Release(context.Context, int, string) ([]int, error) { return nil, nil }

// TabChanged remembers the tab.
func (p *Played) TabChanged(tab protocol.Tab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tabs[tab.TabID] = tab
}

// Tab is what the extension last said of a tab.
func (p *Played) Tab(id int) protocol.Tab {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tabs[id]
}

// RuntimeReady, RuntimeRemoved and Refused are of no interest here.
func (p *Played) RuntimeReady(int, string)   {}
func (p *Played) RuntimeRemoved(int, string) {}
func (p *Played) Refused(error)              {}

// Announced is of no interest here.
func (p *Played) Announced(protocol.Announcements) {}

// LauncherClicked is of no interest here.
func (p *Played) LauncherClicked(protocol.LauncherClick) {}

// DOMEvent remembers the event.
func (p *Played) DOMEvent(e protocol.DomEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, e)
}

// TakeEvents gives the events that came since it was last called.
func (p *Played) TakeEvents() []protocol.DomEvent {
	p.mu.Lock()
	defer p.mu.Unlock()
	events := p.events
	p.events = nil
	return events
}

// ServeAgent lets the test play the hosted agent.
func (p *Played) ServeAgent(agent Agent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.agent = agent
}

// AgentCommand answers with the test's agent, or with one that is not there.
func (p *Played) AgentCommand(_ context.Context, command string, args json.RawMessage) (json.RawMessage, error) {
	p.mu.Lock()
	agent := p.agent
	p.mu.Unlock()
	if agent == nil {
		return json.RawMessage(`{"state":{"status":"disconnected"},"rows":[],"approvals":[]}`), nil
	}
	return agent(command, args)
}

// Desk answers what the popup and the options page ask of the host.
type Desk func(command string, args json.RawMessage) (answer json.RawMessage, err error)

// ServeDesk lets the test play the host's side of the popup and the options page.
func (p *Played) ServeDesk(desk Desk) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.desk = desk
}

// DeskCommand answers with the test's desk, or with one where nothing happens.
func (p *Played) DeskCommand(_ context.Context, command string, args json.RawMessage) (json.RawMessage, error) {
	p.mu.Lock()
	desk := p.desk
	p.mu.Unlock()
	switch {
	case desk != nil:
		return desk(command, args)
	case command == "grants":
		return json.RawMessage(`{"grants":[]}`), nil
	case command == "storage":
		return json.RawMessage(`{"path":"/home/me/.actions-json/storage","maps":[],"more":false,"errors":[]}`), nil
	}
	return json.RawMessage(`{"running":[],"activity":[],"settings":{"mode":"act","show_actions":false,"pacing_ms":0}}`), nil
}
