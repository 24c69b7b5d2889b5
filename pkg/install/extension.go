package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// ExtensionPath is where the extension is placed: always the same folder, since
// a browser reads an unpacked extension from where it was loaded.
func ExtensionPath() string { return filepath.Join(paths.Data(), "extension") }

// ReadExtension describes the built extension in a folder.
func ReadExtension(folder string) (Folder, error) {
	f := Folder{Path: folder}
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err != nil {
		return f, fault.Wrap(err, fault.StorageUnavailable, "there is no built extension in %s", folder)
	}
	var m struct {
		Version     string   `json:"version"`
		Key         string   `json:"key"`
		Permissions []string `json:"permissions"`
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Key != manifest.ExtensionKey {
		return f, fault.New(fault.InvalidInput, "the extension in %s is not that of Actions Host", folder)
	}
	f.Version, f.Permissions = m.Version, m.Permissions
	sum := sha256.New()
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(text))
		sum.Write(text)
		f.Files = append(f.Files, name)
		return nil
	})
	if err != nil {
		return f, fault.Wrap(err, fault.StorageUnavailable, "the extension in %s cannot be read: %v", folder, err)
	}
	slices.Sort(f.Files)
	f.Hash = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// placeExtension copies the built extension to its place. What lies there is
// replaced in one step, when it is an extension of ours.
func placeExtension(source string) (placed Folder, changed bool, err error) {
	from, err := ReadExtension(source)
	if err != nil {
		return Folder{}, false, err
	}
	to := ExtensionPath()
	old, err := ReadExtension(to)
	_, missing := os.Lstat(to)
	switch {
	case errors.Is(missing, fs.ErrNotExist):
	case err != nil:
		return Folder{}, false, fault.New(fault.InstallConflict, "the folder %s was not written by this program and was left alone", to).With("path", to).
			WithNextStep("Move the folder away, then call again.")
	case old.Hash == from.Hash:
		return old, false, nil
	}
	if err := paths.MakePrivate(paths.Data()); err != nil {
		return Folder{}, false, err
	}
	temp, err := os.MkdirTemp(paths.Data(), ".extension-")
	if err != nil {
		return Folder{}, false, notPlaced(to, err)
	}
	// Holds the new files until the exchange and the old ones after it.
	defer os.RemoveAll(temp)
	fresh := filepath.Join(temp, "new")
	if err := os.CopyFS(fresh, os.DirFS(source)); err != nil {
		return Folder{}, false, notPlaced(to, err)
	}
	if missing != nil {
		err = os.Rename(fresh, to)
	} else {
		err = exchange(fresh, to, filepath.Join(temp, "old"))
	}
	if err != nil {
		return Folder{}, false, notPlaced(to, err)
	}
	from.Path = to
	return from, true, nil
}

func notPlaced(to string, err error) error {
	return fault.Wrap(err, fault.StorageUnavailable, "the extension cannot be placed in %s: %v", to, err)
}

// exchange puts fresh in the place of to, at once where the file system can,
// else by two renames of which the first is taken back when the second fails.
func exchange(fresh, to, aside string) error {
	if err := swap(fresh, to); err == nil {
		return nil
	}
	if err := os.Rename(to, aside); err != nil {
		return err
	}
	if err := os.Rename(fresh, to); err != nil {
		return errors.Join(err, os.Rename(aside, to))
	}
	return nil
}

// remove removes the folder's own files, and its folders as far as nothing else
// is in them; left reports whether something stayed.
func (f Folder) remove() (left bool, err error) {
	folders := map[string]bool{f.Path: true}
	for _, name := range f.Files {
		file := filepath.Join(f.Path, filepath.FromSlash(name))
		if !filepath.IsLocal(name) {
			return true, fault.New(fault.InvalidInput, "the record of what was installed names %s, which lies elsewhere", file)
		}
		if err := gone(os.Remove(file)); err != nil {
			return true, fault.Wrap(err, fault.StorageUnavailable, "%s cannot be removed: %v", file, err)
		}
		for dir := filepath.Dir(file); len(dir) > len(f.Path); dir = filepath.Dir(dir) {
			folders[dir] = true
		}
	}
	removeEmpty(folders)
	_, err = os.Lstat(f.Path)
	return err == nil, nil
}

// removeEmpty removes the folders, inner ones first; one that holds something
// stays, for that is not ours.
func removeEmpty(folders map[string]bool) {
	var sorted []string
	for dir := range folders {
		sorted = append(sorted, dir)
	}
	slices.SortFunc(sorted, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range sorted {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			_ = os.Remove(dir)
		}
	}
}
