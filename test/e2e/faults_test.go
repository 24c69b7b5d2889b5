package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// background makes a call from a terminal that the test does not wait for.
func background(t *testing.T, home *harness.Home, args ...string) <-chan dispatch.Envelope {
	t.Helper()
	answer := make(chan dispatch.Envelope, 1)
	go func() {
		cmd := home.Command(context.Background(), args...)
		out, _ := cmd.Output() // a failed call is exit status 1, with its envelope on stdout
		var e dispatch.Envelope
		if err := json.Unmarshal(out, &e); err != nil {
			t.Errorf("%v printed %q: %v", args, out, err)
			e.Error = fault.From(err)
		}
		answer <- e
	}()
	return answer
}

// records returns the log, since the test began where the browser is shared.
func records(t *testing.T, home *harness.Home) []journal.Record {
	t.Helper()
	var all []journal.Record
	for line := range strings.Lines(home.Run(t, "log", "dump", "--json").Stdout) {
		var r journal.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if !r.At.Before(home.Began) {
			all = append(all, r)
		}
	}
	return all
}

// workerTarget returns the extension's worker.
func workerTarget(t *testing.T, b *launch.Browser) target.ID {
	t.Helper()
	for _, info := range targets(t, b) {
		if info.Type == "service_worker" {
			return info.TargetID
		}
	}
	t.Fatal("no worker found")
	return ""
}

// killWorker ends the extension's worker.
func killWorker(t *testing.T, b *launch.Browser) {
	t.Helper()
	if _, err := cdp.Call(t.Context(), b.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: workerTarget(t, b)}); err != nil {
		t.Fatal(err)
	}
}

// endHost kills the host; it is gone when this returns.
func endHost(t *testing.T, home *harness.Home) {
	t.Helper()
	pid := home.Host(t)
	if err := process(t, pid).Kill(); err != nil {
		t.Fatal(err)
	}
	home.HostEnded(t, pid)
}

// endWorker kills the worker and, by that, the host; it is gone when this
// returns, so that no call reaches one that is just ending.
func endWorker(t *testing.T, home *harness.Home, b *launch.Browser) {
	t.Helper()
	pid := home.Host(t)
	killWorker(t, b)
	home.HostEnded(t, pid)
}

func process(t *testing.T, pid int) *os.Process {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stepSite is a page whose button counts clicks, with a workflow that clicks,
// waits for something that never comes, and clicks again.
func stepSite(t *testing.T, home *harness.Home) (url string, clicks func() int) {
	t.Helper()
	url, rec := pages(t, map[string]string{
		"/":      `<title>steps</title><button id=b style="margin:40px" onclick="fetch('/click')">click</button>`,
		"/click": "ok",
	})
	find := step("find", "locator.element_info", `,"args":{"locator":{"selector":"#b"}}`)
	click := func(id string) string {
		return step(id, "pointer.click", `,"args":{"x":"{% steps.find.output.clickable_center.x %}","y":"{% steps.find.output.clickable_center.y %}"}`)
	}
	home.Map(t, "public", "localhost", "steps", mapOf(map[string]string{
		"steps.slow": `[` + find + `,` + click("first") + `,` +
			step("wait", "locator.wait_for", `,"args":{"locator":{"selector":"#never"},"timeout_ms":30000}`) + `,` + click("second") + `]`,
	}))
	return url, func() int { return len(received(rec, "GET", "/click")) }
}

func TestWorkerKilledDuringACall(t *testing.T) {
	// Ensure that a killed worker ends the call under way with one clear error, that the next call works, and that the claim and the log outlive it.
	t.Parallel()
	home := harness.NewHome(t)
	url, clicks := stepSite(t, home)
	b := home.Open(t, url)
	answer := background(t, home, "site", "call", "steps.slow", "{}", "--json")
	harness.Until(t, "the first click arrives", func() bool { return clicks() == 1 })
	endWorker(t, home, b)
	e := <-answer
	if e.OK {
		t.Fatalf("the call went well: %+v", e)
	}
	if e.Error.Retryable {
		t.Errorf("retryable after a click: %+v", e.Error)
	}
	harness.Must(t, home.Call(t, "page.info", `{}`, "--wait", "10s"), nil)
	if clicks() != 1 {
		t.Fatalf("%d clicks: a step ran again", clicks())
	}
	wantClosed(t, home)
}

// wantClosed fails the test when an intent has neither outcome nor a record
// that says it was interrupted.
func wantClosed(t *testing.T, home *harness.Home) {
	t.Helper()
	open := map[string]string{}
	for _, r := range records(t, home) {
		switch r.Type {
		case journal.TypeIntent:
			open[r.CallID] = r.Name
		case journal.TypeOutcome, journal.TypeInterrupted:
			delete(open, r.CallID)
		}
	}
	if len(open) > 0 {
		t.Errorf("open intents: %v", open)
	}
}

func TestHostKilledDuringAWorkflow(t *testing.T) {
	// Ensure that after kill -9 of the host the open intents are closed as interrupted and nothing runs again.
	t.Parallel()
	home := harness.NewHome(t)
	url, clicks := stepSite(t, home)
	home.Open(t, url)
	done := make(chan struct{})
	go func() {
		// Its host is killed: what it prints is of no interest.
		_ = home.Command(context.Background(), "site", "call", "steps.slow", "{}", "--json").Run()
		close(done)
	}()
	harness.Until(t, "the first click arrives", func() bool { return clicks() == 1 })
	endHost(t, home)
	<-done
	harness.Must(t, home.Call(t, "page.info", `{}`, "--wait", "10s"), nil)
	interrupted := 0
	for _, r := range records(t, home) {
		if r.Type == journal.TypeInterrupted {
			interrupted++
		}
	}
	if interrupted == 0 {
		t.Error("no record says that the action was interrupted")
	}
	wantClosed(t, home)
	if clicks() != 1 {
		t.Fatalf("%d clicks: a step ran again", clicks())
	}
}

func TestNavigationDuringAWorkflow(t *testing.T) {
	// Ensure that a workflow whose tab leaves the map's pages stops with state_mismatch, and that one that stays goes on in the new document.
	t.Parallel()
	home := harness.Shared(t)
	other, _ := pages(t, map[string]string{"/": `<title>elsewhere</title><h1>elsewhere</h1>`})
	elsewhere := foreign(t, other)
	url, _ := pages(t, map[string]string{
		"/":     fmt.Sprintf(`<title>start</title><style>a{display:block;margin:30px}</style><a id=stay href="/next">next</a><a id=leave href=%q>leave</a>`, elsewhere),
		"/next": `<title>next</title><h1>arrived</h1>`,
	})
	flow := func(link string) string {
		return `[` + step("find", "locator.element_info", fmt.Sprintf(`,"args":{"locator":{"selector":"#%s"}}`, link)) + `,` +
			step("go", "pointer.click", `,"args":{"x":"{% steps.find.output.clickable_center.x %}","y":"{% steps.find.output.clickable_center.y %}"}`) + `,` +
			step("arrive", "locator.wait_for", `,"args":{"locator":{"selector":"h1"},"timeout_ms":8000}`) + `,` +
			step("read", "locator.text_content", `,"args":{"locator":{"selector":"h1"}}`) + `]`
	}
	home.Map(t, "public", harness.Site(t), "nav", mapOf(map[string]string{"nav.stay": flow("stay"), "nav.leave": flow("leave")}))
	home.Open(t, url)
	stay := home.SiteCall(t, "nav.stay", `{}`)
	harness.Must(t, stay, nil)
	if !strings.Contains(string(stay.Output), "arrived") {
		t.Fatalf("output %s", stay.Output)
	}
	harness.Must(t, home.Call(t, "browser.navigate", `{"url":"`+url+`/"}`), nil)
	f := wantCode(t, home.SiteCall(t, "nav.leave", `{}`), fault.StateMismatch)
	if f.Retryable {
		t.Errorf("retryable after a click: %+v", f)
	}
}

func TestTabsThatCannotBeOperated(t *testing.T) {
	// Ensure that unclaimed tabs, browser pages, closed tabs and unsafe addresses are typed errors.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>one</title>`, "/two": `<title>two</title>`})
	b := home.Open(t, url, url+"/two")
	one, two := b.Tabs[0].TabID, b.Tabs[1].TabID
	tab := func(id int) []string { return []string{"--tab", strconv.Itoa(id)} }

	wantCode(t, home.Call(t, "page.info", `{}`), fault.AmbiguousRuntime)
	wantCode(t, home.Call(t, "page.info", `{}`, "--tab", "4242"), fault.TabNotClaimed)
	wantCode(t, home.Call(t, "page.info", `{}`, "--url-contains", "nowhere"), fault.RuntimeNotFound)
	wantCode(t, home.Call(t, "page.info", `{}`, "--runtime", "nowhere"), fault.RuntimeNotFound)
	harness.Must(t, home.Call(t, "page.info", `{}`, "--url-contains", "/two"), nil)
	wantCode(t, home.Call(t, "browser.navigate", `{"url":"chrome://settings/"}`, tab(one)...), fault.UnsafeURL)
	wantCode(t, home.Call(t, "browser.navigate", `{"url":"javascript:alert(1)"}`, tab(one)...), fault.UnsafeURL)

	// A current tab is set by an explicit call and stays.
	harness.Must(t, home.Call(t, "browser.claimed_tabs.activate", fmt.Sprintf(`{"tab_id":%d}`, two)), nil)
	var info struct{ Title string }
	harness.Must(t, home.Call(t, "page.info", `{}`), &info)
	if info.Title != "two" {
		t.Fatalf("the current tab is %q", info.Title)
	}

	all, err := cdp.Call(t.Context(), b.Session(), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all.TargetInfos {
		if info.URL == url+"/two" && info.Type == "page" {
			if _, err := cdp.Call(t.Context(), b.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID}); err != nil {
				t.Fatal(err)
			}
		}
	}
	harness.Until(t, "the closed tab is released", func() bool {
		e := home.Call(t, "page.info", `{}`, tab(two)...)
		return !e.OK && e.Error.Code == fault.TabNotClaimed
	})
}

func TestLauncherKilled(t *testing.T) {
	// Ensure that a launcher killed with -9 takes browser and host with it.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title>`})
	l := home.Launch(t, url)
	pid := home.Host(t)
	if err := l.Cmd.Process.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	<-l.Done()
	harness.Until(t, "the host is gone", func() bool { return process(t, pid).Signal(syscall.Signal(0)) != nil })
	harness.Until(t, "the browser is gone", func() bool {
		out, err := exec.Command("pgrep", "-f", l.UserDataDir).Output()
		return err != nil || len(out) == 0
	})
	if r := home.Run(t, "tabs", "--wait", "100ms"); r.Exit != 3 {
		t.Errorf("tabs without a browser: exit %d", r.Exit)
	}
	os.RemoveAll(l.UserDataDir)
}
