package site

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/projection"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// stateArguments are the arguments of the modes state_read, state_summary and
// state_diff.
type stateArguments struct {
	Projection     string `json:"projection"`
	ProjectionName string `json:"projection_name"`
	Summary        string `json:"summary"`
	SummaryName    string `json:"summary_name"`
	MaxBytes       int    `json:"max_bytes"`
}

// names returns the names of the projection and the summary, each from either of its
// two arguments.
func (a stateArguments) names() (projection, summary string, err error) {
	if projection, err = primitive.Either("projection", a.Projection, "projection_name", a.ProjectionName); err != nil {
		return "", "", err
	}
	summary, err = primitive.Either("summary", a.Summary, "summary_name", a.SummaryName)
	return projection, summary, err
}

// compiled holds what is compiled from a map once: it is valid until the map's file
// changes.
type compiled struct {
	of          *actionmap.Map
	projections *projection.Set
	model       *pagemodel.Model
}

// mapCache keeps them by the map's path. It is safe for concurrent use.
type mapCache struct {
	mu   sync.Mutex
	maps map[string]*compiled
}

func (c *mapCache) get(entry *storage.Entry) *compiled {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.maps[entry.Path]; ok && found.of == entry.Map {
		return found
	}
	var root struct {
		Projections json.RawMessage `json:"state_projections"`
	}
	// A parsed map is an object; any other value is not a projection.
	_ = json.Unmarshal(entry.Map.Raw, &root)
	made := &compiled{of: entry.Map, projections: projection.ParseSet(root.Projections), model: pagemodel.Parse(entry.Map.Raw)}
	if c.maps == nil {
		c.maps = map[string]*compiled{}
	}
	c.maps[entry.Path] = made
	return made
}

// state runs one of the three modes.
func (s *Site) state(ctx context.Context, c primitive.Call, site storage.Site, args arguments) (json.RawMessage, error) {
	name, summary, err := args.names()
	if err != nil {
		return nil, err
	}
	p, entry, err := s.projection(site, name)
	if err != nil {
		return nil, err
	}
	c.Meta.Map = entry.Path
	opt := projection.Options{MaxBytes: args.MaxBytes}
	switch args.Mode {
	case "state_summary":
		if opt.Summary = summary; opt.Summary == "" {
			opt.Summary = projection.DefaultSummary
		}
	case "state_diff":
		opt.Internal = true
	}
	reading, err := s.read(ctx, p, opt)
	if err != nil {
		return nil, err
	}
	s.markers.register(c.TabID, c.Origin, entry.Path, p.Name, reading.Markers)
	key := projection.SnapshotKey{TabID: c.TabID, Origin: c.Origin, Map: entry.Path, Projection: p.Name}
	if args.Mode == "state_summary" {
		return primitive.Output(reading)
	}
	previous, err := s.Snapshots.Replace(key, reading.State)
	if err != nil {
		return nil, err
	}
	if args.Mode == "state_read" {
		return primitive.Output(reading)
	}
	difference, err := reading.Since(ctx, previous)
	if err != nil {
		return nil, err
	}
	return primitive.Output(difference)
}

// projection returns the projection of the name, or the only one of the page.
func (s *Site) projection(site storage.Site, name string) (*projection.Projection, *storage.Entry, error) {
	available := []string{}
	var only *projection.Projection
	var from *storage.Entry
	for _, entry := range site.Maps {
		set := s.compiled.get(entry).projections
		if name != "" {
			p, err := set.Find(name, site.URL)
			if err == nil || !fault.Is(err, fault.StateProjectionNotFound) {
				return p, entry, err
			}
		}
		for _, p := range set.For(site.URL) {
			available = append(available, p.Name)
			only, from = p, entry
		}
	}
	slices.Sort(available)
	switch {
	case name == "" && len(available) == 1:
		return only, from, nil
	case name == "" && len(available) > 1:
		return nil, nil, fault.New(fault.InvalidInput, "this page has several state projections: name one in projection").
			With("available", available).WithDispatched(fault.NotDispatched)
	}
	return nil, nil, fault.New(fault.StateProjectionNotFound, "this page has no state projection %q", name).
		With("projection", name).With("available", available).WithDispatched(fault.NotDispatched)
}

// read extracts the records in the page and projects them.
func (s *Site) read(ctx context.Context, p *projection.Projection, opt projection.Options) (projection.Reading, error) {
	raw, err := s.Path.Step(ctx, projection.Primitive, p.Extract)
	if err != nil {
		return projection.Reading{}, err
	}
	var in projection.Extraction
	if err := json.Unmarshal(raw, &in); err != nil {
		return projection.Reading{}, fault.Wrap(err, fault.StateProjectionFailed, "the page's records cannot be read: %v", err)
	}
	return p.Run(ctx, in, opt)
}

// readFor reads the state that the postcondition is about, on the page where the tab is now.
func (r running) readFor(ctx context.Context, check *projection.Postcondition) (projection.Reading, error) {
	url, ok := r.URL(r.call.TabID)
	if !ok {
		return projection.Reading{}, fault.New(fault.TabNotClaimed, "the tab was closed or released")
	}
	p, err := r.compiled.get(r.entry).projections.Find(check.Projection, url)
	if err != nil {
		return projection.Reading{}, err
	}
	return r.read(ctx, p, projection.Options{Internal: true})
}

// noState are the codes by which a page does not have a state at all, as before an action that
// makes what it is read from.
var noState = []fault.Code{fault.StateProjectionNotFound, fault.StateProjectionFailed, fault.StateSchemaValidationFailed}

// before reads the state before the action where its postcondition needs it. A page that has no
// such state yet, or lacks required fields of it, is a state of its own. One that cannot be read, or not whole or
// within the limits of expressions, ends the call before anything is done: what the action changes could not be shown afterwards.
func (r running) before(ctx context.Context, check *projection.Postcondition) (projection.Before, error) {
	if check == nil || !check.NeedsBefore {
		return projection.Before{}, nil
	}
	reading, err := r.readFor(ctx, check)
	switch {
	case err == nil && reading.Diagnostics.Truncated:
		return projection.Before{}, fault.New(fault.StatePayloadTooLarge, "the page has more records than are read: what the action changes could not be shown afterwards").
			With("projection", check.Projection).With("available_summaries", []string{}).WithDispatched(fault.NotDispatched).
			WithNextStep("The projection selects too much of this page; repair the map, or act by other means.")
	case err == nil:
		return projection.Before{Read: true, State: reading.State}, nil
	}
	f := fault.From(err)
	if slices.Contains(noState, f.Code) && !errors.Is(err, expr.ErrLimit) {
		return projection.Before{Read: true}, nil
	}
	return projection.Before{}, f.WithDispatched(fault.NotDispatched)
}

// verify waits until the action's postcondition holds.
func (r running) verify(ctx context.Context, check *projection.Postcondition, before projection.Before) error {
	proof, err := check.Await(ctx, r.input, before, func(ctx context.Context) (projection.Reading, error) { return r.readFor(ctx, check) })
	shown := map[string]any{"ok": err == nil, "projection": check.Projection}
	if proof.Changed != nil {
		shown["changed"] = *proof.Changed
	}
	if proof.Already {
		shown["already"] = true
	}
	r.call.Meta.Postcondition, r.call.Meta.Already = shown, proof.Already
	return err
}
