package storage

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of a walk through the whole storage.
const (
	maxFiles = 50_000
	maxDepth = maxSegments
)

// Item is one file of the storage.
type Item struct {
	Path         string `json:"path"` // canonical
	Scope        string `json:"scope,omitempty"`
	Host         string `json:"host,omitempty"` // of a file of a site
	Map          bool   `json:"map"`            // a map in use; copies kept as evidence are not
	Bytes        int64  `json:"bytes"`
	ModifiedAtMS int64  `json:"modified_at_ms"`

	at location
}

// File returns the file on the disk.
func (i Item) File() string { return i.at.path }

// Skipped is a file or folder that a walk left out.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// List returns all files of the storage by path, and what was left out and why.
// Hidden files, .git, node_modules and dist are ignored.
func (s *Store) List() ([]Item, []Skipped) {
	if problem := s.unreadable(); problem != "" {
		return []Item{}, []Skipped{{Path: s.root, Reason: problem}}
	}
	s.mu.Lock()
	l := s.layout()
	s.mu.Unlock()
	w := &walker{items: []Item{}, visited: map[string]bool{}, paths: map[string]bool{}, own: map[string]bool{}}
	for _, at := range append(l.locations(), l.root) {
		resolved, _ := at.resolve(anyName)
		w.own[resolved] = true
	}
	for _, b := range l.all() {
		w.folder(location{b.dir, b.bounds}, b.at, 0)
	}
	// Of a package outside the storage only the map belongs to it.
	for id, name := range l.files {
		b := l.packages[id]
		w.file(location{filepath.Join(b.dir, filepath.Base(name)), b.bounds}, name)
	}
	root, _ := l.root.resolve(anyName)
	w.top(s, root)
	slices.SortFunc(w.items, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(w.skipped, func(a, b Skipped) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Reason, b.Reason))
	})
	return w.items, w.skipped
}

// walker collects files.
type walker struct {
	items   []Item
	skipped []Skipped
	visited map[string]bool // folders, without links
	paths   map[string]bool // canonical
	own     map[string]bool // folders that are walked separately, without links
}

// locations returns the folders of the layout.
func (l *layout) locations() []location {
	var spots []location
	for _, b := range l.all() {
		spots = append(spots, location{b.dir, b.bounds})
	}
	return spots
}

func (w *walker) skip(path, format string, args ...any) {
	w.skipped = append(w.skipped, Skipped{Path: path, Reason: fmt.Sprintf(format, args...)})
}

// top adds the files in the root outside of the scopes.
func (w *walker) top(s *Store, root string) {
	entries, err := os.ReadDir(s.root)
	if err != nil {
		w.skip("", "it cannot be read: %v", reason(err))
		return
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case ignored(name):
		case name == "scopes":
			// Its known scopes were walked; others are not used.
			w.scopes(s)
		default:
			w.visit(s.rooted(name), root, e, name, 0)
		}
	}
}

// scopes reports entries of the scopes folder that are not scopes.
func (w *walker) scopes(s *Store) {
	entries, err := os.ReadDir(filepath.Join(s.root, "scopes"))
	if err != nil {
		w.skip("scopes", "it cannot be read: %v", reason(err))
		return
	}
	for _, e := range entries {
		name := e.Name()
		resolved, _ := s.rooted("scopes/" + name).resolve(anyName)
		switch {
		case ignored(name), name == "shared", w.visited[resolved]:
		case name == ScopePrivate, name == ScopePublic:
			w.skip("scopes/"+name, "storage.json mounts the scope elsewhere")
		default:
			w.skip("scopes/"+name, "scopes are named private, public and shared/NAME")
		}
	}
}

// ignored reports whether a name is never part of the storage.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "dist"
}

// visit adds a file, or all of a folder. The parent is the folder of the entry without links, which
// is inside the bounds: an entry that is no link itself is inside, too, without following each
// part of its path from the root of the disk on, which took most of the time of a list.
func (w *walker) visit(at location, parent string, e fs.DirEntry, path string, depth int) {
	if why := unsafePath(path); why != "" {
		w.skip(path, "the path is not safe: %s", why)
		return
	}
	info, err := e.Info()
	followed := !e.IsDir() && !e.Type().IsRegular() // a link, or what a system has in its place
	if followed {
		info, err = os.Stat(at.path)
	}
	switch {
	case err != nil:
		w.skip(path, "it cannot be read: %v", reason(err))
	case info.IsDir() && followed:
		w.folder(at, path, depth)
	case info.IsDir():
		w.enter(at, filepath.Join(parent, e.Name()), path, depth)
	case followed:
		w.file(at, path)
	default:
		w.add(at, path, info)
	}
}

func (w *walker) folder(at location, path string, depth int) {
	if info, err := os.Stat(at.path); err != nil || !info.IsDir() {
		return // the default folder of a scope does not exist
	}
	resolved, inside := at.resolve(anyName)
	if !inside {
		w.skip(path, "it is a link that leaves the storage folder")
		return
	}
	w.enter(at, resolved, path, depth)
}

// enter adds all of a folder, which is given without links, too.
func (w *walker) enter(at location, resolved, path string, depth int) {
	if w.visited[resolved] || depth > maxDepth || depth > 0 && w.own[resolved] {
		return
	}
	w.visited[resolved] = true
	entries, err := os.ReadDir(resolved)
	if err != nil {
		w.skip(path, "it cannot be read: %v", reason(err))
	}
	for _, e := range entries {
		if !ignored(e.Name()) {
			w.visit(location{filepath.Join(at.path, e.Name()), at.bounds}, resolved, e, path+"/"+e.Name(), depth+1)
		}
	}
}

func (w *walker) file(at location, path string) {
	info, err := os.Stat(at.path)
	_, inside := at.resolve(anyName)
	switch {
	case err != nil:
		w.skip(path, "it cannot be read: %v", reason(err))
	case !inside:
		w.skip(path, "it is a link that leaves the storage folder")
	default:
		w.add(at, path, info)
	}
}

// add adds a file that is inside its bounds.
func (w *walker) add(at location, path string, info fs.FileInfo) {
	switch {
	case !info.Mode().IsRegular():
		w.skip(path, "it is not a regular file")
	case w.paths[path]:
		w.skip(path, "%s has the place of another file", at.path)
	case len(w.items) >= maxFiles:
		w.skip(path, "the storage has more than %d files", maxFiles)
	default:
		w.paths[path] = true
		w.items = append(w.items, item(at, path, info))
	}
}

// item returns the description of a file.
func item(at location, path string, info fs.FileInfo) Item {
	i := Item{Path: path, Bytes: info.Size(), ModifiedAtMS: info.ModTime().UnixMilli(), at: at}
	scope, below, ok := canonicalScope(path)
	if !ok {
		return i
	}
	i.Scope = scope
	if place, ok := ParsePath(path, ""); ok {
		i.Host = place.Host
		i.Map = filepath.Base(below) == MapName && executable(below)
	}
	return i
}
