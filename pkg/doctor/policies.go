package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browsers"
	"github.com/actionsjson/actions-host/pkg/install"
)

// policies looks at what an administrator prescribes to the browsers: those that
// are set up, and those that could be, which are mentioned only if they could not.
func (e *examiner) policies(used []browsers.Browser) {
	if e.broken != "" {
		e.skip(Hop{Name: HopPolicies})
		return
	}
	var hops []Hop
	for _, b := range e.o.Browsers {
		_, set := browsers.Find(used, b.Name)
		_, installed := e.o.Platform.Program(b)
		if !set && !installed {
			continue
		}
		h := e.policiesOf(b)
		if !set {
			if h.Status != Broken {
				continue
			}
			h.Status = Warning
		}
		hops = append(hops, h)
	}
	for _, h := range hops {
		e.add(h)
	}
}

func (e *examiner) policiesOf(b browsers.Browser) Hop {
	page := strings.Replace(b.Extensions, "extensions", "policy", 1)
	h := Hop{Name: HopPolicies, Browser: b.Name, Status: OK}
	p, known := e.o.Platform.Policies(b)
	if !known {
		h.Status, h.Message = Skipped, fmt.Sprintf("%s: an administrator's policies cannot be seen on this system; %s shows them", b.Label, page)
		return h
	}
	loaded := e.loadedAs(b)
	extension := e.extensionFolder(loaded)
	system, copyTo := e.copyOfManifest(b)
	var messages, asks []string
	for _, o := range adminPolicies(p.Values).conflicts(extension, system, copyTo) {
		messages, asks = append(messages, o.message), append(asks, o.ask)
		switch {
		case o.severity == blocksHost, o.severity == blocksLoading && loaded == nil:
			h.Status = Broken
		case h.Status == OK:
			h.Status = Warning
		}
	}
	// A connected browser proves that there is a way.
	if h.Status == Broken && e.connectedTo() {
		h.Status = Warning
	}
	switch {
	case len(asks) > 0:
		h.Message = b.Label + ": " + strings.Join(messages, "; ")
		h.Fix = fmt.Sprintf("Ask the administrator (the policies are in %s) to %s. Then restart the browser; %s shows what holds.", p.Place, strings.Join(asks, "; to "), page)
	case len(p.Unread) == 0:
		h.Message = fmt.Sprintf("%s: none in %s stands in the way; those of an account show in %s", b.Label, p.Place, page)
	}
	if len(p.Unread) > 0 {
		if h.Status == OK {
			h.Status = Warning
		}
		h.Message = cmp.Or(h.Message, b.Label+": not all policies were understood") + "; " + strings.Join(p.Unread, "; ")
		h.Fix = cmp.Or(h.Fix, page+" shows what the browser made of them.")
	}
	return h
}

// loadedAs is the extension as one of the browser's profiles has it on; nil
// where none has.
func (e *examiner) loadedAs(b browsers.Browser) *browsers.Extension {
	found, _ := browsers.Extensions(e.o.Platform.Profiles(b), manifest.ExtensionID)
	on := slices.IndexFunc(found, func(x browsers.Extension) bool { return !x.Disabled })
	if on < 0 {
		return nil
	}
	return &found[on]
}

// extensionFolder is the extension that the browser has or would get.
func (e *examiner) extensionFolder(loaded *browsers.Extension) install.Folder {
	folders := []string{install.ExtensionPath(), e.o.Extension}
	if loaded != nil {
		folders = slices.Insert(folders, 0, loaded.Path)
	}
	for _, folder := range folders {
		if f, err := install.ReadExtension(folder); err == nil {
			return f
		}
	}
	return install.Folder{}
}

// copyOfManifest is where a manifest for all users lies, and whether one there
// names this program.
func (e *examiner) copyOfManifest(b browsers.Browser) (system bool, copyTo string) {
	for _, place := range install.Places(e.o.Platform, b) {
		m, err := install.ReadManifest(place.File)
		system = system || place.System && err == nil && m.Path == e.o.Program && m.Admits()
	}
	if folders := e.o.Platform.SystemManifests(b); len(folders) > 0 {
		return system, folders[0]
	}
	return system, `HKLM\` + b.Registry[0]
}
