package lint

import (
	"encoding/json"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// all returns every map of the storage folder. Unreadable maps are left out:
// they are not the targets.
func (f *folder) all() []*mapFile {
	if f.others != nil {
		return f.others
	}
	f.others = []*mapFile{}
	names, err := mapsBelow(f.fsys, "scopes")
	if err != nil {
		return f.others
	}
	for _, name := range names {
		if m := f.read(name); m.parsed != nil {
			f.others = append(f.others, m)
		}
	}
	return f.others
}

// checkShadowed reports the definitions that a map before this one hides.
func (f *folder) checkShadowed(l *linter, m *mapFile) {
	if m.place.Host == "" {
		return
	}
	for _, other := range f.all() {
		if other.path == m.path || !precedes(other, m) || !overlap(other, m) {
			continue
		}
		for i := range l.tools {
			t := &l.tools[i]
			winner, ok := other.parsed.Tool(t.name)
			mine, callable := m.parsed.Tool(t.name)
			// Bindings to different pages keep two definitions apart.
			if ok && callable && (winner.TargetURLContains == mine.TargetURLContains || winner.TargetURLContains == "" || mine.TargetURLContains == "") {
				l.add("shadowed_name", t.Get("name"), "%s defines %q too and goes before this map", other.path, t.name)
			}
		}
	}
}

// precedes reports whether a has precedence over b, as in the host: by scope, then by path.
func precedes(a, b *mapFile) bool {
	if a.place.rank() != b.place.rank() {
		return a.place.rank() < b.place.rank()
	}
	return a.path < b.path
}

// overlap reports whether some page may have both maps. Different patterns are assumed
// to match different pages.
func overlap(a, b *mapFile) bool {
	hosts := origin.MatchHost(a.place.Host, b.place.Host) || origin.MatchHost(b.place.Host, a.place.Host)
	one, other := a.parsed.URLPatterns, b.parsed.URLPatterns
	return hosts && (len(one) == 0 || len(other) == 0 ||
		slices.ContainsFunc(one, func(p string) bool { return slices.Contains(other, p) }))
}

// checkImports reports actions that an imported map provides already. Only
// imports within the storage folder are checked.
func (f *folder) checkImports(l *linter, m *mapFile) {
	for _, i := range l.root.Get("imports").Elements() {
		if string(i.Get("enabled").Raw) == "false" {
			continue
		}
		imported := f.imported(m, i)
		if imported == nil {
			continue
		}
		for k := range l.tools {
			t := &l.tools[k]
			mine, ok := m.parsed.Tool(t.name)
			if !ok {
				continue
			}
			for _, theirs := range imported.parsed.Tools {
				if theirs.Name == t.name || sameBody(theirs, mine) {
					l.add("copied_import", t.Get("name"), "%s provides this action as %q", imported.path, theirs.Name)
					break
				}
			}
		}
	}
}

// imported returns the map of an import, or nil if it is outside the storage folder.
func (f *folder) imported(m *mapFile, i jsonnode.Node) *mapFile {
	uri := i.Get("uri").Text()
	if uri == "" {
		uri = i.Get("path").Text()
	}
	// An import may go up from the map's folder, but never out of the storage
	// folder, which path.Join shows.
	name := path.Join(path.Dir(m.path), uri)
	if strings.HasPrefix(uri, "scopes/") {
		name = path.Clean(uri)
	}
	if uri == "" || strings.Contains(uri, ":") || !fs.ValidPath(name) {
		return nil
	}
	if path.Ext(name) != ".json" {
		name = path.Join(name, mapName)
	}
	if other := f.read(name); other.parsed != nil && other.path != m.path {
		return other
	}
	return nil
}

// sameBody reports whether two tools are the same except for their names.
func sameBody(a, b *actionmap.Tool) bool {
	if a.Kind != b.Kind || a.Kind == actionmap.KindNone {
		return false
	}
	same := func(x, y json.RawMessage) bool {
		var left, right any
		return len(x) == 0 && len(y) == 0 ||
			json.Unmarshal(x, &left) == nil && json.Unmarshal(y, &right) == nil && reflect.DeepEqual(left, right)
	}
	switch a.Kind {
	case actionmap.KindStatic:
		return same(a.StaticOutput, b.StaticOutput)
	case actionmap.KindWorkflow:
		return same(a.Workflow, b.Workflow)
	default:
		return a.Handler == b.Handler && same(a.BindingArguments, b.BindingArguments)
	}
}
