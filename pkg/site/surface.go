package site

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/surface"
)

// surface is what the action's map says of its page.
func (r running) surface() *surface.Surface { return r.compiled.get(r.entry).surface }

// ready asks, before an action's first step, what the map wants to be true: the
// tool's target is there, no critical check that guards it fails, and its
// transitions are not started too often. Else nothing runs.
func (r running) ready(ctx context.Context) error {
	if err := surface.CheckTarget(ctx, r.step, r.tool.Target); err != nil {
		return err
	}
	if err := r.surface().Safe(ctx, r.step, r.call.URL, r.tool.Name); err != nil {
		return err
	}
	for _, t := range r.surface().Performs(r.tool.Name) {
		if err := r.transitions.Start(ctx, r.call.TabID, r.entry.Path, t); err != nil {
			return err
		}
	}
	return nil
}

// settled waits until the transitions that the action performed are complete.
func (r running) settled(ctx context.Context) error {
	for _, t := range r.surface().Performs(r.tool.Name) {
		url := func() string {
			now, _ := r.URL(r.call.TabID)
			return now
		}
		if _, err := r.surface().Converge(ctx, r.Path.Step, url, t); err != nil {
			return err
		}
	}
	return nil
}

// describe adds to a list what the maps say of the page as it is now: which
// states hold, the context blocks for them, and what a map needs that is not
// here.
func (s *Site) describe(ctx context.Context, l *listing, site storage.Site) {
	for _, entry := range site.Maps {
		of := s.compiled.get(entry).surface
		states := of.States(ctx, s.Path.Step, site.URL)
		l.States = append(l.States, states...)
		l.Context = append(l.Context, of.Context(ctx, site.URL, states, s.Path.Step)...)
		support := of.Support(s.Catalogue)
		var missing []string
		if s.PageTools {
			missing = s.missingPageTools(ctx, of.Requires.PageTools)
		}
		if len(support.MissingRequired)+len(support.MissingOptional)+len(support.Blocked)+len(missing) > 0 {
			l.Requires = append(l.Requires, requires{entry.Path, support, missing})
		}
	}
	l.Context = bounded(l.Context)
}

// check runs the checks of the page's maps; with run also those that run
// actions.
func (s *Site) check(ctx context.Context, c primitive.Call, site storage.Site, run bool) (json.RawMessage, error) {
	var maps []surface.Mapped
	for _, entry := range site.Maps {
		maps = append(maps, surface.Mapped{
			Path: entry.Path, Surface: s.compiled.get(entry).surface,
			Call: func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
				tool, from, ok := site.Tool(name)
				if !ok {
					return nil, unknownAction(site, name)
				}
				if err := tool.CheckArguments(args); err != nil {
					return nil, err
				}
				return running{s, c, tool, from, args}.do(ctx)
			},
		})
	}
	return marshal(surface.CheckPage(ctx, s.Path.Step, maps, s.Catalogue, surface.Options{Run: run, URL: func() string {
		url, _ := s.URL(c.TabID)
		return url
	}}))
}
