package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/launch"
)

// Played is a real browser with the real extension whose host is the test.
type Played struct {
	Host     *browser.Browser // the latest connection
	Launched *launch.Browser

	listener net.Listener
	dir      string
	greeted  chan struct{} // closed at the first handshake
	greeting sync.Once
	refusal  error // of every handshake
	mu       sync.Mutex
	claims   []int
	tabs     map[int]protocol.Tab
	events   []protocol.DomEvent
	agent    Agent
	backend  UIBackend
}

// Play opens the pages in a shared browser whose native messaging host is this
// test.
func Play(t testing.TB, urls ...string) *Played {
	t.Helper()
	one := borrow(t, "played", func() (*pooled, error) {
		p, err := startPlayed(Host(t), nil, nil, nil)
		if err != nil {
			return nil, err
		}
		return &pooled{browser: p.Launched, played: p}, nil
	})
	open(t, one.browser, urls)
	return one.played
}

// PlayOwn is Play in a browser of the test's own.
func PlayOwn(t testing.TB, urls ...string) *Played {
	t.Helper()
	return play(t, nil, nil, urls)
}

// PlayWith is PlayOwn with further arguments of the browser.
func PlayWith(t testing.TB, args []string, urls ...string) *Played {
	t.Helper()
	return play(t, nil, args, urls)
}

// PlayRefusing is Play with a host that answers every handshake with the error.
func PlayRefusing(t testing.TB, refusal error) *Played {
	t.Helper()
	return play(t, refusal, nil, nil)
}

func play(t testing.TB, refusal error, args, urls []string) *Played {
	t.Helper()
	TakeTurn(t)
	p, err := startPlayed(Host(t), refusal, args, urls)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.listener.Close() // a test may have closed it before
		if err := p.Launched.Close(); err != nil {
			t.Error(err)
		}
		os.RemoveAll(p.dir)
	})
	return p
}

func startPlayed(bin string, refusal error, args, urls []string) (*Played, error) {
	dir, err := os.MkdirTemp("", "ah-")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	p := &Played{tabs: map[int]protocol.Tab{}, listener: listener, refusal: refusal, dir: dir, greeted: make(chan struct{})}
	go func() {
		for {
			stream, err := listener.Accept()
			if err != nil {
				return
			}
			// The browser reports one that ended before its greeting.
			_, _ = browser.Connect(context.Background(), stream, "test", p)
		}
	}()
	p.Launched, err = begin(bin, installed(bridgeOf(bin)), nil, []string{"ACTIONS_TEST_SOCKET=" + socket, "HOME=" + dir}, args, urls)
	if err == nil {
		err = p.awaitGreeting()
	}
	if err != nil {
		listener.Close()
		os.RemoveAll(dir)
	}
	return p, err
}

// awaitGreeting waits until the extension has greeted: a page of it that is opened
// before knows no host.
func (p *Played) awaitGreeting() error {
	select {
	case <-p.greeted:
		return nil
	case <-time.After(Patience):
		return errors.Join(errors.New("the extension did not greet its host"), p.Launched.Close())
	}
}

// reset forgets the state of the last test that played a host.
func (p *Played) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims, p.tabs, p.events, p.agent, p.backend = nil, map[int]protocol.Tab{}, nil, nil, nil
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

// Open opens the pages and claims their tabs: in the shared browser, or in one of
// the test's own with the real host.
func (h *Home) Open(t testing.TB, urls ...string) *launch.Browser {
	t.Helper()
	if h.shared == nil {
		return start(t, h.bin, installed(h.bin), h.codes.putQuestion, h.browserEnv(), nil, urls)
	}
	open(t, h.shared, urls)
	return h.shared
}

func open(t testing.TB, b *launch.Browser, urls []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	if err := b.Open(ctx, urls...); err != nil {
		t.Fatal(err)
	}
}

// OpenWith starts a browser of the test's own with further arguments and
// environment.
func (h *Home) OpenWith(t testing.TB, env, args []string, urls ...string) *launch.Browser {
	t.Helper()
	return start(t, h.bin, installed(h.bin), h.codes.putQuestion, append(h.browserEnv(), env...), args, urls)
}

// OpenNotifying starts a browser of the test's own whose extension may show notifications
// from the start: the browser's prompt for that hangs where no window is.
func (h *Home) OpenNotifying(t testing.TB, headless bool, env []string, urls ...string) *launch.Browser {
	t.Helper()
	return h.openRequiring(t, "notifications", headless, env, urls)
}

// OpenScripting starts a browser of the test's own whose extension has the permission for user
// scripts from the start; the user's own switch for them is another one.
func (h *Home) OpenScripting(t testing.TB, urls ...string) *launch.Browser {
	t.Helper()
	return h.openRequiring(t, "userScripts", true, nil, urls)
}

func (h *Home) openRequiring(t testing.TB, permission string, headless bool, env, urls []string) *launch.Browser {
	t.Helper()
	extension := requiring(t, extensionOf(h.bin), permission)
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	TakeTurn(t)
	b, err := launch.Start(context.Background(), launch.Options{
		Program: program, Extension: extension, Headless: headless, URLs: urls, Env: append(h.browserEnv(), env...), Manifest: installed(h.bin),
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

// requiring returns a copy of the extension that requires what it else only asks for.
func requiring(t testing.TB, extension, permission string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "extension")
	if err := os.CopyFS(dir, os.DirFS(extension)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	required := strings.NewReplacer(
		`"optional_permissions": ["notifications", "userScripts"],`, `"optional_permissions": [],`,
		`"permissions": [`, fmt.Sprintf(`"permissions": [%q, `, permission),
	).Replace(string(text))
	if err := os.WriteFile(name, []byte(required), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// OpenUninstalled starts a browser that knows of no host, and so claims nothing.
func (h *Home) OpenUninstalled(t testing.TB) *launch.Browser {
	t.Helper()
	return start(t, h.bin, func(string) error { return nil }, nil, []string{"HOME=" + h.Dir}, nil, nil)
}

func start(t testing.TB, bin string, install func(path string) error, asked func(launch.Question), env, args, urls []string) *launch.Browser {
	t.Helper()
	TakeTurn(t)
	b, err := begin(bin, install, asked, env, args, urls)
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

func begin(bin string, install func(path string) error, asked func(launch.Question), env, args, urls []string) (*launch.Browser, error) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	return launch.Start(context.Background(), launch.Options{
		Program: program, Extension: extensionOf(bin), Headless: true, URLs: urls, Args: args, Env: env, Manifest: install, OnQuestion: asked,
	})
}

// installed returns the function that writes the host manifest of a program.
func installed(program string) func(path string) error {
	return func(path string) error { return hostManifest(path, program) }
}

func hostManifest(path, program string) error {
	text, err := json.Marshal(map[string]any{
		"name": manifest.HostName, "description": "test", "path": program, "type": "stdio",
		"allowed_origins": []string{manifest.ExtensionURL},
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
