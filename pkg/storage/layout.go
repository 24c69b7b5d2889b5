package storage

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bound is what may not be left: everything lies in dir, links resolved, and
// dir itself in limit.
type bound struct{ dir, limit string }

// spot is a file or folder with its bound.
type spot struct {
	path string // absolute
	bound
}

// base is a folder on the disk that holds a scope, a part of one, or a package.
type base struct {
	bound
	at    string // the canonical path of dir
	dir   string // absolute
	sites string // the sites folder, absolute; "" in a package
}

// scope is one scope with its folders, the mounted or usual one first.
type scope struct {
	name, path string // such as shared:team and scopes/shared/team
	bases      []base
}

// layout says where everything lies, in the order of precedence.
type layout struct {
	root         spot
	scopes       []scope
	packages     map[string]base   // of storage.json, by id
	files        map[string]string // the packages' maps, canonical, by id
	defaultScope string
	problems     []MapError
}

// layout reads where everything lies. It costs a look at a few folders.
func (s *Store) layout() *layout {
	w := s.settings()
	l := &layout{
		root: s.rooted(""), defaultScope: w.defaultScope, packages: map[string]base{}, files: map[string]string{},
		problems: append([]MapError(nil), w.problems...),
	}
	top := s.list(l.root).folders
	// Most storages have none of the other forms: no look at the disk for them.
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
		// What a package may reach is its own folder.
		dir, name := filepath.Split(at.path)
		dir = filepath.Clean(dir)
		l.packages[id] = base{bound: bound{dir, at.limit}, at: "packages/" + id, dir: dir}
		l.files[id] = "packages/" + id + "/" + name
	}
	return l
}

// scope gives the folders of one scope; present knows the folders of the root.
func (s *Store) scope(l *layout, w *workspaceFile, name string, present func(string) bool) scope {
	sc := scope{name: name, path: scopePath(name)}
	usual := s.rooted(sc.path)
	first := base{bound: usual.bound, at: sc.path, dir: usual.path}
	if m, ok := w.mounts[name]; ok {
		at, problem := s.mounted(m.Path)
		switch {
		case problem == "" && at.path != usual.path && s.list(at).resolved == "":
			// The usual place of a scope may well be empty; another one was meant.
			problem = "the folder " + at.path + " does not exist, or a link leads it elsewhere"
		case problem == "":
			first.bound, first.dir = at.bound, at.path
		}
		if problem != "" {
			l.problems = append(l.problems, MapError{Path: workspaceName, Message: "the mount " + name + " is not used: " + problem})
		}
	}
	first.sites = filepath.Join(first.dir, "sites")
	sc.bases = append(sc.bases, first)
	// The other forms of keeping a scope are looked for in the root only.
	named := strings.ReplaceAll(name, ":", ".")
	for _, other := range []string{"actions.json.storage." + named, strings.ReplaceAll(name, ":", "/")} {
		at := s.rooted(other)
		folder, _, _ := strings.Cut(other, "/")
		if at.path != first.dir && present(folder) {
			sc.bases = append(sc.bases, base{bound: at.bound, at: sc.path, dir: at.path, sites: filepath.Join(at.path, "sites")})
		}
	}
	if name == l.defaultScope && present("sites") {
		at := s.rooted("sites")
		sc.bases = append(sc.bases, base{bound: at.bound, at: sc.path + "/sites", dir: at.path, sites: at.path})
	}
	return sc
}

// rooted gives a spot below the root, from a path with forward slashes.
func (s *Store) rooted(path string) spot {
	return spot{filepath.Join(s.root, filepath.FromSlash(path)), bound{s.root, s.root}}
}

// mounted gives the folder or file that storage.json names: below the root, or
// by an absolute path below the user's home. problem says why it is neither.
func (s *Store) mounted(name string) (at spot, problem string) {
	if !filepath.IsAbs(name) {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
		if why := unsafePath(name); why != "" {
			return spot{}, "its path is not safe: " + why
		}
		path := filepath.Join(s.root, filepath.FromSlash(name))
		return spot{path, bound{path, s.root}}, ""
	}
	path := filepath.Clean(name)
	relative, err := filepath.Rel(s.home, path)
	if s.home == "" || err != nil || relative == "." || !filepath.IsLocal(relative) {
		return spot{}, "an absolute path must lie below your home folder"
	}
	return spot{path, bound{path, s.home}}, ""
}

// resolve follows links and tells whether the path stays inside of its bound,
// in folders whose names count.
func (at spot) resolve(counts func(name string) bool) (string, bool) {
	limit, err := filepath.EvalSymlinks(at.limit)
	if err != nil {
		return "", false
	}
	dir, err := filepath.EvalSymlinks(at.dir)
	if err != nil || !within(limit, dir, anyName) {
		return "", false
	}
	resolved, err := filepath.EvalSymlinks(at.path)
	return resolved, err == nil && within(dir, resolved, counts)
}

func anyName(string) bool { return true }

// within tells whether a path without links is the folder or lies below it.
func within(dir, path string, counts func(name string) bool) bool {
	relative, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(relative) {
		return false
	}
	for segment := range strings.SplitSeq(filepath.ToSlash(relative), "/") {
		if segment != "." && !counts(segment) {
			return false
		}
	}
	return true
}

// all lists every folder of the layout.
func (l *layout) all() []base {
	var all []base
	for _, sc := range l.scopes {
		all = append(all, sc.bases...)
	}
	return all
}

// locate finds where a canonical path lies: the first of its folders that has
// it, else the first that could.
func (l *layout) locate(path string) (at spot, found bool) {
	candidates := l.all()
	if id, _, ok := strings.Cut(strings.TrimPrefix(path, "packages/"), "/"); ok && strings.HasPrefix(path, "packages/") {
		if listed, ok := l.packages[id]; ok {
			candidates = []base{listed}
		} else {
			dir := filepath.Join(l.root.path, "packages", id)
			candidates = []base{{bound: bound{dir, l.root.path}, at: "packages/" + id, dir: dir}}
		}
	}
	// A scope that nobody has used yet would be in its usual place.
	first, named := spot{filepath.Join(l.root.path, filepath.FromSlash(path)), l.root.bound}, false
	for _, b := range candidates {
		below, ok := strings.CutPrefix(path, b.at+"/")
		if !ok {
			continue
		}
		at := spot{filepath.Join(b.dir, filepath.FromSlash(below)), b.bound}
		if !named {
			first, named = at, true
		}
		if _, err := os.Stat(at.path); err == nil {
			return at, true
		}
	}
	return first, false
}
