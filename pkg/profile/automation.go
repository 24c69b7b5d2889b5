package profile

import (
	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/automation"
	"github.com/actionsjson/actions-host/pkg/automation/skill"
)

// openAutomation creates the tools of the text agent.
func (p *profile) openAutomation() (err error) {
	if p.skills, err = skill.Open(p.journal.Bolt(), nil); err != nil {
		return err
	}
	p.handle((&automation.Tools{Path: p.dispatcher, Skills: p.skills, Browser: p.handlers}).Handlers())
	p.ui.Skills = p.skills
	p.dispatcher.AutomationEnabled = agent.AutomationNow
	return nil
}
