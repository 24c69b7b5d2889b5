package site

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/primitive"
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
	Truncated    bool            `json:"truncated,omitzero"` // its schemas alone are over the budget: a bad call names what it violates
}

// listArguments are the arguments of mode list that page and filter.
type listArguments struct {
	Mode      string `json:"mode"`
	Query     string `json:"query,omitzero"`
	NamesOnly bool   `json:"names_only,omitzero"`
	Offset    int    `json:"offset,omitzero"`
	// PageToolsOffset pages the tools of the page; beyond 0 nothing else is listed.
	PageToolsOffset int `json:"page_tools_offset,omitzero"`
}

func (s *Site) list(ctx context.Context, c primitive.Call, site storage.Site, args listArguments) (json.RawMessage, error) {
	l := listing{Actions: []action{}, StateProjections: []actionmap.Projection{}, Files: []actionmap.File{}, Skills: []actionmap.File{}}
	l.pageToolList = s.pageTools(ctx, c, args)
	if args.PageToolsOffset > 0 {
		return marshal(l)
	}
	s.page(&l, site.Offers(), args)
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
	return marshal(l)
}

// page appends matching actions from the offset until the budget is used. It always
// appends one, so that paging makes progress.
func (s *Site) page(l *listing, offers []storage.Offer, args listArguments) {
	words := strings.Fields(strings.ToLower(args.Query))
	size := 0
	for _, offer := range offers {
		if !mentions(offer.Tool, words) {
			continue
		}
		l.Total++
		if l.Total <= args.Offset || l.Truncated {
			continue
		}
		row := s.row(offer, args.NamesOnly)
		raw, err := json.Marshal(row)
		if err != nil {
			continue // a tool's schema was parsed from JSON: it can be written
		}
		if len(raw) > listBudget {
			row = action{Name: row.Name, Description: head(row.Description, 500), Truncated: true}
			if raw, err = json.Marshal(row); err != nil {
				continue
			}
		}
		if size += len(raw); size > listBudget && len(l.Actions) > 0 {
			l.Truncated = true
			l.Next = &listArguments{Mode: "list", Query: args.Query, NamesOnly: args.NamesOnly, Offset: l.Total - 1}
			continue
		}
		l.Actions = append(l.Actions, row)
	}
}

// mentions reports whether the name or the description has all words.
func mentions(t *actionmap.Tool, words []string) bool {
	text := strings.ToLower(t.Name + " " + t.Description)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func (s *Site) row(offer storage.Offer, nameOnly bool) action {
	if nameOnly {
		return action{Name: offer.Tool.Name}
	}
	portable, _ := actionmap.Portability(offer.Tool, s.Catalogue)
	return action{
		Name: offer.Tool.Name, Description: offer.Tool.Description, InputSchema: offer.Tool.InputSchema,
		OutputSchema: offer.Tool.OutputSchema, Portable: &portable, ReviewedBy: offer.Entry.Map.ReviewedBy,
	}
}
