package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

const info = "locator.element_info"

func locatorCases() []Case {
	return []Case{
		{Name: "locator.element_info/finds by CSS with commas inside functions and strings", HTML: `
			<button data-k="a,b" aria-label="Save">1</button><button class=y>2</button><button class=z>3</button>`,
			Run: func(p *Page) {
				p.is(p.ok(info, `{"locator":{"selector":"[data-k=\"a,b\"]"}}`), "text", `"1"`)
				p.is(p.ok(info, `{"locator":{"selector":"button:is(.x,.y)"}}`), "match_count", `1`)
				p.is(p.ok(info, `{"locator":{"selector":"button:not(.y, .z)"}}`), "text", `"1"`)
				p.is(p.ok(info, `{"locator":{"selector":"[aria-label=\"save\" i]"}}`), "text", `"1"`)
			}},
		{Name: "locator.element_info/keeps the order of selector parts", HTML: `<button class=second>2</button><button class=first>1</button>`, Run: func(p *Page) {
			out := p.ok(info, `{"locator":{"selector":".first, .none, .second"}}`)
			p.is(out, "text", `"1"`)
			p.is(out, "candidates.1.text", `"2"`)
		}},
		{Name: "locator.element_info/finds by XPath", HTML: `<ul><li>a<li><button>Two</button></ul>`, Run: func(p *Page) {
			p.is(p.ok(info, `{"locator":{"xpath":"//li[2]/button[contains(., 'Two')]"}}`), "tag_name", `"button"`)
			p.fails(info, `{"locator":{"xpath":"//li["}}`, fault.InvalidSelector)
		}},
		{Name: "locator.element_info/finds by role and accessible name", HTML: `
			<button>Save draft</button><button aria-label="Save"><svg></svg></button><div role=button>Save</div><label>Email <input></label>`,
			Run: func(p *Page) {
				out := p.ok(info, `{"locator":{"role":"button","name":"Save"}}`)
				p.is(out, "match_count", `2`)
				p.is(out, "text", `""`) // a label is not the element's text
				p.is(out, "candidates.0.text", `""`)
				p.is(out, "candidates.1.text", `"Save"`)
				p.is(out, "candidates.1.tag_name", `"div"`)
				p.is(p.ok(info, `{"locator":{"role":"textbox","name":"Email"}}`), "tag_name", `"input"`)
				p.is(p.ok(info, `{"locator":{"role":"button","selector":"div"}}`), "match_count", `1`)
			}},
		{Name: "locator.element_info/finds by text with case", HTML: `<button>Save  all</button><button title="Save">x</button><a href="#" aria-label="Open">y</a>`, Run: func(p *Page) {
			p.is(p.ok(info, `{"locator":{"text":"Save"}}`), "match_count", `2`)
			p.is(p.ok(info, `{"locator":{"text_equals":"Save all"}}`), "tag_name", `"button"`)
			p.is(p.ok(info, `{"locator":{"text_equals":"y Open"}}`), "tag_name", `"a"`)
			p.fails(info, `{"locator":{"text_contains":"save"}}`, fault.TargetNotFound)
		}},
		{Name: "locator.element_info/climbs and retargets", HTML: `
			<div class=row><span class=n>Ann</span><button>Edit A</button></div><div class=row><span class=n>Bob</span><button>Edit B</button></div>`,
			Run: func(p *Page) {
				out := p.ok(info, `{"locator":{"selector":".n","text_equals":"Bob","retarget":{"closest":".row","selector":"button"}}}`)
				p.is(out, "text", `"Edit B"`)
				p.is(out, "ambiguous", `false`)
				p.fails(info, `{"locator":{"selector":".n","retarget":{"closest":"table","selector":"button"}}}`, fault.TargetNotFound)
			}},
		{Name: "locator.element_info/takes the nth match", HTML: `<button>1</button><button>2</button><button>3</button>`, Run: func(p *Page) {
			p.is(p.ok(info, `{"locator":{"selector":"button","nth":1}}`), "text", `"2"`)
			p.is(p.ok(info, `{"locator":{"selector":"button","nth":-1}}`), "text", `"3"`)
			p.fails(info, `{"locator":{"selector":"button","nth":3}}`, fault.TargetNotFound)
			p.fails(info, `{"locator":{"selector":"button","nth":-9}}`, fault.TargetNotFound)
		}},
		{Name: "locator.element_info/reports ambiguity and prefers the visible candidate", HTML: `
			<button style="display:none">0</button><button style="position:absolute;top:3000px">1</button><button>2</button><button>3</button>`,
			Run: func(p *Page) {
				out := p.ok(info, `{"locator":{"selector":"button"}}`)
				p.is(out, "text", `"2"`)
				p.is(out, "ambiguous", `true`)
				p.is(out, "candidate_count", `2`)
				p.is(out, "match_count", `4`)
				p.is(out, "candidates.1.text", `"3"`)
				p.is(out, "scroll_operations_performed", `[]`)
			}},
		{Name: "locator.element_info/strict refuses several matches", HTML: `<button>Edit</button><button>Edit</button>`, Run: func(p *Page) {
			out := p.fails(info, `{"locator":{"selector":"button","strict":true}}`, fault.MultipleTargets)
			p.is(out, "candidates.length", `2`)
		}},
		{Name: "locator.element_info/fails when nothing matches", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.fails(info, `{"locator":{"selector":"#none"}}`, fault.TargetNotFound), "match_count", `0`)
			p.fails(info, `{"locator":{}}`, fault.InvalidInput)
			p.fails(info, `{"locator":{"selector":"p","colour":"red"}}`, fault.InvalidInput)
		}},
		{Name: "locator.element_info/tells a hidden match from a missing one", HTML: `<input type=hidden id=h><button id=b style="visibility:hidden">x</button>`, Run: func(p *Page) {
			p.is(p.fails(info, `{"locator":{"selector":"#h"}}`, fault.TargetNotVisible), "match_count", `1`)
			p.fails(info, `{"locator":{"selector":"#b"}}`, fault.TargetNotVisible)
		}},
		{Name: "locator.element_info/enters shadow roots", HTML: `<x-card></x-card><script>
			const r = $("x-card").attachShadow({mode:"open"}); r.innerHTML = "<div class=in><x-deep></x-deep></div>";
			r.querySelector("x-deep").attachShadow({mode:"open"}).innerHTML = "<button>Deep</button>";</script>`,
			Run: func(p *Page) {
				p.is(p.ok(info, `{"locator":{"selector":"button"}}`), "text", `"Deep"`)
				p.is(p.ok(info, `{"locator":{"selector":"x-card .in button"}}`), "clickable", `true`)
				p.is(p.ok(info, `{"locator":{"role":"button","name":"Deep"}}`), "tag_name", `"button"`)
			}},
		{Name: "locator.element_info/gives true geometry inside a frame", HTML: `
			<div style="height:50px"></div><iframe id=f style="margin-left:100px;border:5px solid;padding:10px;width:300px;height:150px"
			srcdoc="<body style='margin:0'><div style='height:400px'></div><button id=b style='display:block;width:80px;height:40px'>In</button>"></iframe>`,
			Run: func(p *Page) {
				out := p.ok(info, `{"locator":{"selector":"#b","frame":"#f"}}`)
				p.page(`(() => { const f = $("#f"), r = f.getBoundingClientRect(), b = f.contentDocument.querySelector("#b").getBoundingClientRect();
					window.want = {x: r.left + 15 + b.left, y: r.top + 15 + b.top, width: b.width, height: b.height}; return b.width })()`, `80`)
				var want map[string]float64
				p.backend.Eval(p.T, `window.want`, &want)
				for key, n := range want {
					if out.number("bounding_box."+key) != n {
						p.Errorf("%s is %v, want %v", key, out.at("bounding_box."+key), n)
					}
				}
				p.is(out, "visibility.fully_visible", `true`)
			}},
		{Name: "locator.element_info/sees a frame that is covered in its parent", HTML: `
			<iframe id=f srcdoc="<button>In</button>"></iframe><div id=veil style="position:fixed;inset:0"></div>`,
			Run: func(p *Page) {
				out := p.fails(info, `{"locator":{"selector":"button","frame":"#f"}}`, fault.TargetNotActionable)
				p.is(out, "visibility.occluded_by.target_label", `"div#veil"`)
			}},
		{Name: "locator.element_info/refuses an invalid selector", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.fails(info, `{"locator":{"selector":"p, :nope("}}`, fault.InvalidSelector), "selector", `"p, :nope("`)
			p.fails(info, `{"locator":{"selector":"p,"}}`, fault.InvalidSelector)
			p.fails(info, `{"locator":{"selector":"p","retarget":{"closest":"[","selector":"b"}}}`, fault.InvalidSelector)
		}},
	}
}
