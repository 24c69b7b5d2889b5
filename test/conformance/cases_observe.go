package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

const rows = `<ul style="height:60px;overflow:auto;margin:0">` +
	`<li class=row data-id=1>One<li class=row data-id=2>Two<li class=row data-id=3>Three` +
	`<li class=row style="margin-top:300px">Far</ul>`

const manyRows = `<div id=list></div><script>
	$("#list").innerHTML = Array.from({length: 10000}, (_, i) => "<p class=n data-i="+i+">Row "+i+"</p>").join("")</script>`

func observeCases() []Case {
	return []Case{
		{Name: "dom.observe.visible/lists only what is on screen", HTML: rows, Run: func(p *Page) {
			out := p.ok("dom.observe.visible", `{"selector":".row"}`)
			p.is(out, "match_count", `3`)
			p.is(out, "total_count", `3`)
			p.is(out, "matches.0.text", `"One"`)
			p.is(out, "matches.0.clickable", `true`)
		}},
		{Name: "dom.observe.visible/names the occluder of a covered element", HTML: `
			<button id=b>Go</button><div id=veil class="a b" style="position:fixed;inset:0"></div>`,
			Run: func(p *Page) {
				out := p.ok("dom.observe.visible", `{"selector":"#b"}`)
				p.is(out, "matches.0.occluded_by.target_label", `"div#veil.a.b"`)
				p.is(out, "matches.0.receives_events", `false`)
				p.is(out, "matches.0.clickable_center", `null`)
			}},
		{Name: "dom.observe.visible/tells the total when it truncates", HTML: rows, Run: func(p *Page) {
			out := p.ok("dom.observe.visible", `{"selector":".row","max_matches":2}`)
			p.is(out, "match_count", `2`)
			p.is(out, "total_count", `3`)
			p.is(out, "truncated", `true`)
		}},
		{Name: "dom.observe.visible/fails with payload_too_large and hints", HTML: rows, Run: func(p *Page) {
			out := p.fails("dom.observe.visible", `{"selector":"*","max_payload_bytes":1000}`, fault.PayloadTooLarge)
			p.is(out, "max_payload_bytes", `1000`)
			p.is(out, "narrowing_hints.length", `4`)
			p.is(out, "selector", `"*"`)
			if out.number("approximate_bytes") <= 1000 {
				p.Error("approximate_bytes is within the limit")
			}
		}},
		{Name: "dom.observe.visible/filters by text without regard to case", HTML: rows + `<button aria-label="Two more"></button>`, Run: func(p *Page) {
			p.is(p.ok("dom.observe.visible", `{"selector":".row","text_contains":"tWo"}`), "matches.0.text", `"Two"`)
			p.is(p.ok("dom.observe.visible", `{"selector":"button","text_contains":"two M"}`), "match_count", `1`)
		}},
		{Name: "dom.observe.visible/counts no transparent element", HTML: `<div style="opacity:0"><b>Ghost</b></div><i>Real</i>`, Run: func(p *Page) {
			p.is(p.ok("dom.observe.visible", `{"selector":"b, i"}`), "total_count", `1`)
		}},
		{Name: "dom.observe.attributes/enumerates matches off screen too", HTML: rows, Run: func(p *Page) {
			out := p.ok("dom.observe.attributes", `{"selector":".row","attributes":["text","data-id"]}`)
			p.is(out, "match_count", `4`)
			p.is(out, "visible_count", `3`)
			p.is(out, "matches.3", `{"tag_name":"li","attributes":{"text":"Far","data-id":null},"visible":false}`)
		}},
		{Name: "dom.observe.attributes/gives null for a missing attribute", HTML: `<a href="/x" title="">t</a>`, Run: func(p *Page) {
			p.is(p.ok("dom.observe.attributes", `{"selector":"a","attributes":["href","title","rel"]}`), "matches.0.attributes", `{"href":"/x","title":"","rel":null}`)
		}},
		{Name: "dom.observe.attributes/never gives a password", HTML: `<input type=password value=hunter2><input autocomplete="cc-number" value=4111><input value=open>`, Run: func(p *Page) {
			out := p.ok("dom.observe.attributes", `{"selector":"input","attributes":["value","type"]}`)
			p.is(out, "matches.0.attributes", `{"value":null,"type":"password"}`)
			p.is(out, "matches.1.attributes.value", `null`)
			p.is(out, "matches.2.attributes.value", `"open"`)
			p.fails("locator.text_content", `{"locator":{"selector":"input","text_contains":"hunter2"}}`, fault.TargetNotFound)
		}},
		{Name: "dom.observe.attributes/tells the total when it truncates", HTML: rows, Run: func(p *Page) {
			out := p.ok("dom.observe.attributes", `{"selector":".row","attributes":["text"],"max_matches":1}`)
			p.is(out, "match_count", `1`)
			p.is(out, "total_count", `4`)
			p.is(out, "truncated", `true`)
		}},
		{Name: "dom.observe.attributes/fails with payload_too_large and hints", HTML: `<p title="` + longText + `">x</p>`, Run: func(p *Page) {
			out := p.fails("dom.observe.attributes", `{"selector":"p","attributes":["title"],"max_payload_bytes":1000}`, fault.PayloadTooLarge)
			p.is(out, "match_count", `1`)
			p.is(out, "narrowing_hints.length", `4`)
		}},
		{Name: "dom.observe.attributes/reads ten thousand nodes within its cap", HTML: manyRows, Run: func(p *Page) {
			out := p.ok("dom.observe.attributes", `{"selector":".n","attributes":["data-i","text"],"max_matches":200,"max_payload_bytes":64000}`)
			p.is(out, "match_count", `200`)
			p.is(out, "total_count", `10000`)
			p.is(p.ok("dom.observe.visible", `{"selector":".n","max_matches":1}`), "truncated", `true`)
			p.is(p.ok("dom.snapshot_text", `{"max_chars":10}`), "text", `"Row 0 Row "`)
		}},
		{Name: "dom.observe.attributes/reports a missing frame", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.fails("dom.observe.attributes", `{"selector":"p","attributes":["id"],"frame":"#none"}`, fault.FrameNotFound), "selector", `"#none"`)
		}},
		{Name: "dom.observe.attributes/refuses an empty attribute list", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fails("dom.observe.attributes", `{"selector":"p","attributes":[]}`, fault.InvalidInput)
			p.fails("dom.observe.attributes", `{"selector":"p"}`, fault.InvalidInput)
			p.fails("dom.observe.attributes", `{"selector":"p","attributes":["a\nb"]}`, fault.InvalidInput)
		}},
	}
}
