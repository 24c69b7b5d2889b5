package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

func actionableCases() []Case {
	return []Case{
		{Name: "locator.element_info/refuses a covered element and names the occluder", HTML: `
			<button id=b>Go</button><div id=modal data-testid=veil style="position:fixed;inset:0;background:#0005"></div>`,
			Run: func(p *Page) {
				out := p.fails(info, `{"locator":{"selector":"#b"}}`, fault.TargetNotActionable)
				p.is(out, "visibility.blockers", `["covered"]`)
				p.is(out, "visibility.occluded_by.target_label", `"div#modal[data-testid=\"veil\"]"`)
				p.is(out, "scroll_operations_performed", `[]`)
			}},
		{Name: "locator.element_info/finds a free point of a partly covered element", HTML: `
			<button id=b style="position:absolute;left:100px;top:100px;width:200px;height:80px">Go</button>
			<div style="position:absolute;left:150px;top:90px;width:300px;height:100px;background:red"></div>
			<script>var hits = 0; $("#b").onclick = () => hits++</script>`,
			Run: func(p *Page) {
				out := p.ok(info, `{"locator":{"selector":"#b"}}`)
				if x := out.number("clickable_center.x"); x < 100 || x >= 150 {
					p.Errorf("x is %v, want a point on the free part", x)
				}
				p.ok("pointer.click", out.pointArgs())
				p.page(`hits`, `1`)
			}},
		{Name: "locator.element_info/scrolls below the fold to the centre", HTML: `<div style="height:3000px"></div><button id=b>Low</button><div style="height:3000px"></div>`, Run: func(p *Page) {
			out := p.ok(info, `{"locator":{"selector":"#b"}}`)
			p.is(out, "initial_visibility.state", `"requires_scroll"`)
			p.is(out, "visibility.state", `"visible"`)
			p.is(out, "scroll_operations_performed.0.target", `"viewport"`)
			p.is(out, "scroll_operations_performed.0.reason", `"off_screen"`)
			p.is(out, "scroll_operations_performed.length", `1`)
			p.page(`Math.abs($("#b").getBoundingClientRect().top + 10 - innerHeight / 2) < 30`, `true`)
		}},
		{Name: "locator.element_info/scrolls clear of a sticky header", HTML: `
			<div style="position:sticky;top:0;height:120px;background:silver" id=head>Head</div>
			<div style="height:900px"></div><button id=b>Under</button><div style="height:3000px"></div>`,
			Run: func(p *Page) {
				p.eval(`scrollTo(0, 960)`)
				p.page(`$("#b").getBoundingClientRect().top < 120 && $("#b").getBoundingClientRect().top > 0`, `true`)
				out := p.ok(info, `{"locator":{"selector":"#b"}}`)
				p.is(out, "initial_visibility.occluded_by.target_label", `"div#head"`)
				p.is(out, "visibility.blockers", `[]`)
				p.is(out, "scroll_operations_performed.0.reason", `"covered"`)
			}},
		{Name: "locator.element_info/does not scroll what is in view", HTML: `<div style="height:500px"></div><button id=b>Here</button><div style="height:3000px"></div>`, Run: func(p *Page) {
			p.eval(`scrollTo(0, 37)`)
			p.ok(info, `{"locator":{"selector":"#b"}}`)
			p.page(`scrollY`, `37`)
		}},
		{Name: "locator.element_info/leaves the page alone without auto_scroll", HTML: `<div style="height:3000px"></div><button id=b>Low</button>`, Run: func(p *Page) {
			out := p.fails(info, `{"locator":{"selector":"#b"},"auto_scroll":false}`, fault.TargetNotActionable)
			p.is(out, "visibility.blockers", `["off_screen"]`)
			p.page(`scrollY`, `0`)
		}},
		{Name: "locator.element_info/refuses a disabled element", HTML: `<fieldset disabled><button id=b><span>Off</span></button></fieldset>`, Run: func(p *Page) {
			p.is(p.fails(info, `{"locator":{"selector":"#b"}}`, fault.TargetNotActionable), "visibility.blockers", `["disabled"]`)
			p.is(p.fails(info, `{"locator":{"selector":"#b span"}}`, fault.TargetNotActionable), "visibility.enabled", `false`)
		}},
		{Name: "locator.element_info/refuses an inert, transparent or event-less element", HTML: `
			<div inert><button id=i>Inert</button></div><div style="opacity:0"><button id=t>Ghost</button></div>
			<button id=e style="pointer-events:none">None</button><button id=s style="width:4px;height:4px;padding:0;border:0;overflow:hidden"></button>
			<input id=c type=checkbox style="opacity:0;width:20px;height:20px">`,
			Run: func(p *Page) {
				for id, blocker := range map[string]string{"i": "inert", "t": "transparent", "e": "pointer_events_none"} {
					out := p.fails(info, `{"locator":{"selector":"#`+id+`"}}`, fault.TargetNotActionable)
					p.is(out, "visibility.blockers.0", `"`+blocker+`"`)
				}
				p.is(p.ok(info, `{"locator":{"selector":"#s"}}`), "visibility.clickable", `true`) // however small
				// A transparent native control under a drawn one is what people click.
				p.is(p.ok(info, `{"locator":{"selector":"#c"}}`), "visibility.visible", `false`)
			}},
	}
}
