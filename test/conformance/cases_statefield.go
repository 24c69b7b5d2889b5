package conformance

func stateFieldCases() []Case {
	return []Case{
		{Name: "state.extract/reads attributes and properties", HTML: `
			<input id=i value=old aria-label=Name><input id=b type=checkbox checked><p id=p style="margin:0;position:absolute;left:10px;top:20px;width:30px;height:40px"><b>in</b></p>
			<a href="/x?y">x</a><ol><li value=3>three</li></ol><script>$("#i").value = "new"</script>`,
			Run: func(p *Page) {
				out := p.ok(stateExtract, `{"extract":[{"id":"page","many":false,"fields":{
					"value":{"selector":"#i","property":"value"},"attribute":{"selector":"#i","attribute":"value"},"label":{"selector":"#i","property":"ariaLabel"},
					"checked":{"selector":"#b","property":"checked"},"unchecked":{"selector":"#p","property":"checked"},
					"box":{"selector":"#p","property":"boundingClientRect"},"inner":{"selector":"#p","property":"innerText"},"content":{"selector":"#p","property":"textContent"},
					"href":{"selector":"a","attribute":"href"},"number":{"selector":"li","property":"value"},"none":{"selector":"#p","property":"value"}}}]}`)
				p.is(out, "records.page", `{"value":"new","attribute":"old","label":"Name","checked":true,"unchecked":null,
					"box":{"x":10,"y":20,"width":30,"height":40,"top":20,"left":10,"right":40,"bottom":60},
					"inner":"in","content":"in","href":"/x?y","number":3,"none":null}`)
			}},
		{Name: "state.extract/takes defaults and tells missing required fields", HTML: `<ul><li><b> a </b></li><li><b></b></li><li></li></ul>`, Run: func(p *Page) {
			out := p.ok(stateExtract, `{"extract":[{"id":"items","selector":"li","fields":{
				"name":{"selector":"b","required":true,"default":"?","trim":true},"done":{"selector":"i","default":false},
				"marks":{"selector":"u","many":true,"default":["none"]},"link":{"selector":"a","fields":{"text":{}}}}},
				{"id":"rows","selector":"tr","required":true},{"id":"modal","selector":"dialog","many":false,"fields":{"text":{}},"required":true,"default":{"open":false}}]}`)
			// An empty text is a value, so it stays; it is missing all the same.
			p.is(out, "records.items", `[{"name":"a","done":false,"marks":["none"],"link":null},
				{"name":"","done":false,"marks":["none"],"link":null},{"name":"?","done":false,"marks":["none"],"link":null}]`)
			p.is(out, "records.rows", `[]`)
			p.is(out, "records.modal", `{"open":false}`)
			p.is(out, "diagnostics.missing_required_fields", `["items.1.name","items.2.name","rows","modal"]`)
			p.is(out, "diagnostics.complete", `false`)
			p.eval(`document.body.innerHTML = "<p></p>".repeat(150)`)
			out = p.ok(stateExtract, `{"extract":[{"id":"ps","selector":"p","fields":{"b":{"selector":"b","required":true}}}]}`)
			p.is(out, "diagnostics.missing_required_fields.length", `100`)
			p.is(out, "diagnostics.missing_required_count", `150`)
		}},
		{Name: "state.extract/enters shadow roots", HTML: `<x-list></x-list><script>
			const root = $("x-list").attachShadow({mode: "open"});
			root.innerHTML = "<x-row></x-row><p>between</p><x-row></x-row>";
			root.querySelectorAll("x-row").forEach((row, i) => row.attachShadow({mode: "open"}).innerHTML = "<p><b>row " + i + "</b> <button aria-label=Go></button></p>")</script>`,
			Run: func(p *Page) {
				out := p.ok(stateExtract, `{"extract":[{"id":"rows","selector":"x-row","fields":{
					"text":{},"name":{"selector":"b"},"go":{"selector":"button","property":"ariaLabel"},"list":{"selector":"b","closest":"x-list","attribute":"id","default":"climbed"}}},
					{"id":"ps","selector":"p","trim":true}]}`)
				p.is(out, "records.rows", `[{"text":"row 0","name":"row 0","go":"Go","list":"climbed"},{"text":"row 1","name":"row 1","go":"Go","list":"climbed"}]`)
				p.is(out, "records.ps", `["row 0","between","row 1"]`)
			}},
		{Name: "state.extract/never gives a secret", HTML: `
			<form><input type=password value=hunter2><input autocomplete=one-time-code value=424242><input autocomplete="billing cc-number" value=4111><input autocomplete=cc-csc value=999><input value=plain></form>`,
			Run: func(p *Page) {
				out := p.ok(stateExtract, `{"extract":[{"id":"inputs","selector":"input","fields":{
					"a":{"property":"value"},"b":{"attribute":"value"},"c":{"attribute":"VALUE"},"d":{},"e":{"property":"textContent"}}}]}`)
				p.is(out, "records.inputs", `[{"a":null,"b":null,"c":null,"d":"","e":""},{"a":null,"b":null,"c":null,"d":"","e":""},
					{"a":null,"b":null,"c":null,"d":"","e":""},{"a":null,"b":null,"c":null,"d":"","e":""},{"a":"plain","b":"plain","c":"plain","d":"","e":""}]`)
				p.eval(`$("input").type = "text"`)
				p.is(p.ok(stateExtract, `{"extract":[{"id":"i","selector":"input","property":"value"}]}`), "records.i.0", `null`)
			}},
	}
}
