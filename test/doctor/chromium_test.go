package doctor_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/pkg/doctor"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/harness/drive"
)

// dist is the built extension.
func dist(t *testing.T) string {
	return filepath.Join(filepath.Dir(filepath.Dir(harness.Host(t))), "extension", "dist")
}

// changed is a copy of the built extension with another worker.
func changed(t *testing.T, change func(worker string) string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "extension")
	if err := os.CopyFS(dir, os.DirFS(dist(t))); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "worker.js")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	after := change(string(text))
	if after == string(text) {
		t.Fatal("the worker is the same")
	}
	write(t, name, after, 0o644)
	return dir
}

// environment makes browser and host live in the patient's home.
func (p *patient) environment() []string {
	return append([]string{paths.EnvHome + "=" + p.Dir, "HOME=" + p.Dir, "XDG_CONFIG_HOME=" + filepath.Join(p.Dir, "config")}, p.env...)
}

// open starts the home's Chromium, with the profile that it would use by itself.
func (p *patient) open(t *testing.T, extension string, urls ...string) *launch.Browser {
	t.Helper()
	b, err := p.start(t, extension, urls...)
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

// start is open for a browser that may refuse.
func (p *patient) start(t *testing.T, extension string, urls ...string) (*launch.Browser, error) {
	t.Helper()
	harness.TakeTurn(t)
	program, err := exec.LookPath(cmp.Or(p.browser, "chromium"))
	if err != nil {
		t.Fatal(err)
	}
	return launch.Start(t.Context(), launch.Options{
		Program: program, Extension: extension, Headless: true, UserDataDir: p.profiles(), URLs: urls, Env: p.environment(),
		Manifest: func(string) error { return nil }, // what is installed is what counts
	})
}

// until examines until the hop has the status: what a browser writes down, or
// starts, takes its time.
func (p *patient) until(t *testing.T, name string, status doctor.Status) doctor.Report {
	t.Helper()
	var r doctor.Report
	harness.Until(t, fmt.Sprintf("%s is %s", name, status), func() bool {
		r = p.examine(t)
		for _, h := range r.Hops {
			if h.Name == name && h.Status == status {
				return true
			}
		}
		return false
	})
	return r
}

func TestExtensionNotLoaded(t *testing.T) {
	// Ensure that a running browser that is set up and has no extension is told where to load it from.
	t.Parallel()
	p := newPatient(t)
	p.install(t)
	harness.TakeTurn(t)
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--user-data-dir="+p.profiles(), "about:blank")
	cmd.Env = append(os.Environ(), p.environment()...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // ended by us
	})
	r := p.until(t, doctor.HopExtension, doctor.Broken)
	wantBroken(t, r, doctor.HopExtension, "not loaded")
	wantBroken(t, r, doctor.HopExtension, filepath.Join(p.Dir, "data", "extension"))
	if h := hop(t, r, doctor.HopRunning); h.Status != doctor.OK {
		t.Errorf("%+v", h)
	}
}

func TestWorkerThatDies(t *testing.T) {
	// Ensure that an extension whose worker ends before it starts the host is told apart from one that is not loaded.
	t.Parallel()
	p := newPatient(t)
	p.install(t)
	broken := changed(t, func(string) string { return `throw new Error("broken")` })
	// The browser writes down what it has loaded when it ends, or after ten seconds.
	if err := p.open(t, broken).Close(); err != nil {
		t.Fatal(err)
	}
	p.open(t, broken)
	wantBroken(t, p.until(t, doctor.HopWorker, doctor.Broken), doctor.HopWorker, "has not started this program")
}

func TestWorkerThatHangs(t *testing.T) {
	// Ensure that a worker that no longer answers is named although its port is open, and that its browser is sound again when the worker was ended.
	t.Parallel()
	p := newPatient(t)
	p.install(t)
	b := p.open(t, dist(t))
	if r := p.until(t, doctor.HopPing, doctor.OK); !r.OK {
		t.Fatalf("broken: %q", r.Broken)
	}
	all, err := cdp.Call(t.Context(), b.Session(), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	var worker target.ID
	for _, info := range all.TargetInfos {
		if info.Type == "service_worker" {
			worker = info.TargetID
		}
	}
	page, cancel := drive.Attach(b, worker)
	defer cancel()
	if err := chromedp.Do(page); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(page, chromedp.Evaluate[bool](`setTimeout(() => { for (;;); }, 0), true`)); err != nil {
		t.Fatal(err)
	}
	wantBroken(t, p.until(t, doctor.HopWorker, doctor.Broken), doctor.HopWorker, "does not answer")
}

func TestWorkerThatWasKilled(t *testing.T) {
	// Ensure that a browser whose worker was killed is sound again by itself.
	t.Parallel()
	p := newPatient(t)
	p.install(t)
	b := p.open(t, dist(t))
	p.until(t, doctor.HopPing, doctor.OK)
	all, err := cdp.Call(t.Context(), b.Session(), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all.TargetInfos {
		if info.Type != "service_worker" {
			continue
		}
		if _, err := cdp.Call(t.Context(), b.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID}); err != nil {
			t.Fatal(err)
		}
	}
	if out, exit := p.run(t, "doctor", "--wait", "20s"); exit != 0 {
		t.Errorf("exit status %d: %s", exit, out)
	}
}

func TestExtensionOfAnotherVersion(t *testing.T) {
	// Ensure that an extension of another protocol, and one of another dictionary, is named as the broken hop with the part to update, and that one whose host is older works, also for its pages.
	t.Parallel()
	greeting := regexp.MustCompile(`protocol:\w+,protocol_min:\w+,`)
	t.Run("protocol", func(t *testing.T) {
		p := newPatient(t)
		p.install(t)
		p.open(t, changed(t, func(w string) string { return greeting.ReplaceAllString(w, "protocol:99,protocol_min:98,") }))
		wantBroken(t, p.until(t, doctor.HopExtension, doctor.Broken), doctor.HopExtension, "update the host")
	})
	t.Run("protocol of the host", func(t *testing.T) {
		p := newPatient(t)
		p.install(t)
		b := p.open(t, changed(t, func(w string) string { return greeting.ReplaceAllString(w, "protocol:5,protocol_min:1,") }))
		p.until(t, doctor.HopPing, doctor.OK)
		got := evaluate(t, b, `(async () => JSON.stringify([
			await chrome.runtime.sendMessage({kind: "ui_host", method: "ui_settings", params: {changes: {mode: "ask"}}}),
			await chrome.runtime.sendMessage({kind: "ui_host", method: "ui_revoke", params: {ids: ["none"]}}),
			await chrome.runtime.sendMessage({kind: "ui_host", method: "ui_stop", params: {}}),
		]))()`)
		var answers []struct {
			OK     bool `json:"ok"`
			Answer struct {
				Settings struct{ Mode string }
				Grants   []any
				Running  []any
			}
		}
		if err := json.Unmarshal([]byte(got), &answers); err != nil || len(answers) != 3 {
			t.Fatalf("%v: %s", err, got)
		}
		settings, revoked, stopped := answers[0], answers[1], answers[2]
		if !settings.OK || settings.Answer.Settings.Mode != "ask" || !revoked.OK || revoked.Answer.Grants == nil || !stopped.OK || stopped.Answer.Running == nil {
			t.Errorf("answered %s", got)
		}
	})
	t.Run("dictionary", func(t *testing.T) {
		p := newPatient(t)
		p.install(t)
		p.open(t, changed(t, func(w string) string {
			return regexp.MustCompile(`dictionary_hash:\w+,`).ReplaceAllString(w, `dictionary_hash:"`+strings.Repeat("0", 64)+`",`)
		}))
		wantBroken(t, p.until(t, doctor.HopExtension, doctor.Broken), doctor.HopExtension, "primitives differ")
	})
}

func TestAnotherProgramInTheBrowser(t *testing.T) {
	// Ensure that a running browser with the extension that starts another program under the host's name is named by that claim, and works when the claim is gone and this program installed.
	t.Parallel()
	p := newPatient(t)
	write(t, p.manifestOf(), fmt.Sprintf(`{"name":"com.actionsjson.host","description":"another","path":%q,"type":"stdio","allowed_origins":["chrome-extension://encoedhnbaoknbelphgpkjkgfjfllgcc/"]}`, "/bin/false"), 0o600)
	p.open(t, dist(t))
	wantBroken(t, p.examine(t), doctor.HopClaims, "/bin/false")
	if out, exit := p.run(t, "install", "--browser", "chromium"); exit != 1 {
		t.Errorf("install: %d, %s", exit, out)
	}
	if err := os.Remove(p.manifestOf()); err != nil {
		t.Fatal(err)
	}
	p.install(t)
	if r := p.until(t, doctor.HopPing, doctor.OK); !r.OK {
		t.Errorf("broken: %q", r.Broken)
	}
}

func TestFrozenPage(t *testing.T) {
	// Ensure that a claimed tab whose page hangs is named, while the hops before it hold.
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<title>Shop</title><script>addEventListener("message", () => { for (;;); })</script>`)
	}))
	t.Cleanup(server.Close)
	p := newPatient(t)
	p.install(t)
	b := p.open(t, dist(t), server.URL)
	if r := p.examine(t, hostRuns); !r.OK || hop(t, r, doctor.HopPage).Status != doctor.OK {
		t.Fatalf("broken: %q", r.Broken)
	}
	all, err := cdp.Call(t.Context(), b.Session(), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all.TargetInfos {
		if !strings.HasPrefix(info.URL, server.URL) {
			continue
		}
		page, cancel := drive.Attach(b, info.TargetID)
		defer cancel()
		if err := chromedp.Do(page); err != nil {
			t.Fatal(err)
		}
		if _, err := chromedp.Run(page, chromedp.Evaluate[bool](`postMessage("freeze"), true`)); err != nil {
			t.Fatal(err)
		}
	}
	wantBroken(t, p.until(t, doctor.HopPage, doctor.Broken), doctor.HopPage, "does not answer")
}

func TestPathsOfAnyLetters(t *testing.T) {
	// Ensure that a browser whose home, program and extension lie below folders with spaces and letters of any language uses what install wrote there.
	t.Parallel()
	p := newPatient(t)
	p.Dir = filepath.Join(p.Dir, "Zoë 家")
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p.bin = copyProgram(t, filepath.Join(p.Dir, "My Programs"))
	if out, exit := p.run(t, "install", "--browser", "chromium", "--extension", dist(t)); exit != 0 || !strings.Contains(out, p.Dir) {
		t.Fatalf("install: %d, %s", exit, out)
	}
	placed := filepath.Join(p.Dir, "data", "extension")
	p.open(t, placed)
	r := p.until(t, doctor.HopPing, doctor.OK)
	if !r.OK {
		t.Errorf("broken: %q", r.Broken)
	}
	if h := hop(t, r, doctor.HopManifest); h.Status != doctor.OK || !strings.Contains(h.Message, p.Dir) {
		t.Errorf("%+v", h)
	}
	if h := hop(t, r, doctor.HopBinary); !strings.Contains(h.Message, "My Programs") {
		t.Errorf("%+v", h)
	}
}
