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

// Offer is a callable tool with the map that defines it.
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

// Tool finds the definition of a name that wins on this page.
func (s Site) Tool(name string) (*actionmap.Tool, *Entry, bool) {
	for _, e := range s.Maps {
		if t, ok := e.Map.Tool(name); ok && t.Applies(s.URL) {
			return t, e, true
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
		for _, t := range e.Map.Tools {
			if !t.Applies(s.URL) {
				continue
			}
			if by, taken := winners[t.Name]; taken {
				shadowed = append(shadowed, Shadowed{Tool: t.Name, Path: e.Path, By: by})
				continue
			}
			winners[t.Name] = e.Path
			offers = append(offers, Offer{Tool: t, Entry: e})
		}
	}
	return offers, shadowed
}

// Blocked is the union of the primitives that the page's maps block, sorted.
func (s Site) Blocked() []string {
	var names []string
	for _, e := range s.Maps {
		names = append(names, e.Map.BlockedPrimitives...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
