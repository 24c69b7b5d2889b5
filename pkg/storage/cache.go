package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	// maxSurfaces bounds the folders between a host and its map.
	maxSurfaces = 16

	// settled is how old a change must be for a file's times to tell it from
	// the next one: the coarsest file systems count in steps of two seconds.
	settled = 2 * time.Second
)

// stamp tells a file's state from another one without reading it.
type stamp struct {
	info   fs.FileInfo
	readAt time.Time
}

// same tells whether nothing can have changed since the stamp was taken.
func (s stamp) same(info fs.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, info) && s.info.Size() == info.Size() &&
		s.info.ModTime().Equal(info.ModTime()) && s.readAt.Sub(s.info.ModTime()) > settled
}

// folder is a listed folder.
type folder struct {
	stamp
	resolved string   // its path without links; "" when it is not followed
	folders  []string // names, sorted; those that are never followed are left out
	hasMap   bool
	problem  string
}

// mapFile is a map's file. A nil parsed was never good.
type mapFile struct {
	stamp
	text    []byte // what parsed was made of
	parsed  *actionmap.Map
	imports composition
	problem string // why its present text is not in use
	// derived keeps the imported maps under the names that they have in this
	// one, by prefix and path; it begins anew with each text.
	derived map[string]derived
}

// find lists the maps below a host's folder, by path; paths begin with a slash
// and are relative to that folder.
func (s *Store) find(at spot) (paths []string, problems []MapError) {
	// A link inside the bound may lead back up: each folder counts once.
	visited := map[string]bool{}
	var walk func(below string, depth int)
	walk = func(below string, depth int) {
		f := s.list(spot{at.path + filepath.FromSlash(below), at.bound})
		if f.problem != "" {
			problems = append(problems, MapError{Path: below, Message: f.problem})
		}
		if f.resolved == "" || visited[f.resolved] || depth > maxSurfaces {
			return
		}
		visited[f.resolved] = true
		if f.hasMap {
			paths = append(paths, below+"/"+MapName)
		}
		for _, name := range f.folders {
			walk(below+"/"+name, depth+1)
		}
	}
	walk("", 0)
	slices.Sort(paths)
	return paths, problems
}

// list gives a folder's content, from the cache when nothing changed. A folder
// that is not there is empty.
func (s *Store) list(at spot) *folder {
	info, err := os.Stat(at.path)
	if err != nil || !info.IsDir() {
		delete(s.folders, at)
		return &folder{}
	}
	if f := s.folders[at]; f != nil && f.same(info) {
		return f
	}
	f := &folder{stamp: stamp{info: info, readAt: time.Now()}}
	f.read(s, at)
	s.folders[at] = f
	return f
}

func (f *folder) read(s *Store, at spot) {
	resolved, inside := at.resolve(followed)
	if !inside {
		return
	}
	f.resolved = resolved
	entries, err := os.ReadDir(resolved)
	if err != nil {
		f.problem = fmt.Sprintf("the folder cannot be read: %v", reason(err))
		return
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == MapName:
			f.hasMap = true
		case !followed(name):
		case e.IsDir(), e.Type()&fs.ModeSymlink != 0: // where a link leads is seen when it is listed
			f.folders = append(f.folders, name)
		}
	}
	if !f.hasMap {
		// A removed map is no last good version.
		delete(s.maps, spot{filepath.Join(at.path, MapName), at.bound})
	}
}

// followed tells whether a folder of this name can hold maps in use.
func followed(name string) bool {
	return !strings.HasPrefix(name, ".") && !strings.EqualFold(name, "proof") && !strings.EqualFold(name, "archive")
}

// load gives the map's file at the spot, whose canonical path is given, from
// the cache when nothing changed.
func (s *Store) load(at spot, path string) *mapFile {
	f := s.maps[at]
	if f == nil {
		f = &mapFile{}
		s.maps[at] = f
	}
	info, err := os.Stat(at.path)
	if err != nil {
		// The listing saw it: it was removed this moment, or it is a broken link.
		delete(s.maps, at)
		return &mapFile{problem: fmt.Sprintf("the map cannot be read: %v", reason(err))}
	}
	if !f.same(info) {
		f.stamp = stamp{info: info, readAt: time.Now()}
		f.read(at, info, path)
	}
	return f
}

// read parses the file. Whatever goes wrong leaves the last good map in use.
func (f *mapFile) read(at spot, info fs.FileInfo, path string) {
	text, err := at.text(info)
	if err == nil && f.parsed != nil && bytes.Equal(text, f.text) {
		// The same text keeps the same map, with the workflows that it has compiled.
		f.problem = ""
		return
	}
	var parsed *actionmap.Map
	if err == nil {
		parsed, err = actionmap.Parse(text)
	}
	if err != nil {
		f.problem = fault.From(err).Message
		if f.parsed != nil {
			f.problem += "; the last good version stays in use"
		}
		return
	}
	declare(parsed, path)
	f.text, f.parsed, f.problem = text, parsed, ""
	f.imports, f.derived = readImports(parsed.Raw), map[string]derived{}
}

// text reads a map's text; a fault is invalid_map.
func (at spot) text(info fs.FileInfo) ([]byte, error) {
	resolved, inside := at.resolve(followed)
	switch {
	case !inside:
		return nil, fault.New(fault.InvalidMap, "the map is a link that leaves the storage folder")
	case !info.Mode().IsRegular():
		return nil, fault.New(fault.InvalidMap, "the map is not a regular file")
	}
	file, err := os.Open(resolved)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidMap, "the map cannot be read: %v", reason(err))
	}
	defer file.Close()
	// The limit holds for what is read, whatever the size was a moment ago.
	text, err := io.ReadAll(io.LimitReader(file, actionmap.MaxBytes+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidMap, "the map cannot be read: %v", reason(err))
	}
	if len(text) > actionmap.MaxBytes {
		return nil, fault.New(fault.InvalidMap, "the map is larger than %d bytes", actionmap.MaxBytes)
	}
	return text, nil
}

// reason leaves the path out of a file error: it stands beside it already.
func reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
