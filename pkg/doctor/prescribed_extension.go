package doctor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/install"
)

// Installation modes: of an extension that must not be there, and of one that
// the browser gets by itself.
const (
	blocked = "blocked"
	forced  = "force_installed"
)

// isExtension tells whether an entry of ExtensionInstallForcelist means the
// extension; an address may follow the id.
func isExtension(entry string) bool {
	id, _, _ := strings.Cut(entry, ";")
	return id == manifest.ExtensionID
}

// extensionObjections finds what stands in the way of the extension.
// ExtensionSettings goes before the single policies, and what it says of the
// extension before what it says of all ("*").
func (p prescribed) extensionObjections(extension install.Folder) []objection {
	const id = manifest.ExtensionID
	var found []objection
	add := func(w weight, message, ask string) { found = append(found, objection{w, message, ask}) }
	settings := p.object("ExtensionSettings")
	all, own := settings.object("*"), settings.of(id)
	found = append(found, p.modeObjections(all, own)...)
	types := all.list("allowed_types")
	if all["allowed_types"] == nil {
		types = p.list("ExtensionAllowedTypes")
	}
	if len(types) > 0 && !slices.Contains(types, "extension") {
		add(forbids, "the allowed types of extensions leave out those of the type extension", "add extension to ExtensionAllowedTypes and to allowed_types in ExtensionSettings")
	}
	if need := own.text("minimum_version_required"); extension.Version != "" && older(extension.Version, need) {
		add(forbids, "ExtensionSettings demands version "+need+" of the extension, this is "+extension.Version, "lower minimum_version_required of "+id+", or update Actions Host")
	}
	// What is said of all holds for an extension that nothing is said of.
	if own == nil && p.listing() == "" {
		own = all
	}
	var denied []string
	for _, permission := range own.list("blocked_permissions") {
		if slices.Contains(extension.Permissions, permission) && !slices.Contains(own.list("allowed_permissions"), permission) {
			denied = append(denied, permission)
		}
	}
	if len(denied) > 0 {
		add(forbids, "ExtensionSettings blocks permissions that the extension cannot be without: "+strings.Join(denied, ", "), "give "+id+" an entry of its own in ExtensionSettings that does not block them")
	}
	if hosts := own.list("runtime_blocked_hosts"); len(hosts) > 0 {
		add(limits, "ExtensionSettings keeps the extension from the pages of "+some(hosts), "add those that you need to runtime_allowed_hosts of "+id)
	}
	return found
}

// modeObjections finds what keeps the extension from being installed, or only
// from being loaded from a folder.
func (p prescribed) modeObjections(all, own prescribed) []objection {
	const id = manifest.ExtensionID
	general, generalBy := all.text("installation_mode"), "ExtensionSettings"
	if general == "" && slices.Contains(p.list("ExtensionInstallBlocklist"), "*") {
		general, generalBy = blocked, "ExtensionInstallBlocklist"
	}
	mode, by := general, generalBy
	if listing := p.listing(); listing != "" {
		mode, by = listing, "ExtensionInstallBlocklist"
	}
	if set := own.text("installation_mode"); set != "" {
		mode, by = set, "ExtensionSettings"
	}
	free := map[string]string{
		"ExtensionSettings":         `set installation_mode to allowed in ExtensionSettings, for ` + id + ` and for "*"`,
		"ExtensionInstallBlocklist": `take ` + id + ` and "*" out of ExtensionInstallBlocklist`,
	}
	switch {
	case mode == blocked || mode == "removed":
		return []objection{{forbids, by + " forbids the extension", free[by]}}
	case mode == forced || mode == "normal_installed":
		// The browser gets it by itself.
	case general == blocked || general == "removed":
		return []objection{{loading, generalBy + " forbids to load or reload any extension from a folder, even one whose id is allowed", free[generalBy]}}
	}
	return nil
}

// listing is the installation mode that the single lists give the extension by
// its id; "" where it is in none.
func (p prescribed) listing() string {
	const id = manifest.ExtensionID
	switch {
	case slices.ContainsFunc(p.list("ExtensionInstallForcelist"), isExtension):
		return forced
	case slices.Contains(p.list("ExtensionInstallBlocklist"), id):
		return blocked
	case slices.Contains(p.list("ExtensionInstallAllowlist"), id):
		return "allowed"
	}
	return ""
}

// of gives what the settings say of the extension; a name may hold several ids.
func (p prescribed) of(id string) prescribed {
	for name := range p {
		for one := range strings.SplitSeq(name, ",") {
			if strings.TrimSpace(one) == id {
				return p.object(name)
			}
		}
	}
	return nil
}

// older tells whether a version lies before the other; one that is none does not.
func older(version, than string) bool {
	a, b := strings.Split(version, "."), strings.Split(than, ".")
	for i := range b {
		need, err := strconv.Atoi(b[i])
		if err != nil {
			return false
		}
		have := 0
		if i < len(a) {
			have, _ = strconv.Atoi(a[i])
		}
		if have != need {
			return have < need
		}
	}
	return false
}
