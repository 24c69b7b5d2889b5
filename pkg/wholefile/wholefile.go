// Package wholefile writes files whole or not at all.
//
// Rules of this package:
//   - Nobody reads half a file, not even after a crash: what is written is on disk before it
//     takes its name.
//   - What fails leaves what was there, and nothing beside it.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
	return nil
}

// Create writes the file unless one is there: then its error is [fs.ErrExist].
func Create(path string, text []byte, mode fs.FileMode) error {
	next, err := writeBeside(path, text, mode)
	if err != nil {
		return err
	}
	err = os.Link(next, path) // unlike a rename it replaces nothing
	if err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, os.Remove(next))
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
	return nil
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
