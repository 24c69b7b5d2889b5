package browsers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Running is a browser process that holds a folder of profiles.
type Running struct {
	PID   int
	Since time.Time
}

// Running reports whether a browser holds the folder of profiles. known is false
// on platforms where that cannot be seen.
func (p Platform) Running(profiles string) (r Running, running, known bool) {
	if p.OS == "windows" {
		return Running{}, false, false
	}
	// The browser marks the folder as its own with a link HOSTNAME-PID.
	lock := filepath.Join(profiles, "SingletonLock")
	info, err := os.Lstat(lock)
	if err != nil {
		return Running{}, false, true
	}
	owner, err := os.Readlink(lock)
	if err != nil {
		return Running{}, false, true
	}
	at := strings.LastIndexByte(owner, '-')
	if host, err := os.Hostname(); err == nil && at >= 0 && owner[:at] != host {
		return Running{}, false, true // of another machine, in a shared home folder
	}
	pid, err := strconv.Atoi(owner[at+1:])
	if err != nil || !alive(pid) {
		return Running{}, false, true
	}
	return Running{PID: pid, Since: info.ModTime()}, true, true
}

// Extension is the state of the extension in a profile.
type Extension struct {
	Profile  string // the profile's folder
	Path     string // where the extension was loaded from
	Disabled bool
	// DeveloperMode is false where the profile lets no unpacked extension run.
	DeveloperMode bool
}

// maxPreferences bounds a profile's file; they have some hundred kilobytes.
const maxPreferences = 64 << 20

// Extensions returns the extension of each profile in the folder that has it, in the
// order of their names; profiles is the number of profiles.
func Extensions(folder, id string) (found []Extension, profiles int) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, 0
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		dir := filepath.Join(folder, e.Name())
		if _, err := os.Stat(filepath.Join(dir, "Preferences")); err != nil {
			continue
		}
		profiles++
		// Which of the two files holds the extensions depends on the platform.
		for _, name := range []string{"Secure Preferences", "Preferences"} {
			if e, ok := extensionIn(filepath.Join(dir, name), id); ok {
				e.Profile = dir
				found = append(found, e)
				break
			}
		}
	}
	return found, profiles
}

func extensionIn(file, id string) (Extension, bool) {
	info, err := os.Stat(file)
	if err != nil || info.Size() > maxPreferences {
		return Extension{}, false
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return Extension{}, false
	}
	var p struct {
		Extensions struct {
			Settings map[string]json.RawMessage `json:"settings"`
			UI       struct {
				DeveloperMode *bool `json:"developer_mode"`
			} `json:"ui"`
		} `json:"extensions"`
	}
	// The browser's own file: what else is in it is not ours to judge.
	if err := json.Unmarshal(text, &p); err != nil {
		return Extension{}, false
	}
	entry, ok := p.Extensions.Settings[id]
	if !ok {
		return Extension{}, false
	}
	var e struct {
		Path    string          `json:"path"`
		State   *int            `json:"state"`           // of older browsers: 0 is off
		Reasons json.RawMessage `json:"disable_reasons"` // a list, in older browsers a number
	}
	if err := json.Unmarshal(entry, &e); err != nil || e.Path == "" {
		return Extension{}, false // a remnant of one that was removed
	}
	on := slices.Contains([]string{"", "0", "[]", "null"}, string(e.Reasons)) && (e.State == nil || *e.State != 0)
	mode := p.Extensions.UI.DeveloperMode
	return Extension{Path: e.Path, Disabled: !on, DeveloperMode: mode == nil || *mode}, true
}
