package doctor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/install"
)

// Installation modes: of a forbidden extension, and of one that the browser installs
// by itself.
const (
	blocked = "blocked"
	forced  = "force_installed"
)

// isExtension reports whether an entry of ExtensionInstallForcelist is for this
// extension; an address may follow the ID.
func isExtension(entry string) bool {
	id, _, _ := strings.Cut(entry, ";")
	return id == manifest.ExtensionID
}

// extensionConflicts returns the policies that hinder the extension.
// ExtensionSettings overrides the single policies, and its entry for the extension
// overrides that for all ("*").
func (p adminPolicies) extensionConflicts(extension install.Folder) []conflict {
	const id = manifest.ExtensionID
	var found []conflict
	add := func(s severity, message, ask string) { found = append(found, conflict{s, message, ask}) }
	settings := p.object("ExtensionSettings")
	all, own := settings.object("*"), settings.forExtension(id)
	found = append(found, p.modeConflicts(all, own)...)
	types := all.list("allowed_types")
	if all["allowed_types"] == nil {
		types = p.list("ExtensionAllowedTypes")
	}
	if len(types) > 0 && !slices.Contains(types, "extension") {
		add(blocksHost, "the allowed types of extensions leave out those of the type extension", "add extension to ExtensionAllowedTypes and to allowed_types in ExtensionSettings")
	}
	if need := own.text("minimum_version_required"); extension.Version != "" && older(extension.Version, need) {
		add(blocksHost, "ExtensionSettings demands version "+need+" of the extension, this is "+extension.Version, "lower minimum_version_required of "+id+", or update Actions Host")
	}
	// The entry for all applies to an extension without one of its own.
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
		add(blocksHost, "ExtensionSettings blocks permissions that the extension cannot be without: "+strings.Join(denied, ", "), "give "+id+" an entry of its own in ExtensionSettings that does not block them")
	}
	if hosts := own.list("runtime_blocked_hosts"); len(hosts) > 0 {
		add(limitsFeatures, "ExtensionSettings keeps the extension from the pages of "+joinLimited(hosts), "add those that you need to runtime_allowed_hosts of "+id)
	}
	return found
}

// modeConflicts returns the policies that forbid the extension, or only loading it
// from a folder.
func (p adminPolicies) modeConflicts(all, own adminPolicies) []conflict {
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
		return []conflict{{blocksHost, by + " forbids the extension", free[by]}}
	case mode == forced || mode == "normal_installed":
		// The browser installs it by itself.
	case general == blocked || general == "removed":
		return []conflict{{blocksLoading, generalBy + " forbids to load or reload any extension from a folder, even one whose id is allowed", free[generalBy]}}
	}
	return nil
}

// listing is the installation mode that the single lists give the extension by
// its id; "" where it is in none.
func (p adminPolicies) listing() string {
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

// forExtension returns the settings of the extension; a name may hold several IDs.
func (p adminPolicies) forExtension(id string) adminPolicies {
	for name := range p {
		for one := range strings.SplitSeq(name, ",") {
			if strings.TrimSpace(one) == id {
				return p.object(name)
			}
		}
	}
	return nil
}

// older reports whether the first version precedes the second; false if either is invalid.
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
