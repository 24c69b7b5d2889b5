package site

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// model returns the page model of the action's map.
func (r running) model() *pagemodel.Model { return r.compiled.get(r.entry).model }

// checkBeforeRun checks, before an action's first step, what the map requires: the
// tool's target is there, no critical check that guards it fails, and its
// transitions are not started too often. Else nothing runs.
func (r running) checkBeforeRun(ctx context.Context) error {
	if err := pagemodel.CheckTarget(ctx, r.step, r.tool.Target); err != nil {
		return err
	}
	if err := r.model().CheckGuards(ctx, r.step, r.call.URL, r.tool.Name); err != nil {
		return err
	}
	for _, t := range r.model().TransitionsOf(r.tool.Name) {
		if err := r.transitions.Start(ctx, r.call.TabID, r.entry.Path, t); err != nil {
			return err
		}
	}
	return nil
}

// awaitTransitions waits until the transitions that the action performed are complete.
func (r running) awaitTransitions(ctx context.Context) error {
	for _, t := range r.model().TransitionsOf(r.tool.Name) {
		url := func() string {
			now, _ := r.URL(r.call.TabID)
			return now
		}
		if _, err := r.model().Converge(ctx, r.Path.Step, url, t); err != nil {
			return err
		}
	}
	return nil
}

// addPageState adds to a list the maps' view of the page as it is now: which
// states hold, the context blocks for them, and what a map needs that is not
// here.
func (s *Site) addPageState(ctx context.Context, l *listing, site storage.Site) {
	for _, entry := range site.Maps {
		of := s.compiled.get(entry).model
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
	l.Context = boundContext(l.Context)
}

// check runs the checks of the page's maps; with run also those that act on the
// page.
func (s *Site) check(ctx context.Context, c primitive.Call, site storage.Site, run bool) (json.RawMessage, error) {
	var maps []pagemodel.Mapped
	var keepRuns []func() error
	for _, entry := range site.Maps {
		locators, keep, err := s.checkLocators(ctx, entry, site.URL)
		if err != nil {
			return nil, err
		}
		keepRuns = append(keepRuns, keep)
		maps = append(maps, pagemodel.Mapped{
			Path: entry.Path, Model: s.compiled.get(entry).model, Locators: locators,
			Call: func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
				tool, from, ok := site.Tool(name)
				if !ok {
					return nil, unknownAction(site, name)
				}
				if err := tool.CheckArguments(args); err != nil {
					return nil, err
				}
				own := c
				own.Meta = &primitive.Meta{} // what belongs to its run is not the check's
				return running{Site: s, call: own, tool: tool, entry: from, input: args}.runAction(ctx)
			},
			Setup: func(ctx context.Context, check string, primitives []string) (pagemodel.Read, error) {
				for _, name := range primitives {
					if err := s.checkStep("setup of the check "+strconv.Quote(check), name); err != nil {
						return nil, err
					}
				}
				if err := s.Path.Authorize(ctx, policy.Action{Name: check, Of: entry.Path, Primitives: primitives}, nil); err != nil {
					return nil, err
				}
				return running{Site: s, call: c, tool: &actionmap.Tool{Name: check}, entry: entry}.step, nil
			},
		})
	}
	page := pagemodel.CheckPage(ctx, s.Path.Step, maps, s.Catalogue, pagemodel.Options{Run: run, URL: func() string {
		url, _ := s.URL(c.TabID)
		return url
	}})
	for i, m := range page.Maps {
		if m.OK {
			if err := keepRuns[i](); err != nil {
				return nil, err
			}
		}
	}
	return primitive.Output(page)
}
