package install

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browsers"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// Manifest is the file by which a browser finds a native messaging host.
type Manifest struct {
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	Path           string   `json:"path"`
	Type           string   `json:"type"`
	AllowedOrigins []string `json:"allowed_origins"`
}

const description = "Actions Host: lets agents operate the tabs that you hand over"

// ManifestFor is the manifest with which a browser starts the program.
func ManifestFor(program string) Manifest {
	return Manifest{
		Name: manifest.HostName, Description: description, Path: program, Type: "stdio",
		AllowedOrigins: []string{manifest.ExtensionURL},
	}
}

// Ours reports whether this program, or another build of it, wrote the manifest.
func (m Manifest) Ours() bool { return m.Name == manifest.HostName && m.Description == description }

// Admits reports whether the manifest lets the extension in.
func (m Manifest) Admits() bool { return slices.Contains(m.AllowedOrigins, manifest.ExtensionURL) }

// ReadManifest reads a manifest file.
func ReadManifest(path string) (Manifest, error) {
	var m Manifest
	text, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	return m, strictjson.DecodeOpen(text, &m, strictjson.Limits{})
}

// WriteManifest writes the manifest of the program, never over another
// program's file.
func WriteManifest(path, program string) error {
	if err := free(path); err != nil {
		return err
	}
	text, err := json.MarshalIndent(ManifestFor(program), "", "  ")
	if err != nil {
		return err
	}
	// The browser's own folder is above it, which it keeps from other users.
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the folder %s cannot be made: %v", filepath.Dir(path), err)
	}
	return replace(path, append(text, '\n'), 0o644)
}

// free refuses a place where a file is that this program did not write.
func free(path string) error {
	found, err := ReadManifest(path)
	if err == nil && !found.Ours() || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return notOurs(path)
	}
	return nil
}

func notOurs(path string) error {
	return fault.New(fault.InstallConflict, "the file %s was not written by this program and was left alone", path).With("path", path).
		WithNextStep("If you do not need the program that it belongs to, remove the file, then call again.")
}

// replace writes a file of the installation.
func replace(path string, text []byte, mode os.FileMode) error {
	if err := wholefile.Replace(path, text, mode); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "%s cannot be written: %v", path, err)
	}
	return nil
}

// gone forgives what was not there to remove.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Place is where a browser looks for a host's manifest.
type Place struct {
	File string
	// Key is the registry key that names the file; "" where folders do.
	Key string
	// System places are for all users.
	System bool
}

// Places lists where the browser finds a manifest of the host, the one that it
// takes first. On Windows only keys that are there are places.
func Places(p browsers.Platform, b browsers.Browser) []Place {
	if p.OS == "windows" {
		return registered(b, manifest.HostName)
	}
	places := []Place{{File: filepath.Join(p.UserManifests(b), manifest.HostName+".json")}}
	for _, folder := range p.SystemManifests(b) {
		places = append(places, Place{File: filepath.Join(folder, manifest.HostName+".json"), System: true})
	}
	return places
}

// Neighbours lists the manifests of other hosts that the browser can start.
func Neighbours(p browsers.Platform, b browsers.Browser) []string {
	if p.OS == "windows" {
		return registeredOthers(b, manifest.HostName)
	}
	var files []string
	for _, folder := range append([]string{p.UserManifests(b)}, p.SystemManifests(b)...) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // a folder that is not there holds nothing
		}
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".json" && e.Name() != manifest.HostName+".json" {
				files = append(files, filepath.Join(folder, e.Name()))
			}
		}
	}
	return files
}
