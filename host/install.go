package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browsers"
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
			platform, all, err := thisPlatform()
			if err != nil {
				return err
			}
			browser, err := installFor(platform, all, name)
			if err != nil {
				return err
			}
			if err := checkSandbox(platform, browser); err != nil {
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
			result, err := install.Install(platform, browser, self, source)
			if err != nil {
				return err
			}
			a.printInstalled(platform, browser, result)
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "browser", "", "chromium, chrome, edge, brave or vivaldi (default: the only one on this machine)")
	cmd.Flags().StringVar(&extension, "extension", "", "folder of the built extension (default: beside this program)")
	return cmd
}

// installFor returns the browser of that name, else the only one of the machine.
func installFor(p browsers.Platform, all []browsers.Browser, name string) (browsers.Browser, error) {
	if name != "" {
		return namedBrowser(all, name)
	}
	switch found := p.Installed(all); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return browsers.Browser{}, fmt.Errorf("no browser was found on this machine: name one with --browser (%s)", browsers.Names(all))
	default:
		return browsers.Browser{}, fmt.Errorf("several browsers are on this machine: name one with --browser (%s)", browsers.Names(found))
	}
}

func namedBrowser(all []browsers.Browser, name string) (browsers.Browser, error) {
	if browser, ok := browsers.Find(all, name); ok {
		return browser, nil
	}
	return browsers.Browser{}, fmt.Errorf("there is no browser %q: use %s", name, browsers.Names(all))
}

// checkSandbox refuses a browser whose sandbox lets it start no other program.
func checkSandbox(p browsers.Platform, b browsers.Browser) error {
	program, ok := p.Program(b)
	if !ok || program.Sandbox == "" {
		return nil
	}
	return fault.New(fault.CapabilityUnavailable, "%s is a %s here (%s), whose sandbox lets it start no program of yours",
		b.Label, program.Sandbox, program.Path).
		WithNextStep("Install the browser as a package of your distribution or of its maker, or use another browser.")
}

func (a *app) printInstalled(p browsers.Platform, b browsers.Browser, r install.Result) {
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
			"ok": true, "browser": b.Name, "written": written, "registry": append([]string{}, r.Keys...), "program": r.Program,
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
	if _, ok := p.Program(b); !ok {
		fmt.Fprintf(a.stdout, "  %s was not found on this machine; what was written serves it once it is there.\n", b.Label)
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
`, r.Extension.Version, b.Label, b.Extensions, r.Extension.Path, pathHint(p.OS))
}

// pathHint returns how to enter a path that a file dialog would not show.
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
			platform, all, err := thisPlatform()
			if err != nil {
				return err
			}
			browser, err := uninstallFrom(all, name)
			if err != nil {
				return err
			}
			removed, err := install.Uninstall(platform, browser)
			if err != nil {
				return err
			}
			a.printRemoved(browser, removed)
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "browser", "", "chromium, chrome, edge, brave or vivaldi (default: the only one that was installed for)")
	return cmd
}

// uninstallFrom returns the browser of that name, else the only one on record.
func uninstallFrom(all []browsers.Browser, name string) (browsers.Browser, error) {
	if name != "" {
		return namedBrowser(all, name)
	}
	record, err := install.ReadRecord()
	if err != nil {
		return browsers.Browser{}, err
	}
	switch names := record.Recorded(); len(names) {
	case 1:
		return namedBrowser(all, names[0])
	case 0:
		return browsers.Browser{}, fmt.Errorf("nothing is on record as installed: name a browser with --browser (%s)", browsers.Names(all))
	default:
		return browsers.Browser{}, fmt.Errorf("installed for several browsers: name one with --browser (%s)", strings.Join(names, ", "))
	}
}

func (a *app) printRemoved(b browsers.Browser, r install.Removed) {
	if a.json {
		removed := r.Files
		if r.Extension != "" {
			removed = append(removed, r.Extension)
		}
		a.printJSON(map[string]any{"ok": true, "browser": b.Name, "removed": removed, "registry": r.Keys})
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
		fmt.Fprintf(a.stdout, "nothing to remove for %s\n", b.Label)
		return
	}
	fmt.Fprintf(a.stdout, "  Remove the extension itself in %s.\n", b.Extensions)
}

func thisPlatform() (browsers.Platform, []browsers.Browser, error) {
	all, err := browsers.All()
	if err != nil {
		return browsers.Platform{}, nil, err
	}
	platform, err := browsers.Current()
	return platform, all, err
}

// ownPath is this program's real place; a browser starts it by absolute path.
func ownPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(self)
}
