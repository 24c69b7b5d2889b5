package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// browserKind is a row of manifest/native-messaging/browsers.json.
type browserKind struct {
	Name     string   `json:"name"`
	Label    string   `json:"label"`
	Linux    string   `json:"linux"`
	Darwin   string   `json:"darwin"`
	Windows  string   `json:"windows"`
	Programs []string `json:"programs"`
}

// hostManifest is the file by which a browser finds the host.
type hostManifest struct {
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	Path           string   `json:"path"`
	Type           string   `json:"type"`
	AllowedOrigins []string `json:"allowed_origins"`
}

const manifestDescription = "Actions Host: lets agents operate the tabs that you hand over"

func browserKinds() ([]browserKind, error) {
	text, err := manifest.Files.ReadFile("native-messaging/browsers.json")
	if err != nil {
		return nil, err
	}
	var table struct {
		Browsers []browserKind `json:"browsers"`
	}
	return table.Browsers, strictjson.DecodeOpen(text, &table, strictjson.Limits{})
}

// manifestPath is where the browser looks for this host's manifest.
func (k browserKind) manifestPath() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	place := map[string]string{"linux": k.Linux, "darwin": k.Darwin}[runtime.GOOS]
	if place == "" {
		return "", fault.New(fault.CapabilityUnavailable, "installing on %s is not supported yet", runtime.GOOS)
	}
	return filepath.Join(home, filepath.FromSlash(place), manifest.HostName+".json"), nil
}

// installed tells whether the browser's program is on this machine.
func (k browserKind) installed() bool {
	for _, name := range k.Programs {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}

func (a *app) installCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "install", Short: "Tell a browser where this program is", Args: cobra.NoArgs,
		Long: "Write the native messaging manifest of one browser, so that its extension can start\nthis program. Every file that is written is printed; uninstall removes exactly that.",
		RunE: func(*cobra.Command, []string) error {
			path, err := pathFor(name)
			if err != nil {
				return err
			}
			self, err := ownPath()
			if err != nil {
				return err
			}
			if err := writeManifest(path, self); err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"ok": true, "written": []string{path}, "program": self})
			} else {
				fmt.Fprintf(a.stdout, "✓ wrote %s\n  it starts %s for the extension %s\n", path, self, manifest.ExtensionID)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "browser", "chromium", "chromium, chrome, edge, brave or vivaldi")
	return cmd
}

func (a *app) uninstallCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "uninstall", Short: "Remove what install wrote", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			path, err := pathFor(name)
			if err != nil {
				return err
			}
			removed := []string{}
			switch found, err := readManifest(path); {
			case errors.Is(err, os.ErrNotExist):
			case err != nil, !found.ours():
				return notOurs(path)
			default:
				if err := os.Remove(path); err != nil {
					return err
				}
				removed = append(removed, path)
			}
			switch {
			case a.json:
				a.printJSON(map[string]any{"ok": true, "removed": removed})
			case len(removed) == 0:
				fmt.Fprintf(a.stdout, "nothing to remove: there is no %s\n", path)
			default:
				fmt.Fprintf(a.stdout, "✓ removed %s\n", path)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "browser", "chromium", "chromium, chrome, edge, brave or vivaldi")
	return cmd
}

func pathFor(name string) (string, error) {
	kinds, err := browserKinds()
	if err != nil {
		return "", err
	}
	var names []string
	for _, k := range kinds {
		if k.Name == name {
			return k.manifestPath()
		}
		names = append(names, k.Name)
	}
	return "", fmt.Errorf("there is no browser %q: use %s", name, strings.Join(names, ", "))
}

// ownPath is this program's real place; a browser starts it by absolute path.
func ownPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(self)
}

// writeManifest writes the manifest, never over another program's file.
func writeManifest(path, program string) error {
	found, err := readManifest(path)
	if err == nil && !found.ours() || err != nil && !errors.Is(err, os.ErrNotExist) {
		return notOurs(path)
	}
	text, err := json.MarshalIndent(hostManifest{
		Name: manifest.HostName, Description: manifestDescription, Path: program, Type: "stdio",
		AllowedOrigins: []string{"chrome-extension://" + manifest.ExtensionID + "/"},
	}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	// Written beside and renamed: a browser never reads half a file.
	temp := path + ".new"
	if err := os.WriteFile(temp, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

func readManifest(path string) (hostManifest, error) {
	var m hostManifest
	text, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	return m, strictjson.DecodeOpen(text, &m, strictjson.Limits{})
}

func (m hostManifest) ours() bool {
	return m.Name == manifest.HostName && m.Description == manifestDescription
}

func notOurs(path string) error {
	return fault.New(fault.InstallConflict, "the file %s was not written by this program and was left alone", path).With("path", path)
}
