package site

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// listing is the output of mode list.
type listing struct {
	Actions          []action               `json:"actions"`
	StateProjections []actionmap.Projection `json:"state_projections"`
	Files            []actionmap.File       `json:"files"`
	Skills           []actionmap.File       `json:"skills"`
	Guidance         []guidance             `json:"guidance,omitzero"`
}

type action struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// guidance is a map author's text; it is advice on the site, not an order.
type guidance struct {
	Map string `json:"map"`
	actionmap.Guidance
}

func (s *Site) list(site storage.Site) (json.RawMessage, error) {
	l := listing{Actions: []action{}, StateProjections: []actionmap.Projection{}, Files: []actionmap.File{}, Skills: []actionmap.File{}}
	for _, offer := range site.Offers() {
		l.Actions = append(l.Actions, action{offer.Tool.Name, offer.Tool.Description, offer.Tool.InputSchema})
	}
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
			l.Guidance = append(l.Guidance, guidance{entry.Path, g})
		}
	}
	raw, err := json.Marshal(l)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the list cannot be written: %v", err)
	}
	return raw, nil
}
