// Package storage reads action maps and the files that they declare from a
// storage folder, and selects those that apply to a page.
//
// Rules of this package:
//   - Everything has one canonical path: scopes/{private,public,shared/<name>}/…
//     or packages/<id>/…, wherever storage.json mounts it on the disk.
//   - A map counts only as SCOPE/sites/<host>/<surface…>/actions.json. Copies
//     kept as evidence (a proof or archive segment), dot folders and links that
//     leave what their mount names are never maps.
//   - private goes before shared, shared before public, then by path. The first
//     definition of a tool wins, the others are reported as shadowed.
//   - The folder's host places a map; the map's own patterns can only narrow it.
//   - A map reaches only its own scope and less private ones, by its declared
//     files and by its imports. Nothing is ever fetched.
//   - Every Match checks the files, and reads them again only if they changed.
//     The last valid version of a broken map stays in use, and the error is reported.
//   - Only Import and Init write, below the storage folder and its mounts; a
//     failed write leaves everything as it was.
package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// MapName is the name of every map's file.
const MapName = "actions.json"

// Store is one storage folder. It is safe for concurrent use.
type Store struct {
	root string // absolute
	home string // absolute; "" forbids mounts outside of the root

	mu        sync.Mutex // guards the fields below; a Match costs microseconds
	folders   map[location]*folder
	maps      map[location]*mapFile
	workspace workspaceFile

	writing   sync.Mutex // one Import at a time
	afterPlan func()     // a test hook before an Import writes
}

// MapError is why a map, or a part of one, is not used.
type MapError struct {
	Path    string `json:"path"` // canonical
	Tool    string `json:"tool,omitempty"`
	Import  string `json:"import,omitempty"` // id of the import
	Message string `json:"message"`
}

// Entry is a map with its place.
type Entry struct {
	Map     *actionmap.Map
	Scope   string // private, shared:<audience> or public
	Host    string // the folder's name
	Surface string // folders between host and map, joined by slashes; may be ""
	Path    string // canonical, with forward slashes
	File    string // on the disk
	// Import is nil for a map that applies by its own place. The entry of an
	// imported tool has the place of the map that imports it, and in Map the
	// imported one, with the names under which its tools appear here.
	Import *Import

	file     *mapFile // of a map that applies by its own place
	offers   []Offer  // with the imported ones; nil when the map imports nothing
	imported []*Entry
}

// Open returns a store of the folder. A missing folder is an empty store until it
// appears; [Store.Errors] reports it. A root that is not a folder is
// storage_unavailable.
func Open(root string) (*Store, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the storage folder %s cannot be read: %v", root, err)
	}
	info, err := os.Stat(absolute)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the storage folder %s cannot be read: %v", root, err)
	case !info.IsDir():
		return nil, fault.New(fault.StorageUnavailable, "%s is not a folder", root)
	}
	// Without a home folder only mounts inside of the root are possible.
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		home = ""
	}
	return &Store{root: absolute, home: home, folders: map[location]*folder{}, maps: map[location]*mapFile{}}, nil
}

// Root returns the absolute path of the storage folder.
func (s *Store) Root() string { return s.root }

// Errors returns the errors of the store as a whole: an unreadable folder, an invalid
// storage.json; nil if there are none.
func (s *Store) Errors() []MapError {
	if problem := s.unreadable(); problem != "" {
		return []MapError{{Message: problem}}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.layout().problems
}

// unreadable returns why the store cannot be read, or "".
func (s *Store) unreadable() string {
	info, err := os.Stat(s.root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the storage folder " + s.root + " does not exist"
	case err != nil:
		return err.Error()
	case !info.IsDir():
		return s.root + " is not a folder"
	}
	return ""
}

// Match returns the maps that apply to the page. A URL that is not a web page
// has none.
func (s *Store) Match(pageURL string) Site {
	site := Site{URL: pageURL}
	page, err := origin.Parse(pageURL)
	if err != nil {
		return site
	}
	if problem := s.unreadable(); problem != "" {
		site.Errors = []MapError{{Message: problem}}
		return site
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.layout()
	site.Errors = slices.Clone(l.problems)
	for _, scope := range l.scopes {
		from := len(site.Maps)
		for _, b := range scope.bases {
			for _, host := range s.list(location{b.sites, b.bounds}).matching(page.Host) {
				if origin.IsPublicSuffix(host) {
					site.Errors = append(site.Errors, MapError{Path: scope.path + "/sites/" + host,
						Message: "the folder is named after a public suffix, below which sites belong to different owners"})
					continue
				}
				s.collect(&site, scope, b, host)
			}
		}
		unique(&site, from)
	}
	for _, e := range site.Maps {
		s.compose(&site, l, e)
		l.missing(&site, e)
	}
	return site
}

// collect adds the maps of one host folder, by path.
func (s *Store) collect(site *Site, scope scope, b base, host string) {
	at := scope.path + "/sites/" + host
	found, problems := s.find(location{filepath.Join(b.sites, host), b.bounds})
	for _, p := range problems {
		site.Errors = append(site.Errors, MapError{Path: at + p.Path, Message: p.Message})
	}
	for _, below := range found {
		path, file := at+below, location{filepath.Join(b.sites, host, filepath.FromSlash(below)), b.bounds}
		f := s.load(file, path)
		if f.problem != "" {
			site.Errors = append(site.Errors, MapError{Path: path, Message: f.problem})
		}
		if f.parsed == nil || !applies(f.parsed, site.URL) {
			continue
		}
		site.problems(path, f.parsed)
		site.Maps = append(site.Maps, &Entry{
			Map: f.parsed, Scope: scope.name, Host: host, Path: path, File: file.path,
			Surface: strings.Trim(strings.TrimSuffix(below, MapName), "/"), file: f,
		})
	}
}

// unique orders the maps of one scope from the index on by path. If two
// folders of the scope contain the same path, the earlier folder wins and the other
// is reported.
func unique(site *Site, from int) {
	maps := site.Maps[from:]
	slices.SortStableFunc(maps, func(a, b *Entry) int { return strings.Compare(a.Path, b.Path) })
	unique := maps[:0]
	for _, e := range maps {
		if len(unique) > 0 && unique[len(unique)-1].Path == e.Path {
			site.Errors = append(site.Errors, MapError{Path: e.Path, Message: e.File + " is not used: " + unique[len(unique)-1].File + " has the same place"})
			continue
		}
		unique = append(unique, e)
	}
	site.Maps = site.Maps[:from+len(unique)]
}

// problems reports the parts of a map that cannot be used.
func (s *Site) problems(path string, m *actionmap.Map) {
	for _, p := range m.Problems {
		s.Errors = append(s.Errors, MapError{Path: path, Tool: p.Tool, Message: p.Pointer + ": " + p.Message})
	}
}

// applies reports whether the map's own patterns match the page.
func applies(m *actionmap.Map, pageURL string) bool {
	return len(m.URLPatterns) == 0 ||
		slices.ContainsFunc(m.URLPatterns, func(p string) bool { return origin.MatchURL(p, pageURL) })
}
