// Package storage reads action maps from a storage folder and tells which of
// them apply to a page.
//
// Rules of this package:
//   - A map counts only as scopes/{private,shared/<name>,public}/sites/<host>/
//     <surface…>/actions.json. Copies kept as evidence (a proof or archive
//     segment), dot folders and links that leave the root are never maps.
//   - private goes before shared, shared before public, then by path. The first
//     definition of a tool wins, the others are reported as shadowed.
//   - The folder's host places a map; the map's own patterns can only narrow it.
//   - Files are looked at with every Match and read again only when they
//     changed. A map that breaks stays in use as it last was, and is reported.
//   - Nothing is written.
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

// The scopes, in the order of their precedence. A shared scope is named
// shared:<audience>.
const (
	ScopePrivate = "private"
	ScopePublic  = "public"
	sharedPrefix = "shared:"
)

// Store is one storage folder. It is safe for concurrent use.
type Store struct {
	root string // absolute, without links

	mu      sync.Mutex // guards what follows; a Match costs microseconds
	folders map[string]*folder
	files   map[string]*file
}

// MapError is what keeps a map, or a part of one, out of use.
type MapError struct {
	Path    string `json:"path"` // relative to the root, with forward slashes
	Tool    string `json:"tool,omitempty"`
	Message string `json:"message"`
}

// Entry is a map with its place.
type Entry struct {
	Map     *actionmap.Map
	Scope   string // private, shared:<audience> or public
	Host    string // the folder's name
	Surface string // folders between host and map, joined by slashes; may be ""
	Path    string // relative to the root, with forward slashes
}

// Open makes a store of the folder. A folder that does not exist is an empty
// store that fills when it appears; Errors says so. A root that is something
// else than a folder is storage_unavailable.
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
	return &Store{root: absolute, folders: map[string]*folder{}, files: map[string]*file{}}, nil
}

// Root is the absolute path of the storage folder.
func (s *Store) Root() string { return s.root }

// Errors tells why the store as a whole cannot be read; none is nil.
func (s *Store) Errors() []MapError {
	info, err := os.Stat(s.root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []MapError{{Message: "the storage folder " + s.root + " does not exist"}}
	case err != nil:
		return []MapError{{Message: err.Error()}}
	case !info.IsDir():
		return []MapError{{Message: s.root + " is not a folder"}}
	}
	return nil
}

// Match gives the maps that apply to the page. A URL that is no web page has
// none.
func (s *Store) Match(pageURL string) Site {
	site := Site{URL: pageURL}
	page, err := origin.Parse(pageURL)
	if err != nil {
		return site
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	site.Errors = s.Errors()
	if len(site.Errors) > 0 {
		return site
	}
	for _, scope := range s.scopes() {
		for _, host := range s.list(scope.sites()).folders {
			if !origin.MatchHost(page.Host, host) {
				continue
			}
			if origin.IsPublicSuffix(host) {
				site.Errors = append(site.Errors, MapError{Path: scope.sites() + "/" + host,
					Message: "the folder is named after a public suffix, below which sites belong to different owners"})
				continue
			}
			s.collect(&site, scope, host)
		}
	}
	return site
}

// scope is one scope folder.
type scope struct{ name, path string }

func (s scope) sites() string { return s.path + "/sites" }

// scopes lists the scope folders in the order of their precedence.
func (s *Store) scopes() []scope {
	all := []scope{{ScopePrivate, "scopes/private"}}
	for _, name := range s.list("scopes/shared").folders {
		all = append(all, scope{sharedPrefix + name, "scopes/shared/" + name})
	}
	return append(all, scope{ScopePublic, "scopes/public"})
}

// collect adds the maps of one host folder, by path.
func (s *Store) collect(site *Site, scope scope, host string) {
	base := scope.sites() + "/" + host
	paths, problems := s.maps(base)
	site.Errors = append(site.Errors, problems...)
	for _, path := range paths {
		f := s.load(path)
		if f.problem != "" {
			site.Errors = append(site.Errors, MapError{Path: path, Message: f.problem})
		}
		if f.parsed == nil || !applies(f.parsed, site.URL) {
			continue
		}
		for _, p := range f.parsed.Problems {
			site.Errors = append(site.Errors, MapError{Path: path, Tool: p.Tool, Message: p.Pointer + ": " + p.Message})
		}
		surface := strings.Trim(strings.TrimSuffix(strings.TrimPrefix(path, base), MapName), "/")
		site.Maps = append(site.Maps, &Entry{Map: f.parsed, Scope: scope.name, Host: host, Surface: surface, Path: path})
	}
}

// applies tells whether the map's own patterns let the page through.
func applies(m *actionmap.Map, pageURL string) bool {
	return len(m.URLPatterns) == 0 ||
		slices.ContainsFunc(m.URLPatterns, func(p string) bool { return origin.MatchURL(p, pageURL) })
}
