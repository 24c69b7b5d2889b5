package launch

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

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

func TestArgumentsMergeFeatures(t *testing.T) {
	// Ensure that all --enable-features reach the browser, which heeds the last one only, and that other arguments stay in their order.
	args := arguments(Options{Args: []string{
		"--enable-features=A,B", "--lang=de", "--disable-features=C", "--enable-features=D", "--enable-featuresX=1",
	}}, "/profile", false)
	var features, own []string
	for _, a := range args {
		if strings.HasPrefix(a, "--enable-features=") {
			features = append(features, a)
		}
		if a == "--lang=de" || a == "--disable-features=C" || a == "--enable-featuresX=1" {
			own = append(own, a)
		}
	}
	if !slices.Equal(features, []string{"--enable-features=A,B,D"}) {
		t.Errorf("features %v", features)
	}
	if !slices.Equal(own, []string{"--lang=de", "--disable-features=C", "--enable-featuresX=1"}) {
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
	// Ensure that the browser is driven over the pipe alone, in its own profile, with the first page as the last argument.
	o := Options{Headless: true, URLs: []string{"https://a.example/", "https://b.example/"}, Args: []string{"--x"}}
	args := arguments(o, "/profile", false)
	for _, want := range []string{"--remote-debugging-pipe", "--user-data-dir=/profile", "--window-size=1280,900", "--silent-debugger-extension-api", "--headless=new"} {
		if !slices.Contains(args, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if args[len(args)-1] != "https://a.example/" || slices.Contains(args, "https://b.example/") {
		t.Errorf("pages in %v", args)
	}
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--remote-debugging-port") }) {
		t.Error("a TCP port is open")
	}
	if slices.Contains(arguments(Options{}, "/profile", false), "--headless=new") {
		t.Error("headless without being asked")
	}
}
