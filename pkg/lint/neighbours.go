package lint

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// index finds the maps of a storage folder that some page may have beside a given one: each pair
// of maps on its own would be too many.
type index struct {
	at    map[definition][]int // positions in maps, of the definitions in a host's own folder
	below map[definition][]int // and in the folders of its subdomains, too
	maps  []*mapFile           // in the order of the folder
}

// definition is a callable action of a host.
type definition struct{ host, name string }

// neighbours returns the index. Unreadable maps are left out: they are not the targets.
func (f *folder) neighbours(ctx context.Context) (*index, error) {
	if f.index != nil {
		return f.index, nil
	}
	x := &index{at: map[definition][]int{}, below: map[definition][]int{}}
	names, _ := mapsBelow(f.fsys, "scopes") // missing outside of a storage folder
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if m := f.read(name); m.parsed != nil {
			x.add(m)
		}
	}
	f.index = x
	return x, nil
}

func (x *index) add(m *mapFile) {
	position := len(x.maps)
	x.maps = append(x.maps, m)
	hosts := origin.Enclosing(m.place.Host)
	for _, t := range m.parsed.Tools {
		for i, host := range hosts {
			d := definition{host, t.Name}
			if i == 0 {
				x.at[d] = append(x.at[d], position)
			}
			x.below[d] = append(x.below[d], position)
		}
	}
}

// defining returns the maps that define the action and whose hosts belong to the first of the
// hosts, or it to theirs, in the order of the folder.
func (x *index) defining(hosts []string, name string) []*mapFile {
	if len(hosts) == 0 {
		return nil
	}
	positions := slices.Clone(x.below[definition{hosts[0], name}])
	for _, host := range hosts[1:] {
		positions = append(positions, x.at[definition{host, name}]...)
	}
	slices.Sort(positions)
	var maps []*mapFile
	for _, p := range slices.Compact(positions) { // a map may define a name twice
		maps = append(maps, x.maps[p])
	}
	return maps
}

// checkShadowed reports the definitions that a map before this one hides.
func (f *folder) checkShadowed(ctx context.Context, l *linter, m *mapFile) error {
	if m.place.Host == "" {
		return nil
	}
	x, err := f.neighbours(ctx)
	if err != nil {
		return err
	}
	hosts := origin.Enclosing(m.place.Host)
	for i := range l.tools {
		t := &l.tools[i]
		mine, callable := m.parsed.Tool(t.name)
		if !callable {
			continue
		}
		for _, other := range x.defining(hosts, t.name) {
			if other.path == m.path || !precedes(other, m) || !overlap(other, m) {
				continue
			}
			winner, _ := other.parsed.Tool(t.name)
			// Bindings to different pages keep two definitions apart.
			if winner.TargetURLContains == mine.TargetURLContains || winner.TargetURLContains == "" || mine.TargetURLContains == "" {
				l.add("shadowed_name", t.Get("name"), "%s defines %q too and goes before this map", other.path, t.name)
			}
		}
	}
	return nil
}

// precedes reports whether a has precedence over b, as in the host: by scope, then by path.
func precedes(a, b *mapFile) bool {
	if a.place.rank() != b.place.rank() {
		return a.place.rank() < b.place.rank()
	}
	return a.path < b.path
}

// overlap reports whether some page of hosts that belong together may have both maps. Different
// patterns are assumed to match different pages.
func overlap(a, b *mapFile) bool {
	one, other := a.parsed.URLPatterns, b.parsed.URLPatterns
	return len(one) == 0 || len(other) == 0 ||
		slices.ContainsFunc(one, func(p string) bool { return slices.Contains(other, p) })
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
			if theirs := imported.providing(t.name, mine); theirs != nil {
				l.add("copied_import", t.Get("name"), "%s provides this action as %q", imported.path, theirs.Name)
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

// providing returns the first tool of a map that has the name, or is the same as the given one
// except for its name; nil when there is none.
func (m *mapFile) providing(name string, same *actionmap.Tool) *actionmap.Tool {
	if m.bodies == nil {
		m.bodies = map[string]int{}
		for i, t := range slices.Backward(m.parsed.Tools) {
			if key, ok := body(t); ok {
				m.bodies[key] = i
			}
		}
	}
	named := slices.IndexFunc(m.parsed.Tools, func(t *actionmap.Tool) bool { return t.Name == name })
	key, ok := body(same)
	alike, found := m.bodies[key]
	switch {
	case ok && found && (named < 0 || alike < named):
		return m.parsed.Tools[alike]
	case named >= 0:
		return m.parsed.Tools[named]
	}
	return nil
}

// body returns a text that two tools share if they are the same except for their names. ok is
// false for a tool that is the same as no other.
func body(t *actionmap.Tool) (key string, ok bool) {
	raw, handler := t.BindingArguments, t.Handler
	switch t.Kind {
	case actionmap.KindNone:
		return "", false
	case actionmap.KindStatic:
		raw, handler = t.StaticOutput, ""
	case actionmap.KindWorkflow:
		raw, handler = t.Workflow, ""
	}
	var value any
	if len(raw) > 0 && json.Unmarshal(raw, &value) != nil {
		return "", false
	}
	text, err := json.Marshal(value) // which sorts the members
	return fmt.Sprintf("%v %q %t %s", t.Kind, handler, len(raw) > 0, text), err == nil
}
