package storage

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// readmeName is the file that explains the layout of a new storage folder.
const readmeName = "README.md"

// starter holds the files of a new storage folder.
//
//go:embed starter
var starter embed.FS

// Init creates the files of a new storage in the folder: storage.json, a private
// scope with an example map, and a README. It does not change existing files.
// created lists the new ones by path; the error is storage_unavailable.
func Init(root string) (created []string, err error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the storage folder %s cannot be made: %v", root, err)
	}
	// An existing private scope needs no example.
	_, err = os.Lstat(filepath.Join(root, "scopes", ScopePrivate))
	settled := err == nil
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the storage folder %s cannot be opened: %v", root, err)
	}
	defer dir.Close()
	err = fs.WalkDir(starter, "starter", func(name string, e fs.DirEntry, err error) error {
		below := strings.TrimPrefix(strings.TrimPrefix(name, "starter"), "/")
		if err != nil || e.IsDir() || settled && strings.HasPrefix(below, "scopes/") {
			return err
		}
		text, err := starter.ReadFile(name)
		if err != nil {
			return err
		}
		made, err := createFile(dir, filepath.FromSlash(below), text)
		if made {
			created = append(created, below)
		}
		return err
	})
	if err != nil {
		return created, fault.Wrap(err, fault.StorageUnavailable, "the storage folder %s cannot be filled: %v", root, err)
	}
	return created, nil
}

// createFile writes a file unless it exists.
func createFile(dir *os.Root, name string, text []byte) (made bool, err error) {
	if err := dir.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return false, err
	}
	file, err := dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = file.Write(text)
	return true, errors.Join(err, file.Close())
}

// FirstRun creates a storage folder that does not exist yet. It is atomic, also when
// several hosts start together, and reports whether it created one.
func FirstRun(root string) (made bool, err error) {
	if _, err := os.Lstat(root); err == nil {
		return false, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, fault.Wrap(err, fault.StorageUnavailable, "the storage folder %s cannot be made: %v", root, reason(err))
	}
	parent := filepath.Dir(root)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return false, fault.Wrap(err, fault.StorageUnavailable, "the folder %s cannot be made: %v", parent, err)
	}
	fresh, err := os.MkdirTemp(parent, ".storage-")
	if err != nil {
		return false, fault.Wrap(err, fault.StorageUnavailable, "the storage folder cannot be made in %s: %v", parent, err)
	}
	if _, err = Init(fresh); err == nil {
		err = os.Rename(fresh, root)
	}
	if err == nil {
		return true, nil
	}
	cleanup := os.RemoveAll(fresh)
	if _, there := os.Lstat(root); there == nil && cleanup == nil {
		return false, nil // another host was faster
	}
	return false, fault.Wrap(errors.Join(err, cleanup), fault.StorageUnavailable, "the storage folder %s cannot be made: %v", root, err)
}
