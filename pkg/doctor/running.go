package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browsers"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/install"
)

// runs follows the chain from the browsers that are set up to their hosts.
func (e *examiner) runs(used []browsers.Browser) {
	if e.broken != "" {
		for _, name := range []string{HopRunning, HopExtension, HopWorker, HopPort, HopPing} {
			e.skip(Hop{Name: name})
		}
		return
	}
	var labels []string
	anyRuns := e.connectedTo()
	for _, b := range used {
		labels = append(labels, b.Label)
		running, runs, known := e.o.Platform.Running(e.o.Platform.Profiles(b))
		switch {
		case e.connectedAs(b, running) != nil:
			// Its own hops follow.
		case runs:
			anyRuns = true
			e.add(Hop{Name: HopRunning, Browser: b.Name, Status: OK, Message: fmt.Sprintf("%s runs, pid %d", b.Label, running.PID)})
			e.loaded(b, running)
		case !known && !e.connectedTo():
			anyRuns = true
			e.add(Hop{Name: HopRunning, Browser: b.Name, Status: Skipped, Message: b.Label + ": whether it runs cannot be seen on this system"})
			e.loaded(b, browsers.Running{})
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

// start returns which browser to start; one that runs without being set up is
// more likely the one that is meant.
func (e *examiner) start(used []browsers.Browser) string {
	fix := "Start the browser, or run actions-host launch."
	for _, b := range e.o.Browsers {
		if _, set := browsers.Find(used, b.Name); set {
			continue
		}
		if _, runs, _ := e.o.Platform.Running(e.o.Platform.Profiles(b)); runs {
			fix += fmt.Sprintf(" %s runs, but is not set up: actions-host install --browser %s.", b.Label, b.Name)
		}
	}
	return fix
}

// connectedAs returns the client of the browser: of that process where it is
// known, else of that kind.
func (e *examiner) connectedAs(b browsers.Browser, running browsers.Running) *control.Client {
	for _, c := range e.clients {
		if running.PID != 0 && c.Status.BrowserPID == running.PID || running.PID == 0 && c.Status.Browser == b.Name {
			return c
		}
	}
	return nil
}

// loaded follows a running browser that no host answers for.
func (e *examiner) loaded(b browsers.Browser, running browsers.Running) {
	started := lastRun(running)
	e.add(e.extension(b, started))
	rest := []struct {
		name    string
		examine func() Hop
	}{
		{HopWorker, func() Hop { return worker(b, running, started) }},
		{HopPort, func() Hop { return port(started) }},
	}
	for _, r := range rest {
		if e.broken != "" {
			e.skip(Hop{Name: r.name, Browser: b.Name})
			continue
		}
		h := r.examine()
		h.Name, h.Browser = r.name, b.Name
		e.add(h)
	}
	if e.broken != "" {
		e.skip(Hop{Name: HopPing, Browser: b.Name})
	}
}

// extension is what the browser's profiles say of it, and what a host of this
// browser said of its version.
func (e *examiner) extension(b browsers.Browser, started *run) Hop {
	h := Hop{Name: HopExtension, Browser: b.Name, Status: Broken}
	if started != nil && started.code == "version_skew" {
		h.Message = started.refusal
		h.Fix = "Update the part that the message names: actions-host install --browser " + b.Name + " places this program's extension; then reload it in " + b.Extensions + "."
		return h
	}
	found, profiles := browsers.Extensions(e.o.Platform.Profiles(b), manifest.ExtensionID)
	var on []browsers.Extension
	for _, x := range found {
		if !x.Disabled {
			on = append(on, x)
		}
	}
	switch {
	case len(found) == 0 && started != nil:
		h.Status, h.Message = OK, "loaded: it started this program"
	case len(found) == 0:
		h.Message = fmt.Sprintf("%s: the extension is not loaded in any of %d profiles", b.Label, profiles)
		h.Fix = fmt.Sprintf("Open %s, switch on Developer mode, choose Load unpacked and select %s (actions-host install --browser %s places it there).",
			b.Extensions, install.ExtensionPath(), b.Name)
	case len(on) == 0 && !found[0].DeveloperMode:
		h.Message = b.Label + ": the extension is off, and so is Developer mode, without which it does not run"
		h.Fix = "Open " + b.Extensions + ", switch on Developer mode, then the extension."
	case len(on) == 0:
		h.Message = b.Label + ": the extension is loaded but switched off"
		h.Fix = "Open " + b.Extensions + " and switch it on."
	default:
		return e.folderOf(b, h, on[0])
	}
	return h
}

// folderOf looks at the folder that the browser loads the extension from.
func (e *examiner) folderOf(b browsers.Browser, h Hop, x browsers.Extension) Hop {
	folder, err := install.ReadExtension(x.Path)
	if err != nil {
		h.Message = fmt.Sprintf("%s: the extension was loaded from %s, where it is no more", b.Label, x.Path)
		h.Fix = fmt.Sprintf("Run actions-host install --browser %s, then choose Load unpacked in %s and select %s.", b.Name, b.Extensions, install.ExtensionPath())
		return h
	}
	h.Status = OK
	h.Message = fmt.Sprintf("version %s from %s, profile %s", folder.Version, x.Path, filepath.Base(x.Profile))
	if own, err := install.ReadExtension(e.o.Extension); err == nil && samePlace(x.Path, install.ExtensionPath()) && own.Hash != folder.Hash {
		h.Status = Warning
		h.Message += "; the one beside this program, version " + own.Version + ", is another"
		h.Fix = "actions-host doctor --fix places it; then reload the extension in " + b.Extensions + "."
		h.repair = func() (string, error) {
			placed, err := install.PlaceExtension(e.o.Extension)
			return fmt.Sprintf("placed the extension, version %s, in %s; reload it in %s", placed.Version, placed.Path, b.Extensions), err
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
func worker(b browsers.Browser, running browsers.Running, started *run) Hop {
	if started != nil {
		return Hop{Status: OK, Message: "it started this program at " + started.at.Format("15:04:05")}
	}
	return Hop{
		Status: Broken,
		Message: fmt.Sprintf("%s: the extension is on, but its worker has not started this program since the browser started%s",
			b.Label, sinceText(running)),
		Fix: "Open " + b.Extensions + ", press the extension's reload button, and look at its Errors. If nothing changes, restart the browser.",
	}
}

func sinceText(r browsers.Running) string {
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
