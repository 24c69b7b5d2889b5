package browsers_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/actionsjson/actions-host/pkg/browsers"
)

func browser(t *testing.T, name string) browsers.Browser {
	t.Helper()
	all, err := browsers.All()
	if err != nil {
		t.Fatal(err)
	}
	b, ok := browsers.Find(all, name)
	if !ok {
		t.Fatalf("no browser %s", name)
	}
	return b
}

func TestPlaces(t *testing.T) {
	// Ensure that profiles and manifests are looked for where each platform's browsers have them.
	linux := browsers.Platform{OS: "linux", Home: "/home/zoë"}
	configured := browsers.Platform{OS: "linux", Home: "/home/zoë", Config: "/conf"}
	mac := browsers.Platform{OS: "darwin", Home: "/Users/zoë"}
	windows := browsers.Platform{OS: "windows", Home: `C:\Users\zoë`, LocalData: `C:\Users\zoë\AppData\Local`}
	for _, row := range []struct {
		platform        browsers.Platform
		browser         string
		profiles, users string
	}{
		{linux, "chrome", "/home/zoë/.config/google-chrome", "/home/zoë/.config/google-chrome/NativeMessagingHosts"},
		{configured, "brave", "/conf/BraveSoftware/Brave-Browser", "/conf/BraveSoftware/Brave-Browser/NativeMessagingHosts"},
		{mac, "edge", "/Users/zoë/Library/Application Support/Microsoft Edge", "/Users/zoë/Library/Application Support/Microsoft Edge/NativeMessagingHosts"},
		{windows, "vivaldi", `C:\Users\zoë\AppData\Local\Vivaldi\User Data`, ""},
		{browsers.Platform{OS: "plan9"}, "chrome", "", "NativeMessagingHosts"},
	} {
		b := browser(t, row.browser)
		if got := row.platform.Profiles(b); got != row.profiles {
			t.Errorf("%s on %s: profiles in %q", row.browser, row.platform.OS, got)
		}
		if got := row.platform.UserManifests(b); got != row.users {
			t.Errorf("%s on %s: manifests in %q", row.browser, row.platform.OS, got)
		}
	}
	linux.Root = "/root"
	if got := linux.SystemManifests(browser(t, "chromium")); len(got) != 1 || got[0] != "/root/etc/chromium/native-messaging-hosts" {
		t.Errorf("system manifests in %q", got)
	}
}

func TestProgram(t *testing.T) {
	// Ensure that a browser without a sandbox goes before a snap or a Flatpak of the same browser, which are reported as such.
	platform := browsers.Platform{OS: "linux", Home: t.TempDir(), Root: t.TempDir()}
	b := browser(t, "chromium")
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	if p, ok := platform.Program(b); ok {
		t.Errorf("found %+v", p)
	}
	script(t, filepath.Join(platform.Root, "var/lib/flatpak/exports/bin/org.chromium.Chromium"), "#!/bin/sh\n")
	if p, ok := platform.Program(b); !ok || p.Sandbox != "flatpak" {
		t.Errorf("found %+v", p)
	}
	script(t, filepath.Join(bin, "chromium-browser"), "#!/bin/sh\nexec /snap/bin/chromium\n")
	if p, ok := platform.Program(b); !ok || p.Sandbox != "snap" {
		t.Errorf("found %+v", p)
	}
	script(t, filepath.Join(bin, "chromium"), "#!/bin/sh\nexec /usr/lib/chromium/chromium\n")
	if p, ok := platform.Program(b); !ok || p.Sandbox != "" || p.Path != filepath.Join(bin, "chromium") {
		t.Errorf("found %+v", p)
	}
	mac := browsers.Platform{OS: "darwin", Home: t.TempDir(), Root: t.TempDir()}
	app := filepath.Join(mac.Root, "Applications/Brave Browser.app/Contents/MacOS/Brave Browser")
	script(t, app, "")
	if p, ok := mac.Program(browser(t, "brave")); !ok || p.Path != app {
		t.Errorf("found %+v", p)
	}
}

func script(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestRunning(t *testing.T) {
	// Ensure that a browser is seen by its lock, unless the lock's process is gone or of another machine.
	platform := browsers.Platform{OS: "linux"}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for owner, want := range map[string]bool{
		host + "-" + strconv.Itoa(os.Getpid()): true, host + "-999999999": false, host + "-": false, "": false,
		"elsewhere-" + strconv.Itoa(os.Getpid()): false,
	} {
		dir := t.TempDir()
		if owner != "" {
			if err := os.Symlink(owner, filepath.Join(dir, "SingletonLock")); err != nil {
				t.Fatal(err)
			}
		}
		r, running, known := platform.Running(dir)
		if running != want || !known || want && (r.PID != os.Getpid() || r.Since.IsZero()) {
			t.Errorf("%q: %+v, %t, %t", owner, r, running, known)
		}
	}
	if _, _, known := (browsers.Platform{OS: "windows"}).Running(t.TempDir()); known {
		t.Error("known where there is no link")
	}
}

const id = "encoedhnbaoknbelphgpkjkgfjfllgcc"

func TestExtensions(t *testing.T) {
	// Ensure that the extension is found in each profile as loaded, switched off or without Developer mode, in the forms of older and newer browsers, and that a remnant is none.
	for text, want := range map[string]*browsers.Extension{
		`{"extensions":{"settings":{"` + id + `":{"path":"/x","disable_reasons":[]}}}}`:                                {Path: "/x", DeveloperMode: true},
		`{"extensions":{"settings":{"` + id + `":{"path":"/x"}}}}`:                                                     {Path: "/x", DeveloperMode: true},
		`{"extensions":{"settings":{"` + id + `":{"path":"/x","state":1,"disable_reasons":0}}}}`:                       {Path: "/x", DeveloperMode: true},
		`{"extensions":{"settings":{"` + id + `":{"path":"/x","state":0,"disable_reasons":1}}}}`:                       {Path: "/x", Disabled: true, DeveloperMode: true},
		`{"extensions":{"settings":{"` + id + `":{"path":"/x","disable_reasons":[1]}},"ui":{"developer_mode":false}}}`: {Path: "/x", Disabled: true},
		`{"extensions":{"settings":{"` + id + `":{"state":0}}}}`:                                                       nil,
		`{"extensions":{"settings":{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":{"path":"/x"}}}}`:                               nil,
		`{"extensions":{"settings":[]}}`:                                                                               nil, `{`: nil, ``: nil,
	} {
		dir := t.TempDir()
		script(t, filepath.Join(dir, "Profile 1", "Preferences"), text)
		script(t, filepath.Join(dir, "Crash Reports", "x"), "")
		found, profiles := browsers.Extensions(dir, id)
		if profiles != 1 || len(found) != map[bool]int{true: 0, false: 1}[want == nil] {
			t.Errorf("%s: %+v of %d", text, found, profiles)
			continue
		}
		if want != nil {
			want.Profile = filepath.Join(dir, "Profile 1")
			if found[0] != *want {
				t.Errorf("%s: %+v", text, found[0])
			}
		}
	}
}

func FuzzExtensions(f *testing.F) {
	// Ensure that a profile's file of any content is read without a panic and without an extension that has no place.
	f.Add([]byte(`{"extensions":{"settings":{"` + id + `":{"path":"/x","disable_reasons":[1]}},"ui":{"developer_mode":false}}}`))
	f.Add([]byte(`{"extensions":{"settings":{"` + id + `":null},"ui":null}}`))
	dir := f.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "Default"), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, "Default", "Preferences"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		found, _ := browsers.Extensions(dir, id)
		for _, x := range found {
			if x.Path == "" {
				t.Errorf("%q gave %+v", text, x)
			}
		}
	})
}
