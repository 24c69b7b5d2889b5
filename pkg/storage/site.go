package storage

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/actionmap"
)

// Site is the content of the storage folder for one page.
type Site struct {
	URL    string
	Maps   []*Entry // in the order of their precedence
	Errors []MapError
}

// Offer is a callable tool with the map that defines it; Entry.Import is
// the source of an imported one.
type Offer struct {
	Tool  *actionmap.Tool
	Entry *Entry
}

// Shadowed is a definition that another one of the same name hides.
type Shadowed struct {
	Tool string `json:"tool"`
	Path string `json:"path"` // of the hidden definition's map
	By   string `json:"by"`   // path of the map that wins
}

// tools returns the callable tools of a map and of its imports.
func (e *Entry) tools() []Offer {
	if e.offers != nil {
		return e.offers
	}
	offers := make([]Offer, len(e.Map.Tools))
	for i, t := range e.Map.Tools {
		offers[i] = Offer{Tool: t, Entry: e}
	}
	return offers
}

// Tool returns the definition of a name with precedence on this page.
func (s Site) Tool(name string) (*actionmap.Tool, *Entry, bool) {
	for _, e := range s.Maps {
		for _, o := range e.tools() {
			if o.Tool.Name == name && o.Tool.Applies(s.URL) {
				return o.Tool, o.Entry, true
			}
		}
	}
	return nil, nil, false
}

// Offers returns the tools of the page, each name once. A tool whose binding excludes
// this page is neither returned nor hides another.
func (s Site) Offers() []Offer {
	offers, _ := s.resolve()
	return offers
}

// Shadowed returns the definitions that are hidden by others.
func (s Site) Shadowed() []Shadowed {
	_, shadowed := s.resolve()
	return shadowed
}

func (s Site) resolve() (offers []Offer, shadowed []Shadowed) {
	winners := map[string]string{}
	for _, e := range s.Maps {
		for _, o := range e.tools() {
			if !o.Tool.Applies(s.URL) {
				continue
			}
			if by, taken := winners[o.Tool.Name]; taken {
				shadowed = append(shadowed, Shadowed{Tool: o.Tool.Name, Path: o.Entry.Path, By: by})
				continue
			}
			winners[o.Tool.Name] = o.Entry.Path
			offers = append(offers, o)
		}
	}
	return offers, shadowed
}

// Blocked returns the union of the primitives that the page's maps and their imports
// block, sorted.
func (s Site) Blocked() []string {
	var names []string
	for _, e := range s.Maps {
		names = append(names, e.Map.BlockedPrimitives...)
		for _, im := range e.imported {
			names = append(names, im.Map.BlockedPrimitives...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
