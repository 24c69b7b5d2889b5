package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

// hosts counts the elements of attachments in the page.
const hosts = `document.querySelectorAll("[data-actions-json-attachment]").length`

// attachmentCases are about the primitive alone; maps stand in test/e2e.
func attachmentCases() []Case {
	const help = `{"attachments":[{"id":"help","kind":"annotation","label":"Help","max_instances":2,"selectors":["#gone","li"]}]}`
	const list = `<ul><li>a</li><li>b</li><li>c</li></ul>`
	return []Case{
		{Name: "attachment.install/installs and replaces the set", HTML: list, Run: func(p *Page) {
			p.is(p.ok("attachment.install", help), "installed", `[{"id":"help","instances":2,"placement":"afterend","target_text":"a"}]`)
			p.is(p.ok("attachment.install", help), "missing", `[]`)
			p.page(hosts, `2`)
			p.page(`document.querySelector("li").nextElementSibling.shadowRoot === null && document.activeElement === document.body`, `true`)
			p.fails("locator.element_info", `{"locator":{"selector":"[data-actions-json-attachment]"}}`, fault.TargetNotFound)
			p.is(p.ok("attachment.install", `{"attachments":[{"id":"note","kind":"annotation","label":"Note","selectors":["#later"]}]}`), "missing", `["note"]`)
			p.page(hosts, `0`)
			p.is(p.ok("attachment.install", `{"attachments":[]}`), "installed", `[]`)
		}},
		{Name: "attachment.install/survives a page that draws its list anew", HTML: list, Run: func(p *Page) {
			p.ok("attachment.install", help)
			p.eval(`document.querySelector("ul").innerHTML = "<li>x</li><li>y</li><li>z</li>"`)
			p.settles(hosts, `2`)
			p.eval(`document.querySelectorAll("li").forEach((li) => li.remove())`)
			p.settles(hosts, `0`)
		}},
		{Name: "attachment.install/withstands the style of the page", HTML: `<style>body * {display: none !important}</style><p>x</p>`, Run: func(p *Page) {
			p.ok("attachment.install", `{"attachments":[{"id":"help","kind":"status_badge","label":"Help","selectors":["p"]}]}`)
			p.page(`document.querySelector("[data-actions-json-attachment]").offsetWidth > 0`, `true`)
		}},
	}
}
