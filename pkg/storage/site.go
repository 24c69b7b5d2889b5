package storage

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/actionmap"
)

// Site is what the storage folder holds for one page.
type Site struct {
	URL    string
	Maps   []*Entry // in the order of their precedence
	Errors []MapError
}

// Offer is a callable tool with the map that defines it; Entry.Import tells of
// an imported one where it came from.
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

// tools gives the callable tools of a map and of its imports.
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

// Tool finds the definition of a name that wins on this page.
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

// Offers lists the tools of the page, each name once. What a tool's binding
// keeps off this page is neither listed nor hides another.
func (s Site) Offers() []Offer {
	offers, _ := s.resolve()
	return offers
}

// Shadowed lists the definitions that are hidden by others.
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

// Blocked is the union of the primitives that the page's maps and their imports
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
