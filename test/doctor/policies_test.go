package doctor_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/doctor"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/harness/drive"
)

// etc is where Chromium and the host look for what concerns all users.
const etc = "/etc/chromium"

// prescribe lets the home's browser and the program find these files of policies,
// and returns the folder that stands for etc. Only they see it: they run in a mount
// namespace of their own, for which this user must be allowed to make one.
func (p *patient) prescribe(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(folder, "policies", "managed", name), text, 0o644)
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", "--mount", "mount", "--bind", folder, etc).CombinedOutput(); err != nil {
		t.Skipf("no folder can stand for %s here: %v %s", etc, err, out)
	}
	inside := func(name, program string) string {
		script := filepath.Join(t.TempDir(), name)
		write(t, script, fmt.Sprintf("#!/bin/sh\nexec unshare --mount sh -c 'mount --bind \"$0\" %s && exec \"$@\"' '%s' '%s' \"$@\"\n", etc, folder, program), 0o755)
		return script
	}
	p.bin = inside("actions-host", harness.Host(t))
	p.browser = inside("chromium", "chromium")
	return folder
}

// native returns what becomes of the extension's own attempt to start the host.
const native = `new Promise(done => {
	const port = chrome.runtime.connectNative("` + manifest.HostName + `");
	port.onDisconnect.addListener(() => done(chrome.runtime.lastError?.message ?? "ended"));
})`

func TestPoliciesAgainstTheHost(t *testing.T) {
	// Ensure that Chromium refuses to start the host under exactly the policies that the doctor names for it, and that what the doctor advises helps.
	t.Parallel()
	for name, row := range map[string]struct{ policies, refusal, says string }{
		"all hosts blocked": {`{"NativeMessagingBlocklist":["*"]}`, "disabled by the system administrator", "NativeMessagingAllowlist"},
		"hosts of users":    {`{"NativeMessagingUserLevelHosts":false}`, "not found", "NativeMessagingUserLevelHosts"},
		"as JSON is not":    {"{ // all\n\"NativeMessagingBlocklist\":[\"*\",],}", "disabled by the system administrator", "NativeMessagingAllowlist"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPatient(t)
			p.install(t)
			p.prescribe(t, map[string]string{"a.json": row.policies})
			if got := evaluate(t, p.open(t, dist(t)), native); !strings.Contains(got, row.refusal) {
				t.Errorf("Chromium says %q", got)
			}
			wantBroken(t, p.examine(t), doctor.HopPolicies, row.says)
		})
	}
	t.Run("allowed as advised", func(t *testing.T) {
		p := newPatient(t)
		p.install(t)
		p.prescribe(t, map[string]string{"a.json": `{"NativeMessagingBlocklist":["*"]}`, "b.json": `{"NativeMessagingAllowlist":["` + manifest.HostName + `"]}`})
		p.open(t, dist(t))
		if r := p.until(t, doctor.HopPing, doctor.OK); !r.OK || hop(t, r, doctor.HopPolicies).Status != doctor.OK {
			t.Errorf("broken: %q, %+v", r.Broken, hop(t, r, doctor.HopPolicies))
		}
	})
	t.Run("copied as advised", func(t *testing.T) {
		p := newPatient(t)
		p.install(t)
		text, err := os.ReadFile(p.manifestOf())
		if err != nil {
			t.Fatal(err)
		}
		folder := p.prescribe(t, map[string]string{"a.json": `{"NativeMessagingUserLevelHosts":false}`})
		write(t, filepath.Join(folder, "native-messaging-hosts", filepath.Base(p.manifestOf())), string(text), 0o644)
		p.open(t, dist(t))
		if r := p.until(t, doctor.HopPing, doctor.OK); !r.OK || hop(t, r, doctor.HopPolicies).Status != doctor.OK {
			t.Errorf("broken: %q, %+v", r.Broken, hop(t, r, doctor.HopPolicies))
		}
	})
}

func TestPoliciesAgainstTheExtension(t *testing.T) {
	// Ensure that Chromium refuses to load the extension under the policies that the doctor names for it: "*" keeps off one whose id is allowed.
	t.Parallel()
	for name, row := range map[string]struct{ policies, refusal, says string }{
		"all blocked, this one allowed": {
			`{"ExtensionInstallBlocklist":["*"],"ExtensionInstallAllowlist":["` + manifest.ExtensionID + `"]}`,
			"unpacked extensions is disabled", "even one whose id is allowed",
		},
		"a permission blocked": {`{"ExtensionSettings":{"*":{"blocked_permissions":["debugger"]}}}`, "blocked by the administrator", "cannot be without: debugger"},
		"no extensions":        {`{"ExtensionAllowedTypes":["theme"]}`, "blocked by the administrator", "ExtensionAllowedTypes"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPatient(t)
			p.install(t)
			p.prescribe(t, map[string]string{"a.json": row.policies})
			if b, err := p.start(t, dist(t)); err == nil || !strings.Contains(err.Error(), row.refusal) {
				t.Errorf("Chromium says %v", err)
				if b != nil {
					t.Error(b.Close())
				}
			}
			wantBroken(t, p.examine(t), doctor.HopPolicies, row.says)
		})
	}
}

func TestPoliciesThatLimit(t *testing.T) {
	// Ensure that policies which keep the extension from pages are a warning, while the browser is connected.
	t.Parallel()
	p := newPatient(t)
	p.install(t)
	p.prescribe(t, map[string]string{"a.json": `{"ExtensionSettings":{"*":{"runtime_blocked_hosts":["*://*"]}}}`})
	b := p.open(t, dist(t))
	r := p.until(t, doctor.HopPing, doctor.OK)
	if !r.OK {
		t.Errorf("broken: %q", r.Broken)
	}
	wantWarning(t, r, doctor.HopPolicies, "runtime_allowed_hosts")
	got := evaluate(t, b, `chrome.tabs.create({url: "http://127.0.0.1:1/"}).then(tab => chrome.debugger.attach({tabId: tab.id}, "1.3")).catch(e => e.message)`)
	// Which of two refusals Chromium gives depends on whether the address has come to the tab yet.
	if !strings.Contains(got, "restricted by policy") && !strings.Contains(got, "due to an ExtensionsSettings policy") {
		t.Errorf("Chromium says %q", got)
	}
}

// evaluate runs a script in a page of the extension and returns its text.
func evaluate(t *testing.T, b *launch.Browser, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	hidden, await := true, true
	created, err := cdp.Call(ctx, b.Session(), target.CreateTarget, target.CreateTargetParams{
		URL: manifest.ExtensionURL + "popup.html", Hidden: &hidden,
	})
	if err != nil {
		t.Fatal(err)
	}
	page, end := drive.Attach(b, created.TargetID)
	defer end()
	page, cancelPage := context.WithTimeout(page, 20*time.Second)
	defer cancelPage()
	if err := chromedp.Do(page); err != nil {
		t.Fatal(err)
	}
	got, err := chromedp.Run(page, chromedp.Evaluate[string](script, func(p *runtime.EvaluateParams) { p.AwaitPromise = &await }))
	if err != nil {
		t.Fatal(err)
	}
	return got
}
