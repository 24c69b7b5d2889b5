package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/browsers"
)

// platform has the program of Chromium, and these policies for it.
func platform(t *testing.T, system, policies string) browsers.Platform {
	t.Helper()
	m := browsers.Platform{OS: system, Home: t.TempDir(), Root: t.TempDir()}
	t.Setenv("ACTIONS_HOST_HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	for name, text := range map[string]string{
		filepath.Join(os.Getenv("PATH"), "chromium"):                         "#!/bin/sh\n",
		filepath.Join(m.Root, "etc", "chromium", "policies", "managed", "x"): policies,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestPoliciesHop(t *testing.T) {
	// Ensure that policies break the chain of a browser that is set up only, that one which could be set up is mentioned when they are in its way, and that a system whose policies cannot be seen is said to be one.
	all, err := browsers.All()
	if err != nil {
		t.Fatal(err)
	}
	chromium, _ := browsers.Find(all, "chromium")
	const blocking = `{"NativeMessagingBlocklist":["*"],"ExtensionSettings":{"*":{"runtime_blocked_hosts":["*://a.example"]}}}`
	for name, row := range map[string]struct {
		system, policies string
		used             []browsers.Browser
		status           Status
		says             string
	}{
		"set up":               {"linux", blocking, []browsers.Browser{chromium}, Broken, "Chromium: NativeMessagingBlocklist forbids the browser to start this program; ExtensionSettings keeps"},
		"not set up":           {"linux", blocking, nil, Warning, "to add com.actionsjson.host to NativeMessagingAllowlist; to add those"},
		"set up and free":      {"linux", `{}`, []browsers.Browser{chromium}, OK, "chrome://policy"},
		"not set up and free":  {"linux", `{}`, nil, "", ""},
		"not understood":       {"linux", `{`, []browsers.Browser{chromium}, Warning, "managed/x is no JSON object"},
		"not all understood":   {"linux", `[]`, nil, "", ""},
		"on a system apart":    {"darwin", blocking, []browsers.Browser{chromium}, Skipped, "cannot be seen on this system"},
		"not set up, as apart": {"darwin", blocking, nil, "", ""},
	} {
		e := &examiner{o: Options{Platform: platform(t, row.system, row.policies), Browsers: all}}
		e.policies(row.used)
		switch {
		case row.status == "":
			if len(e.hops) > 0 {
				t.Errorf("%s: %+v", name, e.hops)
			}
		case len(e.hops) != 1 || e.hops[0].Status != row.status || !strings.Contains(e.hops[0].Message+e.hops[0].Fix, row.says):
			t.Errorf("%s: %+v", name, e.hops)
		case (e.broken == HopPolicies) != (row.status == Broken):
			t.Errorf("%s: broken is %q", name, e.broken)
		}
	}
}
