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

// file is a map's file. A nil parsed was never good.
type file struct {
	stamp
	text    []byte // what parsed was made of
	parsed  *actionmap.Map
	problem string // why its present text is not in use
}

// maps lists the maps below a host's folder, by path.
func (s *Store) maps(base string) (paths []string, problems []MapError) {
	// A link inside the root may lead back up: each folder counts once.
	visited := map[string]bool{}
	var walk func(path string, depth int)
	walk = func(path string, depth int) {
		f := s.list(path)
		if f.problem != "" {
			problems = append(problems, MapError{Path: path, Message: f.problem})
		}
		if f.resolved == "" || visited[f.resolved] || depth > maxSurfaces {
			return
		}
		visited[f.resolved] = true
		if f.hasMap {
			paths = append(paths, path+"/"+MapName)
		}
		for _, name := range f.folders {
			walk(path+"/"+name, depth+1)
		}
	}
	walk(base, 0)
	slices.Sort(paths)
	return paths, problems
}

// list gives a folder's content, from the cache when nothing changed. A folder
// that is not there is empty.
func (s *Store) list(path string) *folder {
	info, err := os.Stat(s.native(path))
	if err != nil || !info.IsDir() {
		delete(s.folders, path)
		return &folder{}
	}
	if f := s.folders[path]; f != nil && f.same(info) {
		return f
	}
	f := &folder{stamp: stamp{info: info, readAt: time.Now()}}
	f.read(s, path)
	s.folders[path] = f
	return f
}

func (f *folder) read(s *Store, path string) {
	resolved, inside := s.resolve(path)
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
		delete(s.files, path+"/"+MapName) // a removed map is no last good version
	}
}

// followed tells whether a folder of this name can hold maps in use.
func followed(name string) bool {
	return !strings.HasPrefix(name, ".") && !strings.EqualFold(name, "proof") && !strings.EqualFold(name, "archive")
}

// load gives a map's file, from the cache when nothing changed.
func (s *Store) load(path string) *file {
	f := s.files[path]
	if f == nil {
		f = &file{}
		s.files[path] = f
	}
	info, err := os.Stat(s.native(path))
	if err != nil {
		// The listing saw it: it was removed this moment, or it is a broken link.
		delete(s.files, path)
		return &file{problem: fmt.Sprintf("the map cannot be read: %v", reason(err))}
	}
	if !f.same(info) {
		f.stamp = stamp{info: info, readAt: time.Now()}
		f.read(s, path, info)
	}
	return f
}

// read parses the file. Whatever goes wrong leaves the last good map in use.
func (f *file) read(s *Store, path string, info fs.FileInfo) {
	text, err := s.text(path, info)
	if err != nil {
		f.problem = err.Error()
		return
	}
	// The same text keeps the same map, with the workflows that it has compiled.
	if f.parsed != nil && bytes.Equal(text, f.text) {
		f.problem = ""
		return
	}
	parsed, err := actionmap.Parse(text)
	if err != nil {
		f.problem = fault.From(err).Message
		if f.parsed != nil {
			f.problem += "; the last good version stays in use"
		}
		return
	}
	f.text, f.parsed, f.problem = text, parsed, ""
}

func (s *Store) text(path string, info fs.FileInfo) ([]byte, error) {
	resolved, inside := s.resolve(path)
	switch {
	case !inside:
		return nil, errors.New("the map is a link that leaves the storage folder")
	case !info.Mode().IsRegular():
		return nil, errors.New("the map is not a regular file")
	}
	file, err := os.Open(resolved)
	if err != nil {
		return nil, fmt.Errorf("the map cannot be read: %v", reason(err))
	}
	defer file.Close()
	// The limit holds for what is read, whatever the size was a moment ago.
	text, err := io.ReadAll(io.LimitReader(file, actionmap.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("the map cannot be read: %v", reason(err))
	}
	if len(text) > actionmap.MaxBytes {
		return nil, fmt.Errorf("the map is larger than %d bytes", actionmap.MaxBytes)
	}
	return text, nil
}

// resolve follows links and tells whether the path stays below the root, in
// folders that count.
func (s *Store) resolve(path string) (string, bool) {
	root, err := filepath.EvalSymlinks(s.root)
	if err != nil {
		return "", false
	}
	resolved, err := filepath.EvalSymlinks(s.native(path))
	if err != nil {
		return "", false
	}
	relative, err := filepath.Rel(root, resolved)
	if err != nil || !filepath.IsLocal(relative) {
		return "", false
	}
	for segment := range strings.SplitSeq(filepath.ToSlash(relative), "/") {
		if !followed(segment) && segment != "." {
			return "", false
		}
	}
	return resolved, true
}

func (s *Store) native(path string) string { return filepath.Join(s.root, filepath.FromSlash(path)) }

// reason leaves the path out of a file error: it stands beside it already.
func reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
