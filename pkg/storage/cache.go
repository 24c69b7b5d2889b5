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
	"github.com/actionsjson/actions-host/pkg/origin"
)

const (
	// maxSurfaces is the maximum number of folders between a host and its map.
	maxSurfaces = 16

	// timestampInterval is the age of a change from which on its timestamp differs from
	// that of the next: the coarsest file systems count in steps of two seconds.
	timestampInterval = 2 * time.Second
)

// stamp identifies a file's state without its content.
type stamp struct {
	info   fs.FileInfo
	readAt time.Time
}

// unchanged reports whether the file cannot have changed since the stamp was taken.
func (s stamp) unchanged(info fs.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, info) && s.info.Size() == info.Size() &&
		s.info.ModTime().Equal(info.ModTime()) && s.readAt.Sub(s.info.ModTime()) > timestampInterval
}

// folder is a listed folder.
type folder struct {
	stamp
	resolved string   // its path with links resolved; "" if it is not followed
	folders  []string // names, sorted; those that are never followed are left out
	hasMap   bool
	problem  string
	byHost   map[string][]string // the folders by their hosts, when first needed
}

// matching returns the folders whose hosts a page's host belongs to, sorted. They are looked up:
// comparing the page with each of thousands of folders would be felt in every call.
func (f *folder) matching(pageHost string) []string {
	var names []string
	for _, host := range origin.Enclosing(pageHost) {
		names = append(names, f.ofHost(host)...)
	}
	slices.Sort(names)
	return names
}

// ofHost returns the folders of exactly the host, however they are spelled.
func (f *folder) ofHost(host string) []string {
	if f.byHost == nil {
		f.byHost = make(map[string][]string, len(f.folders))
		for _, name := range f.folders {
			if host, ok := origin.Canonical(name); ok {
				f.byHost[host] = append(f.byHost[host], name)
			}
		}
	}
	return f.byHost[host]
}

// mapFile is a map's file. parsed is nil if it has never been valid.
type mapFile struct {
	stamp
	text    []byte // the source of parsed
	parsed  *actionmap.Map
	imports composition
	problem string // why its current text is not in use
	// derived caches the imported maps under their names in this one, by prefix and
	// path; a new text resets it.
	derived map[string]derived
}

// find returns the maps below a host's folder, by path; paths begin with a slash
// and are relative to that folder.
func (s *Store) find(at location) (paths []string, problems []MapError) {
	// A link inside the bounds may lead back up: each folder counts once.
	visited := map[string]bool{}
	var walk func(below string, depth int)
	walk = func(below string, depth int) {
		f := s.list(location{at.path + filepath.FromSlash(below), at.bounds})
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

// list returns a folder's content, from the cache if nothing changed. A missing
// folder is empty.
func (s *Store) list(at location) *folder {
	info, err := os.Stat(at.path)
	if err != nil || !info.IsDir() {
		delete(s.folders, at)
		return &folder{}
	}
	if f := s.folders[at]; f != nil && f.unchanged(info) {
		return f
	}
	f := &folder{stamp: stamp{info: info, readAt: time.Now()}}
	f.read(s, at)
	s.folders[at] = f
	return f
}

func (f *folder) read(s *Store, at location) {
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
		case e.IsDir(), e.Type()&fs.ModeSymlink != 0: // a link is resolved when it is listed
			f.folders = append(f.folders, name)
		}
	}
	if !f.hasMap {
		// A removed map has no last valid version.
		delete(s.maps, location{filepath.Join(at.path, MapName), at.bounds})
	}
}

// followed reports whether a folder of this name can contain maps in use.
func followed(name string) bool {
	return !strings.HasPrefix(name, ".") && !strings.EqualFold(name, "proof") && !strings.EqualFold(name, "archive")
}

// load returns the map's file at the location, whose canonical path is given, from
// the cache if nothing changed.
func (s *Store) load(at location, path string) *mapFile {
	f := s.maps[at]
	if f == nil {
		f = &mapFile{}
		s.maps[at] = f
	}
	info, err := os.Stat(at.path)
	if err != nil {
		// It was listed: it has just been removed, or it is a broken link.
		delete(s.maps, at)
		return &mapFile{problem: fmt.Sprintf("the map cannot be read: %v", reason(err))}
	}
	if !f.unchanged(info) {
		f.stamp = stamp{info: info, readAt: time.Now()}
		f.read(at, info, path)
	}
	return f
}

// read parses the file. On any error the last valid map stays in use.
func (f *mapFile) read(at location, info fs.FileInfo, path string) {
	text, err := at.text(info)
	if err == nil && f.parsed != nil && bytes.Equal(text, f.text) {
		// The same text keeps the same map with its compiled workflows.
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

// text returns a map's text; an error is invalid_map.
func (at location) text(info fs.FileInfo) ([]byte, error) {
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
	// The limit applies to what is read, since the size may have changed.
	text, err := io.ReadAll(io.LimitReader(file, actionmap.MaxBytes+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidMap, "the map cannot be read: %v", reason(err))
	}
	if len(text) > actionmap.MaxBytes {
		return nil, fault.New(fault.InvalidMap, "the map is larger than %d bytes", actionmap.MaxBytes)
	}
	return text, nil
}

// reason returns a file error without its path, which the caller reports.
func reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
