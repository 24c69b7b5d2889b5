package doctor_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/doctor"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

const page = "https://shop.example/"

func TestConnected(t *testing.T) {
	// Ensure that a connected browser with a claimed tab is sound through every hop to the page, without waiting for what only an unconnected one needs.
	t.Parallel()
	p := newPatient(t)
	p.Ready(t, &fakes.Browser{}, page)
	r := p.examine(t, hostRuns)
	if !r.OK || r.Broken != "" {
		t.Errorf("broken: %q", r.Broken)
	}
	for _, name := range []string{
		doctor.HopBinary, doctor.HopFolders, doctor.HopSettings, doctor.HopDatabase, doctor.HopBrowser, doctor.HopRunning, doctor.HopExtension,
		doctor.HopSocket, doctor.HopWorker, doctor.HopPort, doctor.HopPing, doctor.HopTabs, doctor.HopPage, doctor.HopStorage, doctor.HopKey,
	} {
		if h := hop(t, r, name); h.Status != doctor.OK {
			t.Errorf("%+v", h)
		}
	}
}

func TestSettingsOfLater(t *testing.T) {
	// Ensure that settings that were written after a browser connected, and do not hold yet, are told, and that the folder of maps is the one that the running host reads.
	t.Parallel()
	p := newPatient(t)
	p.Ready(t, &fakes.Browser{}, page)
	name := filepath.Join(p.Dir, "data", "settings.json")
	write(t, name, `{"ask_effects":["input"]}`, 0o600)
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(name, later, later); err != nil {
		t.Fatal(err)
	}
	wantWarning(t, p.examine(t, hostRuns), doctor.HopSettings, "was changed after a browser connected")
	if err := os.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if h := hop(t, p.examine(t, hostRuns), doctor.HopSettings); h.Status != doctor.OK {
		t.Errorf("%+v", h)
	}
	other := t.TempDir()
	p.env = []string{paths.EnvStorage + "=" + other}
	if h := hop(t, p.examine(t, hostRuns), doctor.HopStorage); strings.Contains(h.Message, other) {
		t.Errorf("%+v", h)
	}
}

func TestNoTabIsNoFault(t *testing.T) {
	// Ensure that a browser without a claimed tab is sound, and is told how one is handed over.
	t.Parallel()
	p := newPatient(t)
	p.Ready(t, &fakes.Browser{})
	r := p.examine(t, hostRuns)
	if h := hop(t, r, doctor.HopTabs); !r.OK || !strings.Contains(h.Message, "Take control of this tab") {
		t.Errorf("broken %q, %+v", r.Broken, h)
	}
}

func TestConnectedBreakages(t *testing.T) {
	// Ensure that what breaks behind a connected browser is the one broken hop, and that the socket's mode is mended by --fix.
	t.Parallel()
	t.Run("other primitives", func(t *testing.T) {
		t.Parallel()
		p := newPatient(t)
		p.Ready(t, &fakes.Browser{Hello: func(h *protocol.Handshake) { h.DictionaryHash = strings.Repeat("0", 64) }})
		wantBroken(t, p.examine(t, hostRuns), doctor.HopExtension, "primitives differ")
	})
	t.Run("socket open to others", func(t *testing.T) {
		t.Parallel()
		p := newPatient(t)
		p.Ready(t, &fakes.Browser{})
		chmod(t, filepath.Join(p.Sockets(), fakes.ProfileID[:12]+".sock"), 0o666)
		wantBroken(t, p.examine(t, hostRuns), doctor.HopSocket, "open to other users")
		if r := p.examine(t, "--fix", hostRuns); !r.OK || len(r.Fixed) == 0 {
			t.Errorf("after --fix: %q, %q", r.Broken, r.Fixed)
		}
	})
	t.Run("socket folder open to others", func(t *testing.T) {
		t.Parallel()
		p := newPatient(t)
		p.Ready(t, &fakes.Browser{})
		chmod(t, p.Sockets(), 0o755)
		wantBroken(t, p.examine(t, hostRuns), doctor.HopSocket, "open to other users")
		if r := p.examine(t, "--fix", hostRuns); !r.OK {
			t.Errorf("after --fix: %q", r.Broken)
		}
	})
	t.Run("stale socket beside it", func(t *testing.T) {
		t.Parallel()
		p := newPatient(t)
		p.Ready(t, &fakes.Browser{})
		stale := filepath.Join(p.Sockets(), "ffffffffffff.sock")
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
		wantWarning(t, p.examine(t, hostRuns), doctor.HopSocket, "ffffffffffff.sock is stale")
		r := p.examine(t, "--fix", hostRuns)
		if _, err := os.Stat(stale); err == nil || !r.OK {
			t.Errorf("after --fix: %v, %q, %q", err, r.Broken, r.Fixed)
		}
	})
	t.Run("page behind a dialog", func(t *testing.T) {
		t.Parallel()
		p := newPatient(t)
		b := &fakes.Browser{}
		p.Ready(t, b, page)
		if err := b.Dialog(t.Context(), 1, "alert", "hello"); err != nil {
			t.Fatal(err)
		}
		harness.Until(t, "the dialog is known", func() bool {
			return hop(t, p.examine(t, hostRuns), doctor.HopPage).Status == doctor.Warning
		})
	})
}

func TestRefusedByTheHost(t *testing.T) {
	// Ensure that an extension that the host refuses is named with the reason, in the words of the host's own log.
	t.Parallel()
	p := newPatient(t)
	b := &fakes.Browser{Hello: func(h *protocol.Handshake) { h.Protocol, h.ProtocolMin = protocol.MinNumber-1, protocol.MinNumber-1 }}
	p.install(t)
	p.pretendRunning(t, os.Getpid())
	p.Start(t, b)
	if _, err := b.Handshake(t.Context()); err == nil {
		t.Fatal("taken")
	}
	wantBroken(t, p.examine(t), doctor.HopExtension, "update the extension")
}

// pretendRunning marks the home's Chromium as run by the process: the one that
// started the host.
func (p *patient) pretendRunning(t *testing.T, pid int) {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(p.profiles(), "SingletonLock")
	if err := os.Symlink(host+"-"+strconv.Itoa(pid), lock); err != nil {
		t.Fatal(err)
	}
}
