// Package browsers knows the browsers of this machine: where their programs,
// their profiles and their native messaging manifests are, whether they run, and
// what their profiles say about the extension.
//
// Rules of this package:
//   - The table is manifest/native-messaging/browsers.json; nothing in the code
//     depends on one browser.
//   - It only reads. It starts no browser and writes nothing.
//   - The platform is a value ([Platform]), so that every platform's places are
//     tested on any of them.
//   - A browser may change the format of its own files: what is not understood
//     is unknown, not an error.
package browsers

import (
	"path"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Browser is a row of the table: a browser with its places on each platform.
type Browser struct {
	Name       string `json:"name"`       // as the user names it
	Label      string `json:"label"`      // as people know it
	Extensions string `json:"extensions"` // address of its page of extensions
	Flatpak    string `json:"flatpak"`    // its id as a Flatpak

	Linux       string   `json:"linux"`        // folder of its profiles, below the home folder
	LinuxSystem []string `json:"linux_system"` // folders of all users' manifests
	Programs    []string `json:"programs"`     // names on the PATH

	Darwin       string   `json:"darwin"` // below ~/Library/Application Support
	DarwinSystem []string `json:"darwin_system"`
	DarwinApp    string   `json:"darwin_app"` // name of the application

	Windows        string   `json:"windows"`         // below the local application data
	WindowsProgram string   `json:"windows_program"` // below a folder of programs
	Registry       []string `json:"registry"`        // keys whose values name manifests

	LinuxPolicies    string `json:"linux_policies"` // folder of the administrator's policies
	RegistryPolicies string `json:"registry_policies"`
}

// All returns the table.
func All() ([]Browser, error) {
	text, err := manifest.Files.ReadFile("native-messaging/browsers.json")
	if err != nil {
		return nil, err
	}
	var table struct {
		Browsers []Browser `json:"browsers"`
	}
	return table.Browsers, strictjson.DecodeOpen(text, &table, strictjson.Limits{})
}

// Find returns the browser of that name.
func Find(all []Browser, name string) (Browser, bool) {
	for _, b := range all {
		if b.Name == name {
			return b, true
		}
	}
	return Browser{}, false
}

// Names returns the browsers' names, joined for a message.
func Names(all []Browser) string {
	names := make([]string, len(all))
	for i, b := range all {
		names[i] = b.Name
	}
	return strings.Join(names, ", ")
}

// Profiles returns the folder of the browser's profiles; "" where the platform is
// not known.
func (p Platform) Profiles(b Browser) string {
	switch p.OS {
	case "linux":
		// The browsers heed these two, in this order, before ~/.config.
		if below, ok := strings.CutPrefix(b.Linux, ".config/"); ok && p.Config != "" {
			return p.join(p.Config, below)
		}
		return p.join(p.Home, b.Linux)
	case "darwin":
		return p.join(p.Home, "Library/Application Support", b.Darwin)
	case "windows":
		return p.join(p.LocalData, strings.ReplaceAll(b.Windows, `\`, "/"))
	}
	return ""
}

// UserManifests returns the folder of the user's manifests; "" where the registry
// names them.
func (p Platform) UserManifests(b Browser) string {
	if p.OS == "windows" {
		return ""
	}
	return p.join(p.Profiles(b), "NativeMessagingHosts")
}

// SystemManifests returns the folders of all users' manifests, which come after the
// user's.
func (p Platform) SystemManifests(b Browser) []string {
	folders := map[string][]string{"linux": b.LinuxSystem, "darwin": b.DarwinSystem}[p.OS]
	placed := make([]string, len(folders))
	for i, f := range folders {
		placed[i] = p.join(p.Root, f)
	}
	return placed
}

// join joins with slashes and converts the result to the platform's own form.
func (p Platform) join(elements ...string) string {
	joined := path.Join(elements...)
	if p.OS == "windows" {
		return strings.ReplaceAll(joined, "/", `\`)
	}
	return joined
}
