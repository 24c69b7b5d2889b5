package install

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Record lists the files that were written, so that exactly those are removed.
type Record struct {
	Browsers  map[string]Written `json:"browsers"` // by the browser's name
	Extension *Folder            `json:"extension,omitzero"`
	Folders   []string           `json:"folders,omitzero"` // that were not there before
}

// Written lists the files that were written for one browser.
type Written struct {
	Program string   `json:"program"`
	Files   []string `json:"files"`
	Keys    []string `json:"keys,omitzero"` // of the user's registry
}

// Folder is the placed extension.
type Folder struct {
	Path    string   `json:"path"`
	Version string   `json:"version"`
	Hash    string   `json:"hash"`  // of its files, with their names
	Files   []string `json:"files"` // below the path, with slashes
	// Permissions are those that the extension cannot be without.
	Permissions []string `json:"-"`
}

func recordFile() string { return filepath.Join(paths.Data(), "install.json") }

// ReadRecord reads what was installed; without a record that is nothing.
func ReadRecord() (Record, error) {
	r := Record{Browsers: map[string]Written{}}
	text, err := os.ReadFile(recordFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err != nil:
		return r, fault.Wrap(err, fault.StorageUnavailable, "the record of what was installed, %s, cannot be read: %v", recordFile(), err)
	}
	if err := strictjson.Decode(text, &r, strictjson.Limits{}); err != nil {
		return r, fault.Wrap(err, fault.InvalidInput, "the record of what was installed, %s, is not valid: %s", recordFile(), fault.From(err).Message).
			WithNextStep("Remove the file, then run actions-host install again.")
	}
	if r.Browsers == nil {
		r.Browsers = map[string]Written{}
	}
	return r, nil
}

// save writes the record, or removes it when nothing is installed any more.
func (r Record) save() error {
	if len(r.Browsers) == 0 && r.Extension == nil {
		return gone(os.Remove(recordFile()))
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return replace(recordFile(), append(text, '\n'), 0o600)
}
