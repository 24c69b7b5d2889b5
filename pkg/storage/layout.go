package storage

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bounds limits a path: with links resolved it must be in dir, and dir in limit.
type bounds struct{ dir, limit string }

// location is a file or folder on the disk with its bounds.
type location struct {
	path string // absolute
	bounds
}

// base is a folder on the disk with the files of a scope or of a package.
type base struct {
	bounds
	at    string // the canonical path of dir
	dir   string // absolute
	sites string // the sites folder, absolute; "" in a package
}

// scope is one scope with its folders, the mounted or default one first.
type scope struct {
	name, path string // such as shared:team and scopes/shared/team
	bases      []base
}

// layout maps canonical paths to the disk, in the order of precedence.
type layout struct {
	root         location
	scopes       []scope
	packages     map[string]base   // of storage.json, by id
	files        map[string]string // the packages' maps, canonical, by id
	defaultScope string
	problems     []MapError
}

// layout returns the current layout. It lists a few folders.
func (s *Store) layout() *layout {
	w := s.settings()
	l := &layout{
		root: s.rooted(""), defaultScope: w.defaultScope, packages: map[string]base{}, files: map[string]string{},
		problems: append([]MapError(nil), w.problems...),
	}
	top := s.list(l.root).folders
	// Most storages use none of the other forms: avoid disk access for them.
	present := func(name string) bool { _, found := slices.BinarySearch(top, name); return found }
	names := map[string]bool{}
	add := func(name string) {
		if !names[name] {
			names[name] = true
			l.scopes = append(l.scopes, s.scope(l, w, name, present))
		}
	}
	add(ScopePrivate)
	for _, name := range s.list(s.rooted("scopes/shared")).folders {
		add(sharedPrefix + name)
	}
	for _, name := range w.audiences {
		add(sharedPrefix + name)
	}
	if strings.HasPrefix(w.defaultScope, sharedPrefix) {
		add(w.defaultScope)
	}
	for _, name := range top {
		if audience, ok := strings.CutPrefix(repositoryScope(name), sharedPrefix); ok {
			add(sharedPrefix + audience)
		}
	}
	if present("shared") {
		for _, name := range s.list(s.rooted("shared")).folders {
			add(sharedPrefix + name)
		}
	}
	add(ScopePublic)
	for _, id := range slices.Sorted(maps.Keys(w.packages)) {
		at, problem := s.mounted(w.packages[id].Path)
		if problem != "" {
			l.problems = append(l.problems, MapError{Path: workspaceName, Message: "the package " + id + " is not loaded: " + problem})
			continue
		}
		// A package may reach only its own folder.
		dir, name := filepath.Split(at.path)
		dir = filepath.Clean(dir)
		l.packages[id] = base{bounds: bounds{dir, at.limit}, at: "packages/" + id, dir: dir}
		l.files[id] = "packages/" + id + "/" + name
	}
	return l
}

// scope returns the folders of one scope; present reports whether the root has a folder.
func (s *Store) scope(l *layout, w *workspaceFile, name string, present func(string) bool) scope {
	sc := scope{name: name, path: scopePath(name)}
	standard := s.rooted(sc.path)
	first := base{bounds: standard.bounds, at: sc.path, dir: standard.path}
	if m, ok := w.mounts[name]; ok {
		at, problem := s.mounted(m.Path)
		switch {
		case problem == "" && at.path != standard.path && s.list(at).resolved == "":
			// The default folder of a scope may be missing; a mounted one must exist.
			problem = "the folder " + at.path + " does not exist, or a link leads it elsewhere"
		case problem == "":
			first.bounds, first.dir = at.bounds, at.path
		}
		if problem != "" {
			l.problems = append(l.problems, MapError{Path: workspaceName, Message: "the mount " + name + " is not used: " + problem})
		}
	}
	first.sites = filepath.Join(first.dir, "sites")
	sc.bases = append(sc.bases, first)
	// The other forms of a scope are supported in the root only.
	named := strings.ReplaceAll(name, ":", ".")
	for _, other := range []string{"actions.json.storage." + named, strings.ReplaceAll(name, ":", "/")} {
		at := s.rooted(other)
		folder, _, _ := strings.Cut(other, "/")
		if at.path != first.dir && present(folder) {
			sc.bases = append(sc.bases, base{bounds: at.bounds, at: sc.path, dir: at.path, sites: filepath.Join(at.path, "sites")})
		}
	}
	if name == l.defaultScope && present("sites") {
		at := s.rooted("sites")
		sc.bases = append(sc.bases, base{bounds: at.bounds, at: sc.path + "/sites", dir: at.path, sites: at.path})
	}
	return sc
}

// rooted returns a location below the root, from a path with forward slashes.
func (s *Store) rooted(path string) location {
	return location{filepath.Join(s.root, filepath.FromSlash(path)), bounds{s.root, s.root}}
}

// mounted returns the folder or file that storage.json names: below the root, or
// by an absolute path below the user's home. problem is set if it is neither.
func (s *Store) mounted(name string) (at location, problem string) {
	if !filepath.IsAbs(name) {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
		if why := unsafePath(name); why != "" {
			return location{}, "its path is not safe: " + why
		}
		path := filepath.Join(s.root, filepath.FromSlash(name))
		return location{path, bounds{path, s.root}}, ""
	}
	path := filepath.Clean(name)
	relative, err := filepath.Rel(s.home, path)
	if s.home == "" || err != nil || relative == "." || !filepath.IsLocal(relative) {
		return location{}, "an absolute path must lie below your home folder"
	}
	return location{path, bounds{path, s.home}}, ""
}

// resolve follows links and reports whether the path stays inside its bounds, in
// folders whose names are accepted.
func (at location) resolve(accepts func(name string) bool) (string, bool) {
	limit, err := filepath.EvalSymlinks(at.limit)
	if err != nil {
		return "", false
	}
	dir, err := filepath.EvalSymlinks(at.dir)
	if err != nil || !within(limit, dir, anyName) {
		return "", false
	}
	resolved, err := filepath.EvalSymlinks(at.path)
	return resolved, err == nil && within(dir, resolved, accepts)
}

func anyName(string) bool { return true }

// within reports whether a path without links is the folder or is below it.
func within(dir, path string, accepts func(name string) bool) bool {
	relative, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(relative) {
		return false
	}
	for segment := range strings.SplitSeq(filepath.ToSlash(relative), "/") {
		if segment != "." && !accepts(segment) {
			return false
		}
	}
	return true
}

// all returns every folder of the layout.
func (l *layout) all() []base {
	var all []base
	for _, sc := range l.scopes {
		all = append(all, sc.bases...)
	}
	return all
}

// locate returns the location of a canonical path: in the first of its folders that
// has it, else in the first that could.
func (l *layout) locate(path string) (at location, found bool) {
	candidates := l.all()
	if id, _, ok := strings.Cut(strings.TrimPrefix(path, "packages/"), "/"); ok && strings.HasPrefix(path, "packages/") {
		if listed, ok := l.packages[id]; ok {
			candidates = []base{listed}
		} else {
			dir := filepath.Join(l.root.path, "packages", id)
			candidates = []base{{bounds: bounds{dir, l.root.path}, at: "packages/" + id, dir: dir}}
		}
	}
	// A scope without files would be in its default folder.
	first, named := location{filepath.Join(l.root.path, filepath.FromSlash(path)), l.root.bounds}, false
	for _, b := range candidates {
		below, ok := strings.CutPrefix(path, b.at+"/")
		if !ok {
			continue
		}
		at := location{filepath.Join(b.dir, filepath.FromSlash(below)), b.bounds}
		if !named {
			first, named = at, true
		}
		if _, err := os.Stat(at.path); err == nil {
			return at, true
		}
	}
	return first, false
}
