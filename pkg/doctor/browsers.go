package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browsers"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/install"
)

// browser is any browser's program.
func (e *examiner) browser() []Hop {
	var free, caged []string
	for _, b := range e.o.Platform.Installed(e.o.Browsers) {
		p, _ := e.o.Platform.Program(b)
		if p.Sandbox == "" {
			free = append(free, b.Label)
		} else {
			caged = append(caged, fmt.Sprintf("%s (a %s)", b.Label, p.Sandbox))
		}
	}
	switch {
	case len(free) > 0:
		message := strings.Join(free, ", ")
		if len(caged) > 0 {
			message += "; not usable: " + strings.Join(caged, ", ")
		}
		return one(Hop{Status: OK, Message: "on this machine: " + message})
	case e.connectedTo():
		return one(Hop{Status: OK, Message: "one is connected"})
	case len(caged) > 0:
		return one(Hop{
			Status: Broken, Message: "the sandbox lets the browser start no other program: " + strings.Join(caged, ", "),
			Fix: "Install the browser as a package of your distribution or of its maker.",
		})
	}
	return one(Hop{Status: Broken, Message: "no Chromium browser is on this machine", Fix: "Install Chromium, Chrome, Edge, Brave or Vivaldi."})
}

// browsers goes through the browsers one by one: whose manifest starts this
// program, and for those how far the chain reaches.
func (e *examiner) browsers() {
	if e.broken != "" {
		for _, name := range []string{HopManifest, HopPolicies, HopRunning, HopExtension, HopWorker, HopPort, HopPing} {
			e.skip(Hop{Name: name})
		}
		return
	}
	record, err := install.ReadRecord()
	if err != nil {
		f := fault.From(err)
		e.add(Hop{Name: HopManifest, Status: Broken, Message: f.Message, Fix: f.NextStep})
	}
	e.record = record
	var used []browsers.Browser
	var found []Hop
	for _, b := range e.o.Browsers {
		hops, set := e.manifest(b)
		if set {
			used = append(used, b)
		}
		found = append(found, hops...)
	}
	if len(used) == 0 && !e.connectedTo() && e.broken == "" {
		e.add(Hop{
			Name: HopManifest, Status: Broken, Message: "no browser knows this program",
			Fix: "actions-host install --browser " + orName(e.o.Platform.Installed(e.o.Browsers)) + ", or actions-host launch for a browser of its own",
		})
	}
	for _, h := range found {
		e.add(h)
	}
	e.policies(used)
	if !e.connectedTo() || len(used) > 0 {
		e.runs(used)
	}
}

// orName is the only browser's name, or what stands for one.
func orName(all []browsers.Browser) string {
	if len(all) == 1 {
		return all[0].Name
	}
	return "NAME"
}

// manifest returns what the browser starts as this host, and who else is let in;
// set reports whether it is set up for the host at all.
func (e *examiner) manifest(b browsers.Browser) (hops []Hop, set bool) {
	_, recorded := e.record.Browsers[b.Name]
	_, installed := e.o.Platform.Program(b)
	repair := func() (string, error) {
		w, err := install.Register(e.o.Platform, b, e.o.Program)
		return "wrote " + strings.Join(w.Files, ", "), err
	}
	again := "actions-host install --browser " + b.Name
	for _, place := range install.Places(e.o.Platform, b) {
		m, err := install.ReadManifest(place.File)
		if errors.Is(err, fs.ErrNotExist) && place.Key == "" {
			continue
		}
		h := Hop{Name: HopManifest, Browser: b.Name, Status: Broken, Fix: again}
		if m.Ours() && !place.System {
			h.repair = repair
		}
		switch {
		case err != nil:
			h.Message = fmt.Sprintf("%s: %s is not readable: %s", b.Label, place.File, fault.From(err).Message)
			h.Fix = "Remove that file, then " + again
		case m.Path != e.o.Program && !m.Ours():
			h.Name, h.Message = HopClaims, fmt.Sprintf("%s: another program claims the name %s: %s starts %s", b.Label, manifest.HostName, place.File, cmp.Or(m.Path, "nothing"))
			h.Fix = "If you do not need that program, remove " + place.File + ", then " + again
		case m.Path != e.o.Program:
			h.Message = fmt.Sprintf("%s: %s starts another program: %s", b.Label, place.File, m.Path)
			if _, err := os.Stat(m.Path); err != nil {
				h.Message += ", which is not there"
			}
		case !m.Admits():
			h.Message = fmt.Sprintf("%s: %s does not let the extension %s in", b.Label, place.File, manifest.ExtensionID)
		case m.Name != manifest.HostName || m.Type != "stdio":
			h.Message = fmt.Sprintf("%s: %s is not the manifest of a native messaging host named %s", b.Label, place.File, manifest.HostName)
		default:
			h.Status, h.Message, h.Fix, h.repair = OK, b.Label+": "+place.File, "", nil
		}
		// A connected browser has its way to the host; this one is not in it.
		if h.Status == Broken && e.connectedTo() {
			h.Status = Warning
		}
		return append([]Hop{h}, e.claims(b)...), true
	}
	switch {
	case recorded:
		h := Hop{Name: HopManifest, Browser: b.Name, Status: Broken, Message: b.Label + ": the manifest that was installed is missing", Fix: again, repair: repair}
		return append([]Hop{h}, e.claims(b)...), true
	case installed:
		return []Hop{{Name: HopManifest, Browser: b.Name, Status: Skipped, Message: b.Label + ": not set up (" + again + ")"}}, false
	}
	return nil, false
}

// claims finds other hosts that let the extension in.
func (e *examiner) claims(b browsers.Browser) []Hop {
	var hops []Hop
	for _, file := range install.Neighbours(e.o.Platform, b) {
		m, err := install.ReadManifest(file)
		if err != nil || !m.Admits() {
			continue
		}
		hops = append(hops, Hop{
			Name: HopClaims, Browser: b.Name, Status: Warning,
			Message: fmt.Sprintf("%s: another program, %s (%s), lets the extension in", b.Label, m.Path, file),
			Fix:     "The extension talks to " + manifest.HostName + " only. Remove that file if you do not know the program.",
		})
	}
	return hops
}
