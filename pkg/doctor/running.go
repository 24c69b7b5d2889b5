package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browserapp"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/install"
)

// runs follows the chain from the browsers that are set up to their hosts.
func (e *examiner) runs(used []browserapp.Kind) {
	if e.broken != "" {
		for _, name := range []string{HopRunning, HopExtension, HopWorker, HopPort, HopPing} {
			e.skip(Hop{Name: name})
		}
		return
	}
	var labels []string
	anyRuns := e.connectedTo()
	for _, k := range used {
		labels = append(labels, k.Label)
		running, runs, known := e.o.Machine.Running(e.o.Machine.Profiles(k))
		switch {
		case e.connectedAs(k, running) != nil:
			// Its own hops follow.
		case runs:
			anyRuns = true
			e.add(Hop{Name: HopRunning, Browser: k.Name, Status: OK, Message: fmt.Sprintf("%s runs, pid %d", k.Label, running.PID)})
			e.loaded(k, running)
		case !known && !e.connectedTo():
			anyRuns = true
			e.add(Hop{Name: HopRunning, Browser: k.Name, Status: Skipped, Message: k.Label + ": whether it runs cannot be seen on this system"})
			e.loaded(k, browserapp.Running{})
		}
	}
	if !anyRuns {
		e.add(Hop{
			Name: HopRunning, Status: Broken, Message: strings.Join(labels, ", ") + ": not running", Fix: e.start(used),
		})
		for _, name := range []string{HopExtension, HopWorker, HopPort, HopPing} {
			e.skip(Hop{Name: name})
		}
	}
}

// start tells which browser to start; one that runs without being set up is
// more likely the one that is meant.
func (e *examiner) start(used []browserapp.Kind) string {
	fix := "Start the browser, or run actions-host launch."
	for _, k := range e.o.Kinds {
		if _, set := browserapp.Find(used, k.Name); set {
			continue
		}
		if _, runs, _ := e.o.Machine.Running(e.o.Machine.Profiles(k)); runs {
			fix += fmt.Sprintf(" %s runs, but is not set up: actions-host install --browser %s.", k.Label, k.Name)
		}
	}
	return fix
}

// connectedAs gives the client of the browser: of that process where it is
// known, else of that kind.
func (e *examiner) connectedAs(k browserapp.Kind, running browserapp.Running) *control.Client {
	for _, c := range e.clients {
		if running.PID != 0 && c.Status.BrowserPID == running.PID || running.PID == 0 && c.Status.Browser == k.Name {
			return c
		}
	}
	return nil
}

// loaded follows a running browser that no host answers for.
func (e *examiner) loaded(k browserapp.Kind, running browserapp.Running) {
	started := lastRun(running)
	e.add(e.extension(k, started))
	rest := []struct {
		name string
		look func() Hop
	}{
		{HopWorker, func() Hop { return worker(k, running, started) }},
		{HopPort, func() Hop { return port(started) }},
	}
	for _, r := range rest {
		if e.broken != "" {
			e.skip(Hop{Name: r.name, Browser: k.Name})
			continue
		}
		h := r.look()
		h.Name, h.Browser = r.name, k.Name
		e.add(h)
	}
	if e.broken != "" {
		e.skip(Hop{Name: HopPing, Browser: k.Name})
	}
}

// extension is what the browser's profiles say of it, and what a host of this
// browser said of its version.
func (e *examiner) extension(k browserapp.Kind, started *run) Hop {
	h := Hop{Name: HopExtension, Browser: k.Name, Status: Broken}
	if started != nil && started.code == "version_skew" {
		h.Message = started.refusal
		h.Fix = "Update the part that the message names: actions-host install --browser " + k.Name + " places this program's extension; then reload it in " + k.Extensions + "."
		return h
	}
	found, profiles := browserapp.Extensions(e.o.Machine.Profiles(k), manifest.ExtensionID)
	var on []browserapp.Extension
	for _, x := range found {
		if !x.Disabled {
			on = append(on, x)
		}
	}
	switch {
	case len(found) == 0 && started != nil:
		h.Status, h.Message = OK, "loaded: it started this program"
	case len(found) == 0:
		h.Message = fmt.Sprintf("%s: the extension is not loaded in any of %d profiles", k.Label, profiles)
		h.Fix = fmt.Sprintf("Open %s, switch on Developer mode, choose Load unpacked and select %s (actions-host install --browser %s places it there).",
			k.Extensions, install.ExtensionPath(), k.Name)
	case len(on) == 0 && !found[0].DeveloperMode:
		h.Message = k.Label + ": the extension is off, and so is Developer mode, without which it does not run"
		h.Fix = "Open " + k.Extensions + ", switch on Developer mode, then the extension."
	case len(on) == 0:
		h.Message = k.Label + ": the extension is loaded but switched off"
		h.Fix = "Open " + k.Extensions + " and switch it on."
	default:
		return e.folderOf(k, h, on[0])
	}
	return h
}

// folderOf looks at the folder that the browser loads the extension from.
func (e *examiner) folderOf(k browserapp.Kind, h Hop, x browserapp.Extension) Hop {
	folder, err := install.ReadExtension(x.Path)
	if err != nil {
		h.Message = fmt.Sprintf("%s: the extension was loaded from %s, where it is no more", k.Label, x.Path)
		h.Fix = fmt.Sprintf("Run actions-host install --browser %s, then choose Load unpacked in %s and select %s.", k.Name, k.Extensions, install.ExtensionPath())
		return h
	}
	h.Status = OK
	h.Message = fmt.Sprintf("version %s from %s, profile %s", folder.Version, x.Path, filepath.Base(x.Profile))
	if own, err := install.ReadExtension(e.o.Extension); err == nil && samePlace(x.Path, install.ExtensionPath()) && own.Hash != folder.Hash {
		h.Status = Warning
		h.Message += "; the one beside this program, version " + own.Version + ", is another"
		h.Fix = "actions-host doctor --fix places it; then reload the extension in " + k.Extensions + "."
		h.repair = func() (string, error) {
			placed, err := install.PlaceExtension(e.o.Extension)
			return fmt.Sprintf("placed the extension, version %s, in %s; reload it in %s", placed.Version, placed.Path, k.Extensions), err
		}
	}
	return h
}

func samePlace(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// worker is whether the extension's worker ever started this program.
func worker(k browserapp.Kind, running browserapp.Running, started *run) Hop {
	if started != nil {
		return Hop{Status: OK, Message: "it started this program at " + started.at.Format("15:04:05")}
	}
	return Hop{
		Status: Broken,
		Message: fmt.Sprintf("%s: the extension is on, but its worker has not started this program since the browser started%s",
			k.Label, sinceText(running)),
		Fix: "Open " + k.Extensions + ", press the extension's reload button, and look at its Errors. If nothing changes, restart the browser.",
	}
}

func sinceText(r browserapp.Running) string {
	if r.Since.IsZero() {
		return ""
	}
	return " at " + r.Since.Format("15:04:05")
}

// port is how the last run of this program for the browser ended.
func port(started *run) Hop {
	h := Hop{Status: Broken, Fix: "The extension's popup says what it misses; " + logFile() + " has what the host said. Restart the browser."}
	switch {
	case started.refusal != "":
		h.Message = "the host refused the extension: " + started.refusal
	case started.ready:
		h.Message = fmt.Sprintf("the host (pid %d) was connected and has ended or does not answer", started.pid)
	default:
		h.Message = fmt.Sprintf("the host (pid %d) was started and did not get ready", started.pid)
	}
	return h
}
