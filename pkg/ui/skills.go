package ui

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
)

// Skill is a skill as the options page shows it: what the user approves is seen whole.
type Skill struct {
	Name             string    `json:"name"`
	DomainPatterns   []string  `json:"domain_patterns"`
	ShortDescription string    `json:"short_description"`
	Library          string    `json:"library"`
	Hash             string    `json:"hash"` // of the library; empty without one
	Approved         bool      `json:"approved"`
	LastUpdated      time.Time `json:"last_updated"`
}

// Skills are all skills, by name.
type Skills struct {
	Skills []Skill `json:"skills"`
}

func (b *Backend) skills() (Skills, error) {
	all, err := b.Skills.List("")
	shown := Skills{Skills: []Skill{}}
	for _, s := range all {
		shown.Skills = append(shown.Skills, Skill{s.Name, s.DomainPatterns, s.ShortDescription, s.Library, s.Hash(), s.IsApproved(), s.LastUpdated})
	}
	return shown, err
}

// changeSkill does what the user has decided, and logs it: it says which code may run.
func (b *Backend) changeSkill(ctx context.Context, p protocol.SkillChange) (Skills, error) {
	var err error
	switch p.Change {
	case "approve":
		if p.Hash == "" {
			return Skills{}, fault.New(fault.InvalidInput, "an approval needs the hash of the library that was shown").WithDispatched(fault.NotDispatched)
		}
		err = b.Skills.Approve(p.Name, p.Hash)
	case "withdraw":
		err = b.Skills.Approve(p.Name, "")
	case "delete":
		err = b.Skills.Delete(p.Name)
	default:
		err = fault.New(fault.InvalidInput, "unknown change %q of a skill", p.Change).WithDispatched(fault.NotDispatched)
	}
	if err != nil {
		return Skills{}, err
	}
	decided, err := json.Marshal(map[string]any{"data": p})
	if err != nil {
		return Skills{}, fault.Wrap(err, fault.InternalError, "a log record cannot be written: %v", err)
	}
	if err := b.log.Append(ctx, journal.Record{Type: journal.TypeLifecycle, Name: "skill_" + p.Change, Data: decided}); err != nil {
		return Skills{}, err
	}
	return b.skills()
}
