package launch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestBrowserThatEnds(t *testing.T) {
	// Ensure that a browser that ends before it is ready is told with its own last words and what to do: a display, a folder that is in use, another browser.
	if runtime.GOOS != "linux" {
		t.Skip("the browser of this test is a shell script")
	}
	program := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf 'Missing X\\nserver' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, display, folder string
		headless              bool
		next                  string
	}{
		{"no display", "", "", false, "--headless"},
		{"no display is needed", "", "", true, "by itself"},
		{"folder in use", ":0", t.TempDir(), false, "it can serve one at a time"},
		{"other", ":0", "", false, "by itself"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("DISPLAY", test.display)
			t.Setenv("WAYLAND_DISPLAY", "")
			_, err := Start(t.Context(), Options{
				Program: program, Headless: test.headless, UserDataDir: test.folder, Manifest: func(string) error { return nil },
			})
			f := fault.From(err)
			if f.Code != fault.BrowserNotConnected || !strings.Contains(f.Message, "ended before it was ready; it said: Missing X server") || !strings.Contains(f.NextStep, test.next) {
				t.Errorf("%s: %s: %s", f.Code, f.Message, f.NextStep)
			}
		})
	}
}

func TestStartCutShort(t *testing.T) {
	// Ensure that a start that is cancelled, or takes too long, does not count as a browser that ended.
	if runtime.GOOS != "linux" {
		t.Skip("the browser of this test is a shell script")
	}
	program := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec cat <&3 >/dev/null\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	for code, ctx := range map[fault.Code]context.Context{fault.Cancelled: cancelled, fault.Timeout: late} {
		_, err := Start(ctx, Options{Program: program, Headless: true, Manifest: func(string) error { return nil }})
		if !fault.Is(err, code) {
			t.Errorf("got %v, want %s", err, code)
		}
	}
}

func TestFolderInUse(t *testing.T) {
	// Ensure that a browser's folder is removed also where something goes on writing into it for a moment.
	if runtime.GOOS == "windows" {
		t.Skip("a folder that this test holds open cannot be removed")
	}
	dir := filepath.Join(t.TempDir(), "profile")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	folder, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	var writers sync.WaitGroup
	stop := time.Now().Add(200 * time.Millisecond)
	for writer := range 8 {
		writers.Go(func() {
			name := fmt.Sprint(writer)
			for time.Now().Before(stop) {
				_ = folder.Mkdir(name, 0o700) // it is there, or all is gone
				_ = folder.Mkdir(filepath.Join(name, "below"), 0o700)
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	b := &Browser{UserDataDir: dir, temporary: true}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	writers.Wait()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("it is left: %v", err)
	}
}

func TestLastWords(t *testing.T) {
	// Ensure that of much that a browser says the reason for its own end is told, however much comes after it, and otherwise the end.
	long := strings.Repeat("noise ", 200)
	for said, want := range map[string]string{
		"a\n b":          "a b",
		long + "the end": strings.Repeat("noise ", 66)[3:] + "the end",
		long + "[1:2:0101/000000.0:FATAL:some.cc(7)] Check failed: x.\n" + long: ("some.cc(7)] Check failed: x. " + long)[:maxShownChars],
	} {
		var w stderrTail
		if _, err := w.Write([]byte(said)); err != nil {
			t.Fatal(err)
		}
		if got := w.String(); got != want {
			t.Errorf("of %.40q it told %q, want %q", said, got, want)
		}
	}
}

func TestArgumentsMergeFeatures(t *testing.T) {
	// Ensure that all features of either list reach the browser, which heeds the last list only, that what the caller enables is not disabled, and that other arguments stay in their order.
	args := arguments(Options{Args: []string{
		"--enable-features=A,Translate", "--lang=de", "--disable-features=C", "--enable-features=D", "--enable-featuresX=1", "--disable-features=E",
	}}, "/profile", false)
	var enabled, disabled, own []string
	for _, a := range args {
		switch {
		case strings.HasPrefix(a, "--enable-features="):
			enabled = append(enabled, a)
		case strings.HasPrefix(a, "--disable-features="):
			disabled = append(disabled, a)
		case a == "--lang=de", a == "--enable-featuresX=1":
			own = append(own, a)
		}
	}
	if !slices.Equal(enabled, []string{"--enable-features=A,Translate,D"}) {
		t.Errorf("enabled %v", enabled)
	}
	if len(disabled) != 1 || !strings.Contains(disabled[0], "AutofillServerCommunication,") || !strings.HasSuffix(disabled[0], ",C,E") || strings.Contains(disabled[0], "Translate") {
		t.Errorf("disabled %v", disabled)
	}
	if !slices.Equal(own, []string{"--lang=de", "--enable-featuresX=1"}) {
		t.Errorf("the caller's arguments became %v", own)
	}
	for _, a := range arguments(Options{}, "/profile", false) {
		if strings.HasPrefix(a, "--enable-features") {
			t.Errorf("%s came from nowhere", a)
		}
	}
}

func TestArgumentsSandbox(t *testing.T) {
	// Ensure that the sandbox is given up for uid 0 only, as whom Chromium does not start with it.
	for _, root := range []bool{false, true} {
		if got := slices.Contains(arguments(Options{}, "/profile", root), "--no-sandbox"); got != root {
			t.Errorf("root is %t and --no-sandbox %t", root, got)
		}
	}
}

func TestArguments(t *testing.T) {
	// Ensure that the browser is driven over the pipe alone, in its own profile, that it starts with a blank page, and that only one without a window is told that nobody watches.
	o := Options{Headless: true, URLs: []string{"https://a.example/", "https://b.example/"}, Args: []string{"--x"}}
	args := arguments(o, "/profile", false)
	for _, want := range []string{"--remote-debugging-pipe", "--user-data-dir=/profile", "--window-size=1280,900", "--silent-debugger-extension-api", "--headless=new", "--disable-renderer-backgrounding", "--x"} {
		if !slices.Contains(args, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if args[len(args)-1] != "about:blank" || slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "example") }) {
		t.Errorf("pages in %v", args)
	}
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--remote-debugging-port") }) {
		t.Error("a TCP port is open")
	}
	for _, a := range arguments(Options{}, "/profile", false) {
		if slices.Contains(headlessArguments, a) || strings.Contains(a, "WebUIOmniboxPopup") {
			t.Errorf("a browser with a window got %s", a)
		}
	}
}

func TestAddress(t *testing.T) {
	// Ensure that a page may be named as a person writes it: by a URL of any scheme, by a host without one, by a file.
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a page.html", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"https://a.example/x?y=1#z": "https://a.example/x?y=1#z",
		"about:blank":               "about:blank",
		"data:text/html,x":          "data:text/html,x",
		"chrome://version":          "chrome://version",
		"a.example":                 "http://a.example",
		"localhost:8080/x":          "http://localhost:8080/x",
		"127.0.0.1:80":              "http://127.0.0.1:80",
		"[::1]:80/":                 "http://[::1]:80/",
		"a page.html":               "file://" + filepath.ToSlash(here) + "/a%20page.html",
		"./no page.html":            "http://./no page.html",
	} {
		if got := address(text); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
}
