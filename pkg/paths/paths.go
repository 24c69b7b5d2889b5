// Package paths returns the locations of the host's files.
//
// Rules of this package:
//   - ACTIONS_HOST_HOME moves data, state and sockets under one folder.
//   - Without it the platform's own places are used (XDG on Linux).
//   - Folders with sockets or state are readable by their owner only.
package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/adrg/xdg"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Environment variables that override places.
const (
	EnvHome    = "ACTIONS_HOST_HOME"
	EnvStorage = "ACTIONS_HOST_STORAGE"
)

// folders are the variables that hold a folder.
var folders = []string{EnvHome, EnvStorage, EnvVoiceRecord}

// MakeAbsolute makes the places of the environment absolute, for programs that are started from
// this one and run in other folders.
func MakeAbsolute() {
	for _, name := range folders {
		if dir := os.Getenv(name); dir != "" && !filepath.IsAbs(dir) {
			if full, err := filepath.Abs(dir); err == nil { // else the current folder is gone, and dir with it
				_ = os.Setenv(name, full) // it fails for invalid names only
			}
		}
	}
}

// CheckAbsolute returns an error if a place of the environment is relative: a browser starts its
// host in any folder.
func CheckAbsolute() error {
	for _, name := range folders {
		if dir := os.Getenv(name); dir != "" && !filepath.IsAbs(dir) {
			return fault.New(fault.StorageUnavailable, "%s is %s, which is not an absolute path", name, dir)
		}
	}
	return nil
}

// EnvAllowCode is 1 in the environment of a browser that was launched for
// running JavaScript too.
const EnvAllowCode = "ACTIONS_HOST_ALLOW_CODE"

// EnvUnwatched is 1 in the environment of a browser that was launched without a
// window: what happens in it is shown to nobody unless the user asks for it.
const EnvUnwatched = "ACTIONS_HOST_UNWATCHED"

// EnvVoiceBase is the address of the voice service for a browser that was
// launched for another one than the usual.
const EnvVoiceBase = "ACTIONS_HOST_VOICE_BASE"

// EnvVoiceRecord is a folder for recordings of the hosted agent's sessions, for
// a browser that was launched to make them.
const EnvVoiceRecord = "ACTIONS_HOST_VOICE_RECORD"

const app = "actions-host"

// maxSocketPath is the longest path that a unix socket's address can hold.
func maxSocketPath() int {
	if runtime.GOOS == "darwin" {
		return 103
	}
	return 107
}

// State is the folder of the databases and log files.
func State() string { return place("state", filepath.Join(xdg.StateHome, app)) }

// Data is the folder of settings and installed files.
func Data() string { return place("data", filepath.Join(xdg.DataHome, app)) }

// Sockets is the folder of the local sockets.
func Sockets() string { return place("run", socketFolder()) }

// SocketsIn is the folder of the sockets of a host that has the given folder as EnvHome.
func SocketsIn(home string) string { return filepath.Join(home, "run") }

// DataIn is the counterpart of [Data].
func DataIn(home string) string { return filepath.Join(home, "data") }

// StorageIn is the counterpart of [Storage].
func StorageIn(home string) string { return filepath.Join(home, "storage") }

// socketFolder prefers the session's own folder; a machine without one gets a
// folder of the user's right below the temporary one, where nobody else can
// exchange it: inside of a folder that another user made first, they could.
func socketFolder() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		return filepath.Join(dir, app)
	}
	// Clients of MCP start their servers with few variables, and leave out this
	// one and TMPDIR: the browser's host has them and must be found all the same.
	if info, err := os.Stat(xdg.RuntimeDir); err == nil && info.IsDir() && ours(info) {
		return filepath.Join(xdg.RuntimeDir, app)
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(os.TempDir(), app) // the user's own there
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("%s-%d", app, os.Getuid()))
}

// Storage is the folder of the action maps.
func Storage() string {
	if dir := os.Getenv(EnvStorage); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = xdg.Home
	}
	return place("storage", filepath.Join(home, ".actions-json", "storage"))
}

func place(under, otherwise string) string {
	if home := os.Getenv(EnvHome); home != "" {
		return filepath.Join(home, under)
	}
	return otherwise
}

// Database is the bbolt file of a profile.
func Database(profileID string) string {
	return filepath.Join(State(), "profile-"+profileID+".db")
}

// Socket is the local socket of a profile. The name is short: an address above
// the system's limit cannot be bound, and the error says so.
func Socket(profileID string) (string, error) {
	return socketPath(profileID[:min(len(profileID), 12)] + ".sock")
}

// AgentSocket is the local socket of the text agent's endpoint. Its name does not end as that of
// a profile: clients take what does for a browser.
func AgentSocket() (string, error) { return socketPath("agent.http") }

func socketPath(name string) (string, error) {
	path := filepath.Join(Sockets(), name)
	if limit := maxSocketPath(); len(path) > limit {
		return "", fault.New(fault.StorageUnavailable, "the socket's path has %d bytes, the limit is %d: %s", len(path), limit, path).
			WithNextStep("Set " + EnvHome + " to a folder with a shorter path.")
	}
	return path, nil
}

// MakePrivate creates the folder, readable by its owner only.
func MakePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the folder %s cannot be made: %v", dir, err)
	}
	if err := CheckOwner(dir); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the folder %s cannot be read: %v", dir, err)
	}
	if OpenToOthers(info) {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fault.Wrap(err, fault.StorageUnavailable, "the folder %s is open to others: %v", dir, err)
		}
	}
	return nil
}

// CheckOwner refuses a folder of another user: in a place that all may write
// to, such as the temporary folder, somebody else may have made it first, to
// answer in the host's name. So may a link to a folder of the user's own, which
// its owner can lead elsewhere later. A folder that is not there is nobody's.
func CheckOwner(dir string) error {
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := look(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fault.Wrap(err, fault.StorageUnavailable, "the folder %s cannot be read: %v", dir, err)
		case !ours(info):
			return notOurs(dir)
		}
	}
	return nil
}

func notOurs(dir string) error {
	return fault.New(fault.StorageUnavailable, "the folder %s belongs to another user", dir).
		WithNextStep("Remove it, or set " + EnvHome + " or XDG_RUNTIME_DIR to a folder of your own.")
}
