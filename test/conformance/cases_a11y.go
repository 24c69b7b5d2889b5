package conformance

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	a11yTree  = "a11y.tree"
	a11yQuery = "a11y.query"
)

func a11yCases() []Case {
	return []Case{
		{Name: a11yTree + "/writes roles, names, values and states", HTML: `<main><h1>Tea</h1>
			<label>Kind <input value="green tea"></label><input type=checkbox aria-label=Hot checked><button disabled>Order</button>
			<div role=status>Saved</div><div aria-hidden=true><button>ghost</button></div></main>`, Run: func(p *Page) {
			p.eval(`$("input").focus()`)
			out := p.ok(a11yTree, `{}`)
			outline, _ := out.at("outline").(string)
			for _, want := range []string{
				`heading "Tea" [level:1]`, `textbox "Kind" = green tea [focused]`, `checkbox "Hot" [checked]`, `button "Order" [disabled]`, `status [live:polite]`, `StaticText "Saved"`,
			} {
				if !strings.Contains(outline, want) {
					p.Errorf("the outline lacks %s:\n%s", want, outline)
				}
			}
			if strings.Contains(outline, "ghost") || strings.Count(outline, "green tea") != 1 {
				p.Errorf("the outline tells too much:\n%s", outline)
			}
			p.is(out, "truncated", `false`)
			p.is(out, "frames_not_included", `[]`)
		}},
		{Name: a11yTree + "/names elements as a snapshot does", HTML: namesPage(namedElements()), Run: browserNames},
		{Name: a11yTree + "/keeps to its limits", HTML: `<script>document.write("<ul>" + "<li>one</li>".repeat(100) + "</ul><p>" + "long ".repeat(200) + "</p>")</script>`, Run: func(p *Page) {
			out := p.ok(a11yTree, `{"max_nodes":10}`)
			p.is(out, "node_count", `10`)
			p.is(out, "truncated", `true`)
			out = p.ok(a11yTree, `{"max_depth":2}`)
			p.is(out, "truncated", `true`)
			for line := range strings.Lines(p.ok(a11yTree, `{}`).at("outline").(string)) {
				if len([]rune(line)) > 200 {
					p.Errorf("a line has %d characters", len([]rune(line)))
				}
			}
			p.fails(a11yTree, `{"max_depth":41}`, fault.InvalidInput)
		}},
		{Name: a11yTree + "/hides the values of secret fields", HTML: `<input type=password aria-label=Password value="hunter2"><input autocomplete="one-time-code" aria-label=Code value="314159"><input aria-label=Plain value="tea"><div id=d>Your key <input name=api_key value="sk-live-2718"></div><button aria-describedby=d>Copy</button>`, Run: func(p *Page) {
			outline, _ := p.ok(a11yTree, `{}`).at("outline").(string)
			if strings.Contains(outline, "hunter2") || strings.Contains(outline, "314159") || strings.Contains(outline, "sk-live") || strings.Contains(outline, "•") {
				p.Errorf("the outline tells a secret:\n%s", outline)
			}
			if strings.Count(outline, "= [redacted]") != 3 || !strings.Contains(outline, `[description:"Your key [redacted]"]`) || !strings.Contains(outline, `"Plain" = tea`) {
				p.Errorf("the outline is\n%s", outline)
			}
			p.is(p.ok(a11yQuery, `{"name":"Code"}`), "value", `"[redacted]"`)
		}},
		{Name: a11yTree + "/remembers a password field that the page shows", HTML: `
			<label>Password <input id=a type=password></label><label>Again <input id=b type=password value="sesame42"></label>
			<label><input type=checkbox>Use <input id=c type=password value="open sesame"> for all</label>
			<div id=host></div><iframe title=Other src="{{OTHER}}` + inside(`<input id=d type=password aria-label=Far value="far sesame"><script>onmessage = () => { d.type = "text"; top.postMessage("shown", "*") }</script>`) + `"></iframe>
			<script>const root = host.attachShadow({mode: "closed"}); root.innerHTML = "<input type=password aria-label=Deep value='deep sesame'>"; var shown = 0; onmessage = () => shown++;</script>`, Run: func(p *Page) {
			// That in the frame is known by the look at it alone.
			if outline, _ := p.ok(a11yTree, `{}`).at("outline").(string); strings.Contains(outline, "sesame") || !strings.Contains(outline, `"Far" = [redacted]`) {
				p.Errorf("before they are shown:\n%s", outline)
			}
			p.eval(`a.value = "sesame4711", [a, b, c, root.querySelector("input")].forEach(each => each.type = "text"), frames[0].postMessage("", "*"), 1`)
			p.until("the frame shows its field", func() bool {
				var shown int
				p.backend.Eval(p.T, `shown`, &shown)
				return shown == 1
			})
			outline, _ := p.ok(a11yTree, `{}`).at("outline").(string)
			if strings.Contains(outline, "sesame") || strings.Count(outline, "= [redacted]") != 5 || !strings.Contains(outline, `textbox "Password" = [redacted]`) {
				p.Errorf("the outline tells a secret:\n%s", outline)
			}
			for _, name := range []string{"Password", "Again", "Far", "Deep"} {
				p.is(p.ok(a11yQuery, `{"role":"textbox","name":"`+name+`"}`), "value", `"[redacted]"`)
			}
			p.is(p.ok(a11yQuery, `{"role":"StaticText","name_contains":"sesame"}`), "found", `false`)
			p.is(p.ok(a11yQuery, `{"name_contains":"sesame"}`), "found", `false`)
			p.is(p.ok("locator.value", `{"locator":{"selector":"#b"}}`), "redacted", `true`)
		}},
		{Name: a11yTree + "/hides a password field that was shown before anybody looked", HTML: `<input id=a type=password aria-label=Password value="open sesame"><x-late></x-late><iframe src="` + inside(`<input id=f type=password aria-label=Framed value="framed sesame">`) + `"></iframe>`, Run: func(p *Page) {
			p.ok("page.info", `{}`) // the page code is there
			p.eval(`a.type = "text", frames[0].document.querySelector("input").type = "text", 1`)
			p.eval(`(() => { const late = $("x-late").attachShadow({mode: "open"}); late.innerHTML = "<input type=password aria-label=Late value='late sesame'>"; late.querySelector("input").focus(); late.querySelector("input").type = "text" })(), 1`)
			if outline, _ := p.ok(a11yTree, `{}`).at("outline").(string); strings.Contains(outline, "sesame") || strings.Count(outline, "= [redacted]") != 3 {
				p.Errorf("the outline tells a secret:\n%s", outline)
			}
			if text, _ := p.ok("page.snapshot", `{}`).at("snapshot").(string); strings.Contains(text, "sesame") || strings.Count(text, "secret=") != 3 {
				p.Errorf("the snapshot tells a secret:\n%s", text)
			}
		}},
		{Name: a11yTree + "/sets frames in and names those it does not read", HTML: `<iframe title=Same src="/frame"></iframe><iframe title=Other src="{{OTHER}}/frame"></iframe><iframe title=Written srcdoc="<button>Written</button>"></iframe>`, Run: func(p *Page) {
			out := p.ok(a11yTree, `{}`)
			outline, _ := out.at("outline").(string)
			if strings.Count(outline, `button "Inner"`) != 2 || !strings.Contains(outline, `button "Written"`) || strings.Contains(outline, "not included") {
				p.Errorf("the outline is\n%s", outline)
			}
			p.is(out, "frames_not_included", `[]`)
		}},
		{Name: a11yQuery + "/finds by role and name with state and place", HTML: `<button style="position:absolute;left:100px;top:50px;width:80px;height:40px" aria-expanded=false>More  tea</button>`, Run: func(p *Page) {
			for _, args := range []string{`{"role":"BUTTON"}`, `{"name":"More tea"}`, `{"role":"button","name_contains":"TEA"}`} {
				out := p.ok(a11yQuery, args)
				p.is(out, "found", `true`)
				p.is(out, "role", `"button"`)
				p.is(out, "name", `"More tea"`)
				p.is(out, "match_count", `1`)
				p.is(out, "clickable_center", `{"x":140,"y":70}`)
				p.is(out, "visible_rect.width", `80`)
				p.is(out, "state.expanded", `false`)
				p.is(out, "actionability_attested", `true`)
			}
			p.fails(a11yQuery, `{}`, fault.InvalidInput)
			p.fails(a11yQuery, `{"nth":1}`, fault.InvalidInput)
		}},
		{Name: a11yQuery + "/tells several matches apart", HTML: `<button id=a onclick="log.push('a')">Tea</button><button id=b onclick="log.push('b')">Tea</button>`, Run: func(p *Page) {
			out := p.ok(a11yQuery, `{"role":"button","name":"Tea","nth":1}`)
			p.is(out, "match_count", `2`)
			p.is(out, "ambiguous", `true`)
			p.is(out, "candidates.length", `2`)
			p.ok("pointer.click", out.pointArgs())
			p.page(`log`, `["b"]`)
			p.is(p.ok(a11yQuery, `{"role":"button","nth":2}`), "found", `false`)
		}},
		{Name: a11yQuery + "/tells what covers the target", HTML: `<style>button{position:absolute;left:20px;top:20px;width:100px;height:40px}#cover{position:absolute;left:0;top:0;width:300px;height:300px;background:#ccc}</style><button>Under</button><div id=cover>cover words</div><p style="margin-top:3000px"><a href=#>Far</a></p>`, Run: func(p *Page) {
			out := p.ok(a11yQuery, `{"name":"Under"}`)
			p.is(out, "clickable", `false`)
			p.is(out, "receives_events", `false`)
			p.is(out, "occluded_by", `{"tag_name":"div","id":"cover","text":"cover words"}`)
			p.is(out, "clickable_center", `null`)
			far := p.ok(a11yQuery, `{"name":"Far"}`)
			p.is(far, "visible_rect", `null`)
			p.is(far, "clickable", `false`)
			p.page(`scrollY`, `0`)
		}},
		{Name: a11yQuery + "/finds nothing without an error", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(a11yQuery, `{"role":"slider"}`)
			p.is(out, "found", `false`)
			p.is(out, "match_count", `0`)
		}},
		{Name: a11yQuery + "/places what is in a frame", HTML: `<iframe style="position:absolute;left:200px;top:100px;border:10px solid;padding:5px;width:300px;height:100px" srcdoc="<body style='margin:0'><button style='position:absolute;left:20px;top:10px;width:60px;height:30px' onclick='parent.log.push(1)'>Inside</button>"></iframe>`, Run: func(p *Page) {
			out := p.ok(a11yQuery, `{"name":"Inside"}`)
			p.is(out, "clickable_center", `{"x":265,"y":140}`)
			p.ok("pointer.click", out.pointArgs())
			p.page(`log`, `[1]`)
			p.eval(`document.querySelector("iframe").insertAdjacentHTML("afterend", '<div id=lid style="position:absolute;left:0;top:0;width:900px;height:600px">lid</div>')`)
			p.is(p.ok(a11yQuery, `{"name":"Inside"}`), "occluded_by.id", `"lid"`)
		}},
	}
}
