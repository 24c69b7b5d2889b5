package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/actionsjson/actions-host/pkg/browsers"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// Removed lists what Uninstall removed.
type Removed struct {
	Files []string
	Keys  []string // of the user's registry
	// Extension is the extension's folder, removed with the last browser; "" when
	// it stayed.
	Extension string
	// Kept is that folder when it holds what this program did not write.
	Kept string
}

// Uninstall removes what was written for the browser, and the extension when no
// other browser needs it. Without a record, as of an earlier version, only the
// manifest is looked for.
func Uninstall(p browsers.Platform, b browsers.Browser) (Removed, error) {
	record, err := ReadRecord()
	if err != nil {
		return Removed{}, err
	}
	w, known := record.Browsers[b.Name]
	if !known {
		w = Written{Files: []string{manifestFile(p, b)}}
	}
	removed := Removed{Files: []string{}, Keys: []string{}}
	for _, file := range w.Files {
		if record.shared(b.Name, func(o Written) bool { return slices.Contains(o.Files, file) }) {
			continue
		}
		found, err := ReadManifest(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil || !found.Ours():
			return removed, notOurs(file)
		}
		if err := os.Remove(file); err != nil {
			return removed, fault.Wrap(err, fault.StorageUnavailable, "%s cannot be removed: %v", file, err)
		}
		removed.Files = append(removed.Files, file)
	}
	for _, key := range w.Keys {
		if record.shared(b.Name, func(o Written) bool { return slices.Contains(o.Keys, key) }) {
			continue
		}
		done, err := unregister(key, manifestFile(p, b))
		if err != nil {
			return removed, fault.Wrap(err, fault.StorageUnavailable, `the registry key HKCU\%s cannot be removed: %v`, key, err)
		}
		if done {
			removed.Keys = append(removed.Keys, key)
		}
	}
	record.removeFolders()
	delete(record.Browsers, b.Name)
	if len(record.Browsers) == 0 && record.Extension != nil {
		left, err := record.Extension.remove()
		if err != nil {
			return removed, err
		}
		removed.Extension = record.Extension.Path
		if left {
			removed.Extension, removed.Kept = "", record.Extension.Path
		}
		record.Extension = nil
	}
	return removed, record.save()
}

// removeFolders removes those of the made folders that are empty now, and
// forgets them.
func (r *Record) removeFolders() {
	folders := map[string]bool{}
	for _, dir := range r.Folders {
		folders[filepath.Clean(dir)] = true
	}
	removeEmpty(folders)
	r.Folders = slices.DeleteFunc(r.Folders, func(dir string) bool {
		_, err := os.Lstat(dir)
		return err != nil
	})
}

// shared reports whether something was written for another browser too.
func (r Record) shared(name string, of func(Written) bool) bool {
	for other, w := range r.Browsers {
		if other != name && of(w) {
			return true
		}
	}
	return false
}

// Recorded lists the browsers that something was installed for.
func (r Record) Recorded() []string {
	var names []string
	for name := range r.Browsers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
