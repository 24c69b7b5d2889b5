package doctor

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/install"
)

func TestObjections(t *testing.T) {
	// Ensure that exactly the policies that are in the way are named, with their weight and what to ask for, by the precedence of the browser; the rows stand for what Chromium 156 was seen to do.
	const host, id = manifest.HostName, manifest.ExtensionID
	for policies, want := range map[string][]conflict{
		`{}`: nil,
		`{"HomepageLocation":"https://a.example"}`: nil,

		`{"NativeMessagingBlocklist":["*"]}`:                                                            {{blocksHost, "NativeMessagingBlocklist", "add " + host}},
		`{"NativeMessagingBlocklist":["` + host + `"]}`:                                                 {{blocksHost, "NativeMessagingBlocklist", "add " + host}},
		`{"NativeMessagingBlocklist":["org.other"]}`:                                                    nil,
		`{"NativeMessagingBlocklist":"*"}`:                                                              nil,
		`{"NativeMessagingBlocklist":["*",5]}`:                                                          {{blocksHost, "NativeMessagingBlocklist", "add " + host}},
		`{"NativeMessagingBlocklist":["*","` + host + `"],"NativeMessagingAllowlist":["` + host + `"]}`: nil,
		`{"NativeMessagingBlocklist":["` + host + `"],"NativeMessagingAllowlist":["*"]}`:                {{blocksHost, "NativeMessagingBlocklist", "add " + host}},
		`{"NativeMessagingUserLevelHosts":false}`:                                                       {{blocksHost, "NativeMessagingUserLevelHosts", "copy the manifest to /for/all"}},
		`{"NativeMessagingUserLevelHosts":true}`:                                                        nil,
		`{"NativeMessagingUserLevelHosts":0}`:                                                           nil,

		`{"ExtensionInstallBlocklist":["*"]}`:                                                                {{blocksHost, "ExtensionInstallBlocklist forbids the extension", `take ` + id + ` and "*" out`}},
		`{"ExtensionInstallBlocklist":["*"],"ExtensionInstallAllowlist":["` + id + `"]}`:                     {{blocksLoading, "ExtensionInstallBlocklist forbids to load", `"*" out`}},
		`{"ExtensionInstallBlocklist":["` + id + `"],"ExtensionInstallAllowlist":["` + id + `"]}`:            {{blocksHost, "ExtensionInstallBlocklist forbids the extension", id}},
		`{"ExtensionInstallBlocklist":["*"],"ExtensionSettings":{"*":{"installation_mode":"allowed"}}}`:      nil,
		`{"ExtensionInstallBlocklist":["*"],"ExtensionInstallForcelist":["` + id + `;https://a.example/x"]}`: nil,

		`{"ExtensionSettings":{"*":{"installation_mode":"blocked"}}}`:                                                                                         {{blocksHost, "ExtensionSettings forbids the extension", "installation_mode to allowed"}},
		`{"ExtensionSettings":{"` + id + `":{"installation_mode":"removed"}}}`:                                                                                {{blocksHost, "ExtensionSettings forbids the extension", id}},
		`{"ExtensionSettings":{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, ` + id + `":{"installation_mode":"blocked"}}}`:                                              {{blocksHost, "ExtensionSettings forbids the extension", id}},
		`{"ExtensionSettings":{"*":{"installation_mode":"blocked"},"` + id + `":{"toolbar_pin":"force_pinned"}}}`:                                             {{blocksHost, "ExtensionSettings forbids the extension", id}},
		`{"ExtensionSettings":{"*":{"installation_mode":"blocked"},"` + id + `":{"installation_mode":"allowed"}}}`:                                            {{blocksLoading, "ExtensionSettings forbids to load", `"*"`}},
		`{"ExtensionSettings":{"*":{"installation_mode":"blocked"}},"ExtensionInstallAllowlist":["` + id + `"]}`:                                              {{blocksLoading, "ExtensionSettings forbids to load", `"*"`}},
		`{"ExtensionSettings":{"*":{"installation_mode":"blocked"},"` + id + `":{"installation_mode":"force_installed","update_url":"https://a.example/x"}}}`: nil,
		`{"ExtensionSettings":[]}`: nil,

		`{"ExtensionSettings":{"*":{"blocked_permissions":["downloads","debugger","nativeMessaging"]}}}`:               {{blocksHost, "debugger, nativeMessaging", id}},
		`{"ExtensionSettings":{"*":{"blocked_permissions":["downloads"]}}}`:                                            nil,
		`{"ExtensionSettings":{"*":{"blocked_permissions":["debugger"]},"` + id + `":{}}}`:                             nil,
		`{"ExtensionSettings":{"*":{"blocked_permissions":["debugger"]}},"ExtensionInstallAllowlist":["` + id + `"]}`:  nil,
		`{"ExtensionSettings":{"` + id + `":{"blocked_permissions":["debugger"],"allowed_permissions":["debugger"]}}}`: nil,
		`{"ExtensionSettings":{"*":{"runtime_blocked_hosts":["*://a.example","*://b.example"]}}}`:                      {{limitsFeatures, "*://a.example, *://b.example", "runtime_allowed_hosts of " + id}},
		`{"ExtensionSettings":{"*":{"runtime_blocked_hosts":["1","2","3","4","5","6","7"]}}}`:                          {{limitsFeatures, "5, and 2 more", "runtime_allowed_hosts"}},
		`{"ExtensionSettings":{"*":{"runtime_blocked_hosts":["*://*"]},"` + id + `":{}}}`:                              nil,
		`{"ExtensionSettings":{"` + id + `":{"minimum_version_required":"1.2"}}}`:                                      {{blocksHost, "version 1.2", "minimum_version_required"}},
		`{"ExtensionSettings":{"` + id + `":{"minimum_version_required":"1.1.0"}}}`:                                    nil,
		`{"ExtensionSettings":{"` + id + `":{"minimum_version_required":"x"}}}`:                                        nil,
		`{"ExtensionSettings":{"*":{"allowed_types":["theme"]}}}`:                                                      {{blocksHost, "types of extensions", "add extension"}},
		`{"ExtensionAllowedTypes":["theme","extension"]}`:                                                              nil,
		`{"ExtensionAllowedTypes":["theme"],"ExtensionSettings":{"*":{"allowed_types":["extension"]}}}`:                nil,
		`{"ExtensionInstallTypeBlocklist":["command_line"]}`:                                                           nil,

		`{"ExtensionDeveloperModeSettings":1}`: {{blocksLoading, "ExtensionDeveloperModeSettings", "to 0"}},
		`{"DeveloperToolsAvailability":2}`: {
			{blocksLoading, "DeveloperToolsAvailability keeps Developer mode off", "ExtensionDeveloperModeSettings to 0"}, {limitsFeatures, "debugger", "to 0 or 1"},
		},
		`{"DeveloperToolsAvailability":2,"ExtensionDeveloperModeSettings":0}`:                                                     {{limitsFeatures, "debugger", "to 0 or 1"}},
		`{"DeveloperToolsAvailability":2,"ExtensionDeveloperModeSettings":0,"DeveloperToolsAvailabilityAllowlist":["a.example"]}`: {{limitsFeatures, "only for a.example", "to that list"}},
		`{"DeveloperToolsAvailabilityAllowlist":["a.example"]}`:                                                                   {{limitsFeatures, "only for a.example", "to that list"}},
		`{"DeveloperToolsAvailabilityBlocklist":["*"],"DeveloperToolsAvailabilityAllowlist":["a.example"]}`:                       {{limitsFeatures, "debugger for *", "out of that list"}},
		`{"DeveloperToolsAvailability":1}`:                                                                                        nil,
		`{"RemoteDebuggingAllowed":false}`:                                                                                        {{limitsFeatures, "RemoteDebuggingAllowed", "launch"}},
	} {
		var p adminPolicies
		if err := json.Unmarshal([]byte(policies), &p); err != nil {
			t.Fatal(err)
		}
		got := p.conflicts(install.Folder{Version: "1.1", Permissions: []string{"debugger", "nativeMessaging", "tabs"}}, false, "/for/all")
		if len(got) != len(want) {
			t.Errorf("%s: %+v", policies, got)
			continue
		}
		for i, w := range want {
			if g := got[i]; g.severity != w.severity || !strings.Contains(g.message, w.message) || !strings.Contains(g.ask, w.ask) && !strings.Contains(g.message, w.ask) {
				t.Errorf("%s: %+v, not %+v", policies, g, w)
			}
		}
	}
	if got := (adminPolicies{"NativeMessagingUserLevelHosts": false}).conflicts(install.Folder{}, true, ""); got != nil {
		t.Errorf("with a manifest for all users: %+v", got)
	}
}
