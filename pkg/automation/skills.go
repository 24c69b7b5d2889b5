package automation

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/automation/skill"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// listedSkill is a skill in the list.
type listedSkill struct {
	Name             string   `json:"name"`
	ShortDescription string   `json:"shortDescription"`
	DomainPatterns   []string `json:"domainPatterns"`
	HasLibrary       bool     `json:"hasLibrary"`
	LibraryApproved  bool     `json:"libraryApproved"`
}

// wholeSkill is one skill; its library only where it was asked for.
type wholeSkill struct {
	listedSkill
	Description string    `json:"description"`
	Examples    string    `json:"examples"`
	CreatedAt   time.Time `json:"createdAt"`
	LastUpdated time.Time `json:"lastUpdated"`
	Library     string    `json:"library,omitzero"`
}

// skillArguments are the arguments of automation.skill.
type skillArguments struct {
	Action             string                       `json:"action"`
	Name               string                       `json:"name"`
	URL                string                       `json:"url"`
	IncludeLibraryCode bool                         `json:"includeLibraryCode"`
	Data               *skillData                   `json:"data"`
	Updates            map[string]skill.Replacement `json:"updates"`
}

type skillData struct {
	Name             string   `json:"name"`
	DomainPatterns   []string `json:"domainPatterns"`
	ShortDescription string   `json:"shortDescription"`
	Description      string   `json:"description"`
	Examples         string   `json:"examples"`
	Library          string   `json:"library"`
}

func (d skillData) skill() skill.Skill {
	return skill.Skill{
		Name: d.Name, DomainPatterns: d.DomainPatterns, ShortDescription: d.ShortDescription,
		Description: d.Description, Examples: d.Examples, Library: d.Library,
	}
}

// hintUnapproved is the next step after a library that nobody has approved yet.
const hintUnapproved = "The library does not run yet: the user reads it and approves it in the extension's options, under Skills."

// skill lists, gets and changes skills.
func (t *Tools) skill(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[skillArguments](c)
	if err == nil {
		err = args.check()
	}
	if err != nil {
		return nil, err
	}
	var one skill.Skill
	switch args.Action {
	case "list":
		return t.list(args.URL)
	case "delete":
		if err := t.Skills.Delete(args.Name); err != nil {
			return nil, err
		}
		return primitive.Output(map[string]string{"deleted": args.Name})
	case "get":
		one, err = t.Skills.Get(args.Name)
	case "create":
		one, err = t.Skills.Create(args.Data.skill())
	case "rewrite":
		one, err = t.Skills.Rewrite(args.Name, args.Data.skill())
	case "update":
		one, err = t.Skills.Update(args.Name, args.Updates)
	}
	if err != nil {
		return nil, err
	}
	out := map[string]any{"skill": whole(one, args.IncludeLibraryCode)}
	if args.Action != "get" && one.Library != "" && !one.IsApproved() {
		out["next_step"] = hintUnapproved
	}
	return primitive.Output(out)
}

// check refuses arguments that lack what their action needs.
func (a skillArguments) check() error {
	missing := ""
	switch a.Action {
	case "get", "delete":
		missing = missingUnless(a.Name != "", "name")
	case "create":
		missing = missingUnless(a.Data != nil, "data")
	case "rewrite":
		missing = missingUnless(a.Name != "", "name") + missingUnless(a.Data != nil, "data")
	case "update":
		missing = missingUnless(a.Name != "", "name") + missingUnless(len(a.Updates) > 0, "updates")
	}
	if missing == "" {
		return nil
	}
	return fault.New(fault.InvalidInput, "%s needs%s", a.Action, missing).WithDispatched(fault.NotDispatched)
}

func missingUnless(given bool, name string) string {
	if given {
		return ""
	}
	return " " + name
}

func (t *Tools) list(url string) (json.RawMessage, error) {
	found, err := t.Skills.List(url)
	if err != nil {
		return nil, err
	}
	rows := []listedSkill{}
	for _, one := range found {
		rows = append(rows, listed(one))
	}
	return primitive.Output(map[string]any{"skills": rows})
}

func listed(one skill.Skill) listedSkill {
	return listedSkill{one.Name, one.ShortDescription, one.DomainPatterns, one.Library != "", one.IsApproved()}
}

func whole(one skill.Skill, library bool) wholeSkill {
	w := wholeSkill{listed(one), one.Description, one.Examples, one.CreatedAt, one.LastUpdated, ""}
	if library {
		w.Library = one.Library
	}
	return w
}
