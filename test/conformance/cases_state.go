package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

const stateExtract = "state.extract"

const board = `<section class=list data-id=l1><h2> To do </h2>
	<article class=card id=c1><a href="/c1">Tea</a><i class=label>P0</i><i class=label>P1</i></article>
	<article class=card id=c2><a href="/c2">Milk</a></article></section>
	<section class=list data-id=l2><h2>Done</h2></section><dl><dt hidden>secret plan</dt></dl>`

func stateCases() []Case {
	return []Case{
		// Scenario P4 of the format's reference.
		{Name: "state.extract/reads nested records", HTML: board, Run: func(p *Page) {
			out := p.ok(stateExtract, `{"extract":[{"id":"lists","selector":".list","fields":{
				"id":{"attribute":"data-id"},"name":{"selector":"h2","trim":true},
				"cards":{"selector":".card","many":true,"fields":{
					"id":{"attribute":"id"},"title":{"selector":"a"},"due":{"selector":".due"},
					"labels":{"selector":".label","many":true,"fields":{"text":{}}}}}}}]}`)
			p.is(out, "records.lists", `[{"id":"l1","name":"To do","cards":[
				{"id":"c1","title":"Tea","due":null,"labels":[{"text":"P0"},{"text":"P1"}]},
				{"id":"c2","title":"Milk","due":null,"labels":[]}]},{"id":"l2","name":"Done","cards":[]}]`)
			p.is(out, "diagnostics", `{"missing_required_fields":[],"missing_required_count":0,"complete":true,"truncated":false,
				"selector_counts":{"lists":2,"lists.name":2,"lists.cards":2,"lists.cards.title":2,"lists.cards.due":0,"lists.cards.labels":2}}`)
			p.is(out, "title", `"state.extract/reads nested records"`)
		}},
		{Name: "state.extract/reads texts, one record and the document", HTML: board, Run: func(p *Page) {
			out := p.ok(stateExtract, `{"extract":[
				{"id":"names","selector":"h2","trim":true},{"id":"one","selector":"h2","many":false},
				{"id":"first","selector":".card","many":false,"fields":{"title":{"selector":"a"}}},
				{"id":"none","selector":"#none","many":false,"fields":{"title":{}}},
				{"id":"page","fields":{"cards":{"selector":".card","many":true}}},
				{"id":"hidden","selector":"dt"}]}`)
			p.is(out, "records.names", `["To do","Done"]`)
			p.is(out, "records.one", `["To do","Done"]`)
			p.is(out, "records.first", `{"title":"Tea"}`)
			p.is(out, "records.none", `null`)
			p.is(out, "records.page.0.cards.length", `2`)
			p.is(out, "records.hidden", `["secret plan"]`)
			p.is(p.ok(stateExtract, `{"extract":[]}`), "records", `{}`)
		}},
		{Name: "state.extract/gives an array for a field with many", HTML: board, Run: func(p *Page) {
			out := p.ok(stateExtract, `{"extract":[{"id":"cards","selector":".card","fields":{
				"labels":{"selector":".label","many":true},"hrefs":{"selector":"a","attribute":"href","many":true},"self":{"attribute":"id","many":true}}}]}`)
			p.is(out, "records.cards", `[{"labels":["P0","P1"],"hrefs":["/c1"],"self":["c1"]},{"labels":[],"hrefs":["/c2"],"self":["c2"]}]`)
		}},
		// Ensure that a list made by several selectors has the elements of a form with a field called children, as of a hotel.
		{Name: "state.extract/reads on in a form with a field called children", HTML: `<p>Rooms</p><form><b>Beds</b><select name=children><option>0</select></form><p>End</p>`, Run: func(p *Page) {
			out := p.ok(stateExtract, `{"extract":[{"id":"r","selector":"p, b"}]}`)
			p.is(out, "records.r", `["Rooms","Beds","End"]`)
		}},
		{Name: "state.extract/climbs to the closest ancestor", HTML: board, Run: func(p *Page) {
			out := p.ok(stateExtract, `{"extract":[
				{"id":"lists","selector":".label","closest":".list","fields":{"id":{"attribute":"data-id"}}},
				{"id":"links","selector":"a","fields":{"list":{"closest":".list","attribute":"data-id"},"dialog":{"closest":"dialog"}}}]}`)
			p.is(out, "records.lists", `[{"id":"l1"}]`)
			p.is(out, "records.links", `[{"list":"l1","dialog":null},{"list":"l1","dialog":null}]`)
		}},
		// Scenario P5.
		{Name: "state.extract/reads by XPath", HTML: board, Run: func(p *Page) {
			out := p.ok(stateExtract, `{"extract":[{"id":"lists","xpath":"//section","fields":{
				"name":{"xpath":"./h2","trim":true},"links":{"xpath":".//a","many":true},"plain":{"xpath":".//article[a]","selector":"#c2","attribute":"id"}}}]}`)
			p.is(out, "records.lists", `[{"name":"To do","links":["Tea","Milk"],"plain":"c2"},{"name":"Done","links":[],"plain":null}]`)
			p.is(out, "diagnostics.selector_counts", `{"lists":2,"lists.name":2,"lists.links":2,"lists.plain":1}`)
		}},
		{Name: "state.extract/keeps the document's order and the order of fallbacks", HTML: `<h1>A</h1><h2>B</h2><h1>C</h1>`, Run: func(p *Page) {
			out := p.ok(stateExtract, `{"extract":[{"id":"all","selector":"h2, h1"},{"id":"first","selector":"body","fields":{"head":{"selector":"h2, h1"}}}]}`)
			p.is(out, "records", `{"all":["A","B","C"],"first":[{"head":"B"}]}`)
		}},
		{Name: "state.extract/cuts at max_bytes and says so", HTML: `<script>for (let i = 0; i < 200; i++) document.write("<p><b>row " + i + "</b></p>")</script>`, Run: func(p *Page) {
			const rows = `{"extract":[{"id":"rows","selector":"p","fields":{"t":{"selector":"b","required":true}}}]`
			out := p.ok(stateExtract, rows+`,"max_bytes":1000}`)
			p.is(out, "diagnostics.truncated", `true`)
			p.is(out, "diagnostics.complete", `false`)
			p.is(out, "diagnostics.missing_required_fields", `[]`)
			p.is(out, "diagnostics.selector_counts.rows", `200`)
			if n := out.number("records.rows.length"); n < 30 || n > 80 {
				p.Errorf("%v rows in 1000 bytes", n)
			}
			p.is(p.ok(stateExtract, rows+`}`), "records.rows.199", `{"t":"row 199"}`)
			p.eval(`document.body.textContent = "x".repeat(5000)`)
			if text, _ := p.ok(stateExtract, `{"extract":[{"id":"t","selector":"body"}],"max_bytes":1000}`).at("records.t.0").(string); len(text) < 400 || len(text) > 1000 {
				p.Errorf("a long text was cut to %d characters", len(text))
			}
		}},
		{Name: "state.extract/names the field of an invalid selector", HTML: board, Run: func(p *Page) {
			for args, field := range map[string]string{
				`{"extract":[{"id":"lists","selector":".list["}]}`:                                                    `"lists"`,
				`{"extract":[{"id":"none","selector":"#none","fields":{"a":{"selector":"b,"}}}]}`:                     `"none.a"`,
				`{"extract":[{"id":"lists","fields":{"cards":{"fields":{"id":{"xpath":"//["}}}}}]}`:                   `"lists.cards.id"`,
				`{"extract":[{"id":"lists","fields":{"card":{"selector":"i","closest":"::"}}}]}`:                      `"lists.card"`,
				`{"extract":[{"id":"n","xpath":"count(//a)"}]}`:                                                       `"n"`,
				`{"extract":[{"id":"lists","selector":".list","fields":{"x":{"selector":"a","xpath":"1 +"}}}]}`:       `"lists.x"`,
				`{"extract":[{"id":"a","selector":"p"},{"id":"b","fields":{"c":{"selector":":contains(\"tea\")"}}}]}`: `"b.c"`,
			} {
				p.is(p.fails(stateExtract, args, fault.InvalidSelector), "field", field)
			}
			p.fails(stateExtract, `{"extract":[{"selector":"p"}]}`, fault.InvalidInput)
			p.fails(stateExtract, `{"extract":[{"id":"a\nb","selector":"p"}]}`, fault.InvalidInput) // no name of a member of the output
			p.fails(stateExtract, `{"extract":[{"id":"a","fields":{"b":{"property":"outerHTML"}}}]}`, fault.InvalidInput)
		}},
	}
}
