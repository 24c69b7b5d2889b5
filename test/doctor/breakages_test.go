package doctor_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/doctor"
	"github.com/actionsjson/actions-host/pkg/install"
	"github.com/actionsjson/actions-host/test/harness"
)

// breakage is one thing that is wrong with a machine where no browser runs.
type breakage struct {
	make func(t *testing.T, p *patient)
	hop  string
	says string
	// fixable: doctor --fix mends it, and the hop is broken no more.
	fixable bool
	warns   bool // the chain holds all the same
}

const profile = "profile-0123456789abcdef0123456789abcdef.db"

var breakages = map[string]breakage{
	"program that others can change": {func(t *testing.T, p *patient) {
		p.bin = copyProgram(t, p.Dir)
		chmod(t, p.bin, 0o777)
	}, doctor.HopBinary, "chmod go-w", true, false},
	"state folder open to others": {func(t *testing.T, p *patient) {
		write(t, filepath.Join(p.Dir, "state", "host.log"), "", 0o600)
		chmod(t, filepath.Join(p.Dir, "state"), 0o755)
	}, doctor.HopFolders, "chmod 700", true, false},
	"data folder that others can change": {func(t *testing.T, p *patient) {
		p.Settings(t, `{}`)
		chmod(t, filepath.Join(p.Dir, "data"), 0o777)
	}, doctor.HopFolders, "chmod go-w", true, false},
	"file where the data folder should be": {func(t *testing.T, p *patient) {
		write(t, filepath.Join(p.Dir, "data"), "x", 0o600)
	}, doctor.HopFolders, "is not a folder", false, false},
	"settings that are no JSON": {func(t *testing.T, p *patient) {
		p.Settings(t, `{"ask_effects":`)
	}, doctor.HopSettings, "settings.json", false, false},
	"settings with an unknown key": {func(t *testing.T, p *patient) {
		p.Settings(t, `{"ask_efects":["input"]}`)
	}, doctor.HopSettings, "ask_efects", false, false},
	"database that another process holds": {func(t *testing.T, p *patient) {
		name := filepath.Join(p.Dir, "state", profile)
		write(t, name, "", 0o600)
		db, err := bbolt.Open(name, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
	}, doctor.HopDatabase, "another process holds", false, false},
	"database that is garbage": {func(t *testing.T, p *patient) {
		write(t, filepath.Join(p.Dir, "state", profile), strings.Repeat("garbage ", 4096), 0o600)
	}, doctor.HopDatabase, "is broken", true, false},
	"folder where a database should be": {func(t *testing.T, p *patient) {
		write(t, filepath.Join(p.Dir, "state", profile, "x"), "", 0o600)
	}, doctor.HopDatabase, "cannot be read", false, false},
	"database open to others": {func(t *testing.T, p *patient) {
		write(t, filepath.Join(p.Dir, "state", profile), "", 0o644)
	}, doctor.HopDatabase, "chmod 600", true, false},
	"socket path too long": {func(t *testing.T, p *patient) {
		p.env = []string{"ACTIONS_HOST_HOME=" + filepath.Join(p.Dir, strings.Repeat("long", 25))}
	}, doctor.HopSocket, "ACTIONS_HOST_HOME", false, false},
	"socket folder open to others": {func(t *testing.T, p *patient) {
		write(t, filepath.Join(p.Sockets(), "x"), "", 0o600)
		chmod(t, p.Sockets(), 0o777)
	}, doctor.HopSocket, "chmod 700", true, false},
	"socket whose owner does not answer": {func(t *testing.T, p *patient) {
		listenAt(t, filepath.Join(p.Sockets(), "0123456789ab.sock"))
	}, doctor.HopSocket, "does not answer", false, false},
	"stale socket": {func(t *testing.T, p *patient) {
		l := listenAt(t, filepath.Join(p.Sockets(), "0123456789ab.sock"))
		l.SetUnlinkOnClose(false)
		l.Close()
	}, doctor.HopSocket, "stale", true, true},
	"no browser at all": {func(t *testing.T, p *patient) {
		p.env = []string{"PATH=" + t.TempDir()}
	}, doctor.HopBrowser, "Install Chromium", false, false},
	"browser in a sandbox": {func(t *testing.T, p *patient) {
		bin := t.TempDir()
		write(t, filepath.Join(bin, "chromium"), "#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n", 0o755)
		p.env = []string{"PATH=" + bin}
	}, doctor.HopBrowser, "a snap", false, false},
	"nothing installed": {func(*testing.T, *patient) {}, doctor.HopManifest, "actions-host install --browser", false, false},
	"manifest removed": {func(t *testing.T, p *patient) {
		p.install(t)
		if err := os.Remove(p.manifestOf()); err != nil {
			t.Fatal(err)
		}
	}, doctor.HopManifest, "missing", true, false},
	"manifest of a program that was moved": {func(t *testing.T, p *patient) {
		if err := install.WriteManifest(p.manifestOf(), "/old/actions-host"); err != nil {
			t.Fatal(err)
		}
	}, doctor.HopManifest, "/old/actions-host, which is not there", true, false},
	"manifest that is no JSON": {func(t *testing.T, p *patient) {
		write(t, p.manifestOf(), "{", 0o600)
	}, doctor.HopManifest, "not readable", false, false},
	"manifest that admits another extension": {func(t *testing.T, p *patient) {
		p.install(t)
		text, err := os.ReadFile(p.manifestOf())
		if err != nil {
			t.Fatal(err)
		}
		write(t, p.manifestOf(), strings.ReplaceAll(string(text), manifest.ExtensionID, strings.Repeat("a", 32)), 0o600)
	}, doctor.HopManifest, "does not let the extension", true, false},
	"another program with the host's name": {func(t *testing.T, p *patient) {
		write(t, p.manifestOf(), `{"name":"com.actionsjson.host","description":"another","path":"/opt/other/bridge","type":"stdio","allowed_origins":["chrome-extension://`+manifest.ExtensionID+`/"]}`, 0o600)
	}, doctor.HopClaims, "/opt/other/bridge", false, false},
	"another host that admits the extension": {func(t *testing.T, p *patient) {
		p.install(t)
		write(t, filepath.Join(filepath.Dir(p.manifestOf()), "org.other.json"), `{"name":"org.other","description":"","path":"/opt/other/host","type":"stdio","allowed_origins":["chrome-extension://`+manifest.ExtensionID+`/"]}`, 0o600)
	}, doctor.HopClaims, "/opt/other/host", false, true},
	"policy against the host": {func(t *testing.T, p *patient) {
		p.install(t)
		p.prescribe(t, map[string]string{"a.json": `{"NativeMessagingBlocklist":["*"],}`})
	}, doctor.HopPolicies, "NativeMessagingBlocklist", false, false},
	"policy of a later file": {func(t *testing.T, p *patient) {
		p.install(t)
		p.prescribe(t, map[string]string{"20.json": `{"NativeMessagingUserLevelHosts":false}`, "10.json": `{"NativeMessagingUserLevelHosts":true}`})
	}, doctor.HopPolicies, "/etc/chromium/native-messaging-hosts", false, false},
	"policy against the extension": {func(t *testing.T, p *patient) {
		p.install(t)
		p.prescribe(t, map[string]string{"a.json": `{"ExtensionInstallBlocklist":["*"]}`})
	}, doctor.HopPolicies, manifest.ExtensionID, false, false},
	"policy against a permission": {func(t *testing.T, p *patient) {
		p.install(t)
		p.prescribe(t, map[string]string{"a.json": `{"ExtensionSettings":{"*":{"blocked_permissions":["debugger","bookmarks"]}}}`})
	}, doctor.HopPolicies, "cannot be without: debugger →", false, false},
	"policy against Developer mode": {func(t *testing.T, p *patient) {
		p.install(t)
		p.prescribe(t, map[string]string{"a.json": `{"ExtensionDeveloperModeSettings":1}`})
	}, doctor.HopPolicies, "ExtensionDeveloperModeSettings to 0", false, false},
	"policy against Developer mode when the extension is loaded": {func(t *testing.T, p *patient) {
		p.pretend(t, `{"extensions":{"settings":{"`+manifest.ExtensionID+`":{"path":"/x"}}}}`)
		p.prescribe(t, map[string]string{"a.json": `{"ExtensionDeveloperModeSettings":1}`})
	}, doctor.HopPolicies, "ExtensionDeveloperModeSettings to 0", false, true},
	"policy against some pages": {func(t *testing.T, p *patient) {
		p.install(t)
		p.prescribe(t, map[string]string{"a.json": `{"ExtensionSettings":{"*":{"runtime_blocked_hosts":["*://bank.example"]}}}`})
	}, doctor.HopPolicies, "*://bank.example", false, true},
	"policies that are no JSON": {func(t *testing.T, p *patient) {
		p.install(t)
		p.prescribe(t, map[string]string{"a.json": `{"NativeMessagingBlocklist":`})
	}, doctor.HopPolicies, "a.json is no JSON object", false, true},
	"browser not running": {func(t *testing.T, p *patient) { p.install(t) }, doctor.HopRunning, "Start the browser", false, false},
	"extension switched off": {func(t *testing.T, p *patient) {
		p.pretend(t, `{"extensions":{"settings":{"`+manifest.ExtensionID+`":{"path":"/x","disable_reasons":[1]}}}}`)
	}, doctor.HopExtension, "switch it on", false, false},
	"Developer mode off": {func(t *testing.T, p *patient) {
		p.pretend(t, `{"extensions":{"settings":{"`+manifest.ExtensionID+`":{"path":"/x","disable_reasons":[1]}},"ui":{"developer_mode":false}}}`)
	}, doctor.HopExtension, "switch on Developer mode", false, false},
	"extension whose folder is gone": {func(t *testing.T, p *patient) {
		p.pretend(t, `{"extensions":{"settings":{"`+manifest.ExtensionID+`":{"path":"/x"}}}}`)
	}, doctor.HopExtension, "/x, where it is no more", false, false},
	"extension that never started the program": {func(t *testing.T, p *patient) {
		p.pretend(t, `{"extensions":{"settings":{"`+manifest.ExtensionID+`":{"path":"`+p.Dir+`/data/extension"}}}}`)
	}, doctor.HopWorker, "reload button", false, false},
	"extension of an older version": {func(t *testing.T, p *patient) {
		p.pretend(t, `{"extensions":{"settings":{"`+manifest.ExtensionID+`":{"path":"`+p.Dir+`/data/extension"}}}}`)
		write(t, filepath.Join(p.Dir, "data", "extension", "worker.js"), "// older", 0o644)
	}, doctor.HopExtension, "is another", true, true},
	"host that ended": {func(t *testing.T, p *patient) {
		p.pretend(t, `{}`)
		write(t, filepath.Join(p.Dir, "state", "host.log"), fmt.Sprintf(
			`{"time":%q,"msg":"started","pid":7,"browser_pid":%d}`+"\n", time.Now().Add(time.Minute).Format(time.RFC3339Nano), os.Getpid()), 0o600)
	}, doctor.HopPort, "did not get ready", false, false},
	"lock of a browser that died": {func(t *testing.T, p *patient) {
		p.install(t)
		host, err := os.Hostname()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(host+"-999999999", filepath.Join(p.profiles(), "SingletonLock")); err != nil {
			t.Fatal(err)
		}
	}, doctor.HopRunning, "not running", false, false},
}

func TestBreakages(t *testing.T) {
	// Ensure that each breakage is named as its hop, with a fix, while the hops behind it wait for it; and that --fix mends those that are safe to mend and changes nothing of the others.
	t.Parallel()
	for name, b := range breakages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPatient(t)
			b.make(t, p)
			r := p.examine(t)
			if b.warns {
				wantWarning(t, r, b.hop, b.says)
			} else {
				wantBroken(t, r, b.hop, b.says)
			}
			fixed := p.examine(t, "--fix")
			if b.fixable && len(fixed.Fixed) == 0 {
				t.Error("nothing was fixed")
			}
			for _, h := range fixed.Hops {
				if bad := h.Name == b.hop && h.Status == map[bool]doctor.Status{true: doctor.Warning, false: doctor.Broken}[b.warns]; bad && b.fixable {
					t.Errorf("after --fix: %+v", h)
				}
			}
			if !b.fixable && !b.warns {
				wantBroken(t, fixed, b.hop, b.says)
			}
			if again := p.examine(t, "--fix"); len(again.Fixed) > 0 || len(again.Failed) > 0 {
				t.Errorf("--fix again: %q, %q", again.Fixed, again.Failed)
			}
		})
	}
}

func TestBreakagesBeside(t *testing.T) {
	// Ensure that maps that do not load, a storage folder that is not there and a key that others can read are named, beside the hop that breaks the chain.
	t.Parallel()
	for name, b := range map[string]breakage{
		"named storage folder missing": {func(_ *testing.T, p *patient) {
			p.env = []string{"ACTIONS_HOST_STORAGE=" + filepath.Join(p.Dir, "maps")}
		}, doctor.HopStorage, "ACTIONS_HOST_STORAGE", false, false},
		"file where the storage should be": {func(t *testing.T, p *patient) {
			write(t, filepath.Join(p.Dir, "storage"), "x", 0o600)
		}, doctor.HopStorage, "is not a folder", false, false},
		"map that does not load": {func(t *testing.T, p *patient) {
			p.Map(t, "public", "localhost", "shop", `{"tools":`)
		}, doctor.HopStorage, "localhost/shop/actions.json", false, false},
		"key that others can read": {func(t *testing.T, p *patient) {
			write(t, filepath.Join(p.Dir, "data", "openai-api-key"), "sk-0123456789abcdef", 0o644)
		}, doctor.HopKey, "can be read by others", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPatient(t)
			p.env = append(p.env, "ACTIONS_HOST_OPENAI_API_KEY=")
			b.make(t, p)
			if h := hop(t, p.examine(t), b.hop); h.Status != doctor.Broken || !strings.Contains(h.Message+h.Fix, b.says) {
				t.Errorf("got %+v", h)
			}
			if h := hop(t, p.examine(t, "--fix"), b.hop); (h.Status == doctor.OK) != b.fixable {
				t.Errorf("after --fix: %+v", h)
			} else if strings.Contains(h.Message, "0123456789") {
				t.Errorf("the key is shown: %s", h.Message)
			}
		})
	}
}

// pretend sets the home's Chromium up as if this process ran it, with a profile
// that says this.
func (p *patient) pretend(t *testing.T, preferences string) {
	t.Helper()
	p.install(t)
	write(t, filepath.Join(p.profiles(), "Default", "Preferences"), preferences, 0o600)
	p.pretendRunning(t, os.Getpid())
}

func hop(t *testing.T, r doctor.Report, name string) doctor.Hop {
	t.Helper()
	for _, h := range r.Hops {
		if h.Name == name {
			return h
		}
	}
	t.Fatalf("no hop %s in %+v", name, r.Hops)
	return doctor.Hop{}
}

// copyProgram has another process write the copy: a program that this one writes cannot be started
// while a process that another test has just forked still holds the file open.
func copyProgram(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(dir, "program", "actions-host")
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", harness.Host(t), name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return name
}

// listenAt listens and never answers.
func listenAt(t *testing.T, path string) *net.UnixListener {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.SetDeadline(time.Now().Add(harness.Patience)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}
