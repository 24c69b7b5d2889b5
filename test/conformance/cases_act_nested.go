package conformance

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// branches are items that hold others, and record which of them the pointer met.
const branches = `<style>body{margin:0}ul,[role=tree],[role=group]{margin:0;padding:0 0 0 20px;list-style:none}.row{padding:4px}#fly{position:relative;width:200px}#sub{position:absolute;left:150px;top:0;width:200px;background:#fff}</style>
	<ul role=tree><li role=treeitem aria-expanded=true id=docs><div class=row><button tabindex=-1>+</button> Documents</div>
		<ul role=group><li role=treeitem id=work aria-expanded=true>Work<ul role=group><li role=treeitem id=cv>CV<li role=treeitem id=mail>Mail</ul><li role=treeitem id=home>Home<li role=treeitem id=more>More<li role=treeitem id=last>Last</ul></ul>
	<div role=tree><div role=treeitem aria-expanded=true id=below><div role=tree><div role=treeitem id=over>Over</div></div>Below</div>
		<div role=treeitem aria-expanded=true id=only><div role=group><div role=treeitem id=all>All</div></div></div></div>
	<div role=menu><div role=menuitem aria-expanded=true id=fly>Share<div role=menu id=sub><div role=menuitem id=byMail>By mail</div><div role=menuitem id=byLink>By link</div></div></div>
		<div role=menuitem id=sort>Sort<div role=group><div role=menuitemradio id=up>Up</div><div role=menuitemradio id=down>Down</div></div></div></div>
	<div role=tree style="margin-top:1500px"><div role=treeitem aria-expanded=true id=tall>Tall<div role=group style="height:3000px"><div role=treeitem style="height:3000px" id=inTall>In it</div></div></div></div>
	<script>for (const type of ["click", "mouseover"]) addEventListener(type, e => log.push([type, e.target.closest("[role=treeitem], [role^=menuitem]")?.id ?? ""]))</script>`

// actNestedCases returns the cases of items that hold items of their own.
func actNestedCases() []Case {
	return []Case{
		{Name: clickOn + "/presses an item, not the ones nested in it", HTML: branches, Run: func(p *Page) {
			for _, id := range []string{"docs", "work", "cv", "below", "over", "fly", "byMail", "sort", "tall", "docs"} {
				p.eval(`log.length = 0`)
				p.is(p.ok(clickOn, `{"locator":{"selector":"#`+id+`"}}`), "verified", `true`)
				p.page(`log.filter(e => e[0] === "click")`, fmt.Sprintf(`[["click",%q]]`, id))
			}
			p.eval(`log.length = 0`)
			p.ok(clickOn, `{"locator":{"selector":"#docs"},"fidelity":"synthetic"}`)
			p.page(`log.filter(e => e[0] === "click")`, `[["click","docs"]]`)
			out := p.refuses(clickOn, `{"locator":{"selector":"#only"},"timeout_ms":100}`, fault.TargetOccluded)
			p.is(out, "occluded_by.target_label", `"div#all"`)
		}},
		{Name: clickOn + "/presses what is drawn for a pointer alone", HTML: pointerOnly, Run: func(p *Page) {
			text := hostTree(p, `{}`)
			for _, hint := range []string{"[hint=up]", "[hint=down]", "[hint=cross]", "Clear", "[hint=remove]", "[hint=drop]", "[hint=far]"} {
				p.is(p.ok(clickOn, ref(p.refOf(text, hint))), "verified", `true`)
			}
			p.page(`log`, `["up","down","cross","clear","remove","drop","far"]`)
		}},
		{Name: "locator.hover/meets an item, not the ones nested in it", HTML: branches, Run: func(p *Page) {
			for _, id := range []string{"cv", "work", "docs", "sort", "fly"} {
				p.eval(`log.length = 0`)
				p.is(p.ok("locator.hover", `{"locator":{"selector":"#`+id+`"}}`), "verified", `true`)
				p.page(`[...new Set(log.filter(e => e[0] === "mouseover").map(e => e[1]))].at(-1)`, fmt.Sprintf("%q", id))
			}
		}},
	}
}
