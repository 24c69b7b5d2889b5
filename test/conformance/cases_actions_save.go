package conformance

func actionsSaveCases() []Case {
	return []Case{
		{Name: "actions.save/does its work", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok("actions.save", `{}`)
			p.Fatalf("the case is not written yet: test/conformance/cases_actions_save.go must say what actions.save gives in place of %v", out.value)
		}},
	}
}
