package lint

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// mapName is the name of every map's file in a storage folder.
const mapName = "actions.json"

// File holds the findings of one file.
type File struct {
	Path     string // in the file system that was checked
	Findings []Finding
}

// Folder checks the maps at the paths: files, and folders with all maps below
// them. fsys is the whole storage folder if there is one, because other maps
// shadow, are imported, and accept findings; copies kept as evidence (proof,
// archive and dot folders) are not maps. A missing path is an error; an unreadable map
// is a finding.
//
// It ends with the context's error when that is cancelled: a large folder takes seconds.
func Folder(ctx context.Context, fsys fs.FS, paths []string, catalogue *primitive.Catalogue) ([]File, error) {
	f := &folder{fsys: fsys, catalogue: catalogue, maps: map[string]*mapFile{}}
	var targets []string
	for _, name := range paths {
		info, err := fs.Stat(fsys, name)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			targets = append(targets, name)
			continue
		}
		found, err := mapsBelow(fsys, name)
		if err != nil {
			return nil, err
		}
		targets = append(targets, found...)
	}
	slices.Sort(targets)
	targets = slices.Compact(targets)
	for _, name := range targets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.load(name)
	}
	gapLists := f.gapLists(targets)
	for _, name := range slices.Sorted(maps.Keys(f.maps)) {
		if err := f.check(ctx, f.maps[name]); err != nil {
			return nil, err
		}
	}
	return f.report(targets, gapLists), nil
}

// folder holds the maps that were read.
type folder struct {
	fsys      fs.FS
	catalogue *primitive.Catalogue
	maps      map[string]*mapFile
	index     *index // of the whole storage folder, read when first needed
}

// mapFile is one map of a folder.
type mapFile struct {
	path     string
	text     []byte
	parsed   *actionmap.Map // nil when it does not load
	problem  string         // why the file cannot be read
	place    Place
	findings []Finding
	bodies   map[string]int // the first tool of each body, when first needed
}

// load adds a map to check.
func (f *folder) load(name string) {
	if f.maps[name] == nil {
		f.maps[name] = f.read(name)
	}
}

// read returns a map, reading it only once.
func (f *folder) read(name string) *mapFile {
	if known := f.maps[name]; known != nil {
		return known
	}
	m := &mapFile{path: name, place: PlaceOf(name)}
	info, err := fs.Stat(f.fsys, name)
	if err == nil && (info.Size() > actionmap.MaxBytes || !info.Mode().IsRegular()) {
		m.problem = fmt.Sprintf("it is no file of at most %d bytes", actionmap.MaxBytes)
		return m
	}
	if err == nil {
		m.text, err = fs.ReadFile(f.fsys, name)
	}
	if err != nil {
		m.problem = err.Error()
		return m
	}
	m.parsed, _ = actionmap.Parse(m.text) // a map that does not load has a finding for it
	return m
}

// check lints one map in the context of its folder. It fails only when ctx is cancelled.
func (f *folder) check(ctx context.Context, m *mapFile) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.problem != "" {
		f := code("map_unreadable").at("", "the file cannot be read: %s", m.problem)
		f.Line, f.Column, f.ID = 1, 1, "map_unreadable:"
		m.findings = []Finding{f}
		return nil
	}
	if m.parsed == nil {
		m.findings = Map(m.text, m.place, f.catalogue)
		return nil
	}
	l := newLinter(m.parsed, m.place, f.catalogue)
	l.run()
	if err := f.checkShadowed(ctx, l, m); err != nil {
		return err
	}
	f.checkFiles(l, m)
	f.checkImports(l, m)
	m.findings = l.finish(m.text)
	return nil
}

// checkFiles reports missing declared files.
func (f *folder) checkFiles(l *linter, m *mapFile) {
	declared := []jsonnode.Node{l.root.Get("skill", "path")}
	for _, file := range l.root.Get("x_actions", "files").Elements() {
		declared = append(declared, file.Get("path"))
	}
	for _, n := range declared {
		name, ok := f.below(m, n.Text())
		if !ok {
			continue // absent, or unsafe, which validation reports
		}
		if _, err := fs.Stat(f.fsys, name); err != nil {
			l.add("missing_declared_file", n, "there is no file %s", name)
		}
	}
}

// below resolves a path in a map: relative to the map's folder, or to the storage
// folder if it starts with scopes/.
func (f *folder) below(m *mapFile, name string) (string, bool) {
	if name == "" || !fs.ValidPath(name) {
		return "", false
	}
	if strings.HasPrefix(name, "scopes/") {
		return name, true
	}
	return path.Join(path.Dir(m.path), name), true
}

// mapsBelow returns the maps in use below a folder.
func mapsBelow(fsys fs.FS, dir string) (found []string, err error) {
	err = fs.WalkDir(fsys, dir, func(name string, e fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != dir && (strings.HasPrefix(base, ".") || strings.EqualFold(base, "proof") || strings.EqualFold(base, "archive")):
			return fs.SkipDir
		case base == mapName && !e.IsDir():
			found = append(found, name)
		}
		return nil
	})
	return found, err
}
