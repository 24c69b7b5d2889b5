package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// stagePrefix begins the name of the folder in which an import prepares its
// files. It is hidden, so that nothing in it is ever in use.
const stagePrefix = ".import-"

// stage is one folder with the files that go into it. All its paths stay below
// the folder, whatever links lie in it.
type stage struct {
	root   *os.Root
	name   string // of the staging folder
	writes []write
	done   []write  // moved into their places
	made   []string // folders that were missing, the outer ones first
}

// commit writes all files or none: they are prepared beside their places, then
// renamed into them; what goes wrong is undone.
func commit(writes []write) (err error) {
	if len(writes) == 0 {
		return nil
	}
	stages := map[string]*stage{}
	var order []*stage
	defer func() {
		good := err == nil // of all of them together
		for _, s := range order {
			err = errors.Join(err, s.close(good))
		}
		if err != nil {
			err = fault.Wrap(err, fault.StorageUnavailable, "the bundle was not imported: %v", err)
		}
	}()
	for _, w := range writes {
		s := stages[w.dir]
		if s == nil {
			s = &stage{name: stagePrefix + time.Now().UTC().Format("20060102T150405.000000000")}
			if s.root, err = makeRoot(w.dir); err != nil {
				return err
			}
			stages[w.dir] = s
			order = append(order, s)
			if err = s.root.Mkdir(s.name, 0o700); err != nil {
				return err
			}
		}
		s.writes = append(s.writes, w)
	}
	for _, s := range order {
		for _, w := range s.writes {
			if err = s.prepare(w); err != nil {
				return err
			}
		}
	}
	for _, s := range order {
		for _, w := range s.writes {
			if err = s.move(w); err != nil {
				return err
			}
		}
	}
	return nil
}

func makeRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// staged and kept are where a file waits for its place, and where a copy of the
// one that it replaces does.
func (s *stage) staged(w write) string { return filepath.Join(s.name, "new", w.name) }
func (s *stage) kept(w write) string   { return filepath.Join(s.name, "old", w.name) }

// prepare writes the file into the staging folder, on disk, and keeps a copy of
// what it will replace.
func (s *stage) prepare(w write) error {
	if err := s.put(s.staged(w), []byte(w.content)); err != nil {
		return err
	}
	if w.at > 0 {
		at := time.UnixMilli(w.at)
		if err := s.root.Chtimes(s.staged(w), at, at); err != nil {
			return err
		}
	}
	if w.isNew {
		return nil
	}
	info, err := s.root.Stat(w.name)
	if err != nil {
		return err
	}
	old, err := s.root.ReadFile(w.name)
	if err != nil {
		return err
	}
	if err := s.put(s.kept(w), old); err != nil {
		return err
	}
	return s.root.Chtimes(s.kept(w), info.ModTime(), info.ModTime())
}

func (s *stage) put(name string, text []byte) error {
	if err := s.root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := s.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// move renames the file into its place; there is no moment without one.
func (s *stage) move(w write) error {
	if err := s.folders(filepath.Dir(w.name)); err != nil {
		return err
	}
	if err := s.root.Rename(s.staged(w), w.name); err != nil {
		return err
	}
	s.done = append(s.done, w)
	return nil
}

// folders makes the missing folders of a path and remembers them.
func (s *stage) folders(dir string) error {
	if dir == "." {
		return nil
	}
	if _, err := s.root.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.folders(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := s.root.Mkdir(dir, 0o700); err != nil {
		return err
	}
	s.made = append(s.made, dir)
	return nil
}

// close removes the staging folder, after undoing what was done if the import
// failed. A copy that cannot be put back stays in the staging folder.
func (s *stage) close(good bool) error {
	defer s.root.Close()
	if !good {
		if err := s.undo(); err != nil {
			return err
		}
	}
	// What cannot be removed is hidden and harmless; the import itself is done.
	_ = s.root.RemoveAll(s.name)
	return nil
}

func (s *stage) undo() error {
	var failed error
	for i := len(s.done) - 1; i >= 0; i-- {
		w := s.done[i]
		var err error
		if w.isNew {
			err = s.root.Remove(w.name)
		} else {
			err = s.root.Rename(s.kept(w), w.name)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s could not be put back, its text is kept in %s: %w",
				w.path, filepath.Join(s.root.Name(), s.name), err))
		}
	}
	for i := len(s.made) - 1; i >= 0; i-- {
		// A folder that something else was put into meanwhile stays.
		_ = s.root.Remove(s.made[i])
	}
	return failed
}
