package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// stagePrefix is the name prefix of the folder in which an import prepares its files.
// It is hidden, so that nothing in it is ever in use.
const stagePrefix = ".import-"

// stage is one folder with the files that go into it. All its paths stay below
// the folder, regardless of links in it.
type stage struct {
	root   *os.Root
	name   string   // of the staging folder
	fresh  *os.Root // the folder of the prepared files in it
	writes []write
	done   []write         // moved to their final paths
	known  map[string]bool // folders that are there
	made   []string        // those of them that were created, the outer ones first
}

// commit writes all files or none: it prepares them in a staging folder and then
// renames them; on an error it undoes the changes.
func commit(writes []write) (err error) {
	if len(writes) == 0 {
		return nil
	}
	stages := map[string]*stage{}
	var order []*stage
	defer func() {
		good := err == nil // for all of them
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
			s = &stage{name: stagePrefix + time.Now().UTC().Format("20060102T150405.000000000"), known: map[string]bool{".": true}}
			if s.root, err = makeRoot(w.dir); err != nil {
				return err
			}
			stages[w.dir] = s
			order = append(order, s)
			if err = s.begin(); err != nil {
				return err
			}
		}
		w.number = len(s.writes)
		s.writes = append(s.writes, w)
	}
	for _, s := range order {
		if err = s.prepareAll(); err != nil {
			return err
		}
	}
	for _, s := range order {
		for _, w := range s.writes {
			if err = s.move(w); err != nil {
				return err
			}
		}
		if err = s.syncFolders(); err != nil {
			return err
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

// begin makes the staging folder. It stays open: a path is followed from the root for each
// file again, which is most of the work where files are small.
func (s *stage) begin() (err error) {
	for _, name := range []string{s.name, filepath.Join(s.name, freshName)} {
		if err := s.root.Mkdir(name, 0o700); err != nil {
			return err
		}
	}
	s.fresh, err = s.root.OpenRoot(filepath.Join(s.name, freshName))
	return err
}

// freshName is the name of the folder of the prepared files.
const freshName = "new"

// staged returns the name of the prepared file: a number, as folders of its own would be
// made only to be removed again.
func (w write) staged() string { return strconv.Itoa(w.number) }

// backup returns the path of a copy of the file that is replaced.
func (s *stage) backup(w write) string { return filepath.Join(s.name, "old", w.name) }

// together is how many files are prepared at once: most of the time goes to waiting for the disk,
// which takes several files in one go.
const together = 16

// prepareAll prepares the files of the stage and, meanwhile, the folders that they go to. It ends
// at the first error.
func (s *stage) prepareAll() error {
	var group sync.WaitGroup
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, together+1)
	for worker := range together {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(s.writes) && !failed.Load(); i = int(next.Add(1)) - 1 {
				if errs[worker] = s.prepare(s.writes[i]); errs[worker] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Go(func() {
		for i := 0; i < len(s.writes) && !failed.Load(); i++ {
			if errs[together] = s.folders(filepath.Dir(s.writes[i].name)); errs[together] != nil {
				failed.Store(true)
			}
		}
	})
	group.Wait()
	return errors.Join(errs...)
}

// prepare writes the file into the staging folder and syncs it, with a copy of the
// file that it will replace.
func (s *stage) prepare(w write) error {
	if err := put(s.fresh, w.staged(), []byte(w.content)); err != nil {
		return err
	}
	if w.at > 0 {
		at := time.UnixMilli(w.at)
		if err := s.fresh.Chtimes(w.staged(), at, at); err != nil {
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
	// Who may read the file is up to its owner.
	if err := s.fresh.Chmod(w.staged(), info.Mode().Perm()); err != nil {
		return err
	}
	old, err := s.root.ReadFile(w.name)
	if err != nil {
		return err
	}
	if err := s.root.MkdirAll(filepath.Dir(s.backup(w)), 0o700); err != nil {
		return err
	}
	if err := put(s.root, s.backup(w), old); err != nil {
		return err
	}
	if err := s.root.Chmod(s.backup(w), info.Mode().Perm()); err != nil {
		return err
	}
	return s.root.Chtimes(s.backup(w), info.ModTime(), info.ModTime())
}

// put writes a new file and syncs it.
func put(root *os.Root, name string, text []byte) error {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// move atomically renames the file to its final path.
func (s *stage) move(w write) error {
	if err := s.root.Rename(filepath.Join(s.name, freshName, w.staged()), w.name); err != nil {
		return err
	}
	s.done = append(s.done, w)
	return nil
}

// syncFolders waits until the names of the moved files are on disk, and those of the folders that
// were made for them. Most file systems write them all with the first one.
func (s *stage) syncFolders() error {
	changed := map[string]bool{}
	for _, w := range s.done {
		changed[filepath.Dir(w.name)] = true
	}
	for _, name := range s.made {
		changed[filepath.Dir(name)] = true
	}
	for name := range changed {
		if err := wholefile.SyncFolder(s.root.Open, name); err != nil {
			return err
		}
	}
	return nil
}

// folders creates the missing folders of a path and records them.
func (s *stage) folders(dir string) error {
	if s.known[dir] {
		return nil
	}
	if err := s.folders(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := s.root.Mkdir(dir, 0o700); err == nil {
		s.made = append(s.made, dir)
	} else if _, missing := s.root.Stat(dir); missing != nil {
		return err
	}
	s.known[dir] = true
	return nil
}

// close removes the staging folder. If the import failed it first undoes the changes;
// a copy that cannot be restored stays in the staging folder.
func (s *stage) close(good bool) error {
	defer s.root.Close()
	if s.fresh != nil {
		s.fresh.Close() // some systems remove no folder that is open
	}
	if !good {
		if err := s.undo(); err != nil {
			return err
		}
	}
	// Remaining files are hidden and harmless; the import itself is done.
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
			err = s.root.Rename(s.backup(w), w.name)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s could not be put back, its text is kept in %s: %w",
				w.path, filepath.Join(s.root.Name(), s.name), err))
		}
	}
	for i := len(s.made) - 1; i >= 0; i-- {
		// A folder that is no longer empty stays.
		_ = s.root.Remove(s.made[i])
	}
	return failed
}
