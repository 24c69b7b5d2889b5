package policyfile

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// shipped is the file that is written where there is none.
//
//go:embed shipped.json
var shipped []byte

// Names of the files in the user's data folder.
const (
	Name         = "policy.json"
	settingsName = "settings.json"
	// keptName is where the settings stay as they were before some of them were moved.
	keptName = "settings.json.before-policy"
)

// moved are the members that stood in settings.json before there was a policy.json.
var moved = []string{"ask_effects", "upload_folders", "private_networks"}

// Begin writes the file into the folder if it is not there: the shipped rules, and what the
// settings said of them until then, which is taken out of the settings. The settings are
// valid. Several programs may do so at the same time.
func Begin(folder string) error {
	settings, err := os.ReadFile(filepath.Join(folder, settingsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritten(err)
	}
	root := nodeOf(settings)
	old := slices.ContainsFunc(moved, func(name string) bool { return len(root.Get(name).Raw) > 0 })
	_, err = os.Lstat(filepath.Join(folder, Name))
	if err == nil {
		if old {
			return finish(folder, settings)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return unwritten(err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return unwritten(err)
	}
	if old {
		if err := wholefile.Replace(filepath.Join(folder, keptName), settings, 0o600); err != nil {
			return unwritten(err)
		}
	}
	err = wholefile.Create(filepath.Join(folder, Name), withSettings(root), 0o600)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return unwritten(err)
	}
	if old {
		return finish(folder, settings)
	}
	return nil
}

// finish takes the members that were moved out of the settings. It refuses those that were
// written there later: they would not hold.
func finish(folder string, settings []byte) error {
	path := filepath.Join(folder, settingsName)
	kept, err := os.ReadFile(filepath.Join(folder, keptName))
	if err != nil || !bytes.Equal(kept, settings) || !holds(folder, settings) {
		return Moved(path, settings)
	}
	rest := json.RawMessage(settings)
	for _, name := range moved {
		if smaller, ok := jsonnode.Without(rest, "/"+name); ok {
			rest = smaller
		}
	}
	var text bytes.Buffer
	if err := json.Indent(&text, rest, "", "  "); err != nil {
		return unwritten(err)
	}
	text.WriteByte('\n')
	if err := wholefile.Replace(path, text.Bytes(), 0o600); err != nil {
		return unwritten(err)
	}
	return nil
}

// holds reports whether the file in the folder says what the settings say: another program
// has just written it of them.
func holds(folder string, settings []byte) bool {
	text, err := os.ReadFile(filepath.Join(folder, Name))
	return err == nil && bytes.Equal(text, withSettings(nodeOf(settings)))
}

func nodeOf(text []byte) jsonnode.Node { return jsonnode.Node{Raw: bytes.TrimSpace(text)} }

// Moved returns the error of settings that hold what belongs into policy.json, nil for others.
func Moved(path string, settings []byte) error {
	root := nodeOf(settings)
	for _, name := range moved {
		if len(root.Get(name).Raw) > 0 {
			line := jsonnode.Positions(settings, []string{"/" + name})["/"+name].Line
			return invalid(path, line, "%s has moved to %s in the same folder, and does not hold here", name, Name).
				WithNextStep("Write it in " + Name + ", and remove it from the settings.")
		}
	}
	return nil
}

// withSettings returns the shipped file with what the settings say.
func withSettings(settings jsonnode.Node) []byte {
	text := shipped
	for _, name := range moved {
		value := settings.Get(name)
		if value.Absent() {
			continue
		}
		member := `"` + name + `": `
		text = bytes.Replace(text, []byte(member+"[]"), []byte(member+compact(value.Raw)), 1)
	}
	return text
}

func compact(value json.RawMessage) string {
	var text bytes.Buffer
	if err := json.Compact(&text, value); err != nil {
		return string(value) // is not valid: reading the file says where
	}
	return text.String()
}

func unwritten(err error) error {
	return fault.Wrap(err, fault.StorageUnavailable, "%s cannot be written beside the settings: %v", Name, err).
		WithNextStep("Give yourself access to the folder, then restart the browser.")
}
