package storage

import (
	"errors"
	"io/fs"
	"math"
	"path"
	"path/filepath"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// LastMapName is the file beside a map with the text that it had before it was replaced.
const LastMapName = "actions.last.json"

// MapPlace returns the place of a host's map in a folder of its own, in the private scope.
func MapPlace(host, folder string) Place {
	return Place{Scope: ScopePrivate, Host: host, Rest: folder + "/" + MapName}
}

// AddMap writes a map and returns its path. The folder must hold no map yet: the error is
// install_conflict then, and otherwise one of those of [Store.Import]. With replace a map that is
// there goes to [LastMapName] beside it.
func (s *Store) AddMap(place Place, text []byte, replace bool) (string, error) {
	name := place.Path()
	if why := unsafePath(name); why != "" {
		return "", fault.New(fault.StorageFilePathUnauthorized, "the path %.80q is not safe: %s", name, why).With("path", name)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	l := s.layout()
	s.mu.Unlock()
	entry := BundleEntry{Path: name, Content: string(text)}
	if replace {
		entry.ModifiedAtMS = math.MaxInt64 // newer than what is there
	}
	into := targets{}
	defer into.close()
	w, exists, err := planOne(l, into, name, entry)
	switch {
	case err != nil:
		return "", err
	case exists && !replace, w == nil && !exists:
		return "", fault.New(fault.InstallConflict, "%s exists already and was left alone", name).With("path", name).WithNextStep("Save it under another name.")
	case w == nil: // it is there as it is
		return name, nil
	}
	w.at = 0
	writes := []write{*w}
	if exists {
		last, err := lastVersion(*w)
		if err != nil {
			return "", err
		}
		writes = []write{last, *w}
	}
	return name, commit(writes)
}

// lastVersion returns what keeps the present text of a map that is to be replaced.
func lastVersion(of write) (write, error) {
	_, text, err := present(of.dir, of.name)
	if err != nil {
		return write{}, fault.Wrap(err, fault.StorageUnavailable, "%s cannot be kept: %v", of.path, reason(err))
	}
	last := write{path: path.Join(path.Dir(of.path), LastMapName), dir: of.dir, name: filepath.Join(filepath.Dir(of.name), LastMapName), content: text}
	info, _, err := present(last.dir, last.name)
	last.isNew = errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !last.isNew:
		return write{}, fault.Wrap(err, fault.StorageUnavailable, "%s cannot be written: %v", last.path, reason(err))
	case !last.isNew && !info.Mode().IsRegular():
		return write{}, fault.New(fault.StorageFilePathUnauthorized, "%s is not written: a folder or a link has its name", last.path).With("path", last.path)
	}
	return last, nil
}
