// Package wholefile writes files whole or not at all.
//
// Rules of this package:
//   - Nobody reads half a file, not even after a crash: what is written is on disk before it
//     takes its name.
//   - What fails leaves what was there, and nothing beside it.
//   - What is reported as written is there after a power cut, its name too.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Replace writes the file, in place of one that is there.
func Replace(path string, text []byte, mode fs.FileMode) error {
	next, err := writeBeside(path, text, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return SyncFolder(os.Open, filepath.Dir(path))
}

// Create writes the file unless one is there: then its error is [fs.ErrExist].
func Create(path string, text []byte, mode fs.FileMode) error {
	next, err := writeBeside(path, text, mode)
	if err != nil {
		return err
	}
	err = os.Link(next, path) // unlike a rename it replaces nothing
	if err == nil || errors.Is(err, fs.ErrExist) {
		if err = errors.Join(err, os.Remove(next)); err != nil {
			return err
		}
		return SyncFolder(os.Open, filepath.Dir(path))
	}
	// Some file systems have no links. Of two programs that create it there, the last one wins.
	if _, err = os.Lstat(path); err == nil {
		err = fs.ErrExist
	} else if errors.Is(err, fs.ErrNotExist) {
		err = os.Rename(next, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return SyncFolder(os.Open, filepath.Dir(path))
}

// SyncFolder waits until the names in the folder are on disk: those of files that were made,
// renamed or removed there. Windows has no such call, and its file system keeps them by itself.
func SyncFolder(open func(name string) (*os.File, error), name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := open(name)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // a file system that has no such call either
	}
	return errors.Join(err, folder.Close())
}

func writeBeside(path string, text []byte, mode fs.FileMode) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}
