package storage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Limits of composition: of a chain of imports, and of the imports of one map.
const (
	maxImportDepth = 5
	maxImports     = 64
)

// derived is an imported map with its names in the importing one.
type derived struct {
	source *actionmap.Map
	result *actionmap.Map
	err    error
}

// composer adds the imports of one map.
type composer struct {
	store  *Store
	site   *Site
	layout *layout
	root   *Entry
	loaded int
}

// compose adds the tools of its imports to a map's entry, if it has any.
func (s *Store) compose(site *Site, l *layout, e *Entry) {
	if e.file.imports.empty() {
		return
	}
	c := &composer{store: s, site: site, layout: l, root: e}
	e.offers = c.expand(e, e.file.imports, e.Path, "", []string{e.Path})
}

func (c *composer) report(path, id, format string, args ...any) {
	c.site.Errors = append(c.site.Errors, MapError{Path: path, Import: id, Message: fmt.Sprintf(format, args...)})
}

// expand returns the tools of a map and of all that it imports. Names have
// their prefixes; chain holds the paths from the root to this map.
func (c *composer) expand(e *Entry, how composition, path, prefix string, chain []string) []Offer {
	offers := []Offer{}
	for _, t := range e.Map.Tools {
		if t.Applies(c.site.URL) {
			offers = append(offers, Offer{Tool: t, Entry: e})
		}
	}
	for _, problem := range how.problems {
		c.report(path, "", "%s", problem)
	}
	for _, id := range how.order {
		c.report(path, id, "the import %.80s is not used: %s", id, how.refused[id])
	}
	for _, im := range how.imports {
		found, problem := c.load(im, path, prefix, chain)
		if problem != "" {
			c.report(path, im.ID, "the import %.80s is not used: %s", im.ID, problem)
			continue
		}
		offers = c.combine(offers, found, how.policy, path, im.ID)
	}
	return offers
}

// load returns the tools of one import, with those of its own imports.
func (c *composer) load(im Import, by, prefix string, chain []string) (offers []Offer, problem string) {
	name, problem := im.target(by, c.layout.files)
	switch {
	case problem != "":
		return nil, problem
	case slices.Contains(chain, name):
		return nil, "it closes a circle: " + strings.Join(append(slices.Clip(chain), name), " → ")
	case len(chain) > maxImportDepth:
		return nil, fmt.Sprintf("imports are nested deeper than %d", maxImportDepth)
	case c.loaded >= maxImports:
		return nil, fmt.Sprintf("one map pulls in more than %d others", maxImports)
	}
	c.loaded++
	at, found := c.layout.locate(name)
	if !found {
		delete(c.store.maps, at) // a removed map is no last good version
		return nil, name + " does not exist"
	}
	f := c.store.load(at, name)
	if f.parsed == nil {
		return nil, name + ": " + f.problem
	}
	if f.problem != "" {
		c.report(name, im.ID, "%s", f.problem)
	}
	// Its own patterns narrow it further, as those of the importing map do.
	if !applies(f.parsed, c.site.URL) {
		return nil, ""
	}
	if im.Namespace != "" {
		prefix += im.Namespace + "."
	}
	m, err := c.derive(f.parsed, name, prefix)
	if err != nil {
		return nil, name + ": " + fault.From(err).Message
	}
	im.Path, im.By = name, by
	e := &Entry{
		Map: m, Scope: c.root.Scope, Host: c.root.Host, Surface: c.root.Surface, Path: name, File: at.path, Import: &im,
	}
	c.site.problems(name, m)
	c.root.imported = append(c.root.imported, e)
	return c.expand(e, f.imports, name, prefix, append(slices.Clip(chain), name)), ""
}

// derive returns the map under its prefixed names, made once for each text.
func (c *composer) derive(source *actionmap.Map, path, prefix string) (*actionmap.Map, error) {
	key := prefix + " " + path
	d := c.root.file.derived[key]
	if d.source != source {
		d = derived{source: source}
		d.result, d.err = renamed(source, prefix, path)
		if d.err == nil {
			// Where the importing map does not apply, its imports do not either.
			d.result.URLPatterns = c.root.Map.URLPatterns
		}
		c.root.file.derived[key] = d
	}
	return d.result, d.err
}

// combine adds the tools of an import. A name that already exists is never merged
// silently: the policy decides, and the conflict is reported.
func (c *composer) combine(local, imported []Offer, policy, path, id string) []Offer {
	taken := map[string]int{}
	for i, o := range local {
		taken[o.Tool.Name] = i
	}
	combined := slices.Clone(local)
	for _, o := range imported {
		i, conflict := taken[o.Tool.Name]
		switch {
		case !conflict:
			combined = append(combined, o)
			continue
		case policy == refuseConflict:
			c.report(path, id, "the import %.80s is not used: its action %s is defined already, and the policy is %s", id, o.Tool.Name, policy)
			return local
		case policy == preferImported && local[i].Entry.Path == path:
			combined[i] = o
			c.conflict(path, id, o.Tool.Name, "the import", policy)
		case policy == preferImported:
			// Between two imports the map has no preference: the first one stays.
			c.conflict(path, id, o.Tool.Name, "the earlier import", policy)
		default:
			c.conflict(path, id, o.Tool.Name, "the earlier definition", policy)
		}
	}
	return combined
}

func (c *composer) conflict(path, id, tool, winner, policy string) {
	c.site.Errors = append(c.site.Errors, MapError{Path: path, Tool: tool, Import: id,
		Message: fmt.Sprintf("the action %s is defined twice; %s is used, by the policy %s", tool, winner, policy)})
}

// renamed returns a copy of the map whose tools have the prefix, also where other
// sections refer to them.
func renamed(m *actionmap.Map, prefix, path string) (*actionmap.Map, error) {
	value, err := jsonnode.Decode(m.Raw)
	root, ok := value.(map[string]any)
	if err != nil || !ok {
		return nil, fault.Wrap(err, fault.InvalidMap, "the map cannot be read: %v", err)
	}
	names := map[string]bool{}
	tools, _ := root["tools"].([]any)
	for _, t := range tools {
		if tool, ok := t.(map[string]any); ok {
			if name, ok := tool["name"].(string); ok && name != "" {
				names[name] = true
				tool["name"] = prefix + name
			}
		}
	}
	for section, value := range root {
		if section != "tools" {
			prefixReferences(value, names, prefix)
		}
	}
	text, err := json.Marshal(root)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidMap, "the map cannot be written: %v", err)
	}
	out, err := actionmap.Parse(text)
	if err != nil {
		return nil, err
	}
	declare(out, path)
	return out, nil
}

// prefixReferences renames references to tools in the other sections: the members
// tool and available_tools, and the keys of postconditions.
func prefixReferences(value any, names map[string]bool, prefix string) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			prefixReferences(e, names, prefix)
		}
	case map[string]any:
		for key, e := range v {
			if name, ok := e.(string); ok && key == "tool" && names[name] {
				v[key] = prefix + name
			}
			if list, ok := e.([]any); ok && key == "available_tools" {
				for i := range list {
					if name, ok := list[i].(string); ok && names[name] {
						list[i] = prefix + name
					}
				}
			}
			if byName, ok := e.(map[string]any); ok && key == "postconditions" {
				renamed := map[string]any{}
				for name, p := range byName {
					if names[name] {
						name = prefix + name
					}
					renamed[name] = p
				}
				v[key] = renamed
				e = renamed
			}
			prefixReferences(e, names, prefix)
		}
	}
}
