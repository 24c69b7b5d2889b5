package doctor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/install"
)

// severity is how much a policy hinders the host.
type severity int

// A policy that limits features leaves the host working. One that blocks loading
// matters only where the extension is not loaded yet.
const (
	limitsFeatures severity = iota
	blocksLoading
	blocksHost
)

// conflict is a policy that hinders the host, with the request to the administrator.
type conflict struct {
	severity     severity
	message, ask string
}

// adminPolicies are the enterprise policies of a browser by name.
type adminPolicies map[string]any

// list returns the strings of a list; a browser ignores other members.
func (p adminPolicies) list(name string) []string {
	members, _ := p[name].([]any)
	var texts []string
	for _, m := range members {
		if text, ok := m.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func (p adminPolicies) object(name string) adminPolicies {
	object, _ := p[name].(map[string]any)
	return object
}

func (p adminPolicies) text(name string) string {
	text, _ := p[name].(string)
	return text
}

// conflicts returns the policies that hinder the host or the extension. system reports whether a manifest for all users names this program,
// copyTo where it would have to be for that.
func (p adminPolicies) conflicts(extension install.Folder, system bool, copyTo string) []conflict {
	var found []conflict
	add := func(s severity, message, ask string) { found = append(found, conflict{s, message, ask}) }
	// The allowlist takes precedence; "*" has no meaning in it.
	if covers(p.list("NativeMessagingBlocklist"), manifest.HostName) && !slices.Contains(p.list("NativeMessagingAllowlist"), manifest.HostName) {
		add(blocksHost, "NativeMessagingBlocklist forbids the browser to start this program", "add "+manifest.HostName+" to NativeMessagingAllowlist")
	}
	if p["NativeMessagingUserLevelHosts"] == false && !system {
		add(blocksHost, "NativeMessagingUserLevelHosts lets the browser start only what is installed for all users",
			"set NativeMessagingUserLevelHosts to true, or to copy the manifest to "+copyTo)
	}
	found = append(found, p.extensionConflicts(extension)...)
	found = append(found, p.developerConflicts()...)
	if p["RemoteDebuggingAllowed"] == false {
		add(limitsFeatures, "RemoteDebuggingAllowed keeps actions-host launch from working", "set RemoteDebuggingAllowed to true if you need it")
	}
	return found
}

// developerConflicts returns the policies that block Developer mode, which loading an
// extension from a folder needs, or the debugger.
func (p adminPolicies) developerConflicts() []conflict {
	var found []conflict
	add := func(s severity, message, ask string) { found = append(found, conflict{s, message, ask}) }
	none, mode := p["DeveloperToolsAvailability"] == float64(2), p["ExtensionDeveloperModeSettings"]
	if mode == float64(1) || none && mode != float64(0) {
		by := "ExtensionDeveloperModeSettings"
		if mode != float64(1) {
			by = "DeveloperToolsAvailability"
		}
		add(blocksLoading, by+" keeps Developer mode off, without which the extension cannot be loaded", "set ExtensionDeveloperModeSettings to 0")
	}
	only, never := p.list("DeveloperToolsAvailabilityAllowlist"), p.list("DeveloperToolsAvailabilityBlocklist")
	switch {
	case len(only) > 0 && (none || len(never) == 0):
		add(limitsFeatures, "DeveloperToolsAvailabilityAllowlist lets extensions use the debugger only for "+joinLimited(only)+", and what needs it fails elsewhere", "add the pages that you need to that list")
	case none:
		add(limitsFeatures, "DeveloperToolsAvailability keeps extensions from the debugger, so that what needs it fails, and so does actions-host launch", "set DeveloperToolsAvailability to 0 or 1")
	}
	if len(never) > 0 {
		add(limitsFeatures, "DeveloperToolsAvailabilityBlocklist keeps extensions from the debugger for "+joinLimited(never)+", and what needs it fails there", "take the pages that you need out of that list")
	}
	return found
}

// covers reports whether a list has the name or "*".
func covers(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, "*")
}

// shownHosts is how many hosts a message names.
const shownHosts = 5

func joinLimited(list []string) string {
	if len(list) > shownHosts {
		list = append(slices.Clone(list[:shownHosts]), "and "+strconv.Itoa(len(list)-shownHosts)+" more")
	}
	return strings.Join(list, ", ")
}
