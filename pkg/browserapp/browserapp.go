// Package browserapp knows the browsers of this machine: where their programs,
// their profiles and their native messaging manifests are, whether they run, and
// what their profiles say of the extension.
//
// Rules of this package:
//   - The table is manifest/native-messaging/browsers.json; nothing about one
//     browser stands in the code.
//   - It only looks. It starts no browser and writes nothing.
//   - The platform is a value (Machine), so that every platform's places are
//     tested on any of them.
//   - What a browser keeps for itself may change its form: what is not
//     understood is unknown, not an error.
package browserapp

import (
	"path"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Kind is a row of the table.
type Kind struct {
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

// Kinds gives the table.
func Kinds() ([]Kind, error) {
	text, err := manifest.Files.ReadFile("native-messaging/browsers.json")
	if err != nil {
		return nil, err
	}
	var table struct {
		Browsers []Kind `json:"browsers"`
	}
	return table.Browsers, strictjson.DecodeOpen(text, &table, strictjson.Limits{})
}

// Find gives the kind of that name.
func Find(kinds []Kind, name string) (Kind, bool) {
	for _, k := range kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Names lists the kinds for a message.
func Names(kinds []Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}

// Profiles is the folder of the browser's profiles; "" where the platform is
// not known.
func (m Machine) Profiles(k Kind) string {
	switch m.OS {
	case "linux":
		// The browsers heed these two, in this order, before ~/.config.
		if below, ok := strings.CutPrefix(k.Linux, ".config/"); ok && m.Config != "" {
			return m.join(m.Config, below)
		}
		return m.join(m.Home, k.Linux)
	case "darwin":
		return m.join(m.Home, "Library/Application Support", k.Darwin)
	case "windows":
		return m.join(m.LocalData, strings.ReplaceAll(k.Windows, `\`, "/"))
	}
	return ""
}

// UserManifests is the folder of the user's manifests; "" where the registry
// names them.
func (m Machine) UserManifests(k Kind) string {
	if m.OS == "windows" {
		return ""
	}
	return m.join(m.Profiles(k), "NativeMessagingHosts")
}

// SystemManifests are the folders of all users' manifests, which come after the
// user's.
func (m Machine) SystemManifests(k Kind) []string {
	folders := map[string][]string{"linux": k.LinuxSystem, "darwin": k.DarwinSystem}[m.OS]
	placed := make([]string, len(folders))
	for i, f := range folders {
		placed[i] = m.join(m.Root, f)
	}
	return placed
}

// join joins with slashes and turns the result into the machine's own form.
func (m Machine) join(parts ...string) string {
	joined := path.Join(parts...)
	if m.OS == "windows" {
		return strings.ReplaceAll(joined, "/", `\`)
	}
	return joined
}
