package site

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/projection"
)

// markers holds the named places of the last readings of each tab. They are data
// until a caller asks for one: then its recipe runs, through the one call path. A new
// reading of a projection replaces its markers.
type markers struct {
	mu   sync.Mutex
	tabs map[int]marked
}

// marked are the markers of one tab. Their maps are those of the origin, and so is what they may do.
type marked struct {
	origin string
	of     map[string][]projection.Marker // by map path and projection
}

// maxMarkedTabs bounds what is remembered; a forgotten tab only needs to be
// read again.
const maxMarkedTabs = 100

func (m *markers) register(tabID int, origin, path, name string, found []projection.Marker) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tabs == nil || len(m.tabs) > maxMarkedTabs {
		m.tabs = map[int]marked{}
	}
	if m.tabs[tabID].of == nil || m.tabs[tabID].origin != origin {
		m.tabs[tabID] = marked{origin, map[string][]projection.Marker{}}
	}
	m.tabs[tabID].of[path+"\x00"+name] = found
}

// forget drops the markers of a tab.
func (m *markers) forget(tabID int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.tabs, tabID)
}

// find returns the marker of an id on a page of the origin, the first in the order of the maps'
// paths, or an error that lists those there are.
func (m *markers) find(tabID int, origin, id string) (projection.Marker, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	registered := []string{}
	of := m.tabs[tabID].of
	if m.tabs[tabID].origin != origin {
		of = nil
	}
	for _, where := range slices.Sorted(maps.Keys(of)) {
		for _, marker := range of[where] {
			if marker.ID == id {
				return marker, nil
			}
			registered = append(registered, marker.ID)
		}
	}
	slices.Sort(registered)
	return projection.Marker{}, fault.New(fault.MarkerNotFound, "no marker %q was read on this page", id).
		With("registered", registered).WithDispatched(fault.NotDispatched)
}

// location is a point in CSS pixels of the viewport.
type location struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// MarkerHandlers returns the three primitives that work on markers.
func (s *Site) MarkerHandlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{
		"marker.query":    s.markerHandler(""),
		"cursor.move_to":  s.markerHandler(projection.MarkerCursor),
		"pointer.move_to": s.markerHandler(projection.MarkerPointer),
	}
}

// markerHandler runs a marker's recipe; kind is the type that it must have, ""
// for any.
func (s *Site) markerHandler(kind string) primitive.Handler {
	return func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		args, err := primitive.Arguments[struct{ ID, Marker string }](c)
		if err != nil {
			return nil, err
		}
		if args.ID == "" {
			args.ID = args.Marker
		}
		marker, err := s.markers.find(c.TabID, c.Origin, args.ID)
		if err != nil {
			return nil, err
		}
		if kind != "" && marker.Type != kind {
			return nil, fault.New(fault.MarkerTypeMismatch, "the marker %q is a %s, not a %s", marker.ID, marker.Type, kind).WithDispatched(fault.NotDispatched)
		}
		at, err := s.recipe(ctx, marker)
		if err != nil {
			return nil, err
		}
		if kind == projection.MarkerPointer {
			if at == nil {
				return nil, fault.New(fault.MarkerPromiseUnkept, "the recipe of %q gave no place", marker.ID)
			}
			point, err := primitive.Output(at)
			if err != nil {
				return nil, err
			}
			if _, err := s.Path.Step(ctx, "pointer.move", point); err != nil {
				return nil, err
			}
		}
		out := map[string]any{"marker": marker.ID, "type": marker.Type, "location": at, "resolved_at": time.Now().UTC()}
		if kind != "" {
			out["moved"] = true
		}
		return primitive.Output(out)
	}
}

// recipe runs the steps and returns the last place that one of them found,
// starting with the anchor's.
func (s *Site) recipe(ctx context.Context, marker projection.Marker) (*location, error) {
	var names []string
	for _, step := range marker.Recipe {
		names = append(names, step.Primitive)
	}
	steps, err := json.Marshal(marker.Recipe)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the recipe of the marker %q cannot be written: %v", marker.ID, err)
	}
	if err := s.Path.Authorize(ctx, policy.Action{Name: marker.ID, Of: string(steps), Primitives: names}, nil); err != nil {
		return nil, err
	}
	at := parseLocation(marker.Anchor)
	for i, step := range marker.Recipe {
		out, err := s.Path.Step(ctx, step.Primitive, step.Args)
		if err != nil {
			cause := fault.From(err)
			return nil, fault.Wrap(err, fault.MarkerRecipeStepFailed, "step %d of the marker %q (%s) failed: %s", i, marker.ID, step.Primitive, cause.Message).
				With("step_index", i).With("primitive", step.Primitive).With("cause", cause).WithDispatched(cause.Dispatched)
		}
		if found := parseLocation(out); found != nil {
			at = found
		}
	}
	return at, nil
}

// parseLocation reads a point from {x,y} or from clickable_center; nil for none.
func parseLocation(raw json.RawMessage) *location {
	var p struct {
		X      *float64  `json:"x"`
		Y      *float64  `json:"y"`
		Center *location `json:"clickable_center"`
	}
	switch err := json.Unmarshal(raw, &p); {
	case err != nil:
		return nil
	case p.Center != nil:
		return p.Center
	case p.X != nil && p.Y != nil:
		return &location{*p.X, *p.Y}
	}
	return nil
}
