package site

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/paging"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/runhistory"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// listBudget bounds the characters of the actions in one list.
const listBudget = 6000

// listing is the output of mode list.
type listing struct {
	Actions          []action                `json:"actions"`
	Total            int                     `json:"total"`              // actions that match, of which this may be a page
	Truncated        bool                    `json:"truncated,omitzero"` // Next leads on
	Next             *listArguments          `json:"next,omitzero"`      // literal arguments of the next page
	StateProjections []actionmap.Projection  `json:"state_projections"`
	Files            []actionmap.File        `json:"files"`
	Skills           []actionmap.File        `json:"skills"`
	LeftOut          map[string]int          `json:"left_out,omitzero"` // by section: rows for which there was no room
	Guidance         []guidance              `json:"guidance,omitzero"`
	States           []pagemodel.StateResult `json:"states,omitzero"`   // which of the maps' states hold now
	Context          []pagemodel.Block       `json:"context,omitzero"`  // the maps' blocks for them
	Events           []PageEvent             `json:"events,omitzero"`   // the latest of this page; data, never an instruction
	Requires         []requires              `json:"requires,omitzero"` // what a map needs and does not get, and blocks
	pageToolList
}

// requires lists a map's requirements that are not met, and the primitives that it
// blocks.
type requires struct {
	Map string `json:"map"`
	pagemodel.Support
	MissingPageTools []string `json:"missing_page_tools,omitempty"` // the page does not offer them now
}

// action is one row. Portable and ReviewedBy are what a caller may rely on.
type action struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitzero"`
	InputSchema  json.RawMessage `json:"input_schema,omitzero"`
	OutputSchema json.RawMessage `json:"output_schema,omitzero"`
	Portable     *bool           `json:"portable,omitzero"`
	ReviewedBy   string          `json:"reviewed_by,omitzero"`
	// LastRuns is how it fared, where it failed at least once or the caller wants to know.
	LastRuns *runhistory.Summary `json:"last_runs,omitzero"`
	// Unfit is why it will fail on this page, as far as that can be seen before it runs.
	Unfit     string `json:"unfit,omitzero"`
	Unproven  bool   `json:"unproven,omitzero"`  // recorded, and has never run well
	Truncated bool   `json:"truncated,omitzero"` // its schemas alone are over the budget: a bad call names what it violates
}

// listArguments are the arguments of mode list that page and filter.
type listArguments struct {
	Mode      string `json:"mode"`
	Query     string `json:"query,omitzero"`
	NamesOnly bool   `json:"names_only,omitzero"`
	Detail    bool   `json:"detail,omitzero"` // with the last runs of each action
	Offset    int    `json:"offset,omitzero"`
	// PageToolsOffset pages the tools of the page; beyond 0 nothing else is listed.
	PageToolsOffset int `json:"page_tools_offset,omitzero"`
}

func (s *Site) list(ctx context.Context, c primitive.Call, site storage.Site, args listArguments) (json.RawMessage, error) {
	l := listing{Actions: []action{}, StateProjections: []actionmap.Projection{}, Files: []actionmap.File{}, Skills: []actionmap.File{}}
	l.pageToolList = s.pageTools(ctx, c, args)
	if args.PageToolsOffset > 0 {
		return primitive.Output(l)
	}
	s.page(ctx, site.URL, &l, site.Offers(), args)
	for _, entry := range site.Maps {
		for _, p := range entry.Map.Projections {
			if matches(p.URLMatches, site.URL) {
				l.StateProjections = append(l.StateProjections, p)
			}
		}
		for _, f := range entry.Map.Files {
			if f.Skill() {
				l.Skills = append(l.Skills, f)
			} else {
				l.Files = append(l.Files, f)
			}
		}
		if g := entry.Map.Guidance; g.Prompt != "" || g.Skill != nil {
			l.Guidance = append(l.Guidance, guide(entry.Path, g))
		}
	}
	l.fit()
	if args.Offset == 0 && !args.NamesOnly {
		s.addPageState(ctx, &l, site)
		l.Events = s.latest(c.TabID, site.URL)
	}
	return primitive.Output(l)
}

// page appends matching actions from the offset until the budget is used.
func (s *Site) page(ctx context.Context, url string, l *listing, offers []storage.Offer, args listArguments) {
	matching := slices.DeleteFunc(slices.Clone(offers), func(o storage.Offer) bool {
		return !paging.Matches(args.Query, o.Tool.Name, o.Tool.Description)
	})
	l.Total = len(matching)
	unfit := s.unfit(ctx, url, matching, args, s.Path.Step)
	l.Actions = append(l.Actions, paging.Fill(matching, args.Offset, listBudget, func(o storage.Offer) (action, int) { return s.row(o, args, unfit[o.Tool.Name]) })...)
	if next := args.Offset + len(l.Actions); next < l.Total {
		l.Truncated = true
		l.Next = &listArguments{Mode: "list", Query: args.Query, NamesOnly: args.NamesOnly, Detail: args.Detail, Offset: next}
	}
}

// row returns an action as it is listed, and its size.
func (s *Site) row(offer storage.Offer, args listArguments, unfit string) (row action, size int) {
	row.Name, row.Unfit = offer.Tool.Name, unfit
	if fared, ok := s.fared(offer); ok && (fared.Failing() || args.Detail) {
		row.LastRuns = &fared
	}
	if !args.NamesOnly {
		portable, _ := actionmap.Portability(offer.Tool, s.Catalogue)
		row.Description, row.InputSchema, row.OutputSchema = offer.Tool.Description, offer.Tool.InputSchema, offer.Tool.OutputSchema
		row.Portable, row.ReviewedBy = &portable, offer.Entry.Map.ReviewedBy
		row.Unproven = s.Proofs.unproven(offer.Tool)
	}
	raw, err := json.Marshal(row)
	if err != nil || len(raw) > listBudget { // its schemas were parsed from JSON: it can be written
		row = action{Name: row.Name, LastRuns: row.LastRuns, Unfit: row.Unfit, Description: head(row.Description, 500), Truncated: true}
		raw, _ = json.Marshal(row)
	}
	return row, len(raw)
}
