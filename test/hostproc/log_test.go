package hostproc

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// followed is a log follow that runs beside the test.
type followed struct {
	cmd    *exec.Cmd
	mu     sync.Mutex
	lines  []string
	stderr strings.Builder
	done   chan struct{}
}

func follow(t *testing.T, home *harness.Home, args ...string) *followed {
	t.Helper()
	f := &followed{cmd: home.Command(context.Background(), append([]string{"log", "follow"}, args...)...), done: make(chan struct{})}
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := f.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			f.mu.Lock()
			f.lines = append(f.lines, scanner.Text())
			f.mu.Unlock()
		}
	})
	reading.Go(func() {
		for scanner := bufio.NewScanner(errs); scanner.Scan(); {
			f.mu.Lock()
			f.stderr.WriteString(scanner.Text() + "\n")
			f.mu.Unlock()
		}
	})
	go func() {
		reading.Wait()
		// How it ended is asked of ProcessState.
		_ = f.cmd.Wait()
		close(f.done)
	}()
	t.Cleanup(func() {
		_ = f.cmd.Process.Kill()
		<-f.done
	})
	return f
}

// has reports whether the output, or the errors, hold a text.
func (f *followed) has(text string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Contains(strings.Join(f.lines, "\n"), text) || strings.Contains(f.stderr.String(), text)
}

// interrupted presses Ctrl-C and waits for the end.
func (f *followed) interrupted(t *testing.T) {
	t.Helper()
	if err := f.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-f.done
	if status := f.cmd.ProcessState.ExitCode(); status != 0 {
		t.Errorf("Ctrl-C ended it with %d: %s", status, f.stderr.String())
	}
}

func TestLogFollow(t *testing.T) {
	// Ensure that following waits for a host, shows each record once and in order while it is written, goes on when the host came back, and ends by Ctrl-C in both states.
	t.Parallel()
	home := harness.NewHome(t)
	f := follow(t, home, "--json")
	person := follow(t, home)
	harness.Until(t, "it says that it waits", func() bool { return f.has("waiting for a browser") && person.has("waiting for a browser") })

	p := home.Ready(t, &fakes.Browser{Page: page}, shop)
	harness.Must(t, home.Call(t, "pointer.click", `{"x":1,"y":1}`), nil)
	harness.Until(t, "the click is shown", func() bool {
		return f.has(`"type":"outcome"`) && person.has("✓ pointer.click") && person.has("▸ pointer.click")
	})
	hangUp(t, p)
	p = home.Ready(t, &fakes.Browser{Page: page}, shop)
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	harness.Until(t, "the call after the restart is shown", func() bool { return f.has(`"name":"page.info"`) && person.has("✓ page.info") })
	if person.has("\x1b") {
		t.Error("there are colours although nobody sees them")
	}
	person.interrupted(t)
	hangUp(t, p)
	harness.Until(t, "the end of the host is noticed", func() bool { return strings.Count(f.text(), "waiting") >= 2 })
	f.interrupted(t)

	all := records(t, home)
	if len(f.lines) != len(all) {
		t.Fatalf("%d of %d records were shown", len(f.lines), len(all))
	}
	for i, line := range f.lines {
		var r journal.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Seq != all[i].Seq || r.Hash != all[i].Hash {
			t.Errorf("line %d is %s, the record %d", i, line, all[i].Seq)
		}
	}
}

func (f *followed) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stderr.String()
}

func TestLogFollowFilters(t *testing.T) {
	// Ensure that following shows what the filter means alone, beginning with the newest of what is there.
	t.Parallel()
	home := harness.NewHome(t)
	home.Ready(t, &fakes.Browser{Page: page}, shop)
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	harness.Must(t, home.Call(t, "pointer.click", `{"x":1,"y":1}`), nil)
	harness.Must(t, home.Call(t, "pointer.click", `{"x":2,"y":2}`), nil)
	f := follow(t, home, "--json", "--name", "pointer.*", "--type", "outcome", "--limit", "1")
	harness.Until(t, "the newest is shown", func() bool { return f.has(`"x":2`) })
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	harness.Must(t, home.Call(t, "pointer.click", `{"x":3,"y":3}`), nil)
	harness.Until(t, "the next is shown", func() bool { return f.has(`"x":3`) })
	if len(f.lines) != 2 {
		t.Errorf("shown: %v", f.lines)
	}
	if err := f.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-f.done
}

func TestLogOfOneSite(t *testing.T) {
	// Ensure that one command tells what was done on a site, that the filters give the same, byte for byte, while the host runs and from its file, and that a refusal is found there too.
	t.Parallel()
	home := harness.NewHome(t)
	const hostile = "</b>\"\\\u2028\u0085\x7f\x00\n𝄞"
	text, err := json.Marshal(map[string]any{hostile[:4]: hostile, "n": json.Number("1.50e3")})
	if err != nil {
		t.Fatal(err)
	}
	log, err := journal.Open(home.Database(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Commit(t.Context(), journal.Record{SessionID: hostile, Type: journal.TypeDOMEvent, Name: hostile, Data: text}, journal.Record{SessionID: "x", Type: journal.TypeDOMEvent, Data: text}); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	p := home.Ready(t, &fakes.Browser{Page: page}, shop, "https://other.example.net/")
	harness.Must(t, home.Call(t, "pointer.click", `{"x":1,"y":1}`, "--url-contains", "shop.example"), nil)
	harness.Must(t, home.Call(t, "page.info", `{}`, "--url-contains", "other.example"), nil)
	if e := home.Call(t, "browser.run_javascript", `{"source":"1"}`, "--url-contains", "shop.example"); e.OK {
		t.Fatal("code ran")
	}
	seen := map[string]string{}
	commands := map[string][]string{
		"site":    {"--origin", "example.com", "--since", "24h"},
		"other":   {"--origin", "https://other.example.net", "--type", "outcome"},
		"tab":     {"--tab", "2"},
		"newest":  {"--limit", "2"},
		"session": {"--session", "cl"},
		"name":    {"--name", "p?inter.*", "--until", "now"},
		"past":    {"--until", "1h"},
		"from":    {"--from", "4", "--limit", "1"},
		"hostile": {"--type", "dom_event"},
	}
	for _, state := range []string{"while the host runs", "from the file"} {
		for name, args := range commands {
			r := home.Run(t, append([]string{"log", "dump", "--json"}, args...)...)
			if r.Exit != 0 {
				t.Fatalf("%s %s: %+v", name, state, r)
			}
			if state == "from the file" && r.Stdout != seen[name] {
				t.Errorf("%s %s gave\n%s\nand through the host\n%s", name, state, r.Stdout, seen[name])
			}
			seen[name] = r.Stdout
		}
		if text := home.Run(t, "log", "dump", "--origin", "example.com", "--since", "24h"); !strings.Contains(text.Stdout, "✓ pointer.click") || strings.Contains(text.Stdout, "page.info") {
			t.Errorf("%s: %s", state, text.Stdout)
		}
		if state == "while the host runs" {
			hangUp(t, p)
		}
	}
	for name, count := range map[string]int{"other": 1, "newest": 2, "name": 2, "past": 0, "from": 1, "hostile": 2} {
		if got := strings.Count(seen[name], "\n"); got != count {
			t.Errorf("%s: %d records, not %d: %s", name, got, count, seen[name])
		}
	}
	if strings.Contains(seen["site"], "other.example") || !strings.Contains(seen["site"], `"type":"intent"`) || !strings.Contains(seen["site"], `"code":"code_disabled"`) {
		t.Errorf("site: %s", seen["site"])
	}
}

func TestLogOfFailedCalls(t *testing.T) {
	// Ensure that --failed gives the calls that failed alone, whole and with their steps, the same through the host and from the file, for people and as JSON, that it combines with the other filters, and that --limit counts calls.
	t.Parallel()
	home := harness.NewHome(t)
	home.Map(t, "public", "shop.example.com", "s", mapOf("flow.two", workflow("", step("look", "page.info", ""), step("press", "pointer.click", `,"args":{"x":1,"y":1}`))))
	failing := func(_ context.Context, c protocol.ActionCall) (any, error) {
		if c.Name == "pointer.click" && strings.Contains(string(c.Arguments), `"x":1`) {
			return nil, fault.New(fault.TargetNotFound, "nothing is there")
		}
		return fakes.Answer(c)
	}
	p := home.Ready(t, &fakes.Browser{Page: failing}, shop, "https://other.example.net/")
	harness.Must(t, home.Call(t, "pointer.click", `{"x":2,"y":2}`, "--url-contains", "shop.example"), nil)
	wantCode(t, home.SiteCall(t, "flow.two", `{}`, "--url-contains", "shop.example"), fault.WorkflowStepFailed)
	wantCode(t, home.Call(t, "pointer.click", `{"x":1,"y":1}`, "--url-contains", "other.example"), fault.TargetNotFound)
	harness.Must(t, home.Call(t, "page.info", `{}`, "--url-contains", "other.example"), nil)
	wantCode(t, home.Call(t, "browser.run_javascript", `{"source":"1"}`, "--url-contains", "shop.example"), fault.CodeDisabled)

	const action = "intent actions.site, outcome page.info, intent pointer.click, outcome pointer.click, outcome actions.site"
	const click, code = "intent pointer.click, outcome pointer.click", "policy browser.run_javascript"
	commands := map[string]struct {
		args []string
		want string
	}{
		"all":         {nil, action + ", " + click + ", " + code},
		"site":        {[]string{"--origin", "shop.example.com", "--since", "1h"}, action + ", " + code},
		"tab":         {[]string{"--tab", "2"}, click},
		"action":      {[]string{"--name", "flow.*"}, action},
		"step":        {[]string{"--name", "pointer.*"}, action + ", " + click},
		"newest":      {[]string{"--limit", "2"}, click + ", " + code},
		"from":        {[]string{"--from", "1", "--limit", "1"}, action},
		"refused":     {[]string{"--type", "policy"}, code},
		"session":     {[]string{"--session", "cl", "--until", "now"}, action + ", " + click + ", " + code},
		"before that": {[]string{"--until", "1h"}, ""},
	}
	for _, state := range []string{"while the host runs", "from the file"} {
		for name, c := range commands {
			r := home.Run(t, append([]string{"log", "dump", "--failed", "--json"}, c.args...)...)
			if got := namesOf(t, r.Stdout); r.Exit != 0 || got != c.want {
				t.Errorf("%s %s: %d %q, want %q %s", name, state, r.Exit, got, c.want, r.Stderr)
			}
		}
		person := home.Run(t, "log", "dump", "--failed", "--origin", "shop.example.com").Stdout
		for _, part := range []string{"▸ flow.two", "✓   page.info", "✗   pointer.click", "target_not_found", "✗ browser.run_javascript"} {
			if !strings.Contains(person, part) {
				t.Errorf("%s a person does not read %q:\n%s", state, part, person)
			}
		}
		if state == "while the host runs" {
			hangUp(t, p)
		}
	}
}

// namesOf returns types and names of records that were printed as JSON.
func namesOf(t *testing.T, lines string) string {
	t.Helper()
	var names []string
	for line := range strings.Lines(lines) {
		var r journal.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		names = append(names, r.Type+" "+r.Name)
	}
	return strings.Join(names, ", ")
}

func TestLogReport(t *testing.T) {
	// Ensure that a session's report is written for its user alone, tells what it did, and that an unknown session is named as such.
	t.Parallel()
	home := harness.NewHome(t)
	home.Ready(t, &fakes.Browser{Page: page}, shop)
	harness.Must(t, home.Call(t, "pointer.click", `{"x":1,"y":1}`), nil)
	file := filepath.Join(home.Dir, "odd name é.html")
	if r := home.Run(t, "log", "report", "cli", "-o", file); r.Exit != 0 || !strings.Contains(r.Stdout, file) {
		t.Fatalf("report: %+v", r)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "pointer.click") || !strings.HasPrefix(string(text), "<!doctype html>") {
		t.Errorf("%v: %.300s", err, text)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if r := home.Run(t, "log", "report", "nobody"); r.Exit != 1 || !strings.Contains(r.Stderr, "log sessions") || r.Stdout != "" {
		t.Errorf("an unknown session: %+v", r)
	}
	var s struct {
		SessionID string `json:"session_id"`
		Calls     int    `json:"calls"`
	}
	if r := home.Run(t, "log", "sessions", "--json"); json.Unmarshal([]byte(r.Stdout), &s) != nil || s.SessionID != "cli" || s.Calls != 1 {
		t.Errorf("sessions: %+v", r)
	}
	if r := home.Run(t, "log", "verify"); r.Exit != 0 || !strings.HasPrefix(r.Stdout, "✓") {
		t.Errorf("verify: %+v", r)
	}
}
