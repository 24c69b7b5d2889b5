package conformance

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	readText       = "locator.text_content"
	readValue      = "locator.value"
	readAttributes = "dom.observe.attributes"
	clickPoint     = "pointer.click"
)

// locatorKeyCases shows each key of the locator on a read, which asks no more
// of the page than that it is found.
func locatorKeyCases() []Case {
	return []Case{
		{Name: readText + "/finds by label in all its forms", HTML: `
			<label for=a>E-mail</label><input id=a aria-label="" value=1>
			<label>Name <input id=b></label>
			<span id=s1>Card</span><span id=s2>number</span><input id=c aria-labelledby="s1">
			<label for=d>First</label><label for=d>Second</label><textarea id=d></textarea>
			<label for=e>Say "hi" \ it's</label><select id=e><option>x</select>
			<button aria-label="Close">xx</button><label for=f>E-mail address</label><input id=f>`,
			Run: func(p *Page) {
				for label, id := range map[string]string{`E-mail`: "a", `Name`: "b", `Card`: "c", `First`: "d", `Second`: "d", `Say \"hi\" \\ it's`: "e", `  E-mail   address `: "f"} {
					p.is(p.ok(readAttributes, `{"selector":"#`+id+`","attributes":["id"]}`), "match_count", `1`)
					p.is(p.ok(readValue, `{"locator":{"label":"`+label+`","selector":"#`+id+`"}}`), "visible", `true`)
				}
				p.fails(readValue, `{"locator":{"label":"e-mail"}}`, fault.TargetNotFound)
				p.fails(readValue, `{"locator":{"label":"E-mai"}}`, fault.TargetNotFound)
				p.is(p.ok(info, `{"locator":{"label":"Close"}}`), "tag_name", `"button"`)
			}},
		{Name: readValue + "/finds by placeholder, exactly", HTML: `<input placeholder="Search all" value=a><input placeholder="Search" value=b><input placeholder='a "b" \c' value=c><input placeholder="search" value=d>`,
			Run: func(p *Page) {
				p.is(p.ok(readValue, `{"locator":{"placeholder":"Search","strict":true}}`), "value", `"b"`)
				p.is(p.ok(readValue, `{"locator":{"placeholder":"a \"b\" \\c","strict":true}}`), "value", `"c"`)
				p.fails(readValue, `{"locator":{"placeholder":"Sear"}}`, fault.TargetNotFound)
				p.fails(readValue, `{"locator":{"placeholder":""}}`, fault.InvalidInput)
			}},
		{Name: readText + "/finds by test id in the order of the page", HTML: `<p data-test=k>1</p><p data-testid=k>2</p><p data-test-id=k>3</p><p data-testid=kk>4</p><p data-testid='a"]b'>5</p>`,
			Run: func(p *Page) {
				for i, want := range []string{`"1"`, `"2"`, `"3"`} {
					p.is(p.ok(readText, `{"locator":{"test_id":"k","nth":`+string(rune('0'+i))+`}}`), "text", want)
				}
				p.is(p.ok(readText, `{"locator":{"test_id":"k","nth":-1}}`), "text", `"3"`)
				p.is(p.ok(readText, `{"locator":{"test_id":"a\"]b"}}`), "text", `"5"`)
				p.fails(readText, `{"locator":{"test_id":"k","nth":-4}}`, fault.TargetNotFound)
			}},
		{Name: readText + "/finds by a part of the name in any case", HTML: `<button>Save DRAFT</button><button aria-label="Save all">x</button><a href=#>Draft</a>`,
			Run: func(p *Page) {
				p.is(p.ok(info, `{"locator":{"role":"button","name_contains":"draft"}}`), "match_count", `1`)
				p.is(p.ok(info, `{"locator":{"name_contains":"  dRAFT "}}`), "match_count", `2`)
				p.is(p.ok(readText, `{"locator":{"name":"Save all","name_contains":"ALL"}}`), "text", `"x"`)
				p.fails(readText, `{"locator":{"name":"save all"}}`, fault.TargetNotFound)
			}},
		{Name: readText + "/takes a text that no control has", HTML: `<p>Total: <b>12</b> items</p><ul><li>Green tea<li>Black tea</ul><p hidden>Secret words</p>
			<select><option>One</select><x-host></x-host><button>Order tea now</button>
			<script>$("x-host").attachShadow({mode: "open"}).innerHTML = "<p>Deep <i>words</i></p>"</script>`,
			Run: func(p *Page) {
				for wanted, want := range map[string]string{"Total: 12 items": "Total: 12 items", "12": "12", "12 items": "Total: 12 items", "Green": "Green tea", "Deep words": "Deep words", "tea": "Order tea now"} {
					p.is(p.ok(readText, `{"locator":{"text":"`+wanted+`","strict":true}}`), "text", `"`+want+`"`)
					p.ok("locator.wait_for", `{"locator":{"text":"`+wanted+`"},"timeout_ms":0}`)
				}
				p.is(p.ok(readText, `{"locator":{"text_equals":"Black tea"}}`), "text", `"Black tea"`)
				for _, wanted := range []string{"teaBlack", "Secret words", "green"} {
					p.fails(readText, `{"locator":{"text":"`+wanted+`"}}`, fault.TargetNotFound)
				}
				p.is(p.fails(readText, `{"locator":{"text":"e","strict":true,"nth":9}}`, fault.TargetNotFound), "match_count", `0`)
				p.is(p.fails(readText, `{"locator":{"text":"l","strict":true}}`, fault.MultipleTargets), "match_count", `2`)
				p.fails(readText, `{"locator":{"text":"Deep words","shadow":false}}`, fault.TargetNotFound)
				p.fails("locator.wait_for", `{"locator":{"text":"Green tea"},"state":"hidden","timeout_ms":0}`, fault.Timeout)
			}},
		{Name: readText + "/finds by the roles and names of a snapshot", HTML: `<ul><li>Green <i>tea</i><li>Black tea</ul><h2>Teas</h2>
			<table><tr><th>Kind<th>Cups<tr><td>Sencha<td>2</table><div role=grid><div role=row><div role=gridcell>Mon<span style="display:none">day</span></div></div></div>
			<details open><summary>More</summary>x</details><div contenteditable aria-label=Notes></div><img alt=Leaf><a href=# aria-label="` + strings.Repeat("long ", 30) + `">x</a>`,
			Run: func(p *Page) {
				for _, found := range []struct{ role, name, tag string }{
					{"listitem", "Green tea", "li"}, {"gridcell", "Mon", "div"}, {"columnheader", "Cups", "th"}, {"cell", "Sencha", "td"},
					{"row", "Sencha 2", "tr"}, {"summary", "More", "summary"}, {"textbox", "Notes", "div"}, {"image", "Leaf", "img"},
					{"link", strings.Repeat("long ", 23) + "long…", "a"},
				} {
					p.is(p.ok(info, `{"locator":{"role":"`+found.role+`","name":"`+found.name+`","strict":true},"auto_scroll":false}`), "tag_name", `"`+found.tag+`"`)
				}
				for _, name := range []string{"Teas", "Leaf", "More"} {
					p.ok(readText, `{"locator":{"name":"`+name+`"}}`)
				}
				p.fails(readText, `{"locator":{"role":"cell","name":"Cups"}}`, fault.TargetNotFound)
				p.fails(readText, `{"locator":{"role":"listitem","name":"Green"}}`, fault.TargetNotFound)
			}},
		{Name: readText + "/takes a short name that ends in dots for the whole name", HTML: `<button>Delete all messages</button><button id=d>Delete…</button>`,
			Run: func(p *Page) {
				// Ensure that no element of another name is found, neither beside the one that is called so nor in its place.
				p.is(p.ok(readText, `{"locator":{"role":"button","name":"Delete…","strict":true}}`), "text", `"Delete…"`)
				p.eval(`$("#d").textContent = "Delete one"`)
				p.fails(readText, `{"locator":{"role":"button","name":"Delete…"}}`, fault.TargetNotFound)
			}},
		{Name: readText + "/finds texts as they are drawn, whatever may break their lines", HTML: `<p>Daten&shy;schutz&shy;erklärung <b>akzep&shy;tiert</b></p><p>user<wbr>&#8203;name saved</p>`,
			Run: func(p *Page) {
				// Ensure that soft hyphens and zero-width spaces, which nobody reads, keep no text from being found, by each way of looking for one.
				for _, wanted := range []string{"Datenschutzerklärung akzeptiert", "Daten\u00adschutzerklärung", "akzeptiert", "username saved"} {
					p.ok(readText, `{"locator":{"text":"`+wanted+`","strict":true}}`)
					p.ok("page.find", `{"text":"`+wanted+`"}`)
				}
				p.is(p.ok(readText, `{"locator":{"text_equals":"username saved"}}`), "text", `"username saved"`)
				p.is(p.ok(readText, `{"locator":{"text_contains":"Datenschutzerklärung","selector":"p"}}`), "text", `"Datenschutzerklärung akzeptiert"`)
			}},
		{Name: readText + "/keeps out of shadow roots on request", HTML: `<p class=x>light</p><x-host></x-host><script>
			const r = $("x-host").attachShadow({mode: "open"});
			r.innerHTML = "<p class=x>dark</p><label>In <input placeholder=P data-testid=T></label><button>Go</button>";
			</script>`,
			Run: func(p *Page) {
				p.is(p.ok(info, `{"locator":{"selector":".x"}}`), "match_count", `2`)
				p.is(p.ok(info, `{"locator":{"selector":".x","shadow":false}}`), "match_count", `1`)
				for _, key := range []string{`"role":"button","name":"Go"`, `"label":"In"`, `"placeholder":"P"`, `"test_id":"T"`} {
					p.is(p.ok(info, `{"locator":{`+key+`}}`), "match_count", `1`)
					p.fails(info, `{"locator":{`+key+`,"shadow":false}}`, fault.TargetNotFound)
				}
				p.fails(info, `{"locator":{"selector":"body","retarget":{"selector":"button"},"shadow":false}}`, fault.TargetNotFound)
			}},
		{Name: readText + "/finds by what all keys match", HTML: `<ul><li><button class=a>Edit</button><li><button class=b>Edit</button><input class=b placeholder=Edit></ul>`,
			Run: func(p *Page) {
				p.is(p.ok(info, `{"locator":{"xpath":"//li/button","selector":".b","role":"button","name":"Edit","text_equals":"Edit"}}`), "match_count", `1`)
				p.fails(info, `{"locator":{"selector":".a","placeholder":"Edit"}}`, fault.TargetNotFound)
			}},
		{Name: readText + "/gives candidates of a strict locator that tell them apart (C1)", HTML: `
			<ul><li>Ann <button>Edit</button><li>Bob <button>Edit</button><li>Cid <button>Edit</button></ul><button hidden>Edit</button>`,
			Run: func(p *Page) {
				out := p.fails(readText, `{"locator":{"text_equals":"Edit","selector":"button","strict":true}}`, fault.MultipleTargets)
				p.is(out, "match_count", `4`)
				p.is(out, "candidates.1.ancestor", `"li"`)
				p.is(out, "candidates.1.ancestor_text", `"Bob Edit"`)
				if x, y := out.number("candidates.1.center.x"), out.number("candidates.1.center.y"); x <= 0 || y <= 0 {
					p.Errorf("the centre is %v,%v", x, y)
				}
				ref, _ := out.at("candidates.1.ref").(string)
				p.is(p.ok(info, `{"locator":{"ref":"`+ref+`","retarget":{"closest":"li","selector":"button"}}}`), "candidates.length", `1`)
				p.is(p.ok(readText, `{"locator":{"ref":"`+ref+`","retarget":{"closest":"li","selector":":scope"}}}`), "text", `"Bob Edit"`)
			}},
		{Name: readText + "/counts only what is rendered when that decides a strict locator", HTML: `<button hidden>Menu</button><button>Menu</button><p hidden>a</p><p hidden>b</p>`,
			Run: func(p *Page) {
				p.is(p.ok(readText, `{"locator":{"selector":"button","strict":true}}`), "visible", `true`)
				p.fails(readText, `{"locator":{"selector":"p","strict":true}}`, fault.MultipleTargets)
			}},
		{Name: readText + "/takes a ref with other keys as both", HTML: `<button class=a>One</button><button class=b>Two</button>`,
			Run: func(p *Page) {
				out := p.fails(readText, `{"locator":{"selector":"button","strict":true}}`, fault.MultipleTargets)
				ref, _ := out.at("candidates.0.ref").(string)
				p.is(p.ok(readText, `{"locator":{"ref":"`+ref+`","selector":".a"}}`), "text", `"One"`)
				p.fails(readText, `{"locator":{"ref":"`+ref+`","selector":".b"}}`, fault.TargetNotFound)
				p.eval(`$(".a").remove()`)
				p.fails(readText, `{"locator":{"ref":"`+ref+`"}}`, fault.StaleRef)
			}},
		{Name: readText + "/fails closed where a frame is not named (C15)", HTML: `<p>page</p><iframe name=n srcdoc="<p>frame"></iframe>`,
			Run: func(p *Page) {
				for _, frame := range []string{`""`, `[]`, `{}`, `[""]`, `[{}]`, `{"host":""}`, `null`, `7`} {
					p.fails(readText, `{"locator":{"selector":"p","frame":`+frame+`}}`, fault.InvalidInput)
				}
				p.fails(readText, `{"locator":{"selector":"p","frame":" "}}`, "invalid_arguments")
				p.fails(readText, `{"locator":{"selector":"p","frame":{"name":"m"}}}`, fault.FrameNotFound)
				p.fails(readText, `{"locator":{"selector":"p","frame":{"selector":"iframe","name":"m"}}}`, fault.FrameNotFound)
				p.is(p.ok(readText, `{"locator":{"selector":"p","frame":{"selector":"iframe","name":"n"}}}`), "text", `"frame"`)
			}},
		{Name: readText + "/chooses a frame of this origin by host and name", HTML: `<iframe name=a srcdoc="<p>blank"></iframe><iframe name=b src="{{SAME}}` + inside(`<p>same</p>`) + `"></iframe>`,
			Run: func(p *Page) {
				p.is(p.ok(readText, `{"locator":{"selector":"p","frame":{"host":"127.0.0.1"}}}`), "text", `"same"`)
				p.is(p.ok(readText, `{"locator":{"selector":"p","frame":[{"name":"b"}]}}`), "text", `"same"`)
				p.fails(readText, `{"locator":{"selector":"p","frame":{"host":"0.1"}}}`, fault.FrameNotFound)
				p.fails(readText, `{"locator":{"selector":"p","frame":{"host":"case"}}}`, fault.FrameNotFound)
			}},
	}
}
