package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browserapp"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/install"
)

func (a *app) installCommand() *cobra.Command {
	var name, extension string
	cmd := &cobra.Command{
		Use: "install", Short: "Tell a browser where this program is", Args: cobra.NoArgs,
		Long: "Write the native messaging manifest of one browser, so that its extension can start\n" +
			"this program, and place the extension where the browser can load it. Every file that\n" +
			"is written is printed; uninstall removes exactly that.",
		RunE: func(*cobra.Command, []string) error {
			machine, kinds, err := thisMachine()
			if err != nil {
				return err
			}
			kind, err := installFor(machine, kinds, name)
			if err != nil {
				return err
			}
			if err := startable(machine, kind); err != nil {
				return err
			}
			self, err := ownPath()
			if err != nil {
				return err
			}
			source, err := extensionFolder(extension)
			if err != nil {
				return err
			}
			result, err := install.Install(machine, kind, self, source)
			if err != nil {
				return err
			}
			a.printInstalled(machine, kind, result)
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "browser", "", "chromium, chrome, edge, brave or vivaldi (default: the only one on this machine)")
	cmd.Flags().StringVar(&extension, "extension", "", "folder of the built extension (default: beside this program)")
	return cmd
}

// installFor gives the browser of that name, else the only one of the machine.
func installFor(m browserapp.Machine, kinds []browserapp.Kind, name string) (browserapp.Kind, error) {
	if name != "" {
		return namedBrowser(kinds, name)
	}
	switch found := m.Installed(kinds); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return browserapp.Kind{}, fmt.Errorf("no browser was found on this machine: name one with --browser (%s)", browserapp.Names(kinds))
	default:
		return browserapp.Kind{}, fmt.Errorf("several browsers are on this machine: name one with --browser (%s)", browserapp.Names(found))
	}
}

func namedBrowser(kinds []browserapp.Kind, name string) (browserapp.Kind, error) {
	if kind, ok := browserapp.Find(kinds, name); ok {
		return kind, nil
	}
	return browserapp.Kind{}, fmt.Errorf("there is no browser %q: use %s", name, browserapp.Names(kinds))
}

// startable refuses a browser whose sandbox lets it start no other program.
func startable(m browserapp.Machine, k browserapp.Kind) error {
	program, ok := m.Program(k)
	if !ok || program.Sandbox == "" {
		return nil
	}
	return fault.New(fault.CapabilityUnavailable, "%s is a %s here (%s), whose sandbox lets it start no program of yours; nothing was written",
		k.Label, program.Sandbox, program.Path).
		WithNextStep("Install the browser as a package of your distribution or of its maker, or use another browser.")
}

func (a *app) printInstalled(m browserapp.Machine, k browserapp.Kind, r install.Result) {
	var extensionFiles []string
	for _, name := range r.Extension.Files {
		extensionFiles = append(extensionFiles, filepath.Join(r.Extension.Path, filepath.FromSlash(name)))
	}
	if a.json {
		written := append(slices.Clone(r.Files), r.Record)
		if r.Copied {
			written = append(written, extensionFiles...)
		}
		a.printJSON(map[string]any{
			"ok": true, "browser": k.Name, "written": written, "registry": append([]string{}, r.Keys...), "program": r.Program,
			"extension": map[string]string{"path": r.Extension.Path, "version": r.Extension.Version},
		})
		return
	}
	for _, file := range r.Files {
		fmt.Fprintf(a.stdout, "✓ wrote %s\n", file)
	}
	for _, key := range r.Keys {
		fmt.Fprintf(a.stdout, "✓ wrote the registry key HKCU\\%s\n", key)
	}
	fmt.Fprintf(a.stdout, "  it starts %s for the extension %s\n", r.Program, manifest.ExtensionID)
	if r.Copied {
		for _, file := range extensionFiles {
			fmt.Fprintf(a.stdout, "✓ wrote %s\n", file)
		}
	} else {
		fmt.Fprintf(a.stdout, "✓ the extension in %s is up to date\n", r.Extension.Path)
	}
	fmt.Fprintf(a.stdout, "✓ wrote %s, by which uninstall knows what to remove\n", r.Record)
	if _, ok := m.Program(k); !ok {
		fmt.Fprintf(a.stdout, "  %s was not found on this machine; what was written serves it once it is there.\n", k.Label)
	}
	fmt.Fprintf(a.stdout, `
Load the extension (version %s) into %s:
  1. Open %s in its address bar.
  2. Switch on Developer mode.
  3. Choose Load unpacked and select this folder:
     %s%s
  4. Open a page, click the Actions Host icon and choose Take control of this tab.
If it was loaded before, press its reload button (↻) there instead.
actions-host doctor tells whether all works.
`, r.Extension.Version, k.Label, k.Extensions, r.Extension.Path, pathHint(m.OS))
}

// pathHint tells how a file dialog is given a path that it would not show.
func pathHint(system string) string {
	switch system {
	case "linux":
		return "\n     (press Ctrl+L in the dialog to paste the path)"
	case "darwin":
		return "\n     (press Cmd+Shift+G in the dialog to paste the path)"
	}
	return ""
}

func (a *app) uninstallCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "uninstall", Short: "Remove what install wrote", Args: cobra.NoArgs,
		Long: "Remove what install wrote for one browser. The placed extension goes with the last\n" +
			"browser. The log, the settings and the maps stay.",
		RunE: func(*cobra.Command, []string) error {
			machine, kinds, err := thisMachine()
			if err != nil {
				return err
			}
			kind, err := uninstallFrom(kinds, name)
			if err != nil {
				return err
			}
			removed, err := install.Uninstall(machine, kind)
			if err != nil {
				return err
			}
			a.printRemoved(kind, removed)
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "browser", "", "chromium, chrome, edge, brave or vivaldi (default: the only one that was installed for)")
	return cmd
}

// uninstallFrom gives the browser of that name, else the only one on record.
func uninstallFrom(kinds []browserapp.Kind, name string) (browserapp.Kind, error) {
	if name != "" {
		return namedBrowser(kinds, name)
	}
	record, err := install.ReadRecord()
	if err != nil {
		return browserapp.Kind{}, err
	}
	switch names := record.Recorded(); len(names) {
	case 1:
		return namedBrowser(kinds, names[0])
	case 0:
		return browserapp.Kind{}, fmt.Errorf("nothing is on record as installed: name a browser with --browser (%s)", browserapp.Names(kinds))
	default:
		return browserapp.Kind{}, fmt.Errorf("installed for several browsers: name one with --browser (%s)", strings.Join(names, ", "))
	}
}

func (a *app) printRemoved(k browserapp.Kind, r install.Removed) {
	if a.json {
		removed := r.Files
		if r.Extension != "" {
			removed = append(removed, r.Extension)
		}
		a.printJSON(map[string]any{"ok": true, "browser": k.Name, "removed": removed, "registry": r.Keys})
		return
	}
	for _, file := range r.Files {
		fmt.Fprintf(a.stdout, "✓ removed %s\n", file)
	}
	for _, key := range r.Keys {
		fmt.Fprintf(a.stdout, "✓ removed the registry key HKCU\\%s\n", key)
	}
	if r.Extension != "" {
		fmt.Fprintf(a.stdout, "✓ removed %s\n", r.Extension)
	}
	if r.Kept != "" {
		fmt.Fprintf(a.stdout, "  %s holds other files and stays\n", r.Kept)
	}
	if len(r.Files) == 0 && len(r.Keys) == 0 && r.Extension == "" {
		fmt.Fprintf(a.stdout, "nothing to remove for %s\n", k.Label)
		return
	}
	fmt.Fprintf(a.stdout, "  Remove the extension itself in %s.\n", k.Extensions)
}

func thisMachine() (browserapp.Machine, []browserapp.Kind, error) {
	kinds, err := browserapp.Kinds()
	if err != nil {
		return browserapp.Machine{}, nil, err
	}
	machine, err := browserapp.This()
	return machine, kinds, err
}

// ownPath is this program's real place; a browser starts it by absolute path.
func ownPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(self)
}
