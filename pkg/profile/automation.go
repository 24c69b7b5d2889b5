package profile

import (
	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/automation"
	"github.com/actionsjson/actions-host/pkg/automation/skill"
	"github.com/actionsjson/actions-host/pkg/browser/scripts"
)

// openAutomation creates the tools of the text agent.
func (p *profile) openAutomation() (err error) {
	if p.skills, err = skill.Open(p.journal.Bolt(), nil); err != nil {
		return err
	}
	p.handle((&automation.Tools{Path: p.dispatcher, Skills: p.skills, Browser: p.handlers, Scripts: p.scripts}).Handlers())
	p.ui.Skills = p.skills
	p.scripts.Libraries = p.libraries
	p.dispatcher.AutomationEnabled = agent.AutomationNow
	return nil
}

// libraries returns the libraries that the user has approved for a page's address.
func (p *profile) libraries(url string) (all []scripts.Library) {
	for _, l := range p.skills.Libraries(url) {
		all = append(all, scripts.Library{Name: l.Name, Code: l.Code})
	}
	return all
}
