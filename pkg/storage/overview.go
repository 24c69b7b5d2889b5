package storage

import (
	"path"
	"strings"
)

// maxOverview is the maximum number of maps in an overview.
const maxOverview = 500

// MapState describes a map to its owner.
type MapState struct {
	Path    string   `json:"path"` // canonical
	Scope   string   `json:"scope,omitzero"`
	Host    string   `json:"host,omitzero"`
	Surface string   `json:"surface,omitzero"`
	Tools   int      `json:"tools"`
	Errors  []string `json:"errors"` // why it, or a part of it, is not used
}

// Overview returns the maps of the storage by path, with the errors of each,
// and reports whether there are more.
func (s *Store) Overview() (maps []MapState, more bool) {
	items, _ := s.List()
	maps = []MapState{}
	for _, i := range items {
		if !i.Map {
			continue
		}
		if len(maps) == maxOverview {
			return maps, true
		}
		maps = append(maps, s.state(i))
	}
	return maps, false
}

func (s *Store) state(i Item) MapState {
	state := MapState{Path: i.Path, Scope: i.Scope, Host: i.Host, Errors: []string{}}
	if place, ok := ParsePath(i.Path, ""); ok {
		state.Surface = strings.TrimSuffix(path.Dir(place.Rest), ".")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.load(i.at, i.Path)
	if f.problem != "" {
		state.Errors = append(state.Errors, f.problem)
	}
	if f.parsed == nil {
		return state
	}
	state.Tools = len(f.parsed.Tools)
	for _, p := range f.parsed.Problems {
		message := p.Pointer + ": " + p.Message
		if p.Tool != "" {
			message = p.Tool + ": " + p.Message
		}
		state.Errors = append(state.Errors, message)
	}
	return state
}
