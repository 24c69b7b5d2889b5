package doctor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/install"
)

// weight is how much a policy stands in the way.
type weight int

// A policy that limits leaves the host working, for less than it could do. One
// that is about loading matters only where the extension is not loaded yet.
const (
	limits weight = iota
	loading
	forbids
)

// objection is a policy that stands in the way, and what the administrator is
// asked for.
type objection struct {
	weight       weight
	message, ask string
}

// prescribed is what an administrator prescribes to a browser.
type prescribed map[string]any

// list gives the texts of a list; a browser passes over what else is in it.
func (p prescribed) list(name string) []string {
	members, _ := p[name].([]any)
	var texts []string
	for _, m := range members {
		if text, ok := m.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func (p prescribed) object(name string) prescribed {
	object, _ := p[name].(map[string]any)
	return object
}

func (p prescribed) text(name string) string {
	text, _ := p[name].(string)
	return text
}

// objections finds the policies that stand in the way of the host and of the
// extension. system tells whether a manifest for all users names this program,
// copyTo where else it would have to lie.
func (p prescribed) objections(extension install.Folder, system bool, copyTo string) []objection {
	var found []objection
	add := func(w weight, message, ask string) { found = append(found, objection{w, message, ask}) }
	// The list of those allowed goes before; "*" means nothing in it.
	if names(p.list("NativeMessagingBlocklist"), manifest.HostName) && !slices.Contains(p.list("NativeMessagingAllowlist"), manifest.HostName) {
		add(forbids, "NativeMessagingBlocklist forbids the browser to start this program", "add "+manifest.HostName+" to NativeMessagingAllowlist")
	}
	if p["NativeMessagingUserLevelHosts"] == false && !system {
		add(forbids, "NativeMessagingUserLevelHosts lets the browser start only what is installed for all users",
			"set NativeMessagingUserLevelHosts to true, or to copy the manifest to "+copyTo)
	}
	found = append(found, p.extensionObjections(extension)...)
	found = append(found, p.developerObjections()...)
	if p["RemoteDebuggingAllowed"] == false {
		add(limits, "RemoteDebuggingAllowed keeps actions-host launch from working", "set RemoteDebuggingAllowed to true if you need it")
	}
	return found
}

// developerObjections finds what stands in the way of what is for developers:
// Developer mode, which a folder's extension is loaded with, and the debugger.
func (p prescribed) developerObjections() []objection {
	var found []objection
	add := func(w weight, message, ask string) { found = append(found, objection{w, message, ask}) }
	none, mode := p["DeveloperToolsAvailability"] == float64(2), p["ExtensionDeveloperModeSettings"]
	if mode == float64(1) || none && mode != float64(0) {
		by := "ExtensionDeveloperModeSettings"
		if mode != float64(1) {
			by = "DeveloperToolsAvailability"
		}
		add(loading, by+" keeps Developer mode off, without which the extension cannot be loaded", "set ExtensionDeveloperModeSettings to 0")
	}
	only, never := p.list("DeveloperToolsAvailabilityAllowlist"), p.list("DeveloperToolsAvailabilityBlocklist")
	switch {
	case len(only) > 0 && (none || len(never) == 0):
		add(limits, "DeveloperToolsAvailabilityAllowlist lets extensions use the debugger only for "+some(only)+", and what needs it fails elsewhere", "add the pages that you need to that list")
	case none:
		add(limits, "DeveloperToolsAvailability keeps extensions from the debugger, so that what needs it fails, and so does actions-host launch", "set DeveloperToolsAvailability to 0 or 1")
	}
	if len(never) > 0 {
		add(limits, "DeveloperToolsAvailabilityBlocklist keeps extensions from the debugger for "+some(never)+", and what needs it fails there", "take the pages that you need out of that list")
	}
	return found
}

// names tells whether a list means the name.
func names(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, "*")
}

// shownHosts are enough to see which hosts are meant.
const shownHosts = 5

func some(list []string) string {
	if len(list) > shownHosts {
		list = append(slices.Clone(list[:shownHosts]), "and "+strconv.Itoa(len(list)-shownHosts)+" more")
	}
	return strings.Join(list, ", ")
}
